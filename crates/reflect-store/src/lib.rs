//! Where traces, reviews, memories and jobs are kept: SQLite behind one writer thread.
//!
//! [`Store`] is the only door. A method is a whole transaction; what it answers has been committed and flushed. Rules are
//! not made here: where one is needed inside a transaction, the method calls the core's pure function (the fold of the
//! ledger, above all). Nothing here reads the clock or makes an id: both come in with the call.
//!
//! To add a method, put it in the file of the thing it is about, write its SQL in view, and give it a case in
//! `tests/conformance`. To change the schema, add a file to `migrations/` and its line to `schema.rs`.

mod bulk_reviews;
mod check;
mod credits;
mod embedder_switches;
mod error;
mod folder;
mod follow_ups;
mod idempotency;
mod index_rows;
mod jobs;
mod judgements;
mod keys;
mod leftover_vectors;
mod lessons;
mod memories;
mod projects;
mod queue;
mod readers;
mod retrievals;
mod reviews;
mod rows;
mod schema;
mod shown_memories;
mod skill_candidates;
mod skills;
mod spend;
mod text_functions;
mod trace_list;
mod traces;
mod unembedded;
mod writer;

use std::path::Path;

pub use bulk_reviews::{BulkOutcome, BulkReviewInsert};
pub use check::{LedgerMismatch, LedgerReport};
pub use embedder_switches::{PendingSwitch, SwitchEnd};
pub use error::{StoreError, StoreResult};
pub use folder::{DataFolder, Owner, Ownership};
pub use follow_ups::{FollowUp, FollowUpEnd};
pub use idempotency::{IdempotencyKey, Once};
pub use index_rows::{IndexReader, StampedMemory};
pub use jobs::{ClaimLimits, ClaimedJob, JobFailure, JobInput, Lease, QueueDepth};
pub use judgements::{JudgementInsert, Unanswered};
pub use keys::{KeyInsert, KeyWithHash};
pub use lessons::{LessonInsert, TaskVector};
pub use memories::{EditLesson, MemoryEdit, MemoryFilter};
pub use projects::DeletedProject;
pub use reviews::{ReviewInsert, Reviewed, TakeBackAnswer};
pub use shown_memories::ShownTo;
pub use skill_candidates::SkillCandidates;
pub use spend::{DailySpend, SpendInsert};
pub use trace_list::{TraceFilter, TracePage};
pub use traces::{Submission, TraceInsert};
pub use unembedded::{SwitchProgress, Unembedded, UnembeddedPage};

use readers::Readers;
use writer::{Write, Writer};

/// Everything that Reflect keeps.
pub struct Store {
    // Declared first and so dropped first: the writer's last act is to flush, while readers are still open.
    writer: Writer,
    readers: Readers,
}

impl Store {
    /// Opens the database at `path`, making or migrating it as needed.
    pub fn open(path: &Path) -> StoreResult<Self> {
        let write = Write::new(schema::open_for_writing(path)?)?;
        let readers = Readers::open(path)?;
        Ok(Self { writer: Writer::start(write)?, readers })
    }

    /// Proves that the database can be read.
    pub async fn ping(&self) -> StoreResult<()> {
        self.readers.read(|read| Ok(read.query_row("SELECT 1", [], |_| Ok(()))?)).await
    }
}
