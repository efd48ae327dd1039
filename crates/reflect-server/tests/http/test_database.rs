//! The database of one test: a file in a folder of its own, or a schema of its own in the PostgreSQL that `REFLECT_TEST_DATABASE_URL` names.

use std::{process::Command, time::UNIX_EPOCH};

use reflect_store::Store;
use tempfile::TempDir;

use crate::test_app::block_on;

/// A database that goes when this goes.
pub(crate) enum TestDatabase {
    File(TempDir),
    Schema { name: String, url: String },
}

impl TestDatabase {
    pub(crate) fn new() -> Self {
        match std::env::var("REFLECT_TEST_DATABASE_URL") {
            Err(_) => Self::File(tempfile::tempdir().unwrap()),
            Ok(database) => {
                // Tests are processes of their own, and many run at once.
                let name = format!("http_{}_{}", std::process::id(), UNIX_EPOCH.elapsed().unwrap().as_nanos());
                assert!(psql(&format!("CREATE SCHEMA {name}")), "no schema could be made");
                Self::Schema { url: format!("{database}?options=-csearch_path%3D{name}"), name }
            }
        }
    }

    /// A store on it.
    pub(crate) fn open(&self) -> Store {
        match self {
            Self::File(folder) => Store::open(&folder.path().join("reflect.db")).unwrap(),
            // From a thread of its own, since a test may be running on a runtime, and nothing may wait there.
            Self::Schema { url, .. } => {
                std::thread::scope(|scope| scope.spawn(|| block_on(Store::connect(url)).unwrap()).join().unwrap())
            }
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Self::Schema { name, .. } = self {
            // What a test has left running may still hold it; the whole PostgreSQL goes in the end.
            let _ =
                psql(&format!("SET client_min_messages = error; SET lock_timeout = '2s'; DROP SCHEMA {name} CASCADE"));
        }
    }
}

/// Runs a statement, and says whether that went well.
fn psql(sql: &str) -> bool {
    let variable =
        |name| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by `cargo xtask test postgres`"));
    let mut psql = Command::new(variable("REFLECT_TEST_PSQL"));
    psql.args(["--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--command", sql]);
    psql.arg(variable("REFLECT_TEST_DATABASE_URL")).status().unwrap().success()
}
