//! Which rows have a term, and which rows pass a filter.

use std::{collections::HashMap, sync::Arc};

use crate::terms::Term;

/// A filter that lets through less than one row in this many is answered from those rows alone: reading one of them at full
/// precision costs about as much as reading this many coarse rows in their order.
const SPARSE: usize = 16;

/// The rows of one term: a sorted list, or a bitmap once that is smaller.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Posting {
    List(Vec<u32>),
    Bits { words: Vec<u64>, count: usize },
}

impl Posting {
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::List(rows) => rows.len(),
            Self::Bits { count, .. } => *count,
        }
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        match self {
            Self::List(rows) => rows.binary_search(&row).is_ok(),
            Self::Bits { words, .. } => has_bit(words, row),
        }
    }

    /// Adds a row. From `bitmap_rows` on the smaller of both forms is taken.
    fn insert(&mut self, row: u32, bitmap_rows: usize) {
        match self {
            Self::List(rows) => {
                if let Err(position) = rows.binary_search(&row) {
                    rows.insert(position, row);
                }
                let last = rows.last().map_or(0, |last| *last as usize + 1);
                if rows.len() >= bitmap_rows && rows.len() * 32 > last {
                    *self = Self::Bits { count: rows.len(), words: bits_of(rows) };
                }
            }
            Self::Bits { words, count } => {
                let (word, bit) = bit_of(row);
                if word >= words.len() {
                    words.resize(word + 1, 0);
                }
                if let Some(word) = words.get_mut(word) {
                    *count += usize::from(*word & bit == 0);
                    *word |= bit;
                }
            }
        }
    }

    fn remove(&mut self, row: u32) {
        match self {
            Self::List(rows) => {
                if let Ok(position) = rows.binary_search(&row) {
                    rows.remove(position);
                }
            }
            Self::Bits { words, count } => {
                let (word, bit) = bit_of(row);
                if let Some(word) = words.get_mut(word) {
                    *count -= usize::from(*word & bit != 0);
                    *word &= !bit;
                }
                if *count * 128 < words.len() * 64 {
                    *self = Self::List(rows_of(words).collect());
                }
            }
        }
    }

    fn rows(&self) -> Vec<u32> {
        match self {
            Self::List(rows) => rows.clone(),
            Self::Bits { words, .. } => rows_of(words).collect(),
        }
    }
}

/// The rows of every term of a project.
#[derive(Debug, Clone)]
pub(crate) struct Postings {
    bitmap_rows: usize,
    by_term: HashMap<Term, Arc<Posting>>,
    /// How many rows all terms have together.
    rows: usize,
}

impl Postings {
    /// None yet. From `bitmap_rows` on the rows of a term may be kept as a bitmap.
    pub(crate) fn new(bitmap_rows: usize) -> Self {
        Self { bitmap_rows, by_term: HashMap::new(), rows: 0 }
    }

    pub(crate) fn insert(&mut self, term: Term, row: u32) {
        let posting = self.by_term.entry(term).or_insert_with(|| Arc::new(Posting::List(Vec::new())));
        Arc::make_mut(posting).insert(row, self.bitmap_rows);
        self.rows += 1;
    }

    pub(crate) fn remove(&mut self, term: Term, row: u32) {
        let Some(posting) = self.by_term.get_mut(&term) else { return };
        Arc::make_mut(posting).remove(row);
        self.rows = self.rows.saturating_sub(1);
        if posting.count() == 0 {
            self.by_term.remove(&term);
        }
    }

    /// The rows of each term, to be put together without holding up whoever applies changes. `None` if a term has none.
    pub(crate) fn find(&self, terms: &[Term]) -> Option<Vec<Arc<Posting>>> {
        terms.iter().map(|term| self.by_term.get(term).map(Arc::clone)).collect()
    }

    /// Roughly what they take, with the terms that the rows themselves remember.
    pub(crate) fn bytes(&self) -> usize {
        let each_term = size_of::<(Term, Arc<Posting>)>() + size_of::<Posting>() + 48;
        let each_row = size_of::<Term>() + size_of::<u32>();
        self.by_term.len() * each_term + self.rows * each_row
    }
}

