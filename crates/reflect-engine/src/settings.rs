//! Everything about the engine that can be tuned, and a project's own share of it.

use std::time::Duration;

use reflect_core::{
    Match, Project, ProjectId, ProjectSettings,
    what_if::Mixture,
    worth::{LearningRule, REMEMBERED_RUNS, SittingOut, TrialSlot, Viewpoint, WorthConstants},
};

use crate::{
    Engine, EngineError, EngineResult,
    models::{BUILTIN, OFF},
};

/// The operator's settings. [`Default`] is right for someone who read nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineSettings {
    /// The step size of the learning rule, in [0, 1].
    pub alpha: f64,
    /// How memories learn.
    pub learning: LearningRule,
    /// In which share of queries one slot is on trial, from 0 to 1.
    pub trial_share: f64,
    /// In which share of the answers that it is due for the most doubtful memory sits out, from 0 to 0.5.
    pub sitting_out: f64,
    /// The weight of utility in the ranking, in [0, 1].
    pub lambda: f64,
    /// The weight of score against diversity, in [0, 1].
    pub mmr_lambda: f64,
    /// What of a memory the task at hand is compared with.
    pub matching: Match,
    /// The floor on similarity, in [−1, 1]; the embedder's own when `None`.
    pub similarity_threshold: Option<f64>,
    /// The share of tasks that do without memories, in [0, 0.5].
    pub holdout: f64,
    /// The configurations that a share of tasks is answered with at random.
    pub mixture: Option<Mixture>,
    /// How many lessons are written at the same time.
    pub workers: usize,
    /// How often a lesson is tried.
    pub max_attempts: u32,
    /// How long one try may take.
    pub attempt_timeout: Duration,
    /// How long the sender of a deferred review is kept waiting for its lesson.
    pub review_deadline: Duration,
    /// How far the queue may fall behind before new reviewed traces are turned away.
    pub queue_max_age: Duration,
    /// How many bytes the indexes of all projects may take together; those not used for longest are let go.
    pub index_memory: usize,
    /// How many of the newest changes to a project are in memory that the database searches.
    pub remembered_changes: usize,
    /// From how many memories on a project that the database searches has a graph; fewer are looked at one by one in milliseconds.
    pub graph_from: usize,
    /// How many memories are embedded at a time when a project is switched to another embedder.
    pub switch_batch: usize,
    /// How often a model is asked again for a lesson that rules stood in for.
    pub follow_up_attempts: u32,
    /// How long a run waits for a review before it is judged.
    pub judge_after: Duration,
    /// The step size of a judge's review, in [0, 1].
    pub judge_alpha: f64,
    /// How long the log of queries is kept.
    pub retrieval_retention: Duration,
    /// How many bytes of that log a project may have; the oldest go first.
    pub retrieval_log_bytes: usize,
    /// How long a search through the traces of a project may take.
    pub search_timeout: Duration,
    /// How long traces are kept; for ever when `None`. What they taught stays.
    pub trace_retention: Option<Duration>,
    /// How many traces of a project are kept, the newest; all when `None`.
    pub trace_count: Option<usize>,
    /// How many traces a project may store in a day (UTC); any number when `None`.
    pub daily_traces: Option<u64>,
    /// How long a request can be repeated with its `Idempotency-Key`.
    pub idempotency_retention: Duration,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            alpha: 0.3,
            learning: LearningRule::Worth,
            trial_share: TrialSlot::default().share,
            sitting_out: SittingOut::default().most,
            lambda: 0.5,
            mmr_lambda: 0.7,
            matching: Match::default(),
            similarity_threshold: None,
            holdout: 0.0,
            mixture: None,
            workers: 128,
            max_attempts: 5,
            attempt_timeout: Duration::from_secs(60),
            review_deadline: Duration::from_secs(30),
            queue_max_age: Duration::from_secs(60),
            index_memory: 4_096 << 20,
            remembered_changes: REMEMBERED_RUNS,
            graph_from: 10_000,
            switch_batch: 32,
            follow_up_attempts: 12,
            judge_after: Duration::from_secs(3_600),
            judge_alpha: 0.1,
            retrieval_retention: Duration::from_secs(30 * 24 * 3_600),
            retrieval_log_bytes: 256 << 20,
            search_timeout: Duration::from_secs(5),
            trace_retention: None,
            trace_count: None,
            daily_traces: None,
            idempotency_retention: Duration::from_secs(24 * 3_600),
        }
    }
}

