//! Keys on the wire.

use reflect_core::{ApiKey, Environment, KeyStatus, Scope, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{Limits, Violation, checks, whole::maybe_count};

/// Ten years.
const LONGEST_SECONDS: u64 = 315_360_000;

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CreateKeyRequest {
    /// What you call it.
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$")]
    pub label: String,
    /// What it may do, such as `memory:read` and `trace:write`. A key hands on only scopes that it has.
    #[schema(value_type = Vec<ScopeName>, max_items = 10_000)]
    pub scopes: Vec<Scope>,
    /// `live` or `test`: a label, nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::EnvironmentName>, default = "live")]
    pub environment: Option<Environment>,
    /// After how many seconds it opens nothing any more, up to ten years; without it, it never ends by itself. A key whose time is
    /// limited makes only keys that end when it does, or before.
    #[serde(default, deserialize_with = "maybe_count", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 315_360_000)]
    pub expires_in_seconds: Option<u64>,
}

/// What a key may do.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes; values are the core's own")]
pub(crate) enum ScopeName {
    #[schema(rename = "memory:read")]
    MemoryRead,
    #[schema(rename = "memory:write")]
    MemoryWrite,
    #[schema(rename = "trace:read")]
    TraceRead,
    #[schema(rename = "trace:write")]
    TraceWrite,
    #[schema(rename = "skill:read")]
    SkillRead,
    #[schema(rename = "skill:write")]
    SkillWrite,
    #[schema(rename = "keys:write")]
    KeysWrite,
    #[schema(rename = "project:write")]
    ProjectWrite,
    #[schema(rename = "project:delete")]
    ProjectDelete,
}

impl CreateKeyRequest {
    /// Refuses a label that is too long, and a time that is none.
    pub fn check(&self, limits: &Limits) -> Result<(), Violation> {
        checks::list("scopes", self.scopes.len(), limits)?;
        checks::name("label", &self.label)?;
        match self.expires_in_seconds {
            Some(seconds) if !(1..=LONGEST_SECONDS).contains(&seconds) => {
                let problem = format!("is {seconds}, it must be between 1 and {LONGEST_SECONDS}");
                Err(Violation::new("expires_in_seconds", problem))
            }
            _ => Ok(()),
        }
    }
}

/// A key, never its secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KeyAnswer {
    /// Its id.
    pub id: Uuid,
    /// The part of its text that may be shown.
    pub public_id: String,
    /// What you call it.
    pub label: String,
    /// What it may do.
    #[schema(value_type = Vec<ScopeName>)]
    pub scopes: Vec<Scope>,
    /// `live` or `test`.
    #[schema(value_type = crate::status::EnvironmentName)]
    pub environment: Environment,
    /// `active`, `revoked`, or `expired` if it was made to end by itself and has.
    #[schema(value_type = crate::status::KeyStatusName)]
    pub status: KeyStatus,
    /// Whether it opens every project. Keys that the API makes never do.
    pub is_master: bool,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was last used.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub revoked_at: Option<Timestamp>,
    /// From when on it opens nothing; null if it never ends by itself.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

impl KeyAnswer {
    /// The key as it is at `now`.
    pub fn new(key: ApiKey, now: Timestamp) -> Self {
        Self {
            id: key.id.as_uuid(),
            status: key.status(now),
            public_id: key.public_id,
            label: key.label,
            scopes: key.scopes,
            environment: key.environment,
            is_master: false,
            created_at: key.created_at,
            last_used_at: key.last_used_at,
            revoked_at: key.revoked_at,
            expires_at: key.expires_at,
        }
    }
}

/// A key that was just made.
#[derive(Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CreatedKeyAnswer {
    /// The whole key. It is shown this once.
    pub api_key: String,
    /// What is kept of it.
    pub key: KeyAnswer,
}

/// The secret is for whoever asked, and not for their log.
impl std::fmt::Debug for CreatedKeyAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("CreatedKeyAnswer");
        shown.field("key", &self.key);
        shown.field("api_key", &"****").finish()
    }
}
