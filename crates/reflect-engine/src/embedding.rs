//! Texts as vectors: the task of a query; task and words of a lesson that is about to be stored.

use std::{sync::atomic::Ordering, time::Duration};

use reflect_core::{EmbedderId, Lesson, Project};
use reflect_embed::{Caller, EmbedError};
use reflect_store::{MemoryVectors, WaitedFor, waiting_for};

use crate::{Engine, EngineError, EngineResult, metrics::EMBEDDER_BUSY};

/// How long one task may take: well within what a job's lease leaves for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// When whoever finds an embedder busy is asked to come back: by then a full line has moved on by half.
const RETRY_AFTER_SECONDS: u64 = 5;

/// How often the log says that an embedder is busy, at most.
const BUSY_LOG_MILLIS: u64 = 60_000;

/// A task, ready to be compared.
pub(crate) struct EmbeddedTask {
    pub(crate) embedder: EmbedderId,
    pub(crate) vector: Vec<f32>,
    /// Whether only those memories can be found that have been embedded anew.
    pub(crate) is_partial: bool,
}

impl Engine {
    /// A task as the vector that a query compares: by the project's embedder; or, if that cannot run and the project is on
    /// the way to another, by that one, which knows a part of the memories.
    pub(crate) async fn embed_query(&self, project: &Project, task: &str) -> EngineResult<EmbeddedTask> {
        let asking = Caller::asking(project.id.as_str());
        let failure = match self.embed(asking, &project.embedder, [task]).await {
            Ok([vector]) => return Ok(EmbeddedTask { embedder: project.embedder.clone(), vector, is_partial: false }),
            Err(failure) => failure,
        };
        let Some(target) = self.other_target(project) else {
            return Err(failure);
        };
        let [vector] = self.embed(asking, target, [task]).await.map_err(|_| failure)?;
        Ok(EmbeddedTask { embedder: target.clone(), vector, is_partial: true })
    }

    /// The vectors that are stored with a lesson, of its task and of its words: by the project's embedder, and by the one that it is on
    /// the way to. One of them is enough: a switch adds what is missing of its target, and going back what is missing of the
    /// old.
    pub(crate) async fn embed_lesson(
        &self,
        project: &Project,
        task: &str,
        lesson: &Lesson,
    ) -> EngineResult<Vec<MemoryVectors>> {
        // In a line of its own, so that queries do not wait behind it: no project has such a name.
        let name = format!("{}\0lessons", project.id);
        let caller = Caller::in_background(&name);
        let words = lesson.words();
        let texts = [task, searchable(&words, task)];
        let of = async |embedder: &EmbedderId| {
            let [task, lesson] = self.embed(caller, embedder, texts).await?;
            Ok::<_, EngineError>(MemoryVectors { embedder: embedder.clone(), task, lesson })
        };
        let Some(target) = self.other_target(project) else {
            return Ok(vec![of(&project.embedder).await?]);
        };
        match tokio::join!(of(&project.embedder), of(target)) {
            (Ok(current), Ok(next)) => Ok(vec![current, next]),
            (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok(vec![one]),
            (Err(failure), Err(_)) => Err(failure),
        }
    }

    /// Many texts by one embedder, in their order. Callers of different names take turns at it.
    pub(crate) async fn embed_all(
        &self,
        caller: Caller<'_>,
        embedder: &EmbedderId,
        texts: &[&str],
    ) -> EngineResult<Vec<Vec<f32>>> {
        let unknown = || {
            let offered = self.embedders.offered();
            EngineError::Embedding(format!("the embedder is `{embedder}`; this server has {offered}"))
        };
        let embedding = self.embedders.get(embedder).ok_or_else(unknown)?.embed_for(caller, texts);
        let vectors = waiting_for(WaitedFor::Embedder, embedding).await;
        let vectors = vectors.map_err(|error| match error {
            EmbedError::Busy(why) => self.busy(caller.name, embedder, why),
            EmbedError::Failed(why) => EngineError::Embedding(why),
        })?;
        if vectors.len() != texts.len() {
            let problem = format!("`{embedder}` made {} vectors of {} texts", vectors.len(), texts.len());
            return Err(EngineError::Embedding(problem));
        }
        Ok(vectors)
    }

    /// Counts that an embedder was busy, and says so in the log if that has not been said for a while.
    fn busy(&self, caller: &str, embedder: &EmbedderId, why: &str) -> EngineError {
        self.metrics.count(&EMBEDDER_BUSY, &[embedder.as_str()]);
        let now = self.now().as_micros() / 1_000;
        let said_at = self.busy_said_at.load(Ordering::Relaxed);
        let is_due = now.abs_diff(said_at) >= BUSY_LOG_MILLIS;
        if is_due && self.busy_said_at.compare_exchange(said_at, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::warn!(caller, %embedder, why, "an embedder is busy, and turns tasks away; said once a minute at most");
        }
        EngineError::EmbedderBusy { retry_after_seconds: RETRY_AFTER_SECONDS }
    }

    async fn embed<const TEXTS: usize>(
        &self,
        caller: Caller<'_>,
        embedder: &EmbedderId,
        texts: [&str; TEXTS],
    ) -> EngineResult<[Vec<f32>; TEXTS]> {
        let vectors = tokio::time::timeout(PATIENCE, self.embed_all(caller, embedder, &texts)).await;
        let vectors = vectors.map_err(|_| EngineError::Embedding(format!("`{embedder}` took too long")))??;
        vectors.try_into().map_err(|_| EngineError::Embedding(format!("`{embedder}` made too few vectors")))
    }

    /// The embedder that a project is on the way to, if it is another than it has and can run here.
    fn other_target<'a>(&self, project: &'a Project) -> Option<&'a EmbedderId> {
        let target = &project.embedder_switch.as_ref()?.target;
        (*target != project.embedder && self.embedders.get(target).is_some()).then_some(target)
    }
}

/// What a lesson is found by: its words; one without any by its task.
pub(crate) fn searchable<'a>(words: &'a str, task: &'a str) -> &'a str {
    if words.trim().is_empty() { task } else { words }
}
