//! Sessions of the console: what somebody who signed in works with instead of the key itself.

use std::time::Duration;

use crate::{KeyId, Timestamp};

/// How long a session lasts.
const SESSION_TIME: Duration = Duration::from_secs(8 * 3_600);

/// What a session stands for. It may do what that key may do, no more, and not for longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionParent {
    /// The master key.
    Master,
    /// A project's key, by its public id.
    Key(String),
}

impl SessionParent {
    /// The name of the master key where public ids of keys stand, which are hexadecimal.
    const MASTER: &'static str = "master";

    /// Its name in the database.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Master => Self::MASTER,
            Self::Key(public_id) => public_id,
        }
    }
}

impl From<String> for SessionParent {
    fn from(name: String) -> Self {
        if name == Self::MASTER { Self::Master } else { Self::Key(name) }
    }
}

/// A session, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id, which stands where ids of keys do.
    pub id: KeyId,
    /// The part of its text that may be shown and by which it is found.
    pub public_id: String,
    /// What it stands for.
    pub parent: SessionParent,
    /// When it began.
    pub created_at: Timestamp,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
}

/// When a session that begins now ends, if the key behind it ends at `key_ends_at`.
pub fn session_end(now: Timestamp, key_ends_at: Option<Timestamp>) -> Timestamp {
    let end = now.plus(SESSION_TIME);
    key_ends_at.map_or(end, |key_end| key_end.min(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_with_its_key_at_the_latest() {
        let at = Timestamp::from_micros;
        assert_eq!(session_end(at(0), None), at(28_800_000_000));
        assert_eq!(session_end(at(0), Some(at(i64::MAX))), at(28_800_000_000));
        assert_eq!(session_end(at(0), Some(at(5))), at(5));
    }

    #[test]
    fn parents_are_known_again_by_their_names() {
        for parent in [SessionParent::Master, SessionParent::Key("0a1b".into())] {
            assert_eq!(SessionParent::from(parent.as_str().to_owned()), parent);
        }
    }
}
