//! What a reflection is about, and how deep it goes.

use reflect_core::text_enum;

text_enum! {
    /// What a reflection is about. Compares with plain strings: `ReflectionType::Failure == "failure"`.
    ReflectionType {
        /// What made a run succeed.
        Success = "success",
        /// What made a run fail.
        Failure = "failure",
        /// What could be done better or cheaper.
        Optimization = "optimization",
        /// What keeps coming back.
        Pattern = "pattern",
        /// Anything else that was learned.
        Insight = "insight",
    }
}

text_enum! {
    /// How deep a reflection goes. Ordered: `Shallow < Deep`. Compares with plain strings.
    ///
    /// What each one does is the reflector's business; [`crate::GeneralReflector`] says what it makes of them.
    ReflectionLevel {
        /// One look at the surface.
        Shallow = "shallow",
        /// The usual analysis.
        Medium = "medium",
        /// Down to the root causes.
        Deep = "deep",
        /// Over past reflections, rather than over a run.
        Meta = "meta",
    }
}

macro_rules! compares_with_text {
    ($name:ty) => {
        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl PartialEq<$name> for &str {
            fn eq(&self, other: &$name) -> bool {
                *self == other.as_str()
            }
        }
    };
}

compares_with_text!(ReflectionType);
compares_with_text!(ReflectionLevel);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_five_types_and_they_equal_their_names() {
        let names: Vec<&str> = ReflectionType::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names, ["success", "failure", "optimization", "pattern", "insight"]);
        for kind in ReflectionType::ALL {
            assert_eq!(*kind, kind.as_str());
            assert_eq!(kind.as_str(), *kind);
            assert_eq!(kind.to_string().parse::<ReflectionType>().unwrap(), *kind);
        }
        assert_eq!(serde_json::to_string(&ReflectionType::Failure).unwrap(), "\"failure\"");
    }

    #[test]
    fn there_are_four_levels_and_they_equal_their_names() {
        let names: Vec<&str> = ReflectionLevel::ALL.iter().map(|level| level.as_str()).collect();
        assert_eq!(names, ["shallow", "medium", "deep", "meta"]);
        for level in ReflectionLevel::ALL {
            assert_eq!(*level, level.as_str());
            assert_eq!(serde_json::from_str::<ReflectionLevel>(&format!("\"{level}\"")).unwrap(), *level);
        }
        assert!(ReflectionLevel::Shallow < ReflectionLevel::Deep);
        assert!("deeper".parse::<ReflectionLevel>().unwrap_err().to_string().contains("`deep`"));
    }
}
