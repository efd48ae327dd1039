//! Tasks that are answered with a configuration that is drawn at random.

use reflect_core::{
    Project, QuerySettings,
    lift::Assignment,
    what_if::{Agreement, Configuration, MixedAnswer, PossibleAnswer, Resolved, draw},
    worth::{LearningRule, RULE_VERSION},
};

use crate::Engine;

/// The arithmetic of the constant step, which has had no other.
const CONSTANT_STEP: u32 = 0;

/// What one query is answered with, and what else might have been drawn.
pub(crate) struct Mix {
    number: i64,
    asked: QuerySettings,
    parts: Vec<(Configuration, f64)>,
    drawn: usize,
    rule_version: u32,
}

impl Engine {
    /// Draws what a task is answered with, if its project mixes configurations. The same task on the same day is always drawn alike.
    pub(crate) fn mix(&self, project: &Project, task: &str, asked: &QuerySettings) -> Option<Mix> {
        let mixture = project.settings.mixture.as_ref().or(self.settings.mixture.as_ref());
        let parts = mixture.filter(|mixture| mixture.is_mixed())?.parts();
        let (salt, _) = project.incarnation.as_u64_pair();
        let assignment = Assignment { salt, task, day: self.now().day(), share: 0.0 };
        let rule_version = match self.learning_rule(project) {
            LearningRule::Worth => RULE_VERSION,
            LearningRule::Constant => CONSTANT_STEP,
        };
        let drawn = draw(&parts, assignment.second_fraction());
        Some(Mix { number: assignment.number(), asked: asked.clone(), parts, drawn, rule_version })
    }
}

impl Mix {
    /// The settings of the configuration that was drawn.
    pub(crate) fn drawn(&self) -> QuerySettings {
        self.parts.get(self.drawn).map_or_else(|| self.asked.clone(), |(drawn, _)| self.settings(drawn))
    }

    /// The settings of every configuration.
    pub(crate) fn all(&self) -> Vec<QuerySettings> {
        self.parts.iter().map(|(configuration, _)| self.settings(configuration)).collect()
    }

    fn settings(&self, configuration: &Configuration) -> QuerySettings {
        configuration.resolved(&Resolved::of(&self.asked)).applied_to(&self.asked)
    }

    /// What is logged, by how each configuration relates to what was shown. `None` where that is not known.
    pub(crate) fn answer(self, agreements: &[Agreement]) -> Option<MixedAnswer> {
        let possible = self.parts.iter().zip(agreements).map(|(&(configuration, probability), &agreement)| {
            PossibleAnswer { configuration, probability, agreement }
        });
        (agreements.len() == self.parts.len()).then(|| MixedAnswer {
            number: self.number,
            asked: Resolved::of(&self.asked),
            possible: possible.collect(),
            drawn: self.drawn,
            rule_version: self.rule_version,
        })
    }
}
