//! A store that goes when it is dropped.

use reflect_store::Store;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_postgres::NoTls;
use uuid::Uuid;

/// Names a PostgreSQL to try things on, by a role that may make schemas there. Without it, SQLite is tried.
const URL: &str = "REFLECT_TEST_DATABASE_URL";

/// A store with a database of its own.
pub(crate) struct TempStore {
    pub(crate) store: Store,
    place: Place,
}

enum Place {
    Folder(TempDir),
    Schema(TempSchema),
}

impl TempStore {
    pub(crate) async fn open() -> Self {
        let place = match std::env::var(URL) {
            Ok(url) => Place::Schema(TempSchema::make(url)),
            Err(_) => Place::Folder(tempfile::tempdir().unwrap()),
        };
        Self { store: place.open().await, place }
    }

    /// Closes the store and opens it again.
    pub(crate) async fn reopen(self) -> Self {
        let Self { store, place } = self;
        drop(store);
        Self { store: place.open().await, place }
    }

    /// Opens it once more, as another process would. Only PostgreSQL lets two have it.
    pub(crate) async fn open_beside(&self) -> Store {
        Store::connect(&self.schema().url()).await.unwrap()
    }

    /// The schema of a PostgreSQL, to be looked at by other ways than the store's.
    pub(crate) fn schema(&self) -> &TempSchema {
        match &self.place {
            Place::Folder(_) => panic!("this test needs PostgreSQL: `cargo xtask test postgres` sets `{URL}`"),
            Place::Schema(schema) => schema,
        }
    }
}

impl Place {
    async fn open(&self) -> Store {
        match self {
            Self::Folder(folder) => Store::open(&folder.path().join("reflect.db")).unwrap(),
            Self::Schema(schema) => Store::connect(&schema.url()).await.unwrap(),
        }
    }
}

/// A schema that goes when it goes.
pub(crate) struct TempSchema {
    server: String,
    name: String,
}

impl TempSchema {
    fn make(server: String) -> Self {
        // Tests are processes of their own, and many run at once.
        let unique = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() << 32 | u128::from(std::process::id());
        let schema = Self { server, name: format!("test_{}", Uuid::from_u128(unique).simple()) };
        schema.execute(&format!("CREATE SCHEMA {}", schema.name));
        schema
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn url(&self) -> String {
        let and = if self.server.contains('?') { '&' } else { '?' };
        let Self { server, name } = self;
        format!("{server}{and}options=-csearch_path%3D{name}&application_name={name}")
    }

    /// Runs statements beside the store, in the schema.
    pub(crate) fn execute(&self, sql: &str) {
        self.ask(sql);
    }

    /// The first column of the last row that statements answer.
    pub(crate) fn ask(&self, sql: &str) -> Option<String> {
        Self::ask_at(&self.url(), sql)
    }

    pub(crate) fn ask_at(url: &str, sql: &str) -> Option<String> {
        let (url, sql) = (url.to_owned(), sql.to_owned());
        // On a thread of its own, since this may be called where waiting is not allowed.
        let ask = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
                let ask = async move { client.simple_query(&sql).await.unwrap() };
                let (answer, ended) = tokio::join!(ask, connection);
                ended.unwrap();
                answer.iter().rev().find_map(|message| match message {
                    tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                    _ => None,
                })
            })
        };
        std::thread::spawn(ask).join().unwrap()
    }
}

impl TempSchema {
    /// Runs a statement in a transaction that ends when what is answered is dropped.
    pub(crate) async fn hold(&self, sql: &str) -> Held {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.unwrap();
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        client.batch_execute(&format!("BEGIN; {sql}")).await.unwrap();
        Held { _client: client, _driver: driver }
    }
}

/// A transaction that ends when it is dropped.
pub(crate) struct Held {
    _client: tokio_postgres::Client,
    _driver: JoinSet<Result<(), tokio_postgres::Error>>,
}

impl Drop for TempSchema {
    fn drop(&mut self) {
        self.execute(&format!("SET client_min_messages = warning; DROP SCHEMA {} CASCADE", self.name));
    }
}
