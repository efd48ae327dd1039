//! Options of builders, by a table.

/// Writes the setters of a builder: each option with what it takes and the field that it sets. An option that takes a `text` takes
/// whatever can become one.
macro_rules! setters {
    ($builder:ident $(<$generic:ident>)?: $($(#[$doc:meta])* $option:ident($($type:tt)+) => $($field:ident).+;)+) => {
        impl $(<$generic>)? $builder $(<$generic>)? {
            $($crate::setters::setter! { $(#[$doc])* $option($($type)+) => $($field).+ })+
        }
    };
}

macro_rules! setter {
    ($(#[$doc:meta])* $option:ident(text) => $($field:ident).+) => {
        $(#[$doc])*
        pub fn $option(mut self, $option: impl Into<String>) -> Self {
            self.$($field).+ = Some($option.into());
            self
        }
    };
    ($(#[$doc:meta])* $option:ident($type:ty) => $($field:ident).+) => {
        $(#[$doc])*
        pub fn $option(mut self, $option: $type) -> Self {
            self.$($field).+ = $option.into();
            self
        }
    };
}

pub(crate) use {setter, setters};
