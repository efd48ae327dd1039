//! Lines of our own export.

use reflect_core::{Entropy, MemoryId, ReviewId, Timestamp, TraceId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{ConvertError, Target};

/// How many characters of a task are kept, as many as a request may have.
const TASK_LENGTH: usize = 32_768;

/// The step of a review, which moves nothing here: no memories were shown.
const ALPHA: f64 = 0.3;

/// What a record amounts to.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A run.
    Trace(Run),
    /// Something to remember.
    Memory {
        /// What tells it from others in its own tool.
        id: String,
        /// What it is about.
        task: String,
        /// What it says.
        text: String,
        /// What else is known of it.
        metadata: Value,
        /// When it was first and last written.
        times: Option<(Timestamp, Timestamp)>,
    },
}

/// A run as it was recorded elsewhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// What tells it from others in its own tool.
    pub id: String,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages.
    pub messages: Vec<Value>,
    /// The agent's answer.
    pub final_response: String,
    /// The model that ran.
    pub model: Option<String>,
    /// What else is known of it.
    pub metadata: Value,
    /// Whether it was right, and what was said about it, if somebody judged.
    pub review: Option<(bool, Option<String>)>,
    /// When.
    pub created_at: Option<Timestamp>,
}

/// Writes the lines of one project.
pub(crate) struct Lines<'a> {
    target: &'a Target,
    take: &'a mut dyn FnMut(String) -> Result<(), ConvertError>,
    traces: u64,
    memories: u64,
}

/// Bytes that follow from what a thing is, in the place of random ones.
struct Derived([u8; 32]);

impl Derived {
    fn from(parts: &[&str]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part.len().to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }
}

impl Entropy for Derived {
    fn fill(&self, bytes: &mut [u8]) {
        for (byte, derived) in bytes.iter_mut().zip(self.0) {
            *byte = derived;
        }
    }
}

impl<'a> Lines<'a> {
    pub(crate) fn begin(
        target: &'a Target,
        take: &'a mut dyn FnMut(String) -> Result<(), ConvertError>,
    ) -> Result<Self, ConvertError> {
        take(json!({"reflect_export": 1}).to_string())?;
        let Target { project_id, embedder, now, .. } = target;
        let project = json!({"project_id": project_id, "settings": {}, "embedder": embedder, "created_at": now});
        take(json!({"project": project}).to_string())?;
        Ok(Self { target, take, traces: 0, memories: 0 })
    }

    pub(crate) fn write(&mut self, line: &Line) -> Result<(), ConvertError> {
        let line = match line {
            Line::Trace(run) => {
                self.traces += 1;
                self.trace(run)
            }
            Line::Memory { id, task, text, metadata, times } => {
                self.memories += 1;
                let (created_at, updated_at) = times.unwrap_or((self.target.undated, self.target.undated));
                let lesson = json!({"summary": "", "key_mistake": "", "correct_action": "", "guidance": text,
                                    "applicable_tools": [], "tools_used": []});
                json!({"memory": {
                    "memory_id": MemoryId::mint(created_at, &Derived::from(&["memory", id])),
                    "trace_id": TraceId::mint(created_at, &Derived::from(&["trace", id])),
                    "task": shortened(task), "lesson": lesson, "metadata": metadata,
                    "written_by": {"reflector": "client:mem0", "version": "1"},
                    "created_at": created_at, "updated_at": updated_at,
                }})
            }
        };
        (self.take)(line.to_string())
    }

    fn trace(&self, run: &Run) -> Value {
        let created_at = run.created_at.unwrap_or(self.target.undated);
        let id = TraceId::mint(created_at, &Derived::from(&["trace", &run.id]));
        let review_id = ReviewId::mint(created_at, &Derived::from(&["review", &run.id]));
        let review = |(passed, feedback): &(bool, Option<String>)| {
            json!({"review_id": review_id, "result": if *passed { "pass" } else { "fail" }, "feedback_text": feedback,
                   "mode": "inline", "source": "api", "alpha": ALPHA, "created_at": created_at})
        };
        let job = json!({"review_id": review_id, "priority": 1, "run_at": self.target.now});
        json!({"trace": {
            "trace_id": id, "task": shortened(&run.task), "final_response": run.final_response, "model": run.model,
            "metadata": run.metadata, "trajectory": run.messages, "created_at": created_at,
            "reviews": run.review.iter().map(review).collect::<Vec<_>>(),
            "jobs": run.review.iter().map(|_| &job).collect::<Vec<_>>(),
        }})
    }

    pub(crate) fn end(self) -> Result<(), ConvertError> {
        (self.take)(json!({"end": {"projects": 1, "memories": self.memories, "traces": self.traces}}).to_string())
    }
}

fn shortened(task: &str) -> &str {
    task.char_indices().nth(TASK_LENGTH).and_then(|(end, _)| task.get(..end)).unwrap_or(task)
}
