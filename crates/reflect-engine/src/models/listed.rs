//! The models that the operator listed, ready for everything they are asked for.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use reflect_core::ProjectSettings;
use reflect_llm::{ChatModel, Prices};
use reflection::{Judge, JudgeOptions, LlmReflector, LlmReflectorOptions, Redactor, RunReflector};

use super::{
    circuit_breaker::CircuitBreaker,
    counted_model::CountedModel,
    spending::{Role, Spending},
};

/// The name of the reflector that needs no model.
pub(crate) const BUILTIN: &str = "builtin";

/// The name that switches the judge off.
pub(crate) const OFF: &str = "off";

/// Adds its retries to a model. They go around the counting, so that each try is counted, and its cost with it.
pub type WithRetries = Arc<dyn Fn(Arc<dyn ChatModel>) -> Arc<dyn ChatModel> + Send + Sync>;

/// The operator's choice of models. [`Default`] is none at all.
#[derive(Clone, Default)]
pub struct ModelParts {
    /// What projects pick among, each under its own name; limits on concurrent calls are inside.
    pub listed: Vec<Arc<dyn ChatModel>>,
    /// How failed calls are repeated; not at all when `None`.
    pub with_retries: Option<WithRetries>,
    /// The name of the model that writes lessons unless a project says otherwise; the built-in reflector when `None`.
    pub reflector: Option<String>,
    /// The name of the model that judges unless a project says otherwise; nobody when `None`.
    pub judge: Option<String>,
    /// How long one call may take.
    pub call_timeout: Option<Duration>,
    /// What tokens cost, for calls that end without saying what they used.
    pub prices: Arc<Prices>,
    /// US dollars that all calls of a day may cost.
    pub daily_limit_usd: Option<f64>,
    /// Strikes from texts what must not leave the machine.
    pub redactor: Option<Arc<Redactor>>,
}

/// A model in all of its roles.
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) reflector: Arc<dyn RunReflector>,
    pub(crate) judge: Judge,
    pub(crate) distiller: Arc<dyn ChatModel>,
    pub(crate) skill_writer: Arc<dyn ChatModel>,
    pub(crate) breaker: CircuitBreaker,
    /// Opens when the model is too slow for queries, whose patience is short. It may still do for everything else.
    pub(crate) query_breaker: CircuitBreaker,
}

pub(crate) struct Models {
    by_name: BTreeMap<String, Arc<Model>>,
    reflector: Option<String>,
    judge: Option<String>,
    pub(crate) redactor: Option<Arc<Redactor>>,
    /// How long one call may take.
    pub(crate) call_timeout: Option<Duration>,
}

impl Models {
    pub(crate) fn new(parts: ModelParts, spending: &Arc<Spending>) -> Self {
        let by_name = parts.listed.iter().map(|listed| {
            let model = Model::new(listed, &parts, spending);
            (model.name.clone(), Arc::new(model))
        });
        Self {
            by_name: by_name.collect(),
            reflector: parts.reflector.clone(),
            judge: parts.judge.clone(),
            call_timeout: parts.call_timeout,
            redactor: parts.redactor,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Model>> {
        self.by_name.get(name).cloned()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.by_name.values()
    }

    pub(crate) fn default_reflector(&self) -> Option<String> {
        self.reflector.clone()
    }

    pub(crate) fn default_judge(&self) -> Option<String> {
        self.judge.clone()
    }

    /// Who writes a project's lessons; `None` is the built-in reflector. A model that is no longer listed leaves the
    /// decision to the server.
    pub(crate) fn reflector_of(&self, settings: &ProjectSettings) -> Option<Arc<Model>> {
        self.chosen(settings.reflector.as_deref(), BUILTIN, self.reflector.as_deref())
    }

    /// Who judges a project's runs; `None` is nobody.
    pub(crate) fn judge_of(&self, settings: &ProjectSettings) -> Option<Arc<Model>> {
        self.chosen(settings.judge.as_deref(), OFF, self.judge.as_deref())
    }

    fn chosen(&self, by_project: Option<&str>, none: &str, by_server: Option<&str>) -> Option<Arc<Model>> {
        match by_project {
            Some(name) if name == none => None,
            Some(name) => self.get(name).or_else(|| self.get(by_server?)),
            None => self.get(by_server?),
        }
    }
}

impl Model {
    fn new(listed: &Arc<dyn ChatModel>, parts: &ModelParts, spending: &Arc<Spending>) -> Self {
        let in_role = |role: Role| -> Arc<dyn ChatModel> {
            let counted = CountedModel { model: Arc::clone(listed), role, spending: Arc::clone(spending) };
            let counted = Arc::new(counted);
            match &parts.with_retries {
                Some(with_retries) => with_retries(counted),
                None => counted,
            }
        };
        let reflector = LlmReflectorOptions {
            timeout: parts.call_timeout,
            redactor: parts.redactor.clone(),
            ..LlmReflectorOptions::default()
        };
        let judge =
            JudgeOptions { timeout: parts.call_timeout, redactor: parts.redactor.clone(), ..JudgeOptions::default() };
        Self {
            name: listed.name().to_owned(),
            reflector: Arc::new(LlmReflector::new(in_role(Role::Reflector), reflector)),
            judge: Judge::new(in_role(Role::Judge), judge),
            distiller: in_role(Role::Distiller),
            skill_writer: in_role(Role::SkillWriter),
            breaker: CircuitBreaker::of(listed.name()),
            query_breaker: CircuitBreaker::of(listed.name()),
        }
    }
}
