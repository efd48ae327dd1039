//! Enums whose variants have one name in SQL, JSON, logs and docs.

/// A text that names no variant of the enum it was read for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is `{found}`, it must be one of {allowed}")]
pub struct UnknownName {
    /// The text as it came.
    pub found: String,
    /// The names that would have been understood, each in backticks.
    pub allowed: String,
}

/// Declares an enum with `as_str`, `FromStr`, `Display` and serde, all from one list of names. A crate that uses it
/// needs `serde`.
#[macro_export]
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $name {
            /// Every variant, in the order of their declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The one name of this variant everywhere: on the wire, in the database, in logs.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<$name> for &'static str {
            fn from(value: $name) -> Self { value.as_str() }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok($name::$variant),)+
                    _ => Err($crate::UnknownName {
                        found: text.to_owned(),
                        allowed: [$(concat!("`", $text, "`")),+].join(", "),
                    }),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::UnknownName;

            fn try_from(text: String) -> Result<Self, Self::Error> { text.parse() }
        }
    };
}

pub(crate) use text_enum;
