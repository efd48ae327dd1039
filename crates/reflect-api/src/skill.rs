//! Skills on the wire.

use reflect_core::{Skill, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{Violation, WrittenByAnswer, checks, whole::maybe_whole};

/// How many lessons a skill may be asked to stand on, of either kind.
const MAX_LESSONS: u32 = 100;

/// How much a skill is to stand on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreateSkillRequest {
    /// How many lessons of passed runs at most.
    #[serde(default, deserialize_with = "maybe_whole", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100, default = 5)]
    pub n_passed: Option<u32>,
    /// How many lessons of failed runs at most.
    #[serde(default, deserialize_with = "maybe_whole", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100, default = 5)]
    pub n_failed: Option<u32>,
}

impl CreateSkillRequest {
    /// Both numbers, if they are within their ranges.
    pub fn check(&self) -> Result<(u32, u32), Violation> {
        for (field, value) in [("n_passed", self.n_passed), ("n_failed", self.n_failed)] {
            checks::between(field, value.map(f64::from), 0.0, f64::from(MAX_LESSONS))?;
        }
        Ok((self.n_passed.unwrap_or(5), self.n_failed.unwrap_or(5)))
    }
}

/// One version of a project's skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillAnswer {
    /// The whole Markdown document with its YAML front matter.
    pub content: String,
    /// Counts up from 1.
    pub version: u32,
    /// The name in the front matter.
    pub name: String,
    /// The description in the front matter.
    pub description: String,
    /// How many lessons of passed runs it stands on.
    pub n_passed: u32,
    /// How many lessons of failed runs it stands on.
    pub n_failed: u32,
    /// The memories that it stands on.
    pub memory_ids: Vec<Uuid>,
    /// Who wrote it: a model, or rules (which may stand in for a model). `null` for versions from before this was kept.
    pub written_by: Option<WrittenByAnswer>,
    /// When it was written.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl From<Skill> for SkillAnswer {
    fn from(skill: Skill) -> Self {
        Self {
            content: skill.content,
            version: skill.version,
            name: skill.name,
            description: skill.description,
            n_passed: skill.n_passed,
            n_failed: skill.n_failed,
            memory_ids: skill.memory_ids.into_iter().map(reflect_core::MemoryId::as_uuid).collect(),
            written_by: skill.written_by.map(Into::into),
            created_at: skill.created_at,
        }
    }
}
