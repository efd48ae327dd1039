//! What the reference tests of itself, and the values it starts from.

use reflexion::{EpisodicMemory, Event, Keeps, LatestLessons, StopReason};

use crate::support::{Log, Witness, builder, counting_actor, listening_actor, never_passing, passing_from};

#[tokio::test]
async fn an_evaluator_that_always_passes_ends_the_run_with_the_first_answer() {
    let outcome = builder(counting_actor()).evaluator(passing_from(1)).build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.trials.len()), ("answer 1", 1));
    assert_eq!(outcome.stop, StopReason::Passed);
}

#[tokio::test]
async fn one_failure_and_then_a_pass_takes_two_evaluations() {
    let loop_of_two =
        builder(counting_actor()).evaluator(passing_from(2)).max_trials(3).memory_size(2).build().unwrap();
    let outcome = loop_of_two.run("task").await.unwrap();
    assert_eq!(outcome.answer, "answer 2");
    assert_eq!(outcome.trials.iter().map(|trial| trial.spent.evaluate.tries).sum::<u32>(), 2);
}

#[tokio::test]
async fn trials_used_up_is_no_error_and_has_an_answer() {
    let outcome =
        builder(counting_actor()).evaluator(never_passing()).max_trials(2).build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.stop, StopReason::TrialsUsedUp);
    assert_eq!((outcome.answer.as_str(), outcome.trials.len()), ("answer 2", 2));
}

#[tokio::test]
async fn hooks_see_two_starts_two_ends_and_one_reflection() {
    let witness = Witness::default();
    let run = builder(counting_actor()).evaluator(passing_from(2)).hooks(witness.clone()).build().unwrap();
    run.run("task").await.unwrap();
    let counts = ["hook start", "hook end", "hook reflection"].map(|what| witness.log.count(what));
    assert_eq!(counts, [2, 2, 1]);
}

/// The lessons that the trial after `trials` failures is shown.
async fn shown_after(trials: u32, memory_size: usize) -> Vec<(u32, String)> {
    let reflexion =
        builder(counting_actor()).evaluator(never_passing()).max_trials(trials + 1).memory_size(memory_size);
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    let shown = &outcome.last_trial().unwrap().shown;
    shown.iter().map(|lesson| (lesson.trial.unwrap(), lesson.lesson.guidance.clone())).collect()
}

#[tokio::test]
async fn the_memory_is_a_bounded_queue() {
    let lesson = |trial: u32| (trial, format!("lesson of answer {trial}"));
    assert_eq!(shown_after(0, 3).await, []);
    assert_eq!(shown_after(1, 3).await, [lesson(1)]);
    assert_eq!(shown_after(2, 3).await, [lesson(1), lesson(2)]);
    assert_eq!(shown_after(4, 3).await, [lesson(2), lesson(3), lesson(4)]);
    assert_eq!(shown_after(2, 1).await, [lesson(2)]);
    assert_eq!(shown_after(2, 0).await, []);
}

#[tokio::test]
async fn three_trials_and_three_lessons_unless_said_otherwise() {
    let outcome = builder(counting_actor()).evaluator(never_passing()).build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.trials.len(), 3);
    let long = builder(counting_actor()).evaluator(never_passing()).max_trials(5).build().unwrap();
    assert_eq!(long.run("task").await.unwrap().trials[4].shown.len(), 3);
    assert_eq!(LatestLessons::new(3).keeps(), Keeps::ThisRun);
}

