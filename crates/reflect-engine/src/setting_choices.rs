//! What a project's settings can be set to, and what holds where they are not set.

use reflect_core::{
    Match, Scope,
    what_if::Mixture,
    worth::{LearningRule, WorthConstants},
};

use crate::{
    Asker, Engine, EngineResult,
    models::{BUILTIN, OFF},
};

/// What a project can choose among, and what it has where it chose nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingChoices {
    /// Ids of embedders, in the order in which the operator named them.
    pub embedders: Vec<String>,
    /// `builtin`, and the models that the operator listed.
    pub reflectors: Vec<String>,
    /// `off`, and the models that the operator listed.
    pub judges: Vec<String>,
    /// The server's own.
    pub defaults: SettingDefaults,
}

/// What holds for a project that set nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingDefaults {
    /// The weight of utility.
    pub lambda: f64,
    /// The weight of score against diversity.
    pub mmr_lambda: f64,
    /// What of a memory the task at hand is compared with.
    pub matching: Match,
    /// The floor on similarity: the server's, else that of the project's embedder, if it has one.
    pub similarity_threshold: Option<f64>,
    /// The step size.
    pub alpha: f64,
    /// The share of tasks that do without memories.
    pub holdout: f64,
    /// The configurations that a share of tasks is answered with.
    pub mixture: Option<Mixture>,
    /// How memories learn.
    pub learning: LearningRule,
    /// In which share of queries one slot is on trial.
    pub trial_share: f64,
    /// How often the most doubtful memory sits out.
    pub sitting_out: f64,
    /// Whether lessons that tell little or nothing are ranked like all others.
    pub empty_lessons: bool,
    /// After how many days without a run half of a memory's evidence is left.
    pub half_life_days: f64,
    /// Who writes lessons.
    pub reflector: String,
    /// Who judges.
    pub judge: String,
    /// The embedder of new projects.
    pub embedder: String,
}

impl Engine {
    /// What the project's settings can be set to. Whoever may read traces may know.
    pub async fn setting_choices(&self, asker: Asker<'_>) -> EngineResult<SettingChoices> {
        let scope = if asker.caller.has(Scope::ProjectWrite) { Scope::ProjectWrite } else { Scope::TraceRead };
        self.admit(asker, scope)?;
        let project = self.open_project(asker).await?;
        let embedders_floor = || self.embedders.get(&project.embedder).and_then(|embedder| embedder.default_floor());
        let models = |none: &str| {
            let listed = self.models.iter().map(|model| model.name.clone());
            std::iter::once(none.to_owned()).chain(listed).collect::<Vec<String>>()
        };
        let settings = &self.settings;
        Ok(SettingChoices {
            embedders: self.embedders.offered_ids().map(ToString::to_string).collect(),
            reflectors: models(BUILTIN),
            judges: models(OFF),
            defaults: SettingDefaults {
                lambda: settings.lambda,
                mmr_lambda: settings.mmr_lambda,
                matching: settings.matching,
                similarity_threshold: settings.similarity_threshold.or_else(embedders_floor),
                alpha: settings.alpha,
                holdout: settings.holdout,
                mixture: settings.mixture.clone(),
                learning: settings.learning,
                trial_share: settings.trial_share,
                sitting_out: settings.sitting_out,
                empty_lessons: false,
                half_life_days: WorthConstants::default().half_life_days.unwrap_or_default(),
                reflector: self.models.default_reflector().unwrap_or_else(|| BUILTIN.to_owned()),
                judge: self.models.default_judge().unwrap_or_else(|| OFF.to_owned()),
                embedder: self.embedders.default_id().to_string(),
            },
        })
    }
}
