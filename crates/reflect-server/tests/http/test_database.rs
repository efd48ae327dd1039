//! The database of one test: a file in a folder of its own, or a schema of its own in the PostgreSQL that `REFLECT_TEST_DATABASE_URL` names.

use std::{process::Command, time::UNIX_EPOCH};

use reflect_store::Store;
use tempfile::TempDir;

use crate::{distance::Distance, test_app::block_on};

const NEEDS_POSTGRES: &str = "this test needs PostgreSQL: `cargo xtask test postgres` starts one";

/// A database that goes when this goes.
pub(crate) enum TestDatabase {
    File(TempDir),
    Schema {
        name: String,
        url: String,
    },
    /// A whole database, which has no extensions.
    Bare {
        name: String,
        url: String,
    },
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

    /// A schema of the PostgreSQL, with a distance in between.
    pub(crate) fn at_a_distance() -> (Self, Distance) {
        let mut database = Self::new();
        let Self::Schema { url, .. } = &mut database else { panic!("{NEEDS_POSTGRES}") };
        let (before, after) = url.split_once('@').unwrap();
        let (address, rest) = after.split_once('/').unwrap();
        let distance = Distance::before(address.to_owned());
        *url = format!("{before}@{}/{rest}", distance.address());
        (database, distance)
    }

    /// A database without extensions, whatever the others have.
    pub(crate) fn without_extensions() -> Self {
        let database = variable("REFLECT_TEST_DATABASE_URL");
        let name = format!("bare_{}_{}", std::process::id(), UNIX_EPOCH.elapsed().unwrap().as_nanos());
        assert!(psql(&format!("CREATE DATABASE {name} TEMPLATE template0")), "no database could be made");
        let (server, _) = database.rsplit_once('/').unwrap();
        Self::Bare { url: format!("{server}/{name}"), name }
    }

    /// Runs statements in it, if it is a schema.
    pub(crate) fn run(&self, sql: &str) -> bool {
        match self {
            Self::File(_) | Self::Bare { .. } => false,
            Self::Schema { name, .. } => psql(&format!("SET search_path = {name}; {sql}")),
        }
    }

    /// A store on it.
    pub(crate) fn open(&self) -> Store {
        match self {
            Self::File(folder) => Store::open(&folder.path().join("reflect.db")).unwrap(),
            // From a thread of its own, since a test may be running on a runtime, and nothing may wait there.
            Self::Schema { url, .. } | Self::Bare { url, .. } => {
                std::thread::scope(|scope| scope.spawn(|| block_on(Store::connect(url)).unwrap()).join().unwrap())
            }
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // What a test has left running may still hold it; the whole PostgreSQL goes in the end.
        let _ = match self {
            Self::File(_) => true,
            Self::Schema { name, .. } => {
                psql(&format!("SET client_min_messages = error; SET lock_timeout = '2s'; DROP SCHEMA {name} CASCADE"))
            }
            Self::Bare { name, .. } => psql(&format!("DROP DATABASE {name} WITH (FORCE)")),
        };
    }
}

/// Runs a statement, and says whether that went well.
fn psql(sql: &str) -> bool {
    let mut psql = Command::new(variable("REFLECT_TEST_PSQL"));
    psql.args(["--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--command", sql]);
    psql.arg(variable("REFLECT_TEST_DATABASE_URL")).status().unwrap().success()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{NEEDS_POSTGRES}, and sets `{name}`"))
}
