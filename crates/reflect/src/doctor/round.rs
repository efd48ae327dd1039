//! A real round: a run, its review, a lesson, the retrieval of a paraphrase, credit.

use reflect_api::{SessionAnswer, SettingsRequest, TraceAnswer};
use reflect_client::{Message, ReflectClient};
use reflect_core::IngestStatus;
use uuid::Uuid;

use super::{
    Patient,
    report::{Fault, Report},
};

const TASK: &str = "Convert the quarterly sales spreadsheet to a CSV file and leave out empty rows";
const PARAPHRASE: &str = "Export this quarter's sales sheet as CSV without the blank lines";
const ANSWER: &str = "I wrote sales.csv with all rows.";
const FEEDBACK: &str = "The empty rows are still in the file. Filter out rows without values before writing the CSV.";

const LOG: &str = "look into the server's log";

/// Does the round, and leaves nothing behind.
pub(super) async fn run(patient: &Patient, session: &SessionAnswer, report: &mut Report) -> anyhow::Result<()> {
    let client = patient.reached.client(&patient.project_id)?;
    let mut round = Round { client: client.clone(), trace_ids: Vec::new() };
    if session.is_master {
        round.client = client.with_project(throw_away_name())?;
    }
    let gone = round.go(session.is_master, report).await;
    let cleaned = round.clean_up(session.is_master).await;
    gone?;
    report.note("clean-up", cleaned).map(drop)
}

/// A name that no project has.
fn throw_away_name() -> String {
    let number = reflect_system::random_bytes::<8>().map_or(0, u64::from_le_bytes);
    format!("reflect-doctor-{number:016x}")
}

struct Round {
    client: ReflectClient,
    /// What was recorded on the way.
    trace_ids: Vec<Uuid>,
}

impl Round {
    async fn go(&mut self, is_own_project: bool, report: &mut Report) -> anyhow::Result<()> {
        let memory_id = match self.learn().await {
            Err(fault) => return report.fail("lesson", fault),
            Ok((memory_id, message)) => {
                report.ok("lesson", message)?;
                memory_id
            }
        };
        if is_own_project {
            let judged = self.ask_judge().await;
            report.note("judge", judged)?;
        }
        let retrieval_id = match self.retrieve(memory_id).await {
            Err(fault) => return report.fail("retrieval", fault),
            Ok((retrieval_id, message)) => {
                report.ok("retrieval", message)?;
                retrieval_id
            }
        };
        let credited = self.credit(memory_id, retrieval_id).await;
        report.note("credit", credited).map(drop)
    }

    /// Records a run that failed, has it reviewed, and waits for the lesson: the memory that was made, and who wrote it.
    async fn learn(&mut self) -> Result<(Uuid, String), Fault> {
        let trajectory = [Message::user(TASK), Message::assistant(ANSWER)];
        let stored = self.client.create_trace(TASK, trajectory).await;
        let trace_id = stored.map_err(|error| Fault::new(format!("a run cannot be recorded: {error}"), LOG))?.trace_id;
        self.trace_ids.push(trace_id);
        let reviewed = self.client.review_trace(trace_id, "fail").feedback(FEEDBACK).await;
        let trace = reviewed.map_err(|error| Fault::new(format!("the run cannot be reviewed: {error}"), LOG))?;
        let memory_id = lesson_of(&trace)?;
        if let Some(warning) = trace.warnings.iter().find(|warning| warning.starts_with("rules wrote")) {
            return Err(Fault::new(
                warning.clone(),
                "look at the provider's key, address and model; the server's log says at start where they come from",
            ));
        }
        let memory = self.client.get_memory(memory_id).await;
        let written_by =
            memory.map_err(|error| Fault::new(format!("the lesson cannot be read: {error}"), LOG))?.written_by;
        let writer = written_by.model.unwrap_or(written_by.reflector);
        Ok((memory_id, format!("`{writer}` wrote one from a run and its review")))
    }

    /// Lets the model that judges write a lesson, if it is not the one that just did: it is asked once, and shows whether it answers.
    async fn ask_judge(&mut self) -> Result<String, Fault> {
        let unknown = |error| Fault::new(format!("the server does not say who judges: {error}"), LOG);
        let defaults = self.client.setting_choices().await.map_err(unknown)?.defaults;
        match defaults.judge.as_str() {
            "off" => return Ok("none is set: runs without a review stay so".into()),
            judge if judge == defaults.reflector => return Ok(format!("`{judge}`, which has just written a lesson")),
            _ => {}
        }
        let reflector = Some(Some(defaults.judge.clone()));
        let changed = self.client.update_settings(SettingsRequest { reflector, ..SettingsRequest::default() }).await;
        changed.map_err(|error| Fault::new(format!("`{}` cannot be asked: {error}", defaults.judge), LOG))?;
        self.learn().await.map(|_| format!("`{}` answers", defaults.judge))
    }

