//! What every rule does: it shows lessons, and learns from the reviews of what it showed.

use reflect_core::{ShownMemory, Slate, worth::Learned};

use super::scene::Scene;

/// A rule at work in one world.
pub(super) trait Learner {
    /// What is shown in the latest run of the scene.
    fn show(&mut self, scene: &Scene<'_>, nearest: &[usize]) -> Showing;

    /// A review of a run has arrived.
    fn learn(&mut self, reviewed: &Reviewed, scene: &Scene<'_>);

    /// What it knows of a lesson, if it goes by what lessons add.
    fn learned(&self, _lesson: usize) -> Option<Learned> {
        None
    }

    /// The lessons that are left out by now.
    fn retired(&self, _scene: &Scene<'_>) -> Vec<usize> {
        Vec::new()
    }
}

/// What a run was shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Showing {
    pub(super) lessons: Vec<usize>,
    /// The same as the product logs it.
    pub(super) answer: Vec<ShownMemory>,
    pub(super) slate: Option<Slate>,
}

/// A run with its review.
pub(super) struct Reviewed {
    pub(super) run: usize,
    pub(super) showing: Showing,
    pub(super) score: f64,
}
