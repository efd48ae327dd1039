//! What is searched for, and what is found.

use reflect_core::{
    MemoryId, QuerySettings, SameWords, Slate,
    what_if::Agreement,
    worth::{SittingOut, SlateDraw, TrialSlot, WorthConstants},
};

/// What is searched for.
#[derive(Debug, Clone)]
pub struct Search {
    /// The vector of the task.
    pub task: Vec<f32>,
    /// Limit, weights, floor and filter.
    pub settings: QuerySettings,
    /// Whether ranks by similarity are asked for.
    pub explain: bool,
    /// Whether lessons that tell little, and those that say the same, are ranked like all others. Otherwise they have the last
    /// [turns](reflect_core::Turn), and one of each is enough.
    pub empty_lessons: bool,
    /// The task's words: an answer is for whoever asks the same again.
    pub task_words: Option<SameWords>,
    /// What ranking by worth needs to know; without it memories are ranked by their moving averages.
    pub by_worth: Option<ByWorth>,
    /// Other settings, of each of which is asked whether they give the same answer. Each takes a search of its own.
    pub also: Vec<QuerySettings>,
}

impl Search {
    /// A search by moving averages that asks for nothing else.
    pub const fn new(task: Vec<f32>, settings: QuerySettings) -> Self {
        Self {
            task,
            settings,
            explain: false,
            empty_lessons: false,
            task_words: None,
            by_worth: None,
            also: Vec::new(),
        }
    }
}

/// What ranking by worth needs to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByWorth {
    /// How the project's evidence ages, among others.
    pub constants: WorthConstants,
    /// The day, by which it has aged.
    pub today: i64,
    /// How often one slot is on trial.
    pub trials: TrialSlot,
    /// How often memories sit out.
    pub sitting_out: SittingOut,
    /// Whether a slot is on trial this time, whose turn it is, and who sits out.
    pub draw: SlateDraw,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The memories, best first.
    pub hits: Vec<Hit>,
    /// Those that were due and sat out, the first first.
    pub sat_out: Vec<MemoryId>,
    /// What was expected of the answer, where memories are ranked by worth and enough runs have been reviewed.
    pub slate: Option<Slate>,
    /// How each of the other settings relates to this answer, in their order.
    pub agreements: Vec<Agreement>,
    /// Whether a memory that was not looked at might belong to it. An index in memory looks at all of them.
    pub is_unsettled: bool,
}

/// A memory that a search found, with the figures that it was ranked by.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which memory.
    pub memory_id: MemoryId,
    /// The newest change to it that the search knew of.
    pub changed: i64,
    /// Its utility, in [0, 1].
    pub utility: f64,
    /// What it is expected to add, in shares of passes, where memories are ranked by worth.
    pub worth: Option<f64>,
    /// How probable it was to be shown, where an answer has a [`Slate`].
    pub probability: Option<f64>,
    /// Its similarity to the task.
    pub similarity: f64,
    /// The blend of both, on the scale of the task's neighbourhood where that is known.
    pub score: f64,
    /// What diversity took from it.
    pub mmr_penalty: f64,
    /// Its rank by similarity alone among all that passed floor and filter, from 1, if that was asked for.
    pub similarity_rank: Option<u32>,
}
