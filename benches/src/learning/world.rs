//! What a world is made of.

/// The parameters of a world: tasks of some kinds, lessons with effects on tasks nearby, reviews with errors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct World {
    pub(super) name: String,
    /// How many kinds of tasks there are.
    pub(super) kinds: usize,
    /// How far tasks of one kind lie apart; 0 repeats them word for word.
    pub(super) spread: f64,
    /// How uneven the kinds are: the n-th comes up as often as `1 / n^zipf`.
    pub(super) zipf: f64,
    /// The deviation of the pass rate within a kind, which goes along with where the task lies.
    pub(super) slope: f64,
    /// Lessons at the start.
    pub(super) at_start: usize,
    /// Runs for each further lesson.
    pub(super) runs_per_lesson: usize,
    /// The share of lessons that say an earlier one again.
    pub(super) paraphrases: f64,
    /// Whether lessons come from kinds that fail, rather than from all alike.
    pub(super) from_failures: bool,
    pub(super) helpful: f64,
    pub(super) harmful: f64,
    /// The mean size of an effect on the lesson's own task.
    pub(super) effect: f64,
    /// The distance in cosine at which a third of an effect is left.
    pub(super) reach: f64,
    pub(super) combine: Combine,
    /// What every lesson shown costs.
    pub(super) crowding: f64,
    pub(super) drift: Drift,
    /// What pass rates rise by half-way, while effects are halved: a better model.
    pub(super) better_model: f64,
    pub(super) wrong_reviews: f64,
    /// The share of passes, and of fails, that are reviewed.
    pub(super) reviewed: (f64, f64),
    /// Reviews give a score with an error of 0.25 rather than pass or fail.
    pub(super) graded: bool,
    /// How much lower than a run went each reviewer scores it; one of them reviews it. Without any, scores are as runs went.
    pub(super) strictness: Vec<f64>,
    /// Runs until a review arrives.
    pub(super) delay: usize,
    /// Lessons shown in a run.
    pub(super) limit: usize,
    /// Cosines are `1 − squeeze · (1 − cosine)`, as many embedders have them.
    pub(super) squeeze: f64,
    /// Memories that are farther away are not looked at.
    pub(super) floor: Option<f64>,
    /// What the lessons add that somebody wrote for each kind, to all of its tasks and to no others.
    pub(super) authored: Vec<f64>,
    /// Runs until a further kind of task comes up, with the lessons that somebody wrote for it; 0 if all come up from the start.
    pub(super) runs_per_kind: usize,
    /// How many texts the tasks of a kind have; 0 if every task is a new one.
    pub(super) texts: usize,
    /// What runs leave.
    pub(super) own_lessons: OwnLessons,
    /// The pass rate without lessons, the same for all kinds, where it is.
    pub(super) rate: Option<f64>,
}

/// What runs leave beside what somebody wrote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum OwnLessons {
    /// Nothing.
    None,
    /// A lesson each that does nothing, and does not say so.
    Unsaid,
    /// A lesson each that does nothing: every other says that it is an example, the rest that they tell nothing.
    Said,
}

/// How the effects of the lessons shown come together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Combine {
    Sum,
    Best,
    Logistic,
}

/// How effects change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Drift {
    None,
    /// A share of the lessons, half-way.
    Once(f64),
    /// Each lesson, so many times.
    Often(usize),
    /// From that run on, the first two of the lessons that somebody wrote for a kind do what the other of them did.
    Swapped(usize),
}

impl World {
    /// The world that the others are variants of.
    pub(super) fn base() -> Self {
        Self {
            name: "base".to_owned(),
            kinds: 30,
            spread: 0.6,
            zipf: 0.0,
            slope: 0.05,
            at_start: 0,
            runs_per_lesson: 4,
            paraphrases: 0.0,
            from_failures: false,
            helpful: 0.4,
            harmful: 0.3,
            effect: 0.15,
            reach: 0.35,
            combine: Combine::Sum,
            crowding: 0.0,
            drift: Drift::Once(0.25),
            better_model: 0.0,
            wrong_reviews: 0.1,
            reviewed: (1.0, 1.0),
            graded: false,
            strictness: Vec::new(),
            delay: 0,
            limit: 3,
            squeeze: 1.0,
            floor: None,
            authored: Vec::new(),
            runs_per_kind: 0,
            texts: 0,
            own_lessons: OwnLessons::None,
            rate: None,
        }
    }

    /// Whether lessons do anything at all.
    pub(super) fn is_null(&self) -> bool {
        self.effect == 0.0 && self.crowding == 0.0
    }
}
