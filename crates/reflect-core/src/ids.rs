//! Ids as newtypes, all made here.
//!
//! Minted ids are UUIDs of version 7 whose first 60 bits are the time in steps of a quarter of a microsecond, so ids
//! sort by age and an id is also a position in "newest first".

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Entropy, Timestamp};

macro_rules! uuid_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id, made at `now`.
            pub fn mint(now: Timestamp, entropy: &dyn Entropy) -> Self {
                Self(uuid_v7(now, entropy))
            }

            /// The smallest id that could have been made at `time`: a bound between what is older and what is not.
            pub fn earliest_at(time: Timestamp) -> Self {
                Self(Uuid::from_u64_pair(time_bits(time), 0b10 << 62))
            }

            /// The id that comes right after this one.
            pub const fn next(self) -> Self {
                Self(Uuid::from_u128(self.0.as_u128().saturating_add(1)))
            }

            /// The id with this UUID.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID inside.
            pub const fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

uuid_id! {
    /// Names a trace.
    TraceId
}
uuid_id! {
    /// Names a review; a correction has an id of its own.
    ReviewId
}
uuid_id! {
    /// Names a memory, across all of its revisions.
    MemoryId
}
uuid_id! {
    /// Names one answered query.
    RetrievalId
}
uuid_id! {
    /// Names an API key. It says nothing about the key's secret.
    KeyId
}

impl KeyId {
    /// The id of the master key, which lives in the operator's settings and has no row in the database.
    pub const MASTER: Self = Self(Uuid::nil());
}

/// 48 bits of milliseconds, 12 bits of the fraction within one, 62 random bits, as RFC 9562 (section 6.2, method 3)
/// lays them out.
fn uuid_v7(now: Timestamp, entropy: &dyn Entropy) -> Uuid {
    let mut random = [0_u8; 8];
    entropy.fill(&mut random);
    Uuid::from_u64_pair(time_bits(now), 0b10 << 62 | u64::from_be_bytes(random) >> 2)
}

fn time_bits(time: Timestamp) -> u64 {
    let micros = time.as_micros().max(0).unsigned_abs();
    let (millis, fraction) = (micros / 1_000, (micros % 1_000) * 4_096 / 1_000);
    (millis & 0xFFFF_FFFF_FFFF) << 16 | 0x7000 | fraction
}

/// Names a project: chosen by people, 1 to 128 characters, anything but control characters. Slashes, spaces and
/// umlauts are fine; upper and lower case differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProjectId(String);

/// Why a text cannot name a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProjectIdError {
    /// It has no character at all.
    #[error("a project id has at least one character")]
    Empty,
    /// It is too long.
    #[error("a project id has at most 128 characters, this one has {0}")]
    TooLong(usize),
    /// It holds a control character, such as U+0000.
    #[error("a project id has no control characters, this one holds U+{0:04X}")]
    Control(u32),
}

impl ProjectId {
    /// The id as people wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProjectId {
    type Error = ProjectIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() {
            return Err(ProjectIdError::Empty);
        }
        if let Some(control) = text.chars().find(|c| c.is_control()) {
            return Err(ProjectIdError::Control(control.into()));
        }
        match text.chars().count() {
            1..=128 => Ok(Self(text)),
            length => Err(ProjectIdError::TooLong(length)),
        }
    }
}

impl std::str::FromStr for ProjectId {
    type Err = ProjectIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.to_owned().try_into()
    }
}

impl From<ProjectId> for String {
    fn from(id: ProjectId) -> Self {
        id.0
    }
}

impl std::fmt::Display for ProjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn minted_ids_are_version_7_and_sort_by_time() {
        let early = TraceId::mint(Timestamp::from_micros(1_700_000_000_000_001), &Fixed(0xFF));
        let later = TraceId::mint(Timestamp::from_micros(1_700_000_000_000_002), &Fixed(0x00));
        assert_eq!(early.as_uuid().get_version_num(), 7);
        assert_eq!(early.as_uuid().get_variant(), uuid::Variant::RFC4122);
        assert!(early < later, "{early} < {later}");
        assert_eq!(early.to_string().parse(), Ok(early));
        let bound = TraceId::earliest_at(Timestamp::from_micros(1_700_000_000_000_002));
        assert!(early < bound && bound <= later);
    }

    #[test]
    fn project_ids_take_what_people_write_and_refuse_control_characters() {
        for good in ["default", "über/straße 7", "a", &"x".repeat(128)] {
            assert_eq!(good.parse::<ProjectId>().map(String::from), Ok(good.to_owned()));
        }
        assert_eq!("".parse::<ProjectId>(), Err(ProjectIdError::Empty));
        assert_eq!("a\0b".parse::<ProjectId>(), Err(ProjectIdError::Control(0)));
        assert_eq!("x".repeat(129).parse::<ProjectId>(), Err(ProjectIdError::TooLong(129)));
    }
}
