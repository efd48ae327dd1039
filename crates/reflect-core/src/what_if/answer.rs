//! What a query of a mixture might have been answered with.

use serde::{Deserialize, Serialize};

use super::{
    estimate::LoggedRun,
    mixture::{Configuration, Resolved},
};

/// One of the configurations that a task might have been answered with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PossibleAnswer {
    /// Which one.
    pub configuration: Configuration,
    /// How probable it was to be drawn.
    pub probability: f64,
    /// How it relates to what was shown.
    #[serde(flatten)]
    pub agreement: Agreement,
}

/// How a configuration relates to an answer that was shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// How probable it is that it shows exactly these memories, in any order: 1 or 0 but for those that sit out and for the trial slot.
    pub chance: f64,
}

/// Everything that a task might have been answered with, and by which arithmetic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixedAnswer {
    /// Names the task and the day. Queries with the same number are one draw, and only its first run counts. It is kept beside the rest.
    #[serde(skip)]
    pub number: i64,
    /// What the query asked for.
    pub asked: Resolved,
    /// Every configuration of the mixture.
    pub possible: Vec<PossibleAnswer>,
    /// The position of the one that was drawn.
    pub drawn: usize,
    /// The rule that ranked.
    pub rule_version: u32,
}

impl Agreement {
    /// With an answer that is certain to be the same.
    pub const CERTAIN: Self = Self { chance: 1.0 };
}

impl MixedAnswer {
    /// How probable it was to show what was shown.
    pub fn probability(&self) -> f64 {
        self.possible.iter().map(|possible| possible.probability * possible.agreement.chance).sum()
    }

    /// Whether all configurations answer alike, whatever is drawn.
    pub fn is_settled(&self) -> bool {
        self.possible.iter().all(|possible| possible.agreement == Agreement::CERTAIN)
    }

    /// The configuration that was drawn.
    pub fn drawn(&self) -> Option<&PossibleAnswer> {
        self.possible.get(self.drawn)
    }

    /// A run that got this answer, held against a target configuration. What a configuration shows that was not mixed is not known, unless it
    /// comes to the same as one that was.
    pub fn run(&self, target: &Configuration, score: f64) -> LoggedRun {
        let wanted = target.resolved(&self.asked);
        let target = self.possible.iter().find(|possible| possible.configuration.resolved(&self.asked) == wanted);
        LoggedRun {
            score,
            probability: self.probability(),
            wanted: target.map_or(0.0, |target| target.agreement.chance),
            supported: target.is_some(),
            rule_version: self.rule_version,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: Configuration = Configuration { lambda: None, limit: Some(1), similarity_threshold: None };
    const USEFUL: Configuration = Configuration { lambda: Some(1.0), limit: None, similarity_threshold: None };
    const DIFFERENT: Agreement = Agreement { chance: 0.0 };

    fn answer(agreements: [Agreement; 3]) -> MixedAnswer {
        let parts = [(Configuration::default(), 0.7), (FEW, 0.1), (USEFUL, 0.2)];
        let possible = parts
            .into_iter()
            .zip(agreements)
            .map(|((configuration, probability), agreement)| PossibleAnswer { configuration, probability, agreement });
        let asked = Resolved { lambda: 0.5, limit: 3, similarity_threshold: None };
        MixedAnswer { number: 7, asked, possible: possible.collect(), drawn: 1, rule_version: 1 }
    }

    #[test]
    fn configurations_that_show_the_same_share_their_probability() {
        let answer = answer([DIFFERENT, Agreement::CERTAIN, Agreement::CERTAIN]);
        let run = answer.run(&FEW, 1.0);
        assert!(run.wanted == 1.0 && run.supported && (run.probability - 0.3).abs() < 1e-12);
        let usual = answer.run(&Configuration::default(), 1.0);
        assert!(usual.wanted == 0.0 && usual.supported);
        assert!(!answer.run(&Configuration { limit: Some(2), ..FEW }, 1.0).supported);
    }

    #[test]
    fn a_configuration_is_known_by_what_it_comes_to() {
        let answer = answer([Agreement::CERTAIN, DIFFERENT, DIFFERENT]);
        for same_as_asked in [
            Configuration { lambda: Some(0.5), ..Configuration::default() },
            Configuration { limit: Some(3), ..Configuration::default() },
            Configuration { limit: Some(7), ..Configuration::default() },
        ] {
            assert_eq!(answer.run(&same_as_asked, 1.0).wanted, 1.0, "{same_as_asked:?}");
        }
    }

    #[test]
    fn an_answer_by_chance_counts_as_far_as_a_configuration_gives_it() {
        let trial = Agreement { chance: 0.0025 };
        let answer = answer([trial, DIFFERENT, trial]);
        let run = answer.run(&Configuration::default(), 1.0);
        assert!(run.wanted == 0.0025 && run.supported && (run.probability - 0.00225).abs() < 1e-12);
        assert!(!answer.is_settled());
    }
}
