//! Where traces, reviews, memories and jobs are kept: a SQLite file behind one writer thread, or a PostgreSQL that several processes share.
//!
//! [`Store`] is the only entry point. A method is a whole transaction; what it answers has been committed and flushed. Rules are
//! not made here: where one is needed inside a transaction, the method calls the core's pure function (the fold of the
//! ledger, above all). Nothing here reads the clock or makes an id: both come in with the call.
//!
//! There are three floors, and nothing points up. The files beside this one hold what users call, one for each thing. `tables` holds
//! what is done inside a transaction, written in SQL against the small interface in `sql`. `sqlite` and `postgres` run it: those who write
//! and those who read, the schema, and the few statements that only one of them understands; `backend` says which of the two it is.
//!
//! To add a method, put it in the file of the thing it is about, write its SQL in view, say in which lane it writes, and give it a case in
//! `tests/conformance`. To change the schema, add a file of the same number, 29 being the first, to
//! `sqlite/migrations/` and `postgres/migrations/`, and its lines to `sqlite/schema.rs` and `postgres/schema.rs`.

mod backend;
mod being_erased;
mod bulk_reviews;
mod check;
mod copies;
mod embedder_switches;
mod erasing;
mod error;
mod follow_ups;
mod free_pages;
mod holdout;
mod idempotency;
mod index_rows;
mod instances;
mod jobs;
mod judgements;
mod keys;
mod map_rows;
mod memories;
mod memory_list;
mod mixture;
mod portable;
mod postgres;
mod projects;
mod repair;
mod retrievals;
mod reviews;
mod schemas;
mod search_tables;
mod sessions;
mod shown_memories;
mod shown_together;
mod sizes;
mod skill_candidates;
mod skills;
mod soundness;
mod spend;
mod sql;
mod sqlite;
mod statistics;
mod store;
mod tables;
mod text_checks;
mod text_search;
mod texts;
mod trace_list;
mod trace_retention;
mod traces;
mod transfer;
mod unembedded;
mod unlogged;
mod untold;
mod waits;

pub use bulk_reviews::BulkOutcome;
pub use check::{LedgerMismatch, LedgerReport};
pub use embedder_switches::{PendingSwitch, SwitchEnd};
pub use error::{StoreError, StoreResult};
pub use follow_ups::{FollowUp, FollowUpEnd, StandIn};
pub use index_rows::{IndexReader, StampedMemory};
pub use jobs::{JobFailure, JobInput};
pub use judgements::{JudgementInsert, Unanswered};
pub use map_rows::{MapPage, MapRow};
pub use memories::{EditLesson, EmbeddedWords, MemoryEdit};
pub use memory_list::{MemoryFilter, MemoryPlan};
pub use portable::{Import, LineCounts};
pub use postgres::Heard;
pub use repair::Repaired;
pub use retrievals::{LogShare, RetrievalCut};
pub use sessions::SessionWithHash;
pub use shown_memories::ShownTo;
pub use shown_together::ShownTogether;
pub use sizes::{Kept, ProjectSizes, StoreSizes};
pub use skill_candidates::{SkillCandidates, SkillWish};
pub use soundness::FileReport;
pub use spend::{DailySpend, SpendInsert};
pub use sql::Progress;
pub use sqlite::{Copied, DataFolder, MASTER_KEY_FILE, Owner, Ownership};
pub use statistics::{ProjectQueue, Statistics};
pub use store::Store;
pub use tables::{
    credits::CreditPage,
    idempotency::{IdempotencyKey, Once},
    jobs::{ClaimedJob, Lease},
    judgements::JudgementClaim,
    keys::{KeyInsert, KeyWithHash},
    lessons::{LessonInsert, MemoryVectors},
    projects::DeletedProject,
    queue::{ClaimLimits, LatestDue, QueueDepth},
    reviews::{ReviewInsert, Reviewed, TakeBackAnswer, TraceReview},
    search_tables::{SearchState, SearchTables},
    traces::TraceView,
};
pub use trace_list::{TraceFilter, TracePage};
pub use traces::{Submission, TraceInsert};
pub use transfer::{CopyProgress, CopyReport, CopySource, CopyStep, CopyTarget};
pub use unembedded::{NewVectors, SwitchProgress, Unembedded, UnembeddedPage};
pub use untold::Untold;
pub use waits::{WaitedFor, Waits, waiting_for, with_waits};
