//! Lines of an export as rows.

use std::collections::BTreeMap;

use base64::{Engine, prelude::BASE64_STANDARD};
use reflect_core::{ProjectId, ShownMemory, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::parts::{Column, Fill, Kind, PROJECT, Part};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Query, Transaction, Value},
    tables::{checksums::checksum, retrievals},
};

/// An object of a line, its values as they are written.
pub(super) type Fields = BTreeMap<String, Box<RawValue>>;

/// The values of a row, each with its column.
type Values = Vec<(&'static str, Value<'static>)>;

/// The column that names what a row belongs to, and its value.
type Owner = (&'static str, Value<'static>);

/// Reads the rows of one project.
pub(super) struct ProjectRows<'a> {
    pub(super) write: &'a dyn Transaction,
    pub(super) project_id: &'a ProjectId,
}

impl ProjectRows<'_> {
    /// Stores the project itself.
    pub(super) fn insert_project(&self, fields: &Fields, incarnation: Uuid) -> StoreResult<()> {
        refuse_unknown(&PROJECT, fields)?;
        let mut values = read_values(&PROJECT, fields)?;
        values.retain(|(name, _)| *name != PROJECT.key);
        values.push(("incarnation", incarnation.into()));
        self.insert_row(&PROJECT, values)?;
        self.insert_parts(&PROJECT, fields, None)
    }

    /// Stores an object with all that belongs to it, and answers the id of one that has an id. `None` if its row is there already: then
    /// nothing is stored.
    pub(super) fn insert(&self, part: &Part, fields: &Fields) -> StoreResult<Option<Option<Uuid>>> {
        refuse_unknown(part, fields)?;
        let values = read_values(part, fields)?;
        let key = values.iter().find(|(name, _)| *name == part.key).map_or(Value::Null, |(_, key)| key.clone());
        let exists = format!("SELECT 1 FROM {} WHERE project_id = ?1 AND {} = ?2", part.table, part.key);
        if self.write.exists(&exists, &[self.project_id.into(), key.clone()])? {
            return Ok(None);
        }
        self.insert_row(part, self.filled(part, values)?)?;
        let owner = (part.key, key.clone());
        if let Some(inline) = part.inline {
            self.insert_owned(inline, fields, Some(&owner))?;
        }
        self.insert_parts(part, fields, Some(&owner))?;
        Ok(Some(if let Value::Uuid(id) = key { Some(id) } else { None }))
    }

    fn insert_parts(&self, part: &Part, fields: &Fields, owner: Option<&Owner>) -> StoreResult<()> {
        for inner in part.parts {
            let Some(list) = fields.get(inner.name) else { continue };
            for fields in read::<Vec<Fields>>(inner.name, list)? {
                refuse_unknown(inner, &fields)?;
                self.insert_owned(inner, &fields, owner)?;
            }
        }
        Ok(())
    }

    fn insert_owned(&self, part: &Part, fields: &Fields, owner: Option<&Owner>) -> StoreResult<()> {
        let mut values = self.filled(part, read_values(part, fields)?)?;
        values.extend(owner.cloned());
        self.insert_row(part, values)
    }

    /// The values of a row, with those that are worked out.
    fn filled(&self, part: &Part, mut values: Values) -> StoreResult<Values> {
        for (name, fill) in part.filled {
            let value = match fill {
                Fill::Zero => Value::Integer(0),
                Fill::Change => Value::Integer(self.write.next_change(self.project_id)?),
                Fill::Checksum(columns) => checksum_of(&values, columns),
            };
            values.push((name, value));
        }
        Ok(values)
    }

    fn insert_row(&self, part: &Part, values: Values) -> StoreResult<()> {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let numbers: Vec<String> = (2..names.len() + 2).map(|number| format!("?{number}")).collect();
        let (table, names, numbers) = (part.table, names.join(", "), numbers.join(", "));
        let sql = format!("INSERT INTO {table} (project_id, {names}) VALUES (?1, {numbers})");
        let row: Vec<Value<'_>> =
            std::iter::once(self.project_id.into()).chain(values.into_iter().map(|(_, value)| value)).collect();
        self.write.execute(&sql, &row).map(|_| ())
    }
}

/// The values of a part's own columns.
fn read_values(part: &Part, fields: &Fields) -> StoreResult<Values> {
    part.columns.iter().map(|column| Ok((column.name, read_value(column, fields)?))).collect()
}

fn read_value(column: &Column, fields: &Fields) -> StoreResult<Value<'static>> {
    let name = column.name;
    let raw = match (fields.get(name), column.default) {
        (Some(raw), _) => raw.get(),
        (None, Some(default)) => default,
        (None, None) => return Err(StoreError::damaged(name, "it is missing")),
    };
    if raw == "null" {
        return Ok(Value::Null);
    }
    Ok(match column.kind {
        Kind::Json if !raw.starts_with('"') => raw.to_owned().into(),
        Kind::Text | Kind::Json => parse::<String>(name, raw)?.into(),
        Kind::Id => parse::<Uuid>(name, raw)?.into(),
        Kind::Time => parse::<Timestamp>(name, raw)?.into(),
        Kind::Integer => parse::<i64>(name, raw)?.into(),
        Kind::Real => parse::<f64>(name, raw)?.into(),
        Kind::Bool => parse::<bool>(name, raw)?.into(),
        Kind::Vector => {
            let bytes = BASE64_STANDARD.decode(parse::<String>(name, raw)?);
            bytes.map_err(|error| StoreError::damaged(name, error))?.into()
        }
        Kind::Shown => retrievals::pack_shown(&parse::<Vec<ShownMemory>>(name, raw)?).into(),
    })
}

/// A value of a line as what it means.
pub(super) fn read<T: DeserializeOwned>(name: &'static str, raw: &RawValue) -> StoreResult<T> {
    parse(name, raw.get())
}

fn parse<T: DeserializeOwned>(name: &'static str, raw: &str) -> StoreResult<T> {
    serde_json::from_str(raw).map_err(|error| StoreError::damaged(name, error))
}

/// Refuses a field that would be lost.
fn refuse_unknown(part: &Part, fields: &Fields) -> StoreResult<()> {
    let names = |part: &'static [Column]| part.iter().map(|column| column.name);
    let inline = part.inline.map_or(&[] as &[Column], |inline| inline.columns);
    let known = names(part.columns).chain(names(inline)).chain(part.told.iter().map(|(name, _)| *name));
    let known: Vec<&str> = known.chain(part.parts.iter().map(|part| part.name)).collect();
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(unknown) => Err(StoreError::damaged(part.name, format!("it has no field `{unknown}`"))),
        None => Ok(()),
    }
}

fn checksum_of(values: &Values, columns: &[&str]) -> Value<'static> {
    let stored: Vec<Option<&[u8]>> = columns
        .iter()
        .map(|column| match values.iter().find(|(name, _)| name == column).map(|(_, value)| value) {
            Some(Value::Text(text)) => Some(text.as_bytes()),
            Some(Value::Blob(blob)) => Some(&**blob),
            _ => None,
        })
        .collect();
    if stored.iter().all(Option::is_none) { Value::Null } else { checksum(stored).into() }
}