    /// Looks for the lesson by other words than it was learned with.
    async fn retrieve(&self, memory_id: Uuid) -> Result<(Option<Uuid>, String), Fault> {
        let failed = |error| Fault::new(format!("memories cannot be queried: {error}"), LOG);
        let query = || self.client.query(PARAPHRASE).limit(20).lambda(0.0).mmr_lambda(1.0);
        let found = query().await.map_err(failed)?;
        if let Some(memory) = found.memories.iter().find(|memory| memory.id == memory_id) {
            let message = format!("a paraphrase finds it, with a similarity of {:.2}", memory.similarity);
            return Ok((found.retrieval_id, message));
        }
        let however_similar = query().similarity_threshold(-1.0).await.map_err(failed)?;
        Err(match however_similar.memories.iter().find(|memory| memory.id == memory_id) {
            Some(memory) => Fault::new(
                format!("a paraphrase has a similarity of {:.2} to it, which is below the floor", memory.similarity),
                "lower `similarity_threshold` in the server's settings, or leave it out: the embedder has a floor of its own",
            ),
            None => Fault::new(
                "a paraphrase does not find it",
                "look whether the server uses an embedder for real texts: `hashing` is for tests",
            ),
        })
    }

    /// Reports a run that was shown the lesson and passed, and looks whether that counts.
    async fn credit(&mut self, memory_id: Uuid, retrieval_id: Option<Uuid>) -> Result<String, Fault> {
        let unread = |error| Fault::new(format!("the memory cannot be read: {error}"), LOG);
        let before = self.client.get_memory(memory_id).await.map_err(unread)?;
        let trajectory = [Message::user(PARAPHRASE), Message::assistant("I wrote sales.csv without the blank lines.")];
        let mut call = self.client.create_trace(PARAPHRASE, trajectory).retrieved_memory_ids([memory_id]).passed();
        if let Some(retrieval_id) = retrieval_id {
            call = call.retrieval_id(retrieval_id);
        }
        let stored = call.await.map_err(|error| Fault::new(format!("a run cannot be recorded: {error}"), LOG))?;
        self.trace_ids.push(stored.trace_id);
        let after = self.client.get_memory(memory_id).await.map_err(unread)?;
        if after.uses == before.uses {
            return Err(Fault::new("a run that was shown the lesson passed, and the lesson got no credit", LOG));
        }
        if after.q_value <= before.q_value {
            return Err(Fault::new(
                "a run that was shown the lesson passed, and its utility did not move",
                "set `alpha`, the step size of learning, to more than 0; 0.3 is the default",
            ));
        }
        Ok(format!(
            "a run that was shown it passed: its utility went from {:.2} to {:.2}",
            before.q_value, after.q_value
        ))
    }

    /// Removes what the round has made.
    async fn clean_up(self, is_own_project: bool) -> Result<String, Fault> {
        if is_own_project {
            let name = self.client.project_id().to_owned();
            let failed = |error| Fault::new(format!("the project `{name}` is left over: {error}"), "delete it by hand");
            return self
                .client
                .delete_project()
                .await
                .map(|_| "the project of the round is deleted".into())
                .map_err(failed);
        }
        let failed = |error| {
            let ids: Vec<String> = self.trace_ids.iter().map(Uuid::to_string).collect();
            Fault::new(
                format!("the traces {} are left over: {error}", ids.join(", ")),
                "delete them by hand, with `cascade`",
            )
        };
        let deleted = self.client.delete_traces_cascading(self.trace_ids.iter().copied()).await;
        deleted.map(|_| "the traces and memories of the round are deleted".into()).map_err(failed)
    }
}

/// The memory that a reviewed trace has led to.
fn lesson_of(trace: &TraceAnswer) -> Result<Uuid, Fault> {
    match (trace.ingest_status, trace.created_memory_id) {
        (IngestStatus::Completed, Some(memory_id)) => Ok(memory_id),
        (IngestStatus::Failed, _) => {
            let why = trace.last_ingest_error.as_deref().unwrap_or("the server does not say why");
            Err(Fault::new(format!("no lesson could be written: {why}"), LOG))
        }
        _ => Err(Fault::new(
            "the review was taken, but no lesson was written in time",
            "look at `reflect_queue_depth` in /metrics and into the server's log: the queue is long, or whoever writes hangs",
        )),
    }
}