/// The rows that a query may answer with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Selection {
    /// Every row.
    All,
    /// These, in order: few enough to look at one by one.
    Few(Vec<u32>),
    /// Those whose bit is set.
    Many(Vec<u64>),
}

impl Selection {
    /// The rows that all of `postings` have, in a project of `rows`.
    pub(crate) fn intersection(mut postings: Vec<Arc<Posting>>, rows: usize) -> Self {
        postings.sort_by_key(|posting| posting.count());
        let Some((smallest, others)) = postings.split_first() else {
            return Self::All;
        };
        if smallest.count() * SPARSE <= rows {
            let in_all = |row: &u32| others.iter().all(|other| other.contains(*row));
            return Self::Few(smallest.rows().into_iter().filter(in_all).collect());
        }
        let mut words = match &**smallest {
            Posting::List(rows) => bits_of(rows),
            Posting::Bits { words, .. } => words.clone(),
        };
        for other in others {
            let other = match &**other {
                Posting::List(rows) => &bits_of(rows),
                Posting::Bits { words, .. } => words,
            };
            let others = other.iter().chain(std::iter::repeat(&0));
            words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
        }
        let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        if count * SPARSE <= rows { Self::Few(rows_of(&words).collect()) } else { Self::Many(words) }
    }

    pub(crate) fn contains(&self, row: u32) -> bool {
        match self {
            Self::All => true,
            Self::Few(rows) => rows.binary_search(&row).is_ok(),
            Self::Many(words) => has_bit(words, row),
        }
    }
}

fn bit_of(row: u32) -> (usize, u64) {
    (row as usize / 64, 1 << (row % 64))
}

fn has_bit(words: &[u64], row: u32) -> bool {
    let (word, bit) = bit_of(row);
    words.get(word).is_some_and(|word| word & bit != 0)
}

fn bits_of(rows: &[u32]) -> Vec<u64> {
    let mut words = vec![0; rows.last().map_or(0, |last| *last as usize / 64 + 1)];
    for row in rows {
        let (word, bit) = bit_of(*row);
        if let Some(word) = words.get_mut(word) {
            *word |= bit;
        }
    }
    words
}

fn rows_of(words: &[u64]) -> impl Iterator<Item = u32> {
    (0_u32..).zip(words).flat_map(|(number, word)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(number * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::Layout;

    fn bitmap_rows() -> impl Strategy<Value = usize> {
        prop::sample::select(vec![Layout::default().bitmap_rows, 32, 1])
    }

    proptest! {
        #[test]
        fn a_posting_is_a_set_whatever_its_form(
            bitmap_rows in bitmap_rows(),
            changes in prop::collection::vec((any::<bool>(), 0..2_000_u32), 0..3_000),
        ) {
            let (mut posting, mut set) = (Posting::List(Vec::new()), BTreeSet::new());
            for (add, row) in changes {
                match add || row % 3 == 0 {
                    true => { posting.insert(row, bitmap_rows); set.insert(row); }
                    false => { posting.remove(row); set.remove(&row); }
                }
            }
            prop_assert_eq!(posting.count(), set.len());
            prop_assert_eq!(posting.rows(), set.iter().copied().collect::<Vec<u32>>());
            prop_assert!((0..2_000).all(|row| posting.contains(row) == set.contains(&row)));
        }

        #[test]
        fn a_selection_holds_what_all_postings_hold(
            bitmap_rows in bitmap_rows(),
            sets in prop::collection::vec(prop::collection::btree_set(0..1_000_u32, 0..900), 0..4),
        ) {
            let posting = |set: &BTreeSet<u32>| {
                let mut posting = Posting::List(Vec::new());
                set.iter().for_each(|row| posting.insert(*row, bitmap_rows));
                Arc::new(posting)
            };
            let selection = Selection::intersection(sets.iter().map(posting).collect(), 1_000);
            for row in 0..1_000 {
                prop_assert_eq!(selection.contains(row), sets.iter().all(|set| set.contains(&row)));
            }
        }
    }
}
