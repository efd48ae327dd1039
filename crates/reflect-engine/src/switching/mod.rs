//! Switching a project to another embedder, while it goes on being used.
//!
//! A project that is sent to the embedder that it has gets whatever vectors its memories lack: so those of a release that embedded tasks alone get
//! vectors of their lessons.
//!
//! A switch is a row in the store. Batch by batch every memory gets a vector of the target; new ones get both meanwhile, and
//! queries compare the old ones. When none is missing, one transaction makes the target the project's embedder.

mod cursors;

use reflect_core::{EmbedderId, EmbedderSwitch, Project};
use reflect_embed::Caller;
use reflect_store::{NewVectors, PendingSwitch, SwitchEnd, SwitchProgress, Unembedded};

use crate::{Changed, Engine, EngineError, EngineResult, embedding::searchable};

pub(crate) use cursors::Switches;
use cursors::{Count, Cursor};

/// How many vectors are looked at when those of an embedder that was left are removed.
const SWEEP: usize = 1_000;

/// How far a switch has come, and what keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchStatus {
    /// Where the project is going, and since when.
    pub switch: EmbedderSwitch,
    /// How many of its memories are there.
    pub progress: SwitchProgress,
    /// Why the last batch failed, if it did.
    pub problem: Option<String>,
}

impl Engine {
    /// The embedder that someone names for a project; the server's own for `None`.
    pub(crate) fn find_embedder(&self, project: &Project, name: Option<&str>) -> EngineResult<EmbedderId> {
        let Some(name) = name else {
            return Ok(self.embedders.default_id().clone());
        };
        let own = Some(&project.embedder).filter(|own| own.as_str() == name && self.embedders.get(own).is_some());
        self.embedders.find(name).or(own).cloned().ok_or_else(|| EngineError::Invalid {
            field: "embedder",
            problem: format!("is `{name}`, and this server has {}", self.embedders.offered()),
        })
    }

    /// Sends a project on the way to an embedder; back, if that is the one it has.
    pub(crate) async fn start_switch(&self, project: &Project, target: EmbedderId) -> EngineResult<Project> {
        if project.embedder == target && project.embedder_switch.is_none() {
            return Ok(project.clone());
        }
        let started = self.store.start_embedder_switch(project.id.clone(), target, self.now()).await?;
        self.coordination.forget_projects();
        self.coordination.wake_switches();
        started.ok_or_else(|| EngineError::no_project(&project.id))
    }

    /// Sends every project to the default embedder that has one which this server no longer offers, unless it is on the way
    /// to one already. Answers how many.
    pub async fn start_due_switches(&self) -> EngineResult<usize> {
        let mut started = 0;
        for project in self.store.list_projects().await? {
            let target = project.embedder_switch.as_ref().map(|switch| &switch.target);
            if self.embedders.is_offered(&project.embedder) || target.is_some_and(|id| self.embedders.is_offered(id)) {
                continue;
            }
            let (from, to) = (&project.embedder, self.embedders.default_id());
            tracing::info!(project = %project.id, %from, %to, "its embedder is no longer offered: it is switched");
            self.start_switch(&project, to.clone()).await?;
            started += 1;
        }
        Ok(started)
    }

    /// How far a project's switch has come; `None` if it is in none.
    pub async fn switch_status(&self, project: &Project) -> EngineResult<Option<SwitchStatus>> {
        let Some(switch) = project.embedder_switch.clone() else {
            return Ok(None);
        };
        let progress = self.store.get_switch_progress(project.id.clone(), switch.target.clone()).await?;
        if switch.target == project.embedder && progress.done == progress.total {
            return Ok(None);
        }
        let pending = PendingSwitch { project_id: project.id.clone(), switch };
        let problem = self.cursor(&pending).problem;
        Ok(Some(SwitchStatus { switch: pending.switch, progress, problem }))
    }

    /// How many memories a query by `embedder` can find. Counting takes as long as there are memories, so that queries share
    /// a count for a moment.
    pub(crate) async fn searched_part(&self, project: &Project, embedder: &EmbedderId) -> EngineResult<SwitchProgress> {
        let now = self.now();
        if let Some(progress) = self.switches.fresh_count(&project.id, embedder, now) {
            return Ok(progress);
        }
        let progress = self.store.get_switch_progress(project.id.clone(), embedder.clone()).await?;
        self.switches.put_count(project.id.clone(), Count { embedder: embedder.clone(), progress, at: now });
        Ok(progress)
    }

    /// Works switches until there is nothing left that is due, and answers in how many steps. For tests and tools; a server
    /// has [`crate::Background`].
    pub async fn run_due_switches(&self) -> EngineResult<usize> {
        let mut steps = 0;
        loop {
            match self.step_switches().await? {
                0 => return Ok(steps),
                more => steps += more,
            }
        }
    }

