//! Which lessons a skill stands on.

use reflect_core::{
    Memory,
    ranking::{self, Candidate},
};

use super::SkillRequest;

/// How much of a choice is quality, and how much difference from what was chosen before.
const QUALITY: f64 = 0.7;

/// The chosen memories, best first.
pub(super) struct Picks<'a> {
    pub(super) passed: Vec<&'a Memory>,
    pub(super) failed: Vec<&'a Memory>,
}

pub(super) fn pick<'a>(request: &SkillRequest<'a>) -> Picks<'a> {
    Picks { passed: best(request, true, request.n_passed), failed: best(request, false, request.n_failed) }
}

fn best<'a>(request: &SkillRequest<'a>, passed: bool, limit: usize) -> Vec<&'a Memory> {
    let fitting = request.memories.iter().enumerate();
    let fitting = fitting.filter(|(_, memory)| memory.success == Some(passed) && has_advice(memory));
    let mut pool: Vec<(usize, Candidate)> =
        fitting.map(|(index, memory)| (index, Candidate { memory_id: memory.id, score: quality(memory) })).collect();
    pool.sort_by(|(_, left), (_, right)| Candidate::best_first(left, right));
    pool.truncate(ranking::pool_size(limit));
    let candidates: Vec<Candidate> = pool.iter().map(|(_, candidate)| *candidate).collect();
    let index_of = |position: usize| pool.get(position).map_or(0, |(index, _)| *index);
    let mut picked = ranking::diversify(&candidates, limit, QUALITY, |left, right| {
        (request.similarity)(index_of(left), index_of(right))
    });
    picked.sort_unstable_by_key(|picked| picked.position);
    picked.iter().filter_map(|picked| request.memories.get(index_of(picked.position))).collect()
}

/// How much can be said for a memory: the lower end of what its utility may be, given how often it was seen, plus a little
/// for a failed run's lesson that names both the mistake and the way out.
pub(super) fn quality(memory: &Memory) -> f64 {
    let telling = [&memory.lesson.key_mistake, &memory.lesson.correct_action, &memory.lesson.guidance];
    let telling = telling.iter().filter(|text| !text.trim().is_empty()).count();
    let bonus = if memory.success == Some(false) { 0.05 * telling as f64 } else { 0.0 };
    memory.tally.lower_bound() + bonus
}

fn has_advice(memory: &Memory) -> bool {
    let lesson = &memory.lesson;
    [&lesson.correct_action, &lesson.guidance, &lesson.key_mistake].iter().any(|text| !text.trim().is_empty())
}
