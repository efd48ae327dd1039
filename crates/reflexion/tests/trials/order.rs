//! What comes after what.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflexion::{
    AttemptContext, BoxError, Control, EpisodicMemory, FinishedAttempt, JsonLines, Keeps, LatestLessons,
    RememberedLesson, RunSoFar, StopReason, Trial, actor_fn,
};

use crate::support::{Answering, Log, StandingClock, Witness, builder, counting_actor, never_passing, passing_from};

/// Says when it is asked.
struct Noting(Log);

#[async_trait]
impl EpisodicMemory for Noting {
    fn keeps(&self) -> Keeps {
        Keeps::ThisRun
    }

    async fn recall(&self, run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError> {
        self.0.add(format!("recall after {}", run.trials.len()));
        Ok(LatestLessons::new(3).select(run))
    }

    async fn remember(&self, run: &RunSoFar<'_>, trial: &Trial) -> Result<Option<String>, BoxError> {
        let lesson = if trial.lesson.is_some() { "with" } else { "without" };
        self.0.add(format!("remember {} {lesson} a lesson, {} recorded", trial.number, run.trials.len()));
        Ok(None)
    }
}

#[tokio::test]
async fn stages_hooks_and_events_come_in_a_strict_order() {
    let witness = Witness::default();
    let (acting, judging, resetting) = (witness.log.clone(), witness.log.clone(), witness.log.clone());
    let actor = actor_fn(move |_task: String, context: AttemptContext| {
        acting.add(format!("act {}", context.trial));
        async move { Ok(format!("answer {}", context.trial)) }
    });
    let evaluator = move |finished: &FinishedAttempt| {
        judging.add(format!("evaluate {}", finished.trial));
        reflexion::Evaluation::fail("no")
    };
    let environment = move |next: u32| {
        resetting.add(format!("reset for {next}"));
        async { Ok::<(), BoxError>(()) }
    };
    let reflexion = builder(actor)
        .evaluator(evaluator)
        .environment(environment)
        .memory(Noting(witness.log.clone()))
        .hooks(witness.clone())
        .listener(witness.listener())
        .max_trials(2)
        .build()
        .unwrap();
    reflexion.run("task").await.unwrap();
    assert_eq!(
        witness.log.lines(),
        [
            "hook start 1",
            "event trial_start 1",
            "recall after 0",
            "act 1",
            "evaluate 1",
            "hook evaluated 1 fail",
            "hook reflection 1 lesson of answer 1",
            "event reflection_generated 1",
            "remember 1 with a lesson, 0 recorded",
            "hook end 1 fail",
            "event trial_end 1",
            "reset for 2",
            "hook start 2",
            "event trial_start 2",
            "recall after 1",
            "act 2",
            "evaluate 2",
            "hook evaluated 2 fail",
            "remember 2 without a lesson, 1 recorded",
            "hook end 2 fail",
            "event trial_end 2",
        ]
    );
}

#[tokio::test]
async fn hooks_can_replace_the_feedback_and_the_reflector_reads_it() {
    let numbering = crate::support::Numbering::default();
    let hooks = Answering(|place: &str, _: u32, _: &str| match place {
        "evaluated" => Ok(Control::ReplaceFeedback("a person says: look again".into())),
        _ => Ok(Control::Continue),
    });
    let reflexion = builder(counting_actor()).reflector(numbering.clone()).evaluator(passing_from(2)).hooks(hooks);
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.trials[0].evaluation.feedback, "a person says: look again");
    assert_eq!(numbering.seen.lock().unwrap()[0].feedback_text.as_deref(), Some("a person says: look again"));
}

#[tokio::test]
async fn hooks_can_replace_a_lesson_or_take_it_away() {
    for (words, shown) in [("my own lesson", vec!["my own lesson"]), ("  ", vec![])] {
        let hooks = Answering(move |place: &str, _: u32, _: &str| match place {
            "reflection" => Ok(Control::ReplaceLesson(words.into())),
            _ => Ok(Control::Continue),
        });
        let reflexion = builder(counting_actor()).evaluator(passing_from(2)).hooks(hooks).build().unwrap();
        let outcome = reflexion.run("task").await.unwrap();
        let texts: Vec<String> = outcome.trials[1].shown.iter().map(|lesson| lesson.lesson.text()).collect();
        assert_eq!(texts, shown);
    }
}

#[tokio::test]
async fn a_hook_can_stop_the_run_at_each_place() {
    for (place, trials, ends) in [("start", 0, 0), ("evaluated", 1, 1), ("reflection", 1, 1), ("end", 1, 1)] {
        let witness = Witness::default();
        let hooks = Answering(move |here: &str, _: u32, _: &str| {
            Ok(if here == place { Control::Stop("enough".into()) } else { Control::Continue })
        });
        let reflexion = builder(counting_actor()).evaluator(never_passing()).hooks(hooks).hooks(witness.clone());
        let outcome = reflexion.listener(witness.listener()).build().unwrap().run("task").await.unwrap();
        assert_eq!(outcome.stop, StopReason::StoppedByHook("enough".into()), "at {place}");
        assert_eq!((outcome.trials.len(), witness.log.count("event trial_end")), (trials, ends), "at {place}");
    }
}

#[tokio::test]
async fn a_pass_beats_a_hook_that_stops() {
    let hooks = Answering(|_: &str, _: u32, _: &str| Ok(Control::Continue));
    let stopping = Answering(|place: &str, _: u32, _: &str| match place {
        "evaluated" | "end" => Ok(Control::Stop("enough".into())),
        _ => Ok(Control::Continue),
    });
    let reflexion = builder(counting_actor()).evaluator(passing_from(1)).hooks(hooks).hooks(stopping).build().unwrap();
    assert_eq!(reflexion.run("task").await.unwrap().stop, StopReason::Passed);
}

#[tokio::test]
async fn a_wish_in_the_wrong_place_is_an_error_that_says_so() {
    let hooks = Answering(|place: &str, _: u32, _: &str| match place {
        "start" => Ok(Control::ReplaceLesson("too early".into())),
        _ => Ok(Control::Continue),
    });
    let reflexion = builder(counting_actor()).evaluator(never_passing()).hooks(hooks).build().unwrap();
    let error = reflexion.run("task").await.unwrap_err();
    assert_eq!(error.stage(), Some(reflexion::Stage::Hook));
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("on_trial_start"));
}

#[tokio::test]
async fn json_lines_hold_one_event_a_line() {
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let written = Shared::default();
    let reflexion = builder(counting_actor()).evaluator(passing_from(2)).listener(JsonLines::new(written.clone()));
    reflexion.clock(Arc::new(StandingClock)).build().unwrap().run("task").await.unwrap();
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let at = "\"at\":\"1970-01-01T00:00:01.000000Z\"";
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            format!("{{{at},\"event\":\"trial_start\",\"trial_number\":1}}"),
            format!(
                "{{{at},\"event\":\"reflection_generated\",\"trial_number\":1,\"reflection\":\"lesson of answer 1\"}}"
            ),
            format!(
                "{{{at},\"event\":\"trial_end\",\"trial_number\":1,\"success\":false,\"feedback\":\"trial 1 was wrong\"}}"
            ),
            format!("{{{at},\"event\":\"trial_start\",\"trial_number\":2}}"),
            format!("{{{at},\"event\":\"trial_end\",\"trial_number\":2,\"success\":true}}"),
        ]
    );
}
