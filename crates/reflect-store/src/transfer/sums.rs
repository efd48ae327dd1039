//! What a table holds, as two numbers.

use sha2::{Digest, Sha256};

use crate::sql::Value;

/// How many rows a table has, and the sum of their hashes: the same in whichever order they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableSum {
    pub(super) table: &'static str,
    pub(super) rows: u64,
    hashes: u128,
}

impl TableSum {
    pub(super) const fn of(table: &'static str) -> Self {
        Self { table, rows: 0, hashes: 0 }
    }

    /// Counts a row, whose values are in the order of their columns' names.
    pub(super) fn add(&mut self, values: &[Value<'_>]) {
        let mut hasher = Sha256::new();
        for value in values {
            add_value(&mut hasher, value);
        }
        let [hash @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = <[u8; 32]>::from(hasher.finalize());
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(u128::from_le_bytes(hash));
    }
}

/// Backends that keep the same value in different ways give it the same hash: an id may be bytes, a truth value a number, and SQLite
/// keeps no sign of a zero.
fn add_value(hasher: &mut Sha256, value: &Value<'_>) {
    let mut add = |kind: u8, bytes: &[u8]| {
        hasher.update([kind]);
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    match value {
        Value::Null => add(0, &[]),
        Value::Bool(truth) => add(1, &i64::from(*truth).to_le_bytes()),
        Value::Integer(integer) => add(1, &integer.to_le_bytes()),
        Value::Real(real) => add(2, &(real + 0.0).to_le_bytes()),
        Value::Text(text) => add(3, text.as_bytes()),
        Value::Blob(blob) => add(4, blob),
        Value::Uuid(uuid) => add(4, uuid.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn sum(rows: &[&[Value<'_>]]) -> TableSum {
        let mut sum = TableSum::of("a table");
        for row in rows {
            sum.add(row);
        }
        sum
    }

    #[test]
    fn rows_count_in_any_order_and_each_value_in_its_column() {
        let (one, two): ([Value<'_>; 2], [Value<'_>; 2]) = (["a".into(), "b".into()], ["c".into(), Value::Null]);
        assert_eq!(sum(&[&one, &two]), sum(&[&two, &one]));
        assert_ne!(sum(&[&one, &two]), sum(&[&one]));
        assert_ne!(sum(&[&one]), sum(&[&["b".into(), "a".into()]]));
        assert_ne!(sum(&[&["ab".into(), "".into()]]), sum(&[&["a".into(), "b".into()]]));
        assert_ne!(sum(&[&[Value::Null]]), sum(&[&["".into()]]));
        assert_ne!(sum(&[&[1_i64.into()]]), sum(&[&[1.0_f64.into()]]));
    }

    #[test]
    fn what_backends_keep_in_different_ways_is_the_same() {
        let id = Uuid::from_u128(7);
        assert_eq!(sum(&[&[id.into()]]), sum(&[&[id.as_bytes().as_slice().into()]]));
        assert_eq!(sum(&[&[true.into()]]), sum(&[&[1_i64.into()]]));
        assert_eq!(sum(&[&[0.0_f64.into()]]), sum(&[&[(-0.0_f64).into()]]));
    }
}
