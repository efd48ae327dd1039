//! A Reflect project as the memory: what one run learned, the next one knows.

use std::time::Duration;

use async_trait::async_trait;
use reflect_client::{AuthoredReflection, CreateTrace, Message, ReflectClient, WrittenByRequest};
use reflect_llm::{ChatMessage, Part, Source};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{EpisodicMemory, Keeps, LatestLessons, RememberedLesson, RunSoFar};
use crate::{BoxError, Trial, TrialLesson};

/// How long a run waits at its end for the lesson that the server writes.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most characters of a name that a server takes.
const LONGEST_NAME: usize = 256;

/// The most bytes of images and documents that a trace is stored with: a server takes a few megabytes a request, and each trial is one.
const MEDIA_BYTES: usize = 1_000_000;

/// Remembers in a Reflect project, over HTTP or in the process.
///
/// Before the first trial the lessons for the task are fetched; they and the newest of the run's own are what trials are shown. Every trial
/// is stored as a trace: its verdict is the review, the lessons that it was shown are credited, and its own lesson goes along with who wrote it,
/// so that it is written once. A trial without one, the last and the successful, is reflected on by the server. One whose verdict is unknown
/// is stored without a review. Images and documents are stored with their trace up to 1 MB together; beyond that they are named in it.
///
/// ```no_run
/// # async fn example(model: std::sync::Arc<dyn reflect_llm::ChatModel>) -> Result<(), Box<dyn std::error::Error>> {
/// use reflect_client::ReflectClient;
/// use reflexion::{ProjectMemory, Reflexion};
///
/// let memory = ProjectMemory::new(ReflectClient::from_env()?).lessons_of_earlier_runs(5);
/// let agent = Reflexion::with_model(model).memory(memory).build()?;
/// let outcome = agent.run("Refund order A-17").await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ProjectMemory {
    client: ReflectClient,
    earlier: u32,
    own: LatestLessons,
    patience: Duration,
}

impl ProjectMemory {
    /// Remembers in this client's project.
    pub fn new(client: ReflectClient) -> Self {
        Self { client, earlier: 3, own: LatestLessons::default(), patience: PATIENCE }
    }

    /// How many lessons of earlier runs are shown; 3 when unset.
    #[must_use]
    pub fn lessons_of_earlier_runs(mut self, limit: u32) -> Self {
        self.earlier = limit;
        self
    }

    /// How many of the run's own lessons are shown besides; 3 when unset.
    #[must_use]
    pub fn lessons_of_this_run(mut self, capacity: usize) -> Self {
        self.own = LatestLessons::new(capacity);
        self
    }

    /// How long a trial without a lesson waits for the server's, so that the next run finds it; 30 s when unset, zero does not wait.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    async fn fetch(&self, task: &str) -> Result<Vec<RememberedLesson>, BoxError> {
        if self.earlier == 0 {
            return Ok(Vec::new());
        }
        let found = self.client.query(task).limit(self.earlier).await?;
        // The best comes first from the server, and last in a prompt: nearest to the task.
        let retrieval_id = found.retrieval_id.map(|id| id.to_string());
        let lessons = found.memories.into_iter().rev().map(remembered);
        Ok(lessons.map(|lesson| RememberedLesson { retrieval_id: retrieval_id.clone(), ..lesson }).collect())
    }

    fn trace(&self, run: &RunSoFar<'_>, trial: &Trial) -> CreateTrace {
        let mut room = MEDIA_BYTES;
        let messages: Vec<Message> = trial.attempt.messages.iter().map(|message| written(message, &mut room)).collect();
        let shown = trial.shown.iter().filter_map(|lesson| lesson.id.as_deref());
        let trace = self
            .client
            .create_trace(run.task, messages)
            .final_response(trial.answer())
            .retrieved_memory_ids(shown)
            .metadata("reflexion_trial", trial.number)
            .metadata("reflexion_run", run.started_at.to_string())
            .idempotency_key(name(run, trial));
        let retrieval_id = trial.shown.iter().find_map(|lesson| lesson.retrieval_id.as_deref()?.parse().ok());
        let trace = match retrieval_id {
            Some(retrieval_id) => trace.retrieval_id(retrieval_id),
            None => trace,
        };
        let feedback = trial.evaluation.feedback.trim();
        let trace = match (trial.success, trial.evaluation.verdict.outcome()) {
            (false, None) => return trace,
            (success, _) => trace.result(success),
        };
        let trace = if feedback.is_empty() { trace } else { trace.feedback(feedback) };
        let trace = match trial.evaluation.score {
            Some(score) if (0.0..=1.0).contains(&score) => trace.score(score),
            _ => trace,
        };
        match &trial.lesson {
            Some(learned) => trace.reflection(authored(learned)),
            None => trace,
        }
    }
}

