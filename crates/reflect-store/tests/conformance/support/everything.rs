//! A SQLite database with one of everything, and all that a database holds.

use std::{collections::BTreeMap, path::Path};

use reflect_store::Store;
use rusqlite::{Connection, types::Value};

/// How many projects [`make_everything`] makes: `of 01` and `of 02`.
pub(crate) const PROJECTS: usize = 2;

/// The rows of a table, each by the names of its columns.
pub(crate) type Rows = Vec<BTreeMap<String, Value>>;

/// Makes a database whose projects have a row in every table.
pub(crate) fn make_everything(path: &Path) {
    drop(Store::open(path).unwrap());
    let connection = Connection::open(path).unwrap();
    for number in 1..=PROJECTS {
        let rows = include_str!("../fixtures/everything.sql").replace("{n}", &format!("{number:02}"));
        connection.execute_batch(&rows).unwrap();
    }
    assert!(read_all(path).values().all(|rows| !rows.is_empty()), "a table has no rows");
}

/// Everything in a database, but for the name of the process that writes.
pub(crate) fn read_all(path: &Path) -> BTreeMap<String, Rows> {
    let connection = Connection::open(path).unwrap();
    let list = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'writer'";
    let mut statement = connection.prepare(list).unwrap();
    let tables = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    tables.map(|table| table.unwrap()).map(|table| (table.clone(), read_table(&connection, &table))).collect()
}

fn read_table(connection: &Connection, table: &str) -> Rows {
    let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement
        .query_map([], |row| columns.iter().enumerate().map(|(at, name)| Ok((name.clone(), row.get(at)?))).collect());
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}
