//! Memories on the wire, beyond queries.

use reflect_core::{
    Credit, Memory, MemoryId, MemoryRevision, MemoryStatus, Outcome, Tells, Timestamp, WrittenBy, worth::Retirement,
};
use serde::{Deserialize, Serialize};
use utoipa::{
    ToSchema,
    openapi::schema::{Object, ObjectBuilder, SchemaType, Type},
};
use uuid::Uuid;

use crate::{EvidenceAnswer, Limits, Violation, checks};

/// A memory with its whole record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MemoryDetail {
    /// Its id, the same across revisions.
    pub id: Uuid,
    /// The run that it was learned from.
    pub trace_id: Uuid,
    /// The task of that run.
    pub task: String,
    /// The whole lesson as one text.
    pub reflection: String,
    /// One sentence: what was tried and how it ended.
    pub summary: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What to do instead, or what worked.
    pub correct_action: String,
    /// Advice to act on.
    pub guidance: String,
    /// Tools that the lesson is about.
    pub applicable_tools: Vec<String>,
    /// Tools that the run called.
    pub tools_used: Vec<String>,
    /// How much it tells: `rule`, `fix`, `fact`, `pitfall`, `answer`, `example` or `nothing`. Absent where its writer did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::TellsName>, nullable = false)]
    pub tells: Option<Tells>,
    /// Whether that run passed.
    pub success: Option<bool>,
    /// `active`, or `disabled`: then no query answers with it.
    #[schema(value_type = crate::status::MemoryStatusName)]
    pub status: MemoryStatus,
    /// Whether somebody said that it is never left out: it is not retired, and sits out no answer.
    #[serde(default)]
    pub pinned: bool,
    /// Its utility.
    pub q_value: f64,
    /// How many reviewed runs were shown it.
    pub uses: u32,
    /// How many of them passed.
    pub passes: u32,
    /// How many of them failed.
    pub fails: u32,
    /// Counts up from 1 whenever the lesson changes.
    pub revision: u32,
    /// Who wrote this revision.
    pub written_by: WrittenByAnswer,
    /// When the first revision was written.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When this revision was written.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// What is known of it. Absent where memories learn by a moving average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub evidence: Option<EvidenceAnswer>,
    /// Why queries leave it out, if they do: it is believed to hurt. Absent on all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retirement: Option<RetirementAnswer>,
    /// How many memories say the same, itself among them, where a list has one of them only. Absent where it is the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub runs_alike: Option<u32>,
    /// The newest steps of its utility, newest first. Only on a single memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub credits: Option<Vec<CreditAnswer>>,
}

/// Why queries leave a memory out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RetirementAnswer {
    /// What it is believed to add, in shares of passes: below 0.
    pub worth: f64,
    /// The standard deviation of that belief.
    pub deviation: f64,
    /// How many runs it rests on, after ageing.
    pub runs: f64,
    /// When its evidence will have aged so far that it is shown again; null if evidence does not age.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub returns_at: Option<Timestamp>,
}

/// Who wrote a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WrittenByAnswer {
    /// The reflector's name; `editor` for a later edit; for a lesson that came with its review `author`, or `client:NAME` if the client
    /// said who wrote it. What stands under such a name is the client's claim.
    pub reflector: String,
    /// The version of its rules or of its prompt.
    pub version: String,
    /// The model that was asked, as its provider names it; null for rules and people.
    pub model: Option<String>,
    /// Tokens that went to the model for this lesson.
    pub input_tokens: Option<u64>,
    /// Tokens that came back.
    pub output_tokens: Option<u64>,
    /// How long the model took, in milliseconds.
    pub millis: Option<u64>,
    /// The model that should have written and was not there in time. Its own lesson may still come, as a new revision.
    pub stands_in_for: Option<String>,
}