#[tokio::test]
async fn no_trial_or_one_trial_is_one_trial_without_a_reflection() {
    for max_trials in [0, 1] {
        let witness = Witness::default();
        let reflexion =
            builder(counting_actor()).evaluator(never_passing()).max_trials(max_trials).hooks(witness.clone());
        let outcome = reflexion.build().unwrap().run("task").await.unwrap();
        assert_eq!(outcome.trials.len(), 1);
        assert_eq!(witness.log.count("hook reflection"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_order_of_options_changes_nothing_and_the_later_value_holds() {
    let one =
        builder(counting_actor()).max_trials(7).max_trials(2).evaluator(passing_from(1)).evaluator(never_passing());
    let other = builder(counting_actor()).evaluator(never_passing()).max_trials(2);
    let (one, other) = (one.build().unwrap().run("t").await.unwrap(), other.build().unwrap().run("t").await.unwrap());
    assert_eq!(one, other);
    assert_eq!(one.trials.len(), 2);
}

#[tokio::test]
async fn memory_precedes_the_task_from_the_second_trial_on_oldest_first_with_numbers() {
    let prompts = Log::default();
    let reflexion = builder(listening_actor(&prompts)).evaluator(never_passing()).build().unwrap();
    reflexion.run("Count the <apples>.").await.unwrap();
    let prompts = prompts.lines();
    assert_eq!(prompts[0], "Count the <apples>.");
    assert!(prompts[1].ends_with("</relevant_memories>\n\nCount the <apples>."));
    let places = ["trial=\"1\"", "lesson of answer 1", "trial=\"2\"", "lesson of answer 2", "Count the"];
    let found: Vec<usize> = places.iter().map(|text| prompts[2].find(text).unwrap()).collect();
    assert!(found.is_sorted(), "{found:?} in {}", prompts[2]);
}

#[tokio::test]
async fn a_finished_attempt_has_number_task_messages_answer_and_both_times() {
    let seen = Log::default();
    let log = seen.clone();
    let evaluator = move |finished: &reflexion::FinishedAttempt| {
        let begun_first = finished.started_at < finished.ended_at;
        let messages = finished.attempt.messages.len();
        log.add(format!("{} {} {} {messages} {begun_first}", finished.trial, finished.task, finished.answer()));
        reflexion::Evaluation::fail("no")
    };
    let clock = std::sync::Arc::new(crate::support::TickingClock::default());
    let reflexion = builder(counting_actor()).evaluator(evaluator).max_trials(2).clock(clock).build().unwrap();
    reflexion.run("task").await.unwrap();
    assert_eq!(seen.lines(), ["1 task answer 1 1 true", "2 task answer 2 1 true"]);
}

#[test]
fn events_have_the_fields_of_the_reference() {
    let json = |event: Event| serde_json::to_value(event).unwrap();
    assert_eq!(
        json(Event::TrialStart { trial_number: 1 }),
        serde_json::json!({"event": "trial_start", "trial_number": 1})
    );
    assert_eq!(
        json(Event::ReflectionGenerated { trial_number: 1, reflection: "r".into() }),
        serde_json::json!({"event": "reflection_generated", "trial_number": 1, "reflection": "r"})
    );
    assert_eq!(
        json(Event::TrialEnd { trial_number: 1, success: false, score: None, feedback: String::new() }),
        serde_json::json!({"event": "trial_end", "trial_number": 1, "success": false})
    );
    assert_eq!(
        json(Event::TrialEnd { trial_number: 1, success: true, score: Some(0.5), feedback: "f".into() }),
        serde_json::json!({"event": "trial_end", "trial_number": 1, "success": true, "score": 0.5, "feedback": "f"})
    );
}

#[tokio::test]
async fn without_an_evaluator_the_model_judges_and_one_model_can_do_everything() {
    use reflect_llm::{ScriptedModel, ScriptedStep};
    let model = std::sync::Arc::new(ScriptedModel::new([
        ScriptedStep::text("Porto"),
        ScriptedStep::text(r#"{"explanation": "that is not the capital", "verdict": "fail", "confidence": 0.8}"#),
        ScriptedStep::text(
            r#"{"summary": "A large city was named.", "guidance": "Check whether the city is the seat of government before you name it."}"#,
        ),
        ScriptedStep::text("Lisbon"),
        ScriptedStep::text(r#"{"explanation": "right", "verdict": "pass", "confidence": 0.9}"#),
    ]));
    let reflexion = reflexion::Reflexion::with_model(model.clone()).build().unwrap();
    let outcome = reflexion.run("What is the capital of Portugal?").await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.stop.clone()), ("Lisbon", StopReason::Passed));
    assert_eq!(outcome.trials[0].evaluation.feedback, "that is not the capital");
    // Attempts, judgements and lessons: two, two and one.
    let requests = model.requests();
    assert_eq!(requests.len(), 5);
    let asked = &requests[3].messages.last().unwrap().text;
    assert!(asked.contains("seat of government") && asked.ends_with("What is the capital of Portugal?"), "{asked}");
}
