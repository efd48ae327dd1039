//! Random histories of reviews, corrections and takings-back, against a list that is simply edited.

use proptest::{prelude::*, test_runner::Config};
use reflect_core::{Clock, Outcome, Step, Tally};
use reflect_engine::{Asker, Caller};
use serde_json::json;

use crate::{
    client::run,
    fakes::FakeClock,
    test_app::{TestApp, block_on},
};

const MEMORIES: usize = 3;

/// One thing that a reviewer does. Numbers pick among what is there.
#[derive(Debug, Clone)]
enum Act {
    /// A new run that was shown some memories, reviewed at once.
    Review {
        shown: [bool; MEMORIES],
        outcome: Outcome,
        alpha: Option<f64>,
    },
    Correct {
        run: usize,
        outcome: Outcome,
        alpha: Option<f64>,
    },
    TakeBack {
        run: usize,
    },
    ReviewAgain {
        run: usize,
        outcome: Outcome,
    },
    DeleteRun {
        run: usize,
        cascade: bool,
    },
}

/// What should be in the ledger: the runs in the order of their places. A correction changes a step, a taking-back removes
/// it; nothing else ever moves.
#[derive(Default)]
struct Model {
    runs: Vec<Run>,
    ledger: Vec<Entry>,
}

struct Run {
    trace_id: String,
    shown: [bool; MEMORIES],
    reviewed: bool,
    deleted: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    run: usize,
    outcome: Outcome,
    alpha: f64,
    asked_alpha: Option<f64>,
}

impl Model {
    fn review(&mut self, run: usize, outcome: Outcome, asked_alpha: Option<f64>) {
        self.runs[run].reviewed = true;
        self.ledger.push(Entry { run, outcome, alpha: asked_alpha.unwrap_or(0.3), asked_alpha });
    }

    fn correct(&mut self, run: usize, outcome: Outcome, asked_alpha: Option<f64>) {
        let entry = self.ledger.iter_mut().find(|entry| entry.run == run).unwrap();
        // A correction that asks for no step size has the one of what it corrects.
        entry.alpha = asked_alpha.unwrap_or(entry.alpha);
        entry.asked_alpha = asked_alpha;
        entry.outcome = outcome;
    }

    fn take_back(&mut self, run: usize) {
        self.runs[run].reviewed = false;
        self.ledger.retain(|entry| entry.run != run);
    }

    fn tally(&self, memory: usize) -> Tally {
        let shown = self.ledger.iter().filter(|entry| self.runs[entry.run].shown[memory]);
        let day = FakeClock::new().now().day();
        Tally::of(shown.map(|entry| Step::new(entry.outcome, None, entry.alpha).of_run(day, None)))
    }
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let outcome = prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail)];
    let alpha = prop_oneof![2 => Just(None), 1 => prop::sample::select(vec![0.0, 0.1, 0.5, 1.0]).prop_map(Some)];
    let run = 0..8_usize;
    let act = prop_oneof![
        4 => (any::<[bool; MEMORIES]>(), outcome.clone(), alpha.clone())
            .prop_map(|(shown, outcome, alpha)| Act::Review { shown, outcome, alpha }),
        3 => (run.clone(), outcome.clone(), alpha).prop_map(|(run, outcome, alpha)| Act::Correct { run, outcome, alpha }),
        2 => run.clone().prop_map(|run| Act::TakeBack { run }),
        2 => (run.clone(), outcome).prop_map(|(run, outcome)| Act::ReviewAgain { run, outcome }),
        1 => (run, any::<bool>()).prop_map(|(run, cascade)| Act::DeleteRun { run, cascade }),
    ];
    prop::collection::vec(act, 1..16)
}

async fn carry_out(app: &TestApp, memory_ids: &[String], model: &mut Model, act: Act) {
    let pick = |model: &Model, run: usize| (!model.runs.is_empty()).then(|| run % model.runs.len());
    match act {
        Act::Review { shown, outcome, alpha } => {
            let ids: Vec<_> = memory_ids.iter().zip(shown).filter(|(_, shown)| *shown).map(|(id, _)| id).collect();
            let mut body = run("Refund order 7");
            body["retrieved_memory_ids"] = json!(ids);
            body["review"] = json!({"result": outcome, "alpha": alpha});
            let trace_id = app.create(body).await;
            app.drain().await;
            model.runs.push(Run { trace_id, shown, reviewed: false, deleted: false });
            model.review(model.runs.len() - 1, outcome, alpha);
        }
        Act::Correct { run, outcome, alpha } => {
            let Some(run) = pick(model, run).filter(|&run| model.runs[run].reviewed && !model.runs[run].deleted) else {
                return;
            };
            let correction = json!({"result": outcome, "alpha": alpha, "supersedes": true});
            let before = model.ledger.iter().find(|entry| entry.run == run).copied().unwrap();
            app.review(&model.runs[run].trace_id, correction).await.ok();
            if (before.outcome, before.asked_alpha) != (outcome, alpha) {
                model.correct(run, outcome, alpha);
            }
        }
        Act::TakeBack { run } => {
            let Some(run) = pick(model, run) else { return };
            let answer = app.take_back(&model.runs[run].trace_id).await;
            if model.runs[run].reviewed && !model.runs[run].deleted {
                answer.ok();
                model.take_back(run);
            } else {
                answer.assert_code("not_found");
            }
        }
        Act::ReviewAgain { run, outcome } => {
            let Some(run) = pick(model, run).filter(|&run| !model.runs[run].reviewed && !model.runs[run].deleted)
            else {
                return;
            };
            app.review(&model.runs[run].trace_id, json!({"result": outcome})).await.ok();
            model.review(run, outcome, None);
        }
        Act::DeleteRun { run, cascade } => {
            let Some(run) = pick(model, run) else { return };
            let body = json!({"trace_ids": [model.runs[run].trace_id], "cascade": cascade});
            app.post("/traces/delete", body).await.ok();
            if cascade && model.runs[run].reviewed && !model.runs[run].deleted {
                model.take_back(run);
            }
            model.runs[run].deleted = true;
        }
    }
}

async fn live_through(acts: Vec<Act>) {
    let app = TestApp::new();
    let mut memory_ids = Vec::new();
    for task in ["Refund an order", "Cancel an order", "Ship an order"] {
        memory_ids.push(app.learned(task).await);
    }
    let mut model = Model::default();
    for act in acts {
        carry_out(&app, &memory_ids, &mut model, act).await;
    }
    // Read from the engine, since not every figure survives the reader of JSON to the last bit.
    for (memory, memory_id) in memory_ids.iter().enumerate() {
        let (project_id, memory_id) = ("default".parse().unwrap(), memory_id.parse().unwrap());
        let found =
            app.engine.get_memory(Asker { caller: &Caller::master(), project_id: &project_id }, memory_id).await;
        assert_eq!(found.unwrap().memory.tally, model.tally(memory));
    }
    let report = app.engine.store().check_ledger().await.unwrap();
    assert!(report.mismatches.is_empty());
}

proptest! {
    #![proptest_config(Config { cases: 24, failure_persistence: None, ..Config::default() })]

    #[test]
    fn utilities_end_where_a_history_without_the_mistakes_ends(acts in acts()) {
        block_on(live_through(acts));
    }
}