/// One step of a utility.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CreditAnswer {
    /// Its place in the memory's order.
    pub position: i64,
    /// The memory's revision at that time.
    pub memory_revision: u32,
    /// The run that was shown the memory.
    pub trace_id: Uuid,
    /// The review of that run.
    pub review_id: Uuid,
    /// The review's result.
    #[schema(value_type = crate::status::OutcomeName)]
    pub result: Outcome,
    /// The reward: 1 for a pass, 0 for a fail.
    pub reward: f64,
    /// The step size.
    pub alpha: f64,
    /// The utility after this step.
    #[serde(default)]
    pub q_value_after: f64,
    /// The query that showed it, where that is known.
    pub retrieval_id: Option<Uuid>,
    /// Its rank in the answer, from 1.
    pub rank: Option<u32>,
    /// Its similarity to the task.
    pub similarity: Option<f64>,
    /// How probable it was to be shown. Absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub probability: Option<f64>,
    /// What was usual for such a task, from 0 to 1. Absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub usual: Option<f64>,
    /// What the other memories that the run saw were expected to add, in shares of passes. Absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub others: Option<f64>,
    /// The key that brought the run's first review: all zeros for the master key and for the judge. Absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reporter: Option<Uuid>,
    /// The share for which the run counts, from 0 to 1. Absent where it counts fully; less where its reporter has said enough about the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub weight: Option<f64>,
    /// When it was accepted.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl MemoryDetail {
    /// The memory, with its ledger if that was read.
    pub fn new(memory: Memory, credits: Option<Vec<Credit>>) -> Self {
        let credits: Option<Vec<CreditAnswer>> = credits.map(|all| all.into_iter().map(Into::into).collect());
        Self {
            evidence: EvidenceAnswer::of(&memory, credits.as_deref()),
            id: memory.id.as_uuid(),
            trace_id: memory.trace_id.as_uuid(),
            task: memory.task,
            reflection: memory.lesson.text(),
            summary: memory.lesson.summary,
            key_mistake: memory.lesson.key_mistake,
            correct_action: memory.lesson.correct_action,
            guidance: memory.lesson.guidance,
            applicable_tools: memory.lesson.applicable_tools,
            tools_used: memory.lesson.tools_used,
            tells: memory.lesson.tells,
            success: memory.success,
            status: memory.status,
            pinned: memory.pinned,
            q_value: memory.tally.utility(),
            uses: memory.tally.uses(),
            passes: memory.tally.passes(),
            fails: memory.tally.fails(),
            revision: memory.revision,
            written_by: memory.written_by.into(),
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            retirement: memory.tally.retirement().map(Into::into),
            runs_alike: None,
            credits,
        }
    }

    /// Says which memories every run was shown that it rests on, if its evidence is asked for.
    #[must_use]
    pub fn always_with(mut self, memory_ids: &[MemoryId]) -> Self {
        self.evidence = self.evidence.map(|evidence| evidence.always_with(memory_ids));
        self
    }
}

impl From<&Retirement> for RetirementAnswer {
    fn from(retirement: &Retirement) -> Self {
        Self {
            worth: retirement.worth,
            deviation: retirement.deviation,
            runs: retirement.runs,
            returns_at: retirement.returns_on.map(Timestamp::start_of_day),
        }
    }
}

impl From<WrittenBy> for WrittenByAnswer {
    fn from(written_by: WrittenBy) -> Self {
        Self {
            reflector: written_by.reflector,
            version: written_by.version,
            model: written_by.model,
            input_tokens: written_by.input_tokens,
            output_tokens: written_by.output_tokens,
            millis: written_by.millis,
            stands_in_for: written_by.stands_in_for,
        }
    }
}

