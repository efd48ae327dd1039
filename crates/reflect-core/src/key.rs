//! API keys, as everyone but the key's holder may know them.

use crate::{KeyId, ProjectId, Timestamp, text_enum::text_enum};

text_enum! {
    /// What a key may do in its project.
    Scope {
        /// Query and read memories.
        MemoryRead = "memory:read",
        /// Edit and delete memories.
        MemoryWrite = "memory:write",
        /// Read traces.
        TraceRead = "trace:read",
        /// Create, read, review and delete traces.
        TraceWrite = "trace:write",
        /// Read the skill.
        SkillRead = "skill:read",
        /// Create the skill.
        SkillWrite = "skill:write",
        /// List, create and revoke keys.
        KeysWrite = "keys:write",
        /// Read and change the project's settings.
        ProjectWrite = "project:write",
        /// Delete the project.
        ProjectDelete = "project:delete",
    }
}

impl Scope {
    /// Whether a key that has `self` may also do what `other` allows. Writing traces includes reading them.
    pub fn covers(self, other: Scope) -> bool {
        self == other || (self == Scope::TraceWrite && other == Scope::TraceRead)
    }
}

text_enum! {
    /// A label that people give a key; it changes nothing about what the key may do.
    Environment {
        /// For real use.
        Live = "live",
        /// For trying things out.
        Test = "test",
    }
}

text_enum! {
    /// Whether a key still opens anything.
    KeyStatus {
        /// It does.
        Active = "active",
        /// It was revoked and stays so.
        Revoked = "revoked",
    }
}

/// A key of one project, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: KeyId,
    /// The project that it is bound to.
    pub project_id: ProjectId,
    /// The part of the key's text that may be shown and by which it is found.
    pub public_id: String,
    /// What people call it.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Its label for real or trial use.
    pub environment: Environment,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to the minute or so.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

impl ApiKey {
    /// Whether it still opens anything.
    pub fn status(&self) -> KeyStatus {
        if self.revoked_at.is_some() { KeyStatus::Revoked } else { KeyStatus::Active }
    }
}