/// A change to a project's settings: the outer `None` leaves a value, the inner one gives it back to the server's default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingsChange {
    /// The weight of utility.
    pub lambda: Option<Option<f64>>,
    /// The weight of score against diversity.
    pub mmr_lambda: Option<Option<f64>>,
    /// What of a memory the task at hand is compared with.
    pub matching: Option<Option<Match>>,
    /// The floor on similarity.
    pub similarity_threshold: Option<Option<f64>>,
    /// The step size.
    pub alpha: Option<Option<f64>>,
    /// The share of tasks that do without memories.
    pub holdout: Option<Option<f64>>,
    /// The configurations that a share of tasks is answered with.
    pub mixture: Option<Option<Mixture>>,
    /// How memories learn.
    pub learning: Option<Option<LearningRule>>,
    /// In which share of queries one slot is on trial.
    pub trial_share: Option<Option<f64>>,
    /// How often the most doubtful memory sits out.
    pub sitting_out: Option<Option<f64>>,
    /// Whether lessons that tell little or nothing are ranked like all others.
    pub empty_lessons: Option<Option<bool>>,
    /// After how many days without a run half of a memory's evidence is left.
    pub half_life_days: Option<Option<f64>>,
    /// The reflector.
    pub reflector: Option<Option<String>>,
    /// The embedder, by its name or id.
    pub embedder: Option<Option<String>>,
    /// The judge.
    pub judge: Option<Option<String>>,
    /// What the judge holds a run against.
    pub judge_rubric: Option<Option<String>>,
}

impl SettingsChange {
    /// The names of the settings that it changes.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let names = [
            ("lambda", self.lambda.is_some()),
            ("mmr_lambda", self.mmr_lambda.is_some()),
            ("match", self.matching.is_some()),
            ("similarity_threshold", self.similarity_threshold.is_some()),
            ("alpha", self.alpha.is_some()),
            ("holdout", self.holdout.is_some()),
            ("mixture", self.mixture.is_some()),
            ("learning", self.learning.is_some()),
            ("trial_share", self.trial_share.is_some()),
            ("sitting_out", self.sitting_out.is_some()),
            ("empty_lessons", self.empty_lessons.is_some()),
            ("half_life_days", self.half_life_days.is_some()),
            ("reflector", self.reflector.is_some()),
            ("embedder", self.embedder.is_some()),
            ("judge", self.judge.is_some()),
            ("judge_rubric", self.judge_rubric.is_some()),
        ];
        names.into_iter().filter(|(_, is_changed)| *is_changed).map(|(name, _)| name).collect()
    }

    /// `settings` after this change.
    pub(crate) fn applied_to(self, settings: ProjectSettings) -> ProjectSettings {
        ProjectSettings {
            lambda: self.lambda.unwrap_or(settings.lambda),
            mmr_lambda: self.mmr_lambda.unwrap_or(settings.mmr_lambda),
            matching: self.matching.unwrap_or(settings.matching),
            similarity_threshold: self.similarity_threshold.unwrap_or(settings.similarity_threshold),
            alpha: self.alpha.unwrap_or(settings.alpha),
            holdout: self.holdout.unwrap_or(settings.holdout),
            mixture: self.mixture.unwrap_or(settings.mixture),
            learning: self.learning.unwrap_or(settings.learning),
            trial_share: self.trial_share.unwrap_or(settings.trial_share),
            sitting_out: self.sitting_out.unwrap_or(settings.sitting_out),
            empty_lessons: self.empty_lessons.unwrap_or(settings.empty_lessons),
            half_life_days: self.half_life_days.unwrap_or(settings.half_life_days),
            reflector: self.reflector.unwrap_or(settings.reflector),
            judge: self.judge.unwrap_or(settings.judge),
            judge_rubric: self.judge_rubric.unwrap_or(settings.judge_rubric),
        }
    }
}

impl Engine {
    /// The operator's settings.
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The share of a project's tasks that do without memories.
    pub(crate) fn holdout_of(&self, project: &Project) -> f64 {
        project.settings.holdout.unwrap_or(self.settings.holdout)
    }

    /// How the memories of a project learn.
    pub(crate) fn learning_rule(&self, project: &Project) -> LearningRule {
        project.settings.learning.unwrap_or(self.settings.learning)
    }

    /// How a project looks at what its memories learned.
    pub(crate) fn viewpoint(&self, project: &Project) -> Viewpoint {
        let constants = WorthConstants::with_half_life(project.settings.half_life_days);
        Viewpoint { rule: self.learning_rule(project), constants, today: self.now().day() }
    }

    /// The same by its name; as the server looks at it if it is not there.
    pub(crate) async fn viewpoint_of(&self, project_id: &ProjectId) -> EngineResult<Viewpoint> {
        let unknown = Viewpoint { rule: self.settings.learning, ..Viewpoint::default() };
        Ok(self.find_project(project_id).await?.map_or(unknown, |project| self.viewpoint(&project)))
    }

    /// Refuses a change that this server cannot follow. Ranges are the wire's business.
    pub(crate) fn check_settings(&self, change: &SettingsChange) -> EngineResult<()> {
        let listed = |field: &'static str, name: &Option<Option<String>>, none: &str| match name {
            Some(Some(name)) if name != none && self.models.get(name).is_none() => {
                let models: Vec<&str> =
                    std::iter::once(none).chain(self.models.iter().map(|model| &*model.name)).collect();
                let allowed = models.join("`, `");
                Err(EngineError::Invalid { field, problem: format!("is `{name}`, and this server has `{allowed}`") })
            }
            _ => Ok(()),
        };
        listed("reflector", &change.reflector, BUILTIN)?;
        listed("judge", &change.judge, OFF)
    }
}
