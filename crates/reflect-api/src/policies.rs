//! Configurations that tasks are answered with by chance, and what the log says of them, on the wire.

use reflect_core::{
    Timestamp,
    what_if::{Configuration, Estimate, Evaluation, Mixture, PossibleAnswer, Refusal},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    DifferenceAnswer, Violation, checks,
    object::{object, objects},
    query::MAX_LIMIT,
    whole::maybe_whole,
};

/// How many configurations can be mixed. Each takes a search of its own for every query.
const MOST_CONFIGURATIONS: usize = 8;

/// What a task is answered with in place of what its query asks for. What is absent stays as it was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConfigurationRequest {
    /// The weight of utility against similarity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub lambda: Option<f64>,
    /// How many memories at most; never more than the query asks for.
    #[serde(default, deserialize_with = "maybe_whole", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1_000)]
    pub limit: Option<u32>,
    /// The floor on similarity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1, maximum = 1)]
    pub similarity_threshold: Option<f64>,
}

/// A share of tasks, at random, is answered with one of these configurations, each as likely as the others, so that `POST policies/evaluate` can say
/// what each does. The rest is answered as asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MixtureRequest {
    /// The share of tasks. Nothing is mixed if it is 0, or if there are no configurations.
    #[schema(minimum = 0, maximum = 1)]
    pub share: f64,
    /// What they are answered with.
    #[serde(default, deserialize_with = "objects")]
    #[schema(max_items = 8)]
    pub configurations: Vec<ConfigurationRequest>,
}

/// A configuration to be asked about, and by which runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvaluatePolicyRequest {
    /// The configuration; an empty one is what is answered as asked.
    #[serde(deserialize_with = "object")]
    pub configuration: ConfigurationRequest,
    /// Only runs whose query was asked at or after this time. Without it, those since the mixture was last changed; an earlier time is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
}

/// What a configuration would have done, by the runs that were shown what it shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvaluationAnswer {
    /// The whole answer in plain words.
    pub sentence: String,
    /// How many reviewed runs there are in the period. A task counts once a day, with its first run.
    pub runs: usize,
    /// When the first query of the period was asked; null if nothing was mixed.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// What they were answered with.
    pub mixed: Vec<MixedConfigurationAnswer>,
    /// What the log says of the configuration that was asked about.
    pub target: PolicyValueAnswer,
    /// The same of what was answered as asked, to compare it with.
    pub as_asked: PolicyValueAnswer,
    /// The target less what was answered as asked; null unless the log can tell both.
    pub difference: Option<DifferenceAnswer>,
}

/// One configuration of a mixture.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MixedConfigurationAnswer {
    /// What it changes; nothing for what is answered as asked.
    pub configuration: ConfigurationRequest,
    /// How probable it was to be drawn.
    pub probability: f64,
}

/// What the log says of a configuration: an estimate, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PolicyValueAnswer {
    /// The estimate; null where the log cannot tell.
    pub estimate: Option<EstimateAnswer>,
    /// Why the log cannot tell; null where it can.
    pub refusal: Option<String>,
}

/// The mean score of runs under a configuration, where a pass without a score counts 1 and a fail 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EstimateAnswer {
    /// The mean score.
    pub value: f64,
    /// The lower end of its interval of 95 %, which holds for one look.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many runs were shown what the configuration shows.
    pub matching_runs: usize,
    /// How many runs of equal weight would say as much.
    pub effective_runs: f64,
}

impl ConfigurationRequest {
    /// The configuration, if its values are in their ranges.
    pub fn check(&self) -> Result<Configuration, Violation> {
        checks::between("lambda", self.lambda, 0.0, 1.0)?;
        checks::between("similarity_threshold", self.similarity_threshold, -1.0, 1.0)?;
        let limit = self.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        if let Some(limit) = limit.filter(|limit| !(1..=MAX_LIMIT).contains(limit)) {
            return Err(Violation::new("limit", format!("is {limit}, it must be between 1 and {MAX_LIMIT}")));
        }
        Ok(Configuration { lambda: self.lambda, limit, similarity_threshold: self.similarity_threshold })
    }
}

impl EvaluatePolicyRequest {
    /// The configuration, if its values are in their ranges.
    pub fn check(&self) -> Result<Configuration, Violation> {
        self.configuration.check().map_err(|violation| violation.under("configuration"))
    }
}

impl MixtureRequest {
    /// The mixture, if its values are in their ranges. Paths are from here, without the setting's name.
    pub fn check(&self) -> Result<Mixture, Violation> {
        checks::between("share", Some(self.share), 0.0, 1.0)?;
        checks::at_most("configurations", self.configurations.len(), MOST_CONFIGURATIONS)?;
        let numbered = (0..).zip(&self.configurations).map(|(index, configuration): (usize, _)| {
            configuration.check().map_err(|violation| violation.under(&format!("configurations[{index}]")))
        });
        Ok(Mixture { share: self.share, configurations: numbered.collect::<Result<_, _>>()? })
    }
}

impl From<Configuration> for ConfigurationRequest {
    fn from(configuration: Configuration) -> Self {
        let Configuration { lambda, limit, similarity_threshold } = configuration;
        Self { lambda, limit: limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)), similarity_threshold }
    }
}

impl From<Mixture> for MixtureRequest {
    fn from(mixture: Mixture) -> Self {
        let configurations = mixture.configurations.into_iter().map(Into::into).collect();
        Self { share: mixture.share, configurations }
    }
}

impl From<(Configuration, f64)> for MixedConfigurationAnswer {
    fn from((configuration, probability): (Configuration, f64)) -> Self {
        Self { configuration: configuration.into(), probability }
    }
}

impl From<&PossibleAnswer> for MixedConfigurationAnswer {
    fn from(possible: &PossibleAnswer) -> Self {
        (possible.configuration, possible.probability).into()
    }
}

impl From<Evaluation> for EvaluationAnswer {
    fn from(evaluation: Evaluation) -> Self {
        Self {
            sentence: evaluation.sentence(),
            difference: evaluation.difference().map(Into::into),
            runs: evaluation.runs,
            since: evaluation.since,
            mixed: evaluation.parts.into_iter().map(Into::into).collect(),
            target: evaluation.target.into(),
            as_asked: evaluation.as_asked.into(),
        }
    }
}

impl From<Result<Estimate, Refusal>> for PolicyValueAnswer {
    fn from(value: Result<Estimate, Refusal>) -> Self {
        let refusal = value.err().map(|refusal| refusal.to_string());
        let estimate = value.ok().map(|estimate| {
            let Estimate { value, low, high, matching_runs, effective_runs } = estimate;
            EstimateAnswer { value, low, high, matching_runs, effective_runs }
        });
        Self { estimate, refusal }
    }
}
