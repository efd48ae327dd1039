//! Values on their way to PostgreSQL and back.
//!
//! A value becomes what the statement wants at its place: a truth value a number where the column holds numbers, say. PostgreSQL's texts
//! cannot hold U+0000, and ours may: it is written as U+0001 and a `0`, U+0001 itself as U+0001 and a `1`, here and nowhere else.

use std::{borrow::Cow, error::Error};

use bytes::{BufMut as _, BytesMut};
use tokio_postgres::{
    Row,
    types::{FromSql, IsNull, Kind, ToSql, Type, to_sql_checked},
};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{self, Value},
};

type Failure = Box<dyn Error + Sync + Send>;

/// A value that is bound to a parameter.
#[derive(Debug)]
pub(super) struct Bound<'a>(pub(super) &'a Value<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self, wanted: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match (self.0, wanted) {
            (Value::Null, _) => return Ok(IsNull::Yes),
            (Value::Text(text), &(Type::TEXT | Type::VARCHAR | Type::UNKNOWN)) => {
                return escaped(text).as_ref().to_sql(wanted, out);
            }
            (Value::Blob(blob), &Type::BYTEA) => return blob.as_ref().to_sql(wanted, out),
            // What only PostgreSQL keeps: vectors for its extension, and terms.
            (Value::Blob(blob), &Type::FLOAT4_ARRAY) => {
                return sql::vector_from_blob(blob).to_sql(wanted, out);
            }
            (Value::Blob(blob), &Type::UUID_ARRAY) => {
                let ids = blob.as_chunks().0.iter().map(|id| Value::Uuid(Uuid::from_bytes(*id)));
                write_array(&Type::UUID, &ids.collect::<Vec<_>>(), out)?;
            }
            // SQLite keeps ids as bytes.
            (Value::Blob(blob), &Type::UUID) => out.extend_from_slice(Uuid::from_slice(blob)?.as_bytes()),
            (Value::Uuid(uuid), &Type::UUID) => out.extend_from_slice(uuid.as_bytes()),
            (Value::Real(real), &Type::FLOAT8) => return real.to_sql(wanted, out),
            #[expect(clippy::cast_precision_loss, reason = "numbers that stand for reals are small")]
            (Value::Integer(integer), &Type::FLOAT8) => return (*integer as f64).to_sql(wanted, out),
            (Value::Bool(truth), &Type::BOOL) => return truth.to_sql(wanted, out),
            (value, &Type::INT8) => return integer(value)?.to_sql(wanted, out),
            (value, &Type::INT4) => return i32::try_from(integer(value)?)?.to_sql(wanted, out),
            (value, wanted) => return Err(format!("{value:?} cannot be a {wanted}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// What a statement that waits to be sent is given.
#[derive(Debug, PartialEq)]
pub(super) enum Param {
    One(Value<'static>),
    /// A list of such values.
    Many(Vec<Value<'static>>),
}

impl ToSql for &Param {
    fn to_sql(&self, wanted: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match (self, wanted.kind()) {
            (Param::One(value), _) => return Bound(value).to_sql(wanted, out),
            (Param::Many(values), Kind::Array(member)) => write_array(member, values, out)?,
            (Param::Many(_), _) => return Err(format!("a list cannot be a {wanted}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// An array as it travels: one dimension, counted from 1.
fn write_array(member: &Type, values: &[Value<'_>], out: &mut BytesMut) -> Result<(), Failure> {
    let (dimensions, has_nulls) = (!values.is_empty(), values.contains(&Value::Null));
    for number in [dimensions.into(), has_nulls.into()] {
        out.put_i32(number);
    }
    out.put_u32(member.oid());
    if dimensions {
        out.put_i32(values.len().try_into()?);
        out.put_i32(1);
    }
    let mut bytes = BytesMut::new();
    for value in values {
        // A length of -1 stands for null.
        bytes.clear();
        match Bound(value).to_sql(member, &mut bytes)? {
            IsNull::Yes => out.put_i32(-1),
            IsNull::No => out.put_i32(bytes.len().try_into()?),
        }
        out.extend_from_slice(&bytes);
    }
    Ok(())
}

/// A value as a whole number, if it is one.
fn integer(value: &Value<'_>) -> Result<i64, Failure> {
    match value {
        Value::Integer(integer) => Ok(*integer),
        Value::Bool(truth) => Ok((*truth).into()),
        #[expect(clippy::cast_possible_truncation, reason = "it has no fraction, and is not larger than times are")]
        Value::Real(real) if real.fract() == 0.0 => Ok(*real as i64),
        other => Err(format!("{other:?} is no whole number").into()),
    }
}

/// A value as it comes.
struct Received<'a>(Value<'a>);

impl<'a> FromSql<'a> for Received<'a> {
    fn from_sql(found: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        Ok(Self(match *found {
            Type::TEXT | Type::VARCHAR | Type::NAME => Value::Text(unescaped(std::str::from_utf8(raw)?)),
            Type::BYTEA => Value::Blob(Cow::Borrowed(raw)),
            Type::UUID => Value::Uuid(Uuid::from_slice(raw)?),
            Type::INT8 => Value::Integer(i64::from_sql(found, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(found, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(found, raw)?),
            Type::BOOL => Value::Bool(bool::from_sql(found, raw)?),
            _ => return Err(format!("a {found} is of no use").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Failure> {
        Ok(Self(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl sql::Row for Row {
    fn value(&self, column: &str) -> StoreResult<Value<'_>> {
        Ok(self.try_get::<_, Received<'_>>(column)?.0)
    }
}

/// A value that outlives its statement.
pub(super) fn owned(value: &Value<'_>) -> Value<'static> {
    value.clone().into_owned()
}

const ESCAPE: char = '\u{1}';

fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let escape = |letter| match letter {
        '\0' => [Some(ESCAPE), Some('0')],
        ESCAPE => [Some(ESCAPE), Some('1')],
        other => [Some(other), None],
    };
    Cow::Owned(text.chars().flat_map(escape).flatten().collect())
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut letters = text.chars().peekable();
    let mut read = String::with_capacity(text.len());
    while let Some(letter) = letters.next() {
        // Where a text was cut in the middle there is nothing behind it.
        let meant = if letter == ESCAPE { letters.next_if(|next| matches!(next, '0' | '1')) } else { None };
        read.push(if meant == Some('0') { '\0' } else { letter });
    }
    Cow::Owned(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_as_it_was() {
        for text in ["", "plain", "\0", "a\0b", "\u{1}", "\u{1}0", "\u{1}1\0\u{1}", "ü\0\0é\u{1}\u{1}0"] {
            let kept = escaped(text);
            assert!(!kept.contains('\0'), "{text:?}");
            assert_eq!(unescaped(&kept), text);
        }
        assert_eq!(unescaped("cut\u{1}"), "cut\u{1}");
    }
}
