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
        /// Its time is over.
        Expired = "expired",
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
    /// From when on it opens nothing, if its time is limited.
    pub expires_at: Option<Timestamp>,
}

impl ApiKey {
    /// Whether it opens anything at `now`. One that was revoked stays so when its time is over, too.
    pub fn status(&self, now: Timestamp) -> KeyStatus {
        match (self.revoked_at, self.expires_at) {
            (Some(_), _) => KeyStatus::Revoked,
            (None, Some(expires_at)) if expires_at <= now => KeyStatus::Expired,
            _ => KeyStatus::Active,
        }
    }
}

/// Whether a key that ends at `own` may make one that ends at `wished`. None is no end: an end that a key could take off its own
/// copy would be none.
pub fn may_hand_on_until(own: Option<Timestamp>, wished: Option<Timestamp>) -> bool {
    own.is_none_or(|own| wished.is_some_and(|wished| wished <= own))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    #[test]
    fn a_key_ends_when_it_is_revoked_or_when_its_time_is_over() {
        let key = |revoked_at, expires_at| ApiKey {
            id: KeyId::MASTER,
            project_id: "p".parse().unwrap(),
            public_id: String::new(),
            label: String::new(),
            scopes: Vec::new(),
            environment: Environment::Live,
            created_at: at(0),
            last_used_at: None,
            revoked_at,
            expires_at,
        };
        assert_eq!(key(None, None).status(at(i64::MAX)), KeyStatus::Active);
        assert_eq!(key(None, Some(at(5))).status(at(4)), KeyStatus::Active);
        assert_eq!(key(None, Some(at(5))).status(at(5)), KeyStatus::Expired);
        assert_eq!(key(Some(at(1)), Some(at(5))).status(at(9)), KeyStatus::Revoked);
    }

    #[test]
    fn a_key_hands_on_no_more_time_than_it_has() {
        assert!(may_hand_on_until(None, None) && may_hand_on_until(None, Some(at(9))));
        assert!(may_hand_on_until(Some(at(5)), Some(at(5))));
        assert!(!may_hand_on_until(Some(at(5)), Some(at(6))) && !may_hand_on_until(Some(at(5)), None));
    }
}
