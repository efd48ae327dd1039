//! Which configuration a task is answered with.

use serde::{Deserialize, Serialize};

use crate::QuerySettings;

/// What a task is answered with in place of what its query asks for. What is `None` stays as it was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    /// The weight of utility, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// How many memories are shown at most; never more than were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// The floor on similarity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity_threshold: Option<f64>,
}

/// What a configuration comes to for one query, after all defaults.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// The weight of utility.
    pub lambda: f64,
    /// How many memories at most.
    pub limit: usize,
    /// The floor on similarity; none lets everything through.
    pub similarity_threshold: Option<f64>,
}

/// A share of tasks is answered with one of these configurations, each as likely as the others. The rest is answered as asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mixture {
    /// The share of tasks, from 0 to 1.
    pub share: f64,
    /// What they are answered with.
    pub configurations: Vec<Configuration>,
}

impl Configuration {
    /// What it comes to for a query that asked for this.
    pub fn resolved(&self, asked: &Resolved) -> Resolved {
        Resolved {
            lambda: self.lambda.unwrap_or(asked.lambda),
            limit: self.limit.map_or(asked.limit, |limit| limit.min(asked.limit)),
            similarity_threshold: self.similarity_threshold.or(asked.similarity_threshold),
        }
    }
}

impl Resolved {
    /// What a query asked for.
    pub const fn of(settings: &QuerySettings) -> Self {
        let QuerySettings { lambda, limit, similarity_threshold, .. } = settings;
        Self { lambda: *lambda, limit: *limit, similarity_threshold: *similarity_threshold }
    }

    /// The settings of a query with these in their place.
    pub fn applied_to(&self, settings: &QuerySettings) -> QuerySettings {
        let Self { lambda, limit, similarity_threshold } = *self;
        QuerySettings { lambda, limit, similarity_threshold, ..settings.clone() }
    }
}

impl Mixture {
    /// Every configuration with its probability, that of the query itself first. One that cannot be drawn is not among them.
    pub fn parts(&self) -> Vec<(Configuration, f64)> {
        let share = if self.configurations.is_empty() { 0.0 } else { self.share.clamp(0.0, 1.0) };
        let each = share / self.configurations.len().max(1) as f64;
        let drawn = self.configurations.iter().map(|configuration| (*configuration, each));
        let parts = std::iter::once((Configuration::default(), 1.0 - share)).chain(drawn);
        parts.filter(|(_, probability)| *probability > 0.0).collect()
    }

    /// Whether there is anything to draw from.
    pub fn is_mixed(&self) -> bool {
        self.share > 0.0 && !self.configurations.is_empty()
    }
}

/// The position among `parts` that a random number from [0, 1) stands for.
pub fn draw(parts: &[(Configuration, f64)], fraction: f64) -> usize {
    let mut sum = 0.0;
    let drawn = parts.iter().position(|(_, probability)| {
        sum += probability;
        fraction < sum
    });
    drawn.unwrap_or(parts.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::draws::draws;

    const FEW: Configuration = Configuration { lambda: None, limit: Some(1), similarity_threshold: None };
    const USEFUL: Configuration = Configuration { lambda: Some(1.0), limit: None, similarity_threshold: None };

    #[test]
    fn every_configuration_is_drawn_as_often_as_it_says() {
        let mixture = Mixture { share: 0.3, configurations: vec![FEW, USEFUL] };
        let parts = mixture.parts();
        assert_eq!(parts.iter().map(|(part, _)| *part).collect::<Vec<_>>(), [Configuration::default(), FEW, USEFUL]);
        let mut fraction = draws(3);
        let mut counts = [0_u32; 3];
        (0..100_000).for_each(|_| counts[draw(&parts, fraction())] += 1);
        for ((_, probability), count) in parts.iter().zip(counts) {
            assert!((probability - f64::from(count) / 1e5).abs() < 0.006, "{probability} {count}");
        }
        assert_eq!(Mixture { share: 0.3, configurations: Vec::new() }.parts(), [(Configuration::default(), 1.0)]);
        let all = Mixture { share: 1.0, configurations: vec![FEW] }.parts();
        assert_eq!((draw(&all, 0.999_999), all), (0, vec![(FEW, 1.0)]));
    }

    #[test]
    fn a_configuration_changes_what_it_names_and_never_shows_more_than_was_asked_for() {
        let asked = Resolved { lambda: 0.5, limit: 10, similarity_threshold: Some(0.4) };
        assert_eq!(Configuration::default().resolved(&asked), asked);
        assert_eq!(FEW.resolved(&asked), Resolved { limit: 1, ..asked });
        let many = Configuration { limit: Some(20), similarity_threshold: Some(0.1), ..USEFUL };
        assert_eq!(many.resolved(&asked), Resolved { lambda: 1.0, limit: 10, similarity_threshold: Some(0.1) });
    }

    proptest! {
        #[test]
        fn probabilities_add_up_and_every_draw_is_a_part(share in 0.0..=1.0_f64, count in 0..9_usize, fraction in 0.0..1.0_f64) {
            let parts = Mixture { share, configurations: vec![FEW; count] }.parts();
            let total: f64 = parts.iter().map(|(_, probability)| probability).sum();
            prop_assert!((total - 1.0).abs() < 1e-12);
            let drawn = draw(&parts, fraction);
            let before: f64 = parts[..drawn].iter().map(|(_, probability)| probability).sum();
            prop_assert!(before <= fraction && parts[drawn].1 > 0.0);
        }
    }
}
