//! How a run came to see a memory, and what was expected of it.

use crate::{MemoryId, RetrievalId, ShownMemory, Slate, worth::Expectation};

/// How a run came to see a memory, as far as that is known: what it learns from, and what tells whether a lesson helped or was only shown
/// often.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Circumstances {
    /// The query that showed it.
    pub retrieval_id: Option<RetrievalId>,
    /// Its rank in the answer, from 1.
    pub rank: Option<u32>,
    /// Its similarity to the task.
    pub similarity: Option<f64>,
    /// How probable it was that the query would show it, in (0, 1].
    pub probability: Option<f64>,
    /// How probable it was that the query would show exactly what it showed, in (0, 1].
    pub slate_probability: Option<f64>,
    /// What was expected of the run without this memory.
    pub expected: Option<Expectation>,
    /// The query's local unit of distance.
    pub unit: Option<f64>,
    /// Which arithmetic made these figures.
    pub rule_version: Option<u32>,
}

impl Circumstances {
    /// What is known of a memory that a run saw. One that the query's answer does not hold came from elsewhere; what was usual for the task
    /// holds for it, too.
    pub fn of(memory_id: MemoryId, sight: &Sight<'_>) -> Self {
        let shown = sight.answer.iter().find(|shown| shown.memory_id == memory_id);
        let others = sight.added - shown.and_then(|shown| shown.worth).unwrap_or_default();
        let slate = sight.slate;
        let known = Self {
            expected: slate.map(|slate| Expectation { baseline: slate.usual, others }),
            unit: slate.map(|slate| slate.unit),
            rule_version: slate.map(|slate| slate.rule_version),
            ..Self::default()
        };
        let Some(shown) = shown else { return known };
        Self {
            retrieval_id: sight.retrieval_id,
            rank: Some(shown.rank),
            similarity: Some(shown.similarity),
            probability: shown.probability,
            slate_probability: slate.map(|slate| slate.probability),
            ..known
        }
    }
}

/// What a run saw of a query's answer.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// The query.
    pub retrieval_id: Option<RetrievalId>,
    /// What it answered; empty where that is not known.
    pub answer: &'a [ShownMemory],
    /// What it expected, where that is known.
    pub slate: Option<Slate>,
    /// What the memories that the run saw were expected to add, all of them together.
    pub added: f64,
}

/// What those of an answer that a run saw were expected to add.
pub fn expected_to_add(answer: &[ShownMemory], saw: impl Fn(MemoryId) -> bool) -> f64 {
    answer.iter().filter(|shown| saw(shown.memory_id)).filter_map(|shown| shown.worth).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_saw_is_held_against_what_was_usual_and_what_the_others_add() {
        let memory = |number: u128| MemoryId::from_uuid(uuid::Uuid::from_u128(number));
        let retrieval_id = Some(RetrievalId::from_uuid(uuid::Uuid::from_u128(9)));
        let shown = |number: u32, worth| ShownMemory {
            rank: number,
            worth: Some(worth),
            probability: Some(0.9),
            ..ShownMemory::new(memory(number.into()), 0.75)
        };
        let answer = [shown(1, 0.25), shown(2, 0.5), shown(3, 4.0)];
        let added = expected_to_add(&answer, |memory_id| memory_id != memory(3));
        assert_eq!(added, 0.75, "the run saw two of the three");
        let slate = Some(Slate { usual: 0.4, unit: 0.3, probability: 0.8, rule_version: 1 });
        let sight = Sight { retrieval_id, answer: &answer, slate, added };
        let known = Circumstances::of(memory(1), &sight);
        assert_eq!(known.expected, Some(Expectation { baseline: 0.4, others: 0.5 }));
        assert_eq!((known.rank, known.probability, known.slate_probability), (Some(1), Some(0.9), Some(0.8)));
        let elsewhere = Circumstances::of(memory(4), &sight);
        assert_eq!(elsewhere.expected, Some(Expectation { baseline: 0.4, others: 0.75 }));
        assert_eq!((elsewhere.retrieval_id, elsewhere.rank, elsewhere.slate_probability), (None, None, None));
        let unknown = Sight { slate: None, ..sight };
        assert_eq!(Circumstances::of(memory(1), &unknown).expected, None);
    }
}
