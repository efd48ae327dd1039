//! Reading a whole database, table by table.

use std::{collections::BTreeMap, ops::ControlFlow};

use super::sums::TableSum;
use crate::{
    error::{StoreError, StoreResult},
    postgres,
    sql::{Dialect, Query, Read, Value, params},
    sqlite,
    tables::all::{TABLES, Table},
};

/// How many rows are written at once at most, and how many bytes they hold then, unless one alone has more.
const BATCH_ROWS: usize = 1_000;
const BATCH_BYTES: usize = 1 << 20;

/// Some rows of a table on their way.
pub(super) struct Batch {
    pub(super) table: &'static str,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<Value<'static>>>,
    bytes: usize,
    /// How many rows of the database have been read, and how many there are.
    pub(super) done: u64,
    pub(super) all: u64,
}

impl Batch {
    fn of(table: &Table, columns: &[String]) -> Self {
        Self { table: table.name, columns: columns.to_vec(), rows: Vec::new(), bytes: 0, done: 0, all: 0 }
    }

    fn push(&mut self, row: Vec<Value<'static>>) {
        self.bytes += row.iter().map(bytes_of).sum::<usize>();
        self.rows.push(row);
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }
}

/// Reads every row, sends those that are not `there` yet, and answers what each table holds. Of each table the first ones by its key are there.
pub(super) fn read_tables(
    read: &dyn Read,
    there: &BTreeMap<String, u64>,
    send: &mut dyn FnMut(Batch) -> StoreResult<()>,
) -> StoreResult<Vec<TableSum>> {
    let all = count_rows(read)?;
    let mut sums = Vec::with_capacity(TABLES.len());
    let mut done = 0;
    for table in TABLES {
        let columns = columns(read, table)?;
        let there = there.get(table.name).copied().unwrap_or(0);
        let mut sum = TableSum::of(table.name);
        let mut batch = Batch::of(table, &columns);
        each_row(read, (table, columns.as_slice()), InOrder::OfKeys, &mut |row| {
            sum.add(&row);
            done += 1;
            if sum.rows > there {
                batch.push(row.into_iter().map(Value::into_owned).collect());
            }
            if batch.is_full() {
                let full = std::mem::replace(&mut batch, Batch::of(table, &columns));
                send(Batch { done, all, ..full })?;
            }
            Ok(())
        })?;
        if !batch.rows.is_empty() {
            send(Batch { done, all, ..batch })?;
        }
        sums.push(sum);
    }
    Ok(sums)
}

/// Reads every row and answers what each table holds. Says after each row how many there were.
pub(super) fn sum_tables(read: &dyn Read, each: &mut dyn FnMut(u64)) -> StoreResult<Vec<TableSum>> {
    let mut done = 0;
    let mut sum_table = |table: &Table| {
        let (mut sum, columns) = (TableSum::of(table.name), columns(read, table)?);
        each_row(read, (table, columns.as_slice()), InOrder::Any, &mut |row| {
            sum.add(&row);
            done += 1;
            each(done);
            Ok(())
        })?;
        Ok(sum)
    };
    TABLES.iter().map(&mut sum_table).collect()
}

/// In which order rows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InOrder {
    OfKeys,
    Any,
}

fn each_row(
    read: &dyn Read,
    (table, columns): (&Table, &[String]),
    order: InOrder,
    each: &mut dyn FnMut(Vec<Value<'_>>) -> StoreResult<()>,
) -> StoreResult<()> {
    let Table { name, key } = table;
    let order = if order == InOrder::OfKeys { format!(" ORDER BY {key}") } else { String::new() };
    let sql = format!("SELECT {} FROM {name}{order}", columns.join(", "));
    read.walk(&sql, params![], &mut |row| {
        each(columns.iter().map(|column| row.value(column)).collect::<StoreResult<_>>()?)?;
        Ok(ControlFlow::Continue(()))
    })
}

/// The columns of a table, by name, so that backends have them in the same order.
fn columns(read: &dyn Read, table: &Table) -> StoreResult<Vec<String>> {
    let sql = match read.dialect() {
        Dialect::Sqlite => sqlite::dialect::COLUMNS,
        Dialect::Postgres => postgres::dialect::COLUMNS,
    };
    let mut columns: Vec<String> = read.query_all(sql, params![table.name], |row| row.get("name"))?;
    if columns.is_empty() {
        return Err(StoreError::damaged(table.name, "there is no such table"));
    }
    columns.sort();
    Ok(columns)
}

fn count_rows(read: &dyn Read) -> StoreResult<u64> {
    let count = |table: &Table| {
        let sql = format!("SELECT count(*) AS rows FROM {}", table.name);
        read.query_one(&sql, params![], |row| row.get::<u64>("rows"))
    };
    TABLES.iter().map(count).sum()
}

fn bytes_of(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(blob) => blob.len(),
        _ => 8,
    }
}
