//! The product's rules at work: lessons lie in the product's index, its search answers, and its fold learns.
//!
//! Nothing is ranked or learned here. Reviewed runs lie in the index beside the lessons, since the product reads from them what is usual; a filter
//! keeps answers to lessons, of which these worlds have fewer than runs.

use reflect_core::{
    Circumstances, IndexEntry, IndexRow, MemoryId, QuerySettings, RawJson, RunScore, ShownMemory, Sight,
    expected_to_add,
    worth::{Evidence, Expectation, Learned, LearningRule, SlateDraw, TrialSlot, Viewpoint},
};
use reflect_engine::EngineSettings;
use reflect_index::{ByWorth, Hit, Index, Search};
use serde_json::json;
use uuid::Uuid;

use super::{
    dice::Dice,
    learner::{Learner, Reviewed, Showing},
    rules::ProductRule,
    scene::Scene,
};

/// Runs in a day, by which evidence ages.
const RUNS_A_DAY: usize = 50;

/// Ids of runs begin here, and those of lessons at 0.
const FIRST_RUN: u128 = 1 << 32;

pub(super) struct ProductLearner {
    rule: ProductRule,
    settings: EngineSettings,
    dice: Dice,
    index: Index,
    /// Of each lesson.
    learned: Vec<Learned>,
    /// What the index does not have yet.
    changes: Vec<IndexRow>,
    changed: i64,
}

impl ProductLearner {
    pub(super) fn new(rule: ProductRule, seed: u64) -> Self {
        Self {
            rule,
            settings: EngineSettings::default(),
            dice: Dice::new(seed ^ 0x7EA1),
            index: Index::default(),
            learned: Vec::new(),
            changes: Vec::new(),
            changed: 0,
        }
    }

    fn change(&mut self, number: u128, entry: IndexEntry) {
        self.changed += 1;
        let memory_id = MemoryId::from_uuid(Uuid::from_u128(number));
        self.changes.push(IndexRow { memory_id, changed: self.changed, entry: Some(entry) });
    }

    fn put_lesson(&mut self, number: usize, scene: &Scene<'_>) {
        let (Some(learned), Some((vector, words))) = (self.learned.get(number).copied(), scene.lesson(number)) else {
            return;
        };
        let metadata = RawJson::from_value(&json!({"is": "lesson"}));
        let tells = scene.tells(number);
        let entry = IndexEntry { learned, tells, metadata, lesson_vector: Some(words), ..IndexEntry::new(vector) };
        self.change(number as u128, entry);
    }

    fn search(&mut self, scene: &Scene<'_>) -> Search {
        let EngineSettings { lambda, matching, .. } = self.settings;
        let settings = QuerySettings {
            limit: scene.world.limit,
            lambda,
            mmr_lambda: self.rule.mmr_lambda,
            matching,
            similarity_threshold: scene.world.floor,
            metadata_filter: json!({"is": "lesson"}).as_object().cloned(),
        };
        let by_worth = ByWorth {
            constants: self.rule.constants,
            today: day(scene.run()),
            trials: TrialSlot { share: self.rule.trial_share, ..TrialSlot::default() },
            sitting_out: self.rule.sitting_out,
            draw: SlateDraw { whether: self.dice.fraction(), who: self.dice.fraction(), coins: self.dice.next() },
        };
        let by_worth = (self.rule.learning == LearningRule::Worth).then_some(by_worth);
        Search { by_worth, ..Search::new(scene.task(scene.run()), settings) }
    }
}

impl Learner for ProductLearner {
    fn show(&mut self, scene: &Scene<'_>, _nearest: &[usize]) -> Showing {
        for number in self.learned.len()..scene.cosines.len() {
            self.learned.push(Learned::default());
            self.put_lesson(number, scene);
        }
        self.index.apply(std::mem::take(&mut self.changes));
        let search = self.search(scene);
        let found = self.index.search(&search, 1);
        let shown = |hit: &Hit| ShownMemory { worth: hit.worth, ..ShownMemory::new(hit.memory_id, hit.similarity) };
        Showing {
            lessons: found.hits.iter().map(|hit| lesson_of(hit.memory_id)).collect(),
            answer: found.hits.iter().map(shown).collect(),
            slate: found.slate,
        }
    }

    fn learn(&mut self, reviewed: &Reviewed, scene: &Scene<'_>) {
        let Reviewed { run, showing: Showing { answer, slate, .. }, score } = reviewed;
        let added = slate.map_or(0.0, |_| expected_to_add(answer, |_| true));
        let sight = Sight { retrieval_id: None, answer, slate: *slate, added };
        for shown in answer {
            let expected = Circumstances::of(shown.memory_id, &sight).expected.unwrap_or(Expectation::UNKNOWN);
            let evidence =
                Evidence { score: *score, alpha: self.settings.alpha, expected, day: day(*run), weight: 1.0 };
            let number = lesson_of(shown.memory_id);
            if let Some(learned) = self.learned.get_mut(number) {
                *learned = learned.with(&evidence, &self.rule.constants);
            }
            self.put_lesson(number, scene);
        }
        let run_score = Some(RunScore { score: *score, added });
        self.change(FIRST_RUN + *run as u128, IndexEntry { run: run_score, ..IndexEntry::new(scene.task(*run)) });
    }

    fn learned(&self, lesson: usize) -> Option<Learned> {
        self.learned.get(lesson).copied()
    }

    fn retired(&self, scene: &Scene<'_>) -> Vec<usize> {
        let ProductRule { learning: rule, constants, .. } = self.rule;
        let viewpoint = Viewpoint { rule, constants, today: day(scene.run()) };
        let retired = self.learned.iter().enumerate().filter(|(_, learned)| viewpoint.is_retired(learned));
        retired.map(|(number, _)| number).collect()
    }
}

fn lesson_of(memory_id: MemoryId) -> usize {
    memory_id.as_uuid().as_u128() as usize
}

const fn day(run: usize) -> i64 {
    (run / RUNS_A_DAY) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::world::World;

    #[test]
    fn answers_hold_lessons_alone_and_know_what_is_usual_from_eight_reviews_on() {
        let world = World { at_start: 20, ..World::base() };
        let (mut scene, mut learner) = (Scene::new(&world, 3), ProductLearner::new(ProductRule::usual(), 3));
        for run in 0..20 {
            scene.next_task();
            let showing = learner.show(&scene, &[]);
            assert_eq!(showing.slate.is_some(), run >= 8);
            assert_eq!(showing.lessons.len(), world.limit);
            assert!(showing.lessons.iter().all(|lesson| *lesson < scene.cosines.len()));
            learner.learn(&Reviewed { run, showing, score: 0.0 }, &scene);
        }
    }
}
