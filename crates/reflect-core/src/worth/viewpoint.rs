//! How a project looks at what its memories learned.

use super::{Belief, Learned, LearningRule, Retirement, Worth, WorthConstants};

/// By which rule, with which constants, and on which day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewpoint {
    /// The rule.
    pub rule: LearningRule,
    /// The constants.
    pub constants: WorthConstants,
    /// The day, by which evidence has aged.
    pub today: i64,
}

impl Default for Viewpoint {
    /// By constant steps, which do not age.
    fn default() -> Self {
        Self { rule: LearningRule::Constant, constants: WorthConstants::default(), today: i64::MIN }
    }
}

impl Viewpoint {
    /// Whether queries leave the memory out. Ageing brings a worth nearer to where it began, so one that is good enough stays so.
    pub fn is_retired(&self, learned: &Learned) -> bool {
        let aged = || learned.worth.aged_to(self.today, &self.constants);
        learned.is_retired(self.rule, &self.constants) && aged().is_retired(&self.constants)
    }

    /// Why queries leave the memory out, if they do.
    pub fn retirement(&self, learned: &Learned) -> Option<Retirement> {
        self.worth(learned).and_then(|worth| worth.retirement(&self.constants))
    }

    /// What is believed of the memory, where memories learn by worth.
    pub fn belief(&self, learned: &Learned) -> Option<Belief> {
        self.worth(learned).map(|worth| worth.belief(&self.constants))
    }

    fn worth(&self, learned: &Learned) -> Option<Worth> {
        (self.rule == LearningRule::Worth).then(|| learned.worth.aged_to(self.today, &self.constants))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_worth_retires_and_only_until_its_evidence_has_aged() {
        let learned = Learned { average: 0.0, worth: Worth::cached(-9.0, 18.0, 100) };
        let on = |rule, today| Viewpoint { rule, constants: WorthConstants::default(), today };
        let retirement = on(LearningRule::Worth, 100).retirement(&learned).unwrap();
        let back = retirement.returns_on.unwrap();
        assert!(back > 100 && on(LearningRule::Worth, back - 1).is_retired(&learned));
        assert!(!on(LearningRule::Worth, back).is_retired(&learned));
        assert!(!on(LearningRule::Constant, 100).is_retired(&learned));
    }
}
