//! Which lessons are left out because a copy of them is.

use std::{collections::HashMap, sync::Arc};

use reflect_core::{
    SameWords, Tells,
    worth::{Learned, LearningRule, Viewpoint, WorthConstants},
};

use crate::block::RowFacts;

/// Retired rows by what they say, so that a lesson that hurts does not come back as often as runs wrote it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Retired {
    by_words: Arc<HashMap<SameWords, Vec<Learned>>>,
}

impl Retired {
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.by_words.is_empty()
    }

    /// Puts a row's present state in the place of its former one.
    pub(crate) fn replace(&mut self, former: Option<&RowFacts>, present: Option<&RowFacts>) {
        let (former, present) = (former.and_then(retired_words), present.and_then(retired_words));
        if former == present {
            return;
        }
        let by_words = Arc::make_mut(&mut self.by_words);
        if let Some((words, learned)) = former
            && let Some(alike) = by_words.get_mut(&words)
        {
            if let Some(position) = alike.iter().position(|other| other.is_exactly(&learned)) {
                alike.swap_remove(position);
            }
            if alike.is_empty() {
                by_words.remove(&words);
            }
        }
        if let Some((words, learned)) = present {
            by_words.entry(words).or_default().push(learned);
        }
    }

    /// Whether a memory that says the same is left out, and rests on more runs than this one.
    pub(crate) fn outweigh(&self, facts: &RowFacts, viewpoint: &Viewpoint) -> bool {
        if self.by_words.is_empty() || facts.is_pinned {
            return false;
        }
        let runs = |learned: &Learned| learned.worth.aged_to(viewpoint.today, &viewpoint.constants).runs();
        let outweighs = |other: &Learned| viewpoint.is_retired(other) && runs(other) > runs(&facts.learned);
        words(facts).and_then(|words| self.by_words.get(&words)).is_some_and(|alike| alike.iter().any(outweighs))
    }
}

/// What a row says and has learned, if it is left out while its evidence is fresh: later it may be no more, but none is added. How fast evidence
/// ages is all that projects' constants differ in.
fn retired_words(facts: &RowFacts) -> Option<(SameWords, Learned)> {
    let is_retired = !facts.is_hidden
        && !facts.is_pinned
        && facts.learned.is_retired(LearningRule::Worth, &WorthConstants::default());
    words(facts).filter(|_| is_retired).map(|words| (words, facts.learned))
}

/// Answers to one task share their words whatever they say, so each goes by its own evidence.
fn words(facts: &RowFacts) -> Option<SameWords> {
    facts.same.filter(|_| facts.tells != Some(Tells::Answer))
}
