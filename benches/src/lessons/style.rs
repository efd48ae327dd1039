//! The ways in which reviewers say that something was wrong.

/// A way to give feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    /// The rule of the house.
    Rule,
    /// "Wrong, it should be …", with the right answer to this task.
    ShouldBe,
    /// What was missed.
    Missed,
    /// The right answer to this task and nothing else.
    AnswerOnly,
    /// "No."
    No,
    /// Several sentences with the rule among them.
    Sentences,
    /// The rule in German.
    German,
}

impl Style {
    pub(super) const ALL: [Self; 7] =
        [Self::Rule, Self::ShouldBe, Self::Missed, Self::AnswerOnly, Self::No, Self::Sentences, Self::German];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rule => "the rule",
            Self::ShouldBe => "it should be …",
            Self::Missed => "what was missed",
            Self::AnswerOnly => "right answer only",
            Self::No => "no",
            Self::Sentences => "several sentences",
            Self::German => "German",
        }
    }

    /// Whether such feedback says what to do in other tasks than this one.
    pub(super) fn states_the_rule(self) -> bool {
        matches!(self, Self::Rule | Self::Missed | Self::Sentences | Self::German)
    }

    /// The style of a family's reviewer: seven seeds give every family every style, and one seed has all styles about as often.
    pub(super) fn dealt(family: usize, seed: usize) -> Self {
        Self::ALL.get((family + seed) % Self::ALL.len()).copied().unwrap_or(Self::Rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_seeds_give_a_family_every_style() {
        let mut dealt: Vec<Style> = (0..7).map(|seed| Style::dealt(3, seed)).collect();
        dealt.sort();
        assert_eq!(dealt, Style::ALL);
    }
}