    /// Works the next batch of every switch that is due, and removes some of what was left behind. Answers how many steps
    /// that was; none if there is nothing to do, or all of it has to wait.
    pub async fn step_switches(&self) -> EngineResult<usize> {
        let pending = self.coordination.list_switches().await?;
        self.switches.keep(&pending);
        let mut steps = 0;
        for pending in pending {
            let project_id = pending.project_id.clone();
            // A project whose rows cannot be read holds up no other.
            match self.step(pending.clone()).await {
                Ok(is_further) => steps += usize::from(is_further),
                Err(error) => {
                    tracing::error!(project = %project_id, %error, "a switch of the embedder failed and will be tried again");
                    let cursor = self.cursor(&pending);
                    self.switches.put(&pending, cursor.clone().failed(error.to_string(), self.now(), cursor.seen));
                }
            }
            self.coordination.note_change(&project_id, Changed::SETTINGS);
        }
        if self.coordination.may_sweep() {
            steps += usize::from(self.store.delete_leftover_vectors(SWEEP).await?.is_some());
        }
        Ok(steps)
    }

    fn cursor(&self, pending: &PendingSwitch) -> Cursor {
        self.switches
            .cursor(pending)
            .unwrap_or_else(|| Cursor::start(pending.switch.clone(), self.settings.switch_batch))
    }

    /// One batch of one switch, or its end. Says whether the switch has come any further.
    async fn step(&self, pending: PendingSwitch) -> EngineResult<bool> {
        let cursor = self.cursor(&pending);
        let now = self.now();
        if cursor.is_pausing(now) {
            return Ok(false);
        }
        let (project_id, target) = (&pending.project_id, &pending.switch.target);
        let page = self.store.list_unembedded(project_id.clone(), target.clone(), cursor.seen, cursor.batch).await?;
        if page.memories.is_empty() && cursor.passed_over {
            self.switches.put(&pending, cursor.start_over(now));
            return Ok(false);
        }
        if page.memories.is_empty() {
            return self.finish(pending, cursor, page.seen).await;
        }
        self.say_progress(&pending, &cursor).await?;
        let vectors = match self.embed_lacking(&pending, &page.memories).await {
            Ok(vectors) => vectors,
            Err(error) => {
                tracing::warn!(project = %project_id, %target, %error, "memories could not be embedded anew");
                self.switches.put(&pending, cursor.failed(error.to_string(), now, page.seen));
                return Ok(false);
            }
        };
        let stored = self.store.insert_vectors(pending.clone(), vectors).await?;
        if stored.is_some() {
            self.switches.put(&pending, cursor.advanced_to(page.seen));
        }
        Ok(stored.is_some())
    }

    /// What memories lack, made in one batch.
    async fn embed_lacking(&self, pending: &PendingSwitch, memories: &[Unembedded]) -> EngineResult<Vec<NewVectors>> {
        // In a line of its own, so that queries do not wait behind it: no project has such a name.
        let caller = format!("{}\0switch", pending.project_id);
        let words: Vec<String> = memories.iter().map(|memory| memory.lesson.words()).collect();
        let mut texts: Vec<&str> = Vec::new();
        for (memory, words) in memories.iter().zip(&words) {
            texts.extend((!memory.has_task_vector).then_some(memory.task.as_str()));
            texts.push(searchable(words, &memory.task));
        }
        let mut vectors =
            self.embed_all(Caller::in_background(&caller), &pending.switch.target, &texts).await?.into_iter();
        let mut of = |memory: &Unembedded| {
            let task = if memory.has_task_vector { None } else { Some(vectors.next()?) };
            let lesson = vectors.next()?;
            Some(NewVectors { memory_id: memory.memory_id, revision: memory.revision, task, lesson })
        };
        Ok(memories.iter().filter_map(&mut of).collect())
    }

    /// Says in the log how far a switch has come, at its start and once a minute.
    async fn say_progress(&self, pending: &PendingSwitch, cursor: &Cursor) -> EngineResult<()> {
        let now = self.now();
        if !self.switches.is_to_be_said(&pending.project_id, now) {
            return Ok(());
        }
        let (project_id, target) = (&pending.project_id, &pending.switch.target);
        let progress = self.store.get_switch_progress(project_id.clone(), target.clone()).await?;
        let SwitchProgress { done, total } = progress;
        tracing::info!(project = %project_id, %target, done, total, problem = cursor.problem, "memories are being embedded");
        Ok(())
    }

    async fn finish(&self, pending: PendingSwitch, cursor: Cursor, seen: i64) -> EngineResult<bool> {
        let (project_id, embedder) = (&pending.project_id, &pending.switch.target);
        match self.store.finish_embedder_switch(pending.clone(), seen).await? {
            SwitchEnd::Flipped => {
                // Before anything of the old embedder is removed: whoever still reads by it looks here once more.
                self.coordination.note_flip();
                self.indexes.forget(project_id);
                tracing::info!(project = %project_id, %embedder, "the project has its new embedder");
                Ok(true)
            }
            SwitchEnd::Completed => {
                self.coordination.forget_projects();
                tracing::info!(project = %project_id, %embedder, "no memory lacks a vector any more");
                Ok(true)
            }
            SwitchEnd::Incomplete => {
                self.switches.put(&pending, cursor.advanced_to(seen));
                Ok(true)
            }
            SwitchEnd::Gone => Ok(false),
        }
    }
}
