//! Projects on the wire.

use reflect_core::{Environment, Match, Project, ProjectId, Timestamp, worth::LearningRule};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::{Limits, MixtureRequest, Violation, checks, object::maybe_object, query::MAX_SITTING_OUT};

/// Characters of a rubric: it goes, whole, into every question to the judge.
const MAX_RUBRIC: usize = 20_000;

/// A wish for a project of one's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BootstrapRequest {
    /// Who asks. Answered back, and otherwise not kept.
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$")]
    pub user_id: String,
    /// The project's name.
    #[schema(min_length = 1, max_length = 128, pattern = r"^[^\u0000-\u001F\u007F-\u009F]+$")]
    pub project_id: String,
    /// What its first key is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$", default = "Default Admin Key")]
    pub key_label: Option<String>,
    /// `live` or `test`: a label, nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::EnvironmentName>, default = "live")]
    pub environment: Option<Environment>,
}

impl BootstrapRequest {
    /// The project's name, if all else is well.
    pub fn check(&self) -> Result<ProjectId, Violation> {
        checks::name("user_id", &self.user_id)?;
        if let Some(key_label) = &self.key_label {
            checks::name("key_label", key_label)?;
        }
        self.project_id
            .parse()
            .map_err(|error| Violation::new("project_id", format!("is not a project's name: {error}")))
    }
}

/// A new project and the key to it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BootstrapAnswer {
    /// Who asked.
    pub user_id: String,
    /// The project's name.
    pub project_id: String,
    /// A key that may do everything in it. It is shown this once.
    pub api_key: String,
}

/// A project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProjectAnswer {
    /// Its name.
    pub project_id: String,
    /// Its embedder.
    pub embedder: String,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl From<Project> for ProjectAnswer {
    fn from(project: Project) -> Self {
        Self { project_id: project.id.into(), embedder: project.embedder.0, created_at: project.created_at }
    }
}

/// What a project's settings can be set to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingChoicesAnswer {
    /// Ids of the embedders that it can be switched to.
    pub embedders: Vec<String>,
    /// Who can write lessons: `builtin`, and the models that the operator listed.
    pub reflectors: Vec<String>,
    /// Who can judge: `off`, and the models that the operator listed.
    pub judges: Vec<String>,
    /// What holds where a project, or a query, says nothing.
    pub defaults: SettingDefaultsAnswer,
}

/// What holds where a project, or a query, says nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingDefaultsAnswer {
    /// The weight of utility against similarity.
    pub lambda: f64,
    /// The weight of score against diversity.
    pub mmr_lambda: f64,
    /// What of a memory the task at hand is compared with.
    #[serde(rename = "match")]
    #[schema(value_type = crate::status::MatchName)]
    pub matching: Match,
    /// The least similarity: the server's, else that of the project's embedder; null lets everything through.
    pub similarity_threshold: Option<f64>,
    /// The step size.
    pub alpha: f64,
    /// The share of tasks that do without memories.
    pub holdout: f64,
    /// The configurations that a share of tasks is answered with; null mixes nothing.
    pub mixture: Option<MixtureRequest>,
    /// How memories learn.
    #[schema(value_type = crate::status::LearningRuleName)]
    pub learning: LearningRule,
    /// In which share of queries one slot is on trial.
    pub trial_share: f64,
    /// How often the most doubtful memory sits out.
    pub sitting_out: f64,
    /// Whether lessons that tell little or nothing are ranked like all others.
    pub empty_lessons: bool,
    /// After how many days without a run half of a memory's evidence is left.
    pub half_life_days: f64,
    /// How many memories a query asks for.
    pub limit: u32,
    /// Who writes lessons.
    pub reflector: String,
    /// Who judges.
    pub judge: String,
    /// The embedder of new projects.
    pub embedder: String,
}