#[async_trait]
impl EpisodicMemory for ProjectMemory {
    fn keeps(&self) -> Keeps {
        Keeps::BeyondTheRun
    }

    async fn recall(&self, run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError> {
        let mut lessons = match run.trials.first() {
            None => self.fetch(run.task).await?,
            Some(first) => first.shown.iter().filter(|lesson| lesson.trial.is_none()).cloned().collect(),
        };
        lessons.extend(self.own.select(run));
        Ok(lessons)
    }

    async fn remember(&self, run: &RunSoFar<'_>, trial: &Trial) -> Result<Option<String>, BoxError> {
        // An actor that failed made no attempt: nothing was done with the lessons, and an outage teaches none.
        if trial.attempt.messages.is_empty() && trial.attempt.turns == 0 {
            return Ok(None);
        }
        let submission = self.trace(run, trial).await?;
        let reviewed = trial.success || trial.evaluation.verdict.outcome().is_some();
        if !reviewed || (trial.lesson.is_none() && self.patience.is_zero()) {
            return Ok(None);
        }
        let waiting = self.client.wait_for_trace(submission.trace_id).require_reviewed(true);
        match waiting.wait_timeout(self.patience.max(Duration::from_secs(1))).await {
            Ok(trace) => Ok(trace.created_memory_id.filter(|_| trial.lesson.is_some()).map(|id| id.to_string())),
            // The trial is stored; its lesson comes later or not at all.
            Err(error) => {
                tracing::warn!(%error, trial = trial.number, "the lesson of a trial is not there yet");
                Ok(None)
            }
        }
    }
}

/// Remembering the same trial again is the same request; a trial that was made anew after a kill is another.
fn name(run: &RunSoFar<'_>, trial: &Trial) -> String {
    let digest = Sha256::new()
        .chain_update(run.started_at.to_string())
        .chain_update(run.task)
        .chain_update(trial.started_at.to_string())
        .chain_update(trial.answer())
        .finalize();
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("reflexion-{}-{hex}", trial.number)
}

fn remembered(memory: reflect_client::Memory) -> RememberedLesson {
    RememberedLesson {
        lesson: memory.lesson(),
        id: Some(memory.id.to_string()),
        task: Some(memory.task),
        success: memory.success,
        score: Some(memory.q_value),
        ..RememberedLesson::default()
    }
}

/// The lesson with its writer and tools. Names that no server takes would cost the trial its trace: they are shortened or left out.
fn authored(learned: &TrialLesson) -> AuthoredReflection {
    let short = |name: &str| name.chars().filter(|one| !one.is_control()).take(LONGEST_NAME).collect::<String>();
    let mut lesson = learned.lesson.clone();
    for tools in [&mut lesson.applicable_tools, &mut lesson.tools_used] {
        tools.retain(|tool| *tool == short(tool));
    }
    let reflection = AuthoredReflection::from(lesson);
    match &learned.written_by {
        Some(by) if !short(&by.reflector).is_empty() => reflection.written_by(WrittenByRequest {
            reflector: short(&by.reflector),
            version: Some(short(&by.version)),
            model: by.model.as_deref().map(short),
            ..by.clone().into()
        }),
        _ => reflection,
    }
}

/// A message as LLM APIs write it.
fn written(message: &ChatMessage, room: &mut usize) -> Message {
    let mut written = Message::new(message.role.as_str(), &message.text);
    if !message.parts.is_empty() {
        written.content = message.content().0.iter().map(|part| json!(stored(part, room))).collect();
    }
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().map(|call| {
            let arguments = match &call.arguments {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
        });
        written = written.with("tool_calls", calls.collect::<Vec<Value>>());
    }
    match &message.tool_call_id {
        Some(id) => written.with("tool_call_id", id.as_str()),
        None => written,
    }
}

/// The part, or its name where there is no room left for its bytes.
fn stored(part: &Part, room: &mut usize) -> Part {
    let (Part::Image { source: Source::Bytes { data, .. } } | Part::Document { source: Source::Bytes { data, .. } }) =
        part
    else {
        return part.clone();
    };
    match room.checked_sub(data.len()) {
        Some(left) => {
            *room = left;
            part.clone()
        }
        None => Part::text(format!("[{part}, too large to be stored]")),
    }
}
