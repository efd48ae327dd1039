//! What a database lists of a project that does not fit in memory: its memories, in the orders that a search reads.

use crate::{Match, MemoryId, worth::LearningRule};

/// A memory as it is listed.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedRow {
    /// Which memory.
    pub memory_id: MemoryId,
    /// The rest; `None` if no query may answer with it any more.
    pub entry: Option<ListedEntry>,
}

/// What memories are listed by.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedEntry {
    /// The vector of its task.
    pub task: Vec<f32>,
    /// The vector of what it says, or its task's while there is none.
    pub lesson: Vec<f32>,
    /// What filters find it by.
    pub terms: Vec<u128>,
    /// Its utility by constant steps.
    pub average: f64,
    /// Its utility by what it adds.
    pub worth: f64,
}

/// Which lists are wanted, and how much of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ListWish {
    /// What tasks and lessons are held against.
    pub vector: Vec<f32>,
    /// What is compared with it.
    pub matching: Match,
    /// By which rule utilities are.
    pub rule: LearningRule,
    /// What a memory must have to be listed at all.
    pub terms: Vec<u128>,
    /// How many entries of each list.
    pub depth: usize,
}

/// The beginnings of the lists of one project. Every list has every memory that passes the filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchLists {
    /// By the similarity of tasks; `None` if they are not compared.
    pub by_task: Option<SearchList>,
    /// By the similarity of lessons; `None` if they are not compared.
    pub by_lesson: Option<SearchList>,
    /// By utility.
    pub by_utility: SearchList,
    /// Whether similarities were looked up in a graph, which may pass some memories over.
    pub by_graph: bool,
}

impl SearchLists {
    /// Whether nothing is left to be listed.
    pub fn are_whole(&self) -> bool {
        self.all().any(|list| list.is_whole)
    }

    /// The lists that there are.
    pub fn all(&self) -> impl Iterator<Item = &SearchList> {
        self.by_task.iter().chain(&self.by_lesson).chain([&self.by_utility])
    }
}

/// The beginning of a list, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchList {
    /// Memories with what they are listed by.
    pub entries: Vec<(MemoryId, f64)>,
    /// Whether no other memory follows.
    pub is_whole: bool,
}

impl SearchList {
    /// No memory that follows has more than this.
    pub fn last(&self) -> f64 {
        self.entries.last().map_or(f64::INFINITY, |(_, last)| *last)
    }
}
