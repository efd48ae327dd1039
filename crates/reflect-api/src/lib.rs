//! The wire: request and answer structs, error codes, and how they become core types.