impl From<Credit> for CreditAnswer {
    fn from(credit: Credit) -> Self {
        Self {
            position: credit.position,
            memory_revision: credit.memory_revision,
            trace_id: credit.trace_id.as_uuid(),
            review_id: credit.review_id.as_uuid(),
            result: credit.result,
            reward: credit.reward,
            alpha: credit.alpha,
            q_value_after: credit.utility_after,
            retrieval_id: credit.circumstances.retrieval_id.map(|id| id.as_uuid()),
            rank: credit.circumstances.rank,
            similarity: credit.circumstances.similarity,
            probability: credit.circumstances.probability,
            usual: credit.circumstances.expected.map(|expected| expected.baseline),
            others: credit.circumstances.expected.map(|expected| expected.others),
            reporter: credit.reporter.map(|reporter| reporter.as_uuid()),
            weight: (credit.weight != 1.0).then_some(credit.weight),
            created_at: credit.created_at,
        }
    }
}

/// What a memory says, or said before it was rewritten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RevisionAnswer {
    /// Its number, from 1; the highest is what the memory says now.
    pub revision: u32,
    /// One sentence: what was tried and how it ended.
    pub summary: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What to do instead, or what worked.
    pub correct_action: String,
    /// Advice to act on.
    pub guidance: String,
    /// Tools that the lesson is about.
    pub applicable_tools: Vec<String>,
    /// Tools that the run called.
    pub tools_used: Vec<String>,
    /// Whether the run passed, as its review said by then.
    pub success: Option<bool>,
    /// Who wrote it.
    pub written_by: WrittenByAnswer,
    /// When it was written.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl From<MemoryRevision> for RevisionAnswer {
    fn from(revision: MemoryRevision) -> Self {
        let lesson = revision.lesson;
        Self {
            revision: revision.revision,
            summary: lesson.summary,
            key_mistake: lesson.key_mistake,
            correct_action: lesson.correct_action,
            guidance: lesson.guidance,
            applicable_tools: lesson.applicable_tools,
            tools_used: lesson.tools_used,
            success: revision.success,
            written_by: revision.written_by.into(),
            created_at: revision.created_at,
        }
    }
}

/// What to change about a memory. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EditMemoryRequest {
    /// `active` shows it, `disabled` hides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::MemoryStatusName>)]
    pub status: Option<MemoryStatus>,
    /// `true` never leaves it out: it is not retired, and sits out no answer that it is due for. `false` takes that back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// `false` brings back what queries leave out: what it is believed to add is forgotten, and it is tried like a new memory. Its credits stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = only_false)]
    pub retired: Option<bool>,
    /// A new summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub summary: Option<String>,
    /// A new key mistake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub key_mistake: Option<String>,
    /// A new correct action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub correct_action: Option<String>,
    /// New guidance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub guidance: Option<String>,
    /// New applicable tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<crate::status::NameSchema>>, max_items = 10_000)]
    pub applicable_tools: Option<Vec<String>>,
}

/// How `retired` is described: there is one thing to ask for.
fn only_false() -> Object {
    let words = "`false` brings back what queries leave out: what it is believed to add is forgotten, and it is tried like a new memory. \
                 Its credits stay.";
    ObjectBuilder::new()
        .schema_type(SchemaType::Array(vec![Type::Boolean, Type::Null]))
        .enum_values(Some([Some(false), None]))
        .description(Some(words))
        .build()
}

impl EditMemoryRequest {
    /// Refuses texts and lists that are too long.
    pub fn check(&self, limits: &Limits) -> Result<(), Violation> {
        if self.retired == Some(true) {
            let remedy = "is `true`; only evidence retires a memory, and `status` can be `disabled`";
            return Err(Violation::new("retired", remedy));
        }
        checks::maybe_text("summary", self.summary.as_ref(), limits)?;
        checks::maybe_text("key_mistake", self.key_mistake.as_ref(), limits)?;
        checks::maybe_text("correct_action", self.correct_action.as_ref(), limits)?;
        checks::maybe_text("guidance", self.guidance.as_ref(), limits)?;
        self.applicable_tools.as_ref().map_or(Ok(()), |tools| checks::names("applicable_tools", tools, limits))
    }
}
