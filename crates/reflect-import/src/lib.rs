//! The exports of other tools as lines of Reflect's own export.
//!
//! Conversations and traced runs become traces, with a review where somebody has scored them; memories become memories. Ids are made of
//! what a record is, so that the same file twice makes the same lines, and an import passes over what is there. Nothing here stores
//! anything, and nothing reads the clock.
//!
//! To add a format: a file with a function from a record to lines, its line in [`Format`], and a fixture in `tests/fixtures` as the
//! tool itself writes it.

mod langfuse;
mod langsmith;
mod lines;
mod mem0;
mod messages;
mod openai;
mod records;
mod scores;

use std::{io::BufRead, str::FromStr};

use reflect_core::{ProjectId, Timestamp};

pub use lines::{Line, Run};

/// Whose export a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Conversations as OpenAI's chat API has them: `messages`, or requests with their responses.
    OpenAi,
    /// Memories of mem0.
    Mem0,
    /// Traces of Langfuse, with their observations and scores.
    Langfuse,
    /// Runs of LangSmith, with their feedback.
    LangSmith,
}

impl Format {
    /// All names.
    pub const NAMES: [&str; 4] = ["openai", "mem0", "langfuse", "langsmith"];
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "openai" => Ok(Self::OpenAi),
            "mem0" => Ok(Self::Mem0),
            "langfuse" => Ok(Self::Langfuse),
            "langsmith" => Ok(Self::LangSmith),
            _ => Err(format!("`{name}` is not a format; there are {}", Self::NAMES.join(", "))),
        }
    }
}

/// Where the lines go.
#[derive(Debug, Clone)]
pub struct Target {
    /// The project.
    pub project_id: ProjectId,
    /// Its embedder, should it be new.
    pub embedder: String,
    /// The time of the import.
    pub now: Timestamp,
    /// The time of records that say none, such as that of the file. Their ids are made of it, so it has to be the same the next time.
    pub undated: Timestamp,
}

/// Why a file could not be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// It cannot be read, or is no JSON.
    #[error("record {record} cannot be read: {source}")]
    Json {
        /// Which one, from 1.
        record: u64,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// It is JSON of another shape.
    #[error("record {record} is nothing that {format:?} exports: {why}")]
    Shape {
        /// Which one, from 1.
        record: u64,
        /// The format that was expected.
        format: Format,
        /// What is missing.
        why: &'static str,
    },
    /// A line was not taken.
    #[error("{0}")]
    Taker(Box<dyn std::error::Error + Send + Sync>),
}

/// Hands over the lines of an export that a file amounts to, in their order, the first and the last included.
pub fn convert(
    format: Format,
    file: impl BufRead,
    target: &Target,
    take: &mut dyn FnMut(String) -> Result<(), ConvertError>,
) -> Result<(), ConvertError> {
    let mut lines = lines::Lines::begin(target, take)?;
    let mut langsmith = langsmith::Runs::default();
    records::each(file, &mut |number, record| {
        let shape = |why| ConvertError::Shape { record: number, format, why };
        let line = match format {
            Format::OpenAi => openai::run(&record, number).map(Line::Trace),
            Format::Mem0 => mem0::memory(&record),
            Format::Langfuse => langfuse::run(&record).map(Line::Trace),
            Format::LangSmith => return langsmith.keep(record).map_err(shape),
        };
        lines.write(&line.map_err(shape)?)
    })?;
    for run in langsmith.into_runs() {
        lines.write(&Line::Trace(run))?;
    }
    lines.end()
}
