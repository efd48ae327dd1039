//! Rows as lines of an export.

use std::ops::ControlFlow;

use base64::{Engine, prelude::BASE64_STANDARD};
use reflect_core::{ProjectId, ShownMemory, Timestamp};
use serde_json::json;
use uuid::Uuid;

use super::parts::{Kind, Part};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Read, Row, Value, params, to_json},
    tables::retrievals,
};

/// Writes the rows of one project.
pub(super) struct ProjectLines<'a> {
    pub(super) read: &'a dyn Read,
    pub(super) project_id: &'a ProjectId,
}

impl ProjectLines<'_> {
    /// Hands over a line for every row of a part, in the order of its key.
    pub(super) fn each_line(&self, part: &Part, mut each: impl FnMut(&str) -> StoreResult<()>) -> StoreResult<()> {
        let mut line = String::new();
        self.read.walk(&select(part, ""), params![self.project_id], &mut |row| {
            line.clear();
            line.push_str(&format!("{{\"{}\":", part.name));
            self.push_object(&mut line, part, row)?;
            line.push_str("}\n");
            each(&line)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn push_object(&self, line: &mut String, part: &Part, row: &dyn Row) -> StoreResult<()> {
        line.push('{');
        self.push_fields(line, part, row)?;
        // Every field has left a comma behind it.
        line.pop();
        line.push('}');
        Ok(())
    }

    fn push_fields(&self, line: &mut String, part: &Part, row: &dyn Row) -> StoreResult<()> {
        let told = part.told.iter().copied();
        for (name, kind) in part.columns.iter().map(|column| (column.name, column.kind)).chain(told) {
            line.push_str(&format!("\"{name}\":"));
            push_value(line, row, name, kind)?;
            line.push(',');
        }
        if let Some(inline) = part.inline {
            let sql = select(inline, &format!("AND {} = ?2", part.key));
            self.read.each_row(&sql, params![self.project_id, row.get::<Uuid>(part.key)?], &mut |row| {
                self.push_fields(line, inline, row)?;
                Ok(ControlFlow::Break(()))
            })?;
        }
        for inner in part.parts {
            line.push_str(&format!("\"{}\":[", inner.name));
            self.push_list(line, part, inner, row)?;
            line.push_str("],");
        }
        Ok(())
    }

    /// The rows of a part that belong to `row`, with commas between them.
    fn push_list(&self, line: &mut String, owner: &Part, part: &Part, row: &dyn Row) -> StoreResult<()> {
        let empty = line.len();
        let mut push = |row: &dyn Row| {
            if line.len() > empty {
                line.push(',');
            }
            self.push_object(line, part, row)?;
            Ok(ControlFlow::Continue(()))
        };
        if owner.key == "project_id" {
            return self.read.each_row(&select(part, ""), params![self.project_id], &mut push);
        }
        let sql = select(part, &format!("AND {} = ?2", owner.key));
        self.read.each_row(&sql, params![self.project_id, row.get::<Uuid>(owner.key)?], &mut push)
    }
}

fn select(part: &Part, condition: &str) -> String {
    let told = part.told.iter().map(|(name, _)| *name);
    let columns: Vec<&str> = part.columns.iter().map(|column| column.name).chain(told).collect();
    let (columns, Part { table, only, key, .. }) = (columns.join(", "), part);
    format!("SELECT {columns} FROM {table} WHERE project_id = ?1 {condition} AND {only} ORDER BY {key}")
}

fn push_value(line: &mut String, row: &dyn Row, name: &'static str, kind: Kind) -> StoreResult<()> {
    if kind == Kind::Shown {
        line.push_str(&shown(&retrievals::shown(row)?));
        return Ok(());
    }
    let text = match (kind, row.value(name)?) {
        (_, Value::Null) => "null".to_owned(),
        (Kind::Json, Value::Text(json)) if !json.contains('\n') => json.into_owned(),
        (Kind::Text | Kind::Json, Value::Text(text)) => to_json(name, &*text)?,
        (Kind::Id, Value::Blob(_) | Value::Uuid(_)) => format!("\"{}\"", row.get::<Uuid>(name)?),
        (Kind::Time, Value::Integer(micros)) => format!("\"{}\"", Timestamp::from_micros(micros)),
        (Kind::Integer, Value::Integer(integer)) => integer.to_string(),
        (Kind::Real, Value::Real(real)) => to_json(name, &real)?,
        (Kind::Bool, Value::Integer(truth)) => (truth != 0).to_string(),
        (Kind::Vector, Value::Blob(vector)) => format!("\"{}\"", BASE64_STANDARD.encode(vector)),
        _ => return Err(StoreError::damaged(name, "it has another type")),
    };
    line.push_str(&text);
    Ok(())
}

/// An answer as a list. Utilities are as exact as the log keeps them.
fn shown(memories: &[ShownMemory]) -> String {
    let list = memories.iter().map(|memory| {
        #[expect(clippy::cast_possible_truncation, reason = "the log keeps seven digits")]
        let q_value = f64::from(memory.q_value as f32);
        json!({"memory_id": memory.memory_id, "revision": memory.revision, "rank": memory.rank,
               "similarity": memory.similarity, "q_value": q_value})
    });
    serde_json::Value::from_iter(list).to_string()
}