/// A project's own defaults; null where it follows the server's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingsAnswer {
    /// The project's name.
    pub project_id: String,
    /// The weight of utility against similarity.
    pub lambda: Option<f64>,
    /// The weight of score against diversity.
    pub mmr_lambda: Option<f64>,
    /// What of a memory the task at hand is compared with.
    #[serde(rename = "match")]
    #[schema(value_type = Option<crate::status::MatchName>)]
    pub matching: Option<Match>,
    /// The floor on cosine similarity.
    pub similarity_threshold: Option<f64>,
    /// The step size of the learning rule.
    pub alpha: Option<f64>,
    /// The share of tasks that do without memories.
    pub holdout: Option<f64>,
    /// The configurations that a share of tasks is answered with at random.
    pub mixture: Option<MixtureRequest>,
    /// How memories learn.
    #[schema(value_type = Option<crate::status::LearningRuleName>)]
    pub learning: Option<LearningRule>,
    /// In which share of queries one slot is on trial.
    pub trial_share: Option<f64>,
    /// How often the most doubtful memory sits out.
    pub sitting_out: Option<f64>,
    /// Whether lessons that tell little or nothing are ranked like all others.
    pub empty_lessons: Option<bool>,
    /// After how many days without a run half of a memory's evidence is left.
    pub half_life_days: Option<f64>,
    /// Who writes the lessons.
    pub reflector: Option<String>,
    /// Who judges runs that nobody reviews, or `off`.
    pub judge: Option<String>,
    /// What the judge holds a run against.
    pub judge_rubric: Option<String>,
    /// What makes the vectors that queries compare.
    pub embedder: String,
    /// The embedder that the project is on the way to; null when it is on the way to none.
    pub embedder_switch: Option<EmbedderSwitchAnswer>,
}

/// A change of a project's embedder that is under way. Until it has ended, queries compare the old vectors. If `to` is the embedder that the
/// project has, its memories get what vectors they lack; until then a lesson without one is found by its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmbedderSwitchAnswer {
    /// The embedder that memories are getting vectors of.
    pub to: String,
    /// How many memories have one.
    pub done: usize,
    /// How many memories there are.
    pub total: usize,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    pub started_at: Timestamp,
    /// Why the last step failed, if it did; it is tried again.
    pub problem: Option<String>,
}

impl SettingsAnswer {
    /// The settings of a project, and how far it has come with a change of its embedder.
    pub fn new(project: Project, embedder_switch: Option<EmbedderSwitchAnswer>) -> Self {
        Self {
            project_id: project.id.into(),
            lambda: project.settings.lambda,
            mmr_lambda: project.settings.mmr_lambda,
            matching: project.settings.matching,
            similarity_threshold: project.settings.similarity_threshold,
            alpha: project.settings.alpha,
            holdout: project.settings.holdout,
            mixture: project.settings.mixture.map(Into::into),
            learning: project.settings.learning,
            trial_share: project.settings.trial_share,
            sitting_out: project.settings.sitting_out,
            empty_lessons: project.settings.empty_lessons,
            half_life_days: project.settings.half_life_days,
            reflector: project.settings.reflector,
            judge: project.settings.judge,
            judge_rubric: project.settings.judge_rubric,
            embedder: project.embedder.0,
            embedder_switch,
        }
    }
}

