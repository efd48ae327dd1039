//! How much a request may hold.

/// The operator's limits. [`Default`] is right for someone who read nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Characters of a task.
    pub task_length: usize,
    /// Characters of any other text: an answer, feedback, a lesson's part.
    pub text_length: usize,
    /// Elements of a list: messages, ids.
    pub list_length: usize,
    /// Bytes of a trace's metadata.
    pub metadata_bytes: usize,
    /// Keys of a trace's metadata and elements of the lists under them, together: each of them can be filtered by, and takes room
    /// in the index for that.
    pub metadata_values: usize,
    /// How deep objects and lists may nest.
    pub nesting: usize,
    /// Traces in a list that was asked for without a `limit`.
    pub unpaged_list: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 8 * 1024 * 1024,
            task_length: 32_768,
            text_length: 1_000_000,
            list_length: 10_000,
            metadata_bytes: 65_536,
            metadata_values: 1_000,
            nesting: 64,
            unpaged_list: 10_000,
        }
    }
}

/// Characters of a name: a label, a model, an id that a client made up.
pub(crate) const NAME_LENGTH: usize = 256;
