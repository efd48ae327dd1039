//! Tasks as vectors: for a query, and for a lesson that is about to be stored.

use std::time::Duration;

use reflect_core::{EmbedderId, Project};
use reflect_store::TaskVector;

use crate::{Engine, EngineError, EngineResult};

/// How long one task may take: well within what a job's lease leaves for it.
const PATIENCE: Duration = Duration::from_secs(20);

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
        let failure = match self.embed(&project.embedder, task).await {
            Ok(vector) => return Ok(EmbeddedTask { embedder: project.embedder.clone(), vector, is_partial: false }),
            Err(failure) => failure,
        };
        let Some(target) = self.other_target(project) else {
            return Err(failure);
        };
        let vector = self.embed(target, task).await.map_err(|_| failure)?;
        Ok(EmbeddedTask { embedder: target.clone(), vector, is_partial: true })
    }

    /// A task as the vectors that are stored with its lesson: by the project's embedder, and by the one that it is on the
    /// way to. One of them is enough: a switch adds what is missing of its target, and going back what is missing of the
    /// old.
    pub(crate) async fn embed_lesson(&self, project: &Project, task: &str) -> EngineResult<Vec<TaskVector>> {
        let of = async |embedder: &EmbedderId| {
            let vector = self.embed(embedder, task).await?;
            Ok::<_, EngineError>(TaskVector { embedder: embedder.clone(), vector })
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

    /// Many texts by one embedder, in their order.
    pub(crate) async fn embed_all(&self, embedder: &EmbedderId, texts: &[&str]) -> EngineResult<Vec<Vec<f32>>> {
        let unknown = || {
            let offered = self.embedders.offered();
            EngineError::Embedding(format!("the embedder `{embedder}` is none of this server, which has {offered}"))
        };
        let vectors = self.embedders.get(embedder).ok_or_else(unknown)?.embed(texts).await;
        let vectors = vectors.map_err(|error| EngineError::Embedding(error.to_string()))?;
        if vectors.len() != texts.len() {
            let problem = format!("`{embedder}` made {} vectors of {} texts", vectors.len(), texts.len());
            return Err(EngineError::Embedding(problem));
        }
        Ok(vectors)
    }

    async fn embed(&self, embedder: &EmbedderId, text: &str) -> EngineResult<Vec<f32>> {
        let vectors = tokio::time::timeout(PATIENCE, self.embed_all(embedder, &[text])).await;
        let vectors = vectors.map_err(|_| EngineError::Embedding(format!("`{embedder}` took too long")))??;
        vectors.into_iter().next().ok_or_else(|| EngineError::Embedding(format!("`{embedder}` gave no vector")))
    }

    /// The embedder that a project is on the way to, if it is another than it has and can run here.
    fn other_target<'a>(&self, project: &'a Project) -> Option<&'a EmbedderId> {
        let target = &project.embedder_switch.as_ref()?.target;
        (*target != project.embedder && self.embedders.get(target).is_some()).then_some(target)
    }
}