/// A change to a project's defaults. What is absent stays; null follows the server again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SettingsRequest {
    /// The weight of utility against similarity.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1)]
    pub lambda: Option<Option<f64>>,
    /// The weight of score against diversity.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1)]
    pub mmr_lambda: Option<Option<f64>>,
    /// What of a memory the task at hand is compared with: `task`, `lesson`, or `both`, of which the nearer counts.
    #[serde(default, rename = "match", deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::MatchName>)]
    pub matching: Option<Option<Match>>,
    /// The floor on cosine similarity.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = -1, maximum = 1)]
    pub similarity_threshold: Option<Option<f64>>,
    /// The step size of the learning rule.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1)]
    pub alpha: Option<Option<f64>>,
    /// The share of tasks that do without memories, at random, so that `GET lift` can say whether memories help. A change begins a new
    /// measurement.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 0.5)]
    pub holdout: Option<Option<f64>>,
    /// The configurations that a share of tasks is answered with at random, so that `POST policies/evaluate` can say what each does. A change begins
    /// a new measurement; a `share` of 0 mixes nothing.
    #[serde(default, deserialize_with = "present_object", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<MixtureRequest>)]
    pub mixture: Option<Option<MixtureRequest>>,
    /// How memories learn: by what they add to a run (`worth`), or by a moving average of how runs went that saw them (`constant`). Both are
    /// kept, so that a change takes effect at once.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::LearningRuleName>)]
    pub learning: Option<Option<LearningRule>>,
    /// In which share of queries one slot goes to one of the twenty best at random, where memories learn by worth; 0 for never.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1)]
    pub trial_share: Option<Option<f64>>,
    /// In which share of the answers that it is due for the most doubtful memory sits out, where memories learn by worth; 0 if none ever does.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 0.5)]
    pub sitting_out: Option<Option<f64>>,
    /// Whether lessons that tell little or nothing are ranked like all others. Otherwise an example of a run that passed fills what others leave, and
    /// what tells nothing is for queries that would have no answer.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    pub empty_lessons: Option<Option<bool>>,
    /// After how many days without a run half of a memory's evidence is left, where memories learn by worth; 0 if evidence never ages. A change
    /// folds the ledgers of all memories again.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 36500)]
    pub half_life_days: Option<Option<f64>>,
    /// Who writes the lessons: `builtin`, or one of the models that the operator has listed.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, pattern = "^builtin$|^(openai|anthropic|gemini|ollama)/[!-~]+$")]
    pub reflector: Option<Option<String>>,
    /// What makes the vectors: one that the operator has named, by its name or id. The change takes a while; the answer and
    /// later ones show in `embedder_switch` how far it has come. Null is the server's own.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub embedder: Option<Option<String>>,
    /// Who judges runs that nobody reviews: `off`, or one of the models that the operator has listed.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, pattern = "^off$|^(openai|anthropic|gemini|ollama)/[!-~]+$")]
    pub judge: Option<Option<String>>,
    /// What the judge holds a run against, in your own words: what counts as a pass, and what does not.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, max_length = 20_000)]
    pub judge_rubric: Option<Option<String>>,
}

impl SettingsRequest {
    /// Refuses values outside their ranges.
    pub fn check(&self, _limits: &Limits) -> Result<(), Violation> {
        checks::between("lambda", self.lambda.flatten(), 0.0, 1.0)?;
        checks::between("mmr_lambda", self.mmr_lambda.flatten(), 0.0, 1.0)?;
        checks::between("similarity_threshold", self.similarity_threshold.flatten(), -1.0, 1.0)?;
        checks::between("alpha", self.alpha.flatten(), 0.0, 1.0)?;
        checks::between("holdout", self.holdout.flatten(), 0.0, 0.5)?;
        if let Some(Some(mixture)) = &self.mixture {
            mixture.check().map_err(|violation| violation.under("mixture"))?;
        }
        checks::between("trial_share", self.trial_share.flatten(), 0.0, 1.0)?;
        checks::between("sitting_out", self.sitting_out.flatten(), 0.0, MAX_SITTING_OUT)?;
        checks::between("half_life_days", self.half_life_days.flatten(), 0.0, 36_500.0)?;
        self.judge_rubric.iter().flatten().try_for_each(|rubric| checks::length("judge_rubric", rubric, MAX_RUBRIC))
    }
}

/// Tells an absent field from a null one.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

fn present_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    maybe_object(deserializer).map(Some)
}

/// What a deleted project had held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeletedProjectAnswer {
    /// The project's name.
    pub project_id: String,
    /// Traces.
    pub traces: usize,
    /// Memories.
    pub memories: usize,
    /// Reviews.
    pub reviews: usize,
    /// Keys, which open nothing any more.
    pub api_keys: usize,
    /// Lessons that were still to be written.
    pub jobs: usize,
}

/// The secret is for whoever asked, and not for their log.
impl std::fmt::Debug for BootstrapAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("BootstrapAnswer");
        shown.field("user_id", &self.user_id);
        shown.field("project_id", &self.project_id);
        shown.field("api_key", &"****").finish()
    }
}
