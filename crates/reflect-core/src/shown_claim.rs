//! What a run says about the memories it was shown, held against what the project knows.

use std::collections::BTreeSet;

use crate::{MemoryId, RetrievalId, ShownMemory};

/// How many of a key's newest retrievals are looked through for the one that a run was shown.
pub const RETRIEVAL_LOOK_BACK: usize = 50;

/// How many of a key's newest retrievals are looked through for one about the task of a run that names no memories: as many runs as
/// one key may well have side by side, and so few that looking costs next to nothing.
pub const FORGOTTEN_LOOK_BACK: usize = 8;

/// How old such a retrieval may be, in milliseconds. A run takes less than an hour; the same task on the next day is another run.
pub const FORGOTTEN_MILLIS: i64 = 3_600_000;

/// What a run is told that was shown memories and names none.
pub const FORGOTTEN_MEMORY_IDS: &str = "this task was answered with memories, and `retrieved_memory_ids` is empty: pass the ids of \
                                        those that were in the prompt, or nothing is learned about them";

/// The memories that a run says it was shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownClaim<'a> {
    /// The query that showed them, if the run names it.
    pub retrieval_id: Option<RetrievalId>,
    /// The ids as they were sent; any text.
    pub memory_ids: &'a [String],
    /// Which of them are live memories of the project.
    pub known: &'a BTreeSet<MemoryId>,
}

/// Where the query behind a run is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetrievalLink {
    /// It is this one: the run names it.
    Named(RetrievalId),
    /// It is the newest by the same key for which [`ShownClaim::fits`], among [`RETRIEVAL_LOOK_BACK`].
    Newest,
    /// There is none to look for.
    None,
}

/// The ids among `retrieved_memory_ids` that can be memories at all, each once. In the order of ids, which is the order that rows are
/// locked in where there is more than one writer.
pub fn parse_memory_ids(retrieved_memory_ids: &[String]) -> BTreeSet<MemoryId> {
    retrieved_memory_ids.iter().filter_map(|id| id.parse().ok()).collect()
}

impl ShownClaim<'_> {
    /// Where the query behind the run is to be found.
    pub fn link(&self) -> RetrievalLink {
        match self.retrieval_id {
            Some(named) => RetrievalLink::Named(named),
            None if self.known.is_empty() => RetrievalLink::None,
            None => RetrievalLink::Newest,
        }
    }

    /// Whether a query with this answer may have shown what the run says: all of the memories that are known.
    pub fn fits(&self, shown: &[ShownMemory]) -> bool {
        self.known.iter().all(|known| shown.iter().any(|shown| shown.memory_id == *known))
    }

    /// Whether the run names neither memories nor a query: it may have forgotten to.
    pub fn is_empty(&self) -> bool {
        self.memory_ids.is_empty() && self.retrieval_id.is_none()
    }

    /// What looks wrong about the claim, in words for the person who sent it. `newest` is what the newest query of the same key about
    /// the same task answered, among [`FORGOTTEN_LOOK_BACK`] and no older than [`FORGOTTEN_MILLIS`]; only an
    /// [empty](Self::is_empty) claim is held against it.
    pub fn warnings(&self, newest: &[ShownMemory]) -> Vec<String> {
        if self.is_empty() && !newest.is_empty() {
            return vec![FORGOTTEN_MEMORY_IDS.to_owned()];
        }
        // Counted by what was sent, not by distinct ids: one memory may have been spelled in two ways.
        let is_known = |id: &&String| id.parse().is_ok_and(|id| self.known.contains(&id));
        let sent = self.memory_ids.len();
        let unknown = sent - self.memory_ids.iter().filter(is_known).count();
        if unknown == 0 {
            return Vec::new();
        }
        vec![format!("{unknown} of {sent} retrieved_memory_ids are not memories of this project")]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn memory_id(number: u8) -> MemoryId {
        MemoryId::from_uuid(Uuid::from_u128(number.into()))
    }

    fn shown(numbers: &BTreeSet<u8>) -> Vec<ShownMemory> {
        let shown = |&number| ShownMemory::new(memory_id(number), 0.9);
        numbers.iter().map(shown).collect()
    }

    #[test]
    fn a_named_query_is_taken_at_its_word() {
        let named = RetrievalId::from_uuid(Uuid::from_u128(7));
        let claim = ShownClaim { retrieval_id: Some(named), memory_ids: &[], known: &BTreeSet::new() };
        assert_eq!(claim.link(), RetrievalLink::Named(named));
        assert!(!claim.is_empty());
    }

    #[test]
    fn a_run_that_forgot_what_it_was_shown_is_warned() {
        let claim = ShownClaim { retrieval_id: None, memory_ids: &[], known: &BTreeSet::new() };
        assert_eq!(claim.warnings(&[]), Vec::<String>::new());
        assert!(claim.warnings(&shown(&BTreeSet::from([1])))[0].contains("`retrieved_memory_ids` is empty"));
    }

    proptest! {
        #[test]
        fn an_answer_fits_if_it_showed_all_that_is_known(
            known in prop::collection::btree_set(0..8_u8, 0..6), answer in prop::collection::btree_set(0..8_u8, 0..8),
        ) {
            let ids: BTreeSet<MemoryId> = known.iter().copied().map(memory_id).collect();
            let claim = ShownClaim { retrieval_id: None, memory_ids: &[], known: &ids };
            prop_assert_eq!(claim.fits(&shown(&answer)), known.is_subset(&answer));
            let expected = if known.is_empty() { RetrievalLink::None } else { RetrievalLink::Newest };
            prop_assert_eq!(claim.link(), expected);
        }

        #[test]
        fn what_is_not_known_is_counted_by_what_was_sent(
            sent in prop::collection::vec((0..8_u8, any::<bool>()), 0..12), known in prop::collection::btree_set(0..8_u8, 0..8),
        ) {
            let spell = |(number, upper): &(u8, bool)| {
                let id = memory_id(*number).to_string();
                if *upper { id.to_uppercase() } else { id }
            };
            let memory_ids: Vec<String> = sent.iter().map(spell).collect();
            let ids: BTreeSet<MemoryId> = known.iter().copied().map(memory_id).collect();
            let unknown = sent.iter().filter(|(number, _)| !known.contains(number)).count();
            let claim = ShownClaim { retrieval_id: None, memory_ids: &memory_ids, known: &ids };
            let warnings = claim.warnings(&[]);
            prop_assert_eq!(warnings.is_empty(), unknown == 0);
            if let Some(warning) = warnings.first() {
                prop_assert!(warning.starts_with(&format!("{unknown} of {} ", sent.len())), "{}", warning);
            }
        }
    }
}
