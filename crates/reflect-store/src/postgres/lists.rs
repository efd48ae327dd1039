//! Many rows as one statement, each column a list.

use std::fmt::Write as _;

use tokio_postgres::types::Type;

use super::values::{Param, owned};
use crate::sql::Value;

/// An `INSERT INTO table (columns) VALUES (…)` that takes a list for each of its parameters, which are of these types.
pub(super) fn insert_lists(insert: &str, types: &[Type]) -> String {
    let mut sql = insert.split_once(" VALUES ").map_or(insert, |(insert, _)| insert).to_owned();
    for (number, of_type) in (1..).zip(types) {
        let before = if number == 1 { " SELECT * FROM unnest(" } else { ", " };
        let _ = write!(sql, "{before}?{number}::{of_type}[]");
    }
    sql.push(')');
    sql
}

/// The values of rows, column by column.
pub(super) fn columns(rows: &[Vec<Value<'_>>]) -> Vec<Param> {
    let mut columns = vec![Vec::with_capacity(rows.len()); rows.first().map_or(0, Vec::len)];
    for row in rows {
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(owned(value));
        }
    }
    columns.into_iter().map(Param::Many).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::params;

    #[test]
    fn rows_become_lists() {
        let insert = "INSERT INTO a (x, y) VALUES (?1, ?2)";
        let sql = "INSERT INTO a (x, y) SELECT * FROM unnest(?1::uuid[], ?2::int8[])";
        assert_eq!(insert_lists(insert, &[Type::UUID, Type::INT8]), sql);
        let rows = [params![1_i64, 2_i64].to_vec(), params![3_i64, None::<i64>].to_vec()];
        let [x, y] = [params![1_i64, 3_i64], params![2_i64, None::<i64>]].map(|list| Param::Many(list.to_vec()));
        assert_eq!(columns(&rows), [x, y]);
        assert!(columns(&[]).is_empty());
    }
}
