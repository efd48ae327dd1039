//! Schemas that never change, and databases that this release does not read. The shared one has its cases in `shared_database`.

use std::path::{Path, PathBuf};

use reflect_store::{CopySource, CopyTarget, Store, StoreError};
use rusqlite::Connection;

/// The CRC-32 of what makes each schema from the first one on: in 2885637293Lite, and in Postgre2885637293L. A changed one would make databases that are not like
/// those that are there.
const SCHEMAS: &[[u32; 2]] = &[[2885637293, 2800602684]];

#[test]
fn schemas_stay_as_they_are() {
    let checksums = |backend: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(backend);
        let migrations = std::fs::read_dir(folder.join("migrations")).into_iter().flatten();
        let mut paths: Vec<PathBuf> = migrations.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.insert(0, folder.join("schema.sql"));
        paths.into_iter().map(|path| crc32fast::hash(&std::fs::read(path).unwrap())).collect::<Vec<u32>>()
    };
    let expected = |at: usize| SCHEMAS.iter().map(|schema| schema[at]).collect::<Vec<u32>>();
    assert_eq!(
        [checksums("sqlite"), checksums("postgres")],
        [expected(0), expected(1)],
        "add a migration; never change one"
    );
}

#[tokio::test]
async fn a_database_from_before_the_first_release_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, backup) = (folder.path().join("reflect.db"), folder.path().join("backup.db"));
    drop(Store::open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    for old in [1, 7, 27] {
        connection.pragma_update(None, "user_version", old).unwrap();
        let refused = [
            Store::open(&path).err(),
            Store::check_file_at(&path).await.err(),
            Store::check_ledger_at(&path).await.err(),
            Store::older_schema_at(&path).err(),
            Store::export_at(&path, None, &mut Vec::new(), &mut |_, _| {}).err(),
            CopySource::open(&path).err(),
            CopyTarget::open(&path).err(),
            Store::copy_at(&path, &backup, |_| {}).err(),
        ];
        for error in refused {
            let error = error.unwrap();
            assert!(matches!(error, StoreError::BeforeFirstSchema(found) if found == old), "{error}");
            assert!(error.to_string().contains("`reflect export FILE`"), "{error}");
        }
        std::fs::remove_file(&backup).unwrap();
        let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(found, old);
    }
    let aside =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(aside.into_iter().all(|name| !name.contains("schema-")), "nothing was set aside");
}
