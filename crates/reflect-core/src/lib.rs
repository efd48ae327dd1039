//! What Reflect is about: traces, reviews, memories, and the arithmetic of learning.
//!
//! Everything here is a plain value or a pure function. Nothing in this crate does I/O, is async, knows SQL or HTTP,
//! reads the clock or draws a random number: time comes in as a [`Timestamp`] or a [`Clock`], randomness as an
//! [`Entropy`].
//!
//! To add a thing that people see, give it a file of its own with its struct, its enums and their wire names, and
//! re-export it here. A rule that the store needs inside a transaction is a function here that the store calls.

mod backoff;
mod circumstances;
mod clock;
mod draws;
mod embedder;
pub mod ids;
mod index_row;
mod invisible;
mod job;
mod judgement;
mod kernel;
mod key;
mod learning;
mod lesson;
mod matching;
mod media;
mod memory;
pub mod memory_block;
mod memory_order;
mod message;
mod metadata;
mod moving_average;
mod project;
mod projection;
mod query_settings;
mod raw_json;
mod reporters;
mod retrieval;
mod review;
mod review_decision;
mod same_words;
mod search_lists;
mod secret;
mod session;
mod shown_claim;
mod skill;
mod stand_in_warning;
mod statistics;
mod tells;
mod text_enum;
mod trace;
mod trajectory;
mod water_level;

pub mod lift;
pub mod ranking;
pub mod what_if;
pub mod worth;

pub use backoff::{Backoff, spread};
pub use circumstances::{Circumstances, Sight, expected_to_add};
pub use clock::{Clock, Entropy, ParseTimestampError, Timestamp};
pub use embedder::{EmbedderId, cosine};
pub use ids::{KeyId, MemoryId, ProjectId, RetrievalId, ReviewId, TraceId};
pub use index_row::{IndexEntry, IndexRow, RunScore};
pub use invisible::is_invisible;
pub use job::{JobKind, fair_share};
pub use judgement::{Confusion, JudgeReport, JudgeVerdict, Judgement};
pub use kernel::Kernel;
pub use key::{ApiKey, Environment, KeyStatus, Scope, may_hand_on_until};
pub use learning::{Credit, History, Step, Tally};
pub use lesson::{Lesson, WrittenBy, WrittenLesson};
pub use matching::Match;
pub use media::Media;
pub use memory::{Memory, MemoryRevision, MemoryStatus};
pub use memory_order::{Direction, MemoryCursor, MemoryOrder};
pub use message::{Message, ToolCall, ToolResult};
pub use metadata::{matches_metadata, metadata_reads};
pub use moving_average::step;
pub use project::{EmbedderSwitch, Project, ProjectSettings};
pub use projection::project_to_plane;
pub use query_settings::QuerySettings;
pub use raw_json::RawJson;
pub use reporters::{BroughtBy, Heard, REMEMBERED_CREDITS, RunsBrought, weight_of_correction};
pub use retrieval::{Retrieval, SearchBy, ShownMemory, Slate, logged_task};
pub use review::{NewReview, Outcome, Review, ReviewMode, ReviewSource};
pub use review_decision::ReviewDecision;
pub use same_words::SameWords;
pub use search_lists::{ListWish, ListedEntry, ListedRow, SearchList, SearchLists};
pub use secret::Secret;
pub use session::{Session, SessionParent, session_end};
pub use shown_claim::{
    FORGOTTEN_LOOK_BACK, FORGOTTEN_MEMORY_IDS, FORGOTTEN_MILLIS, RETRIEVAL_LOOK_BACK, RetrievalLink, ShownClaim,
    parse_memory_ids,
};
pub use skill::Skill;
pub use stand_in_warning::{stand_in_warning, with_stand_in_warning};
pub use statistics::{
    DayCounts, MemoryFigure, MemoryFigures, NAMED, Results, RunCounts, UTILITY_BINS, day_bounds, is_among_best,
    is_among_worst,
};
pub use tells::{Tells, Turn};
pub use text_enum::UnknownName;
pub use trace::{IngestStatus, NewTrace, ReviewStatus, Trace};
pub use trajectory::{Trajectory, TrajectoryError};
pub use water_level::water_level;
