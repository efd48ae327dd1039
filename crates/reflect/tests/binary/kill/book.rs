//! What one client knows about its runs.

use serde_json::{Value, json};

use super::server_view::{SeenTrace, ServerView};

/// The step size of a review that asks for none.
pub(super) const DEFAULT_ALPHA: f64 = 0.3;

/// A review as its sender knows it. Its feedback is different every time, so that it is told from all others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    pub(super) result: &'static str,
    pub(super) feedback: String,
    pub(super) asked_alpha: Option<f64>,
    pub(super) authored: bool,
}

impl Verdict {
    pub(super) fn to_json(&self, supersedes: bool) -> Value {
        let mut review = json!({"result": self.result, "feedback_text": self.feedback, "supersedes": supersedes});
        if let Some(alpha) = self.asked_alpha {
            review["alpha"] = json!(alpha);
        }
        if self.authored {
            review["reflection"] = json!({"summary": format!("written by hand: {}", self.feedback)});
        }
        review
    }

    fn is(&self, review: &Value) -> bool {
        review["result"] == self.result
            && review["feedback_text"] == self.feedback.as_str()
            && review["alpha"] == self.asked_alpha.unwrap_or(DEFAULT_ALPHA)
    }
}

/// A request whose connection broke.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    pub(super) request: Request,
    pub(super) idempotency_key: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum Request {
    Create,
    Review { verdict: Verdict, supersedes: bool },
    TakeBack,
}

/// Whether a run's trace is there.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Presence {
    /// It was acknowledged, or seen after a restart. It never goes away again.
    There { trace_id: String },
    /// Its creation is in doubt.
    InDoubt,
    /// It was not there after the restart. It never appears later.
    Absent,
}

/// A run that a client sent.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) task: String,
    pub(super) body: Value,
    pub(super) presence: Presence,
    /// The verdicts that may stand; exactly one unless something is in doubt.
    pub(super) possible: Vec<Option<Verdict>>,
    pub(super) doubt: Option<Doubt>,
}

impl Run {
    /// The id, once it is known.
    pub(super) fn trace_id(&self) -> Option<&str> {
        match &self.presence {
            Presence::There { trace_id } => Some(trace_id),
            Presence::InDoubt | Presence::Absent => None,
        }
    }

    /// Something about it was acknowledged: no other outcome is possible any more.
    pub(super) fn acknowledge(&mut self, verdict: Option<Verdict>) {
        self.possible = vec![verdict];
        self.doubt = None;
    }

    /// Looks at what the server has, which must be one of the possible outcomes and is the only one from here on.
    fn compare(&mut self, seen: Option<&SeenTrace>) {
        match (&self.presence, seen) {
            (Presence::There { trace_id }, Some(seen)) => assert_eq!(*trace_id, seen.id, "{self:?}"),
            (Presence::There { .. }, None) => panic!("an acknowledged trace is lost: {self:?}"),
            (Presence::InDoubt, Some(seen)) => {
                self.presence = Presence::There { trace_id: seen.id.clone() };
            }
            (Presence::InDoubt, None) => self.presence = Presence::Absent,
            (Presence::Absent, Some(seen)) => panic!("a trace that was not there appeared later: {self:?} {seen:?}"),
            (Presence::Absent, None) => {}
        }
        let Some(seen) = seen else { return };
        let stands = self.possible.iter().find(|verdict| match verdict {
            Some(verdict) => verdict.is(&seen.review),
            None => seen.review.is_null(),
        });
        let Some(stands) = stands else {
            panic!("the trace has a review that it cannot have: {self:?} {seen:?}");
        };
        self.possible = vec![stands.clone()];
    }
}

/// All runs of one client.
#[derive(Default)]
pub(super) struct Book {
    pub(super) runs: Vec<Run>,
    pub(super) acknowledged: usize,
    pub(super) in_doubt: usize,
    pub(super) repeated: usize,
}

impl Book {
    /// Holds every run against what the server has.
    pub(super) fn compare(&mut self, view: &ServerView) {
        for run in &mut self.runs {
            let seen = view.by_task.get(&run.task).map(|index| &view.traces[*index]);
            run.compare(seen);
        }
    }
}
