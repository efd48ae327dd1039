//! The edge cases of the reference, one by one: the same here, or fixed, and why.

use std::{sync::Arc, time::Duration};

use reflect_llm::{
    ChatError, ChatModel, ChatPiece, ChatReply, ChatRequest, ChatStream, ScriptedModel, ScriptedStep, ToolCall,
};
use reflexion::{
    Attempt, AttemptContext, AttemptEnd, BoxError, BuildError, ChatActor, Control, Evaluation, FinishedAttempt,
    Panicked, Reflexion, Stage, StopReason, Tool, actor_fn, evaluator_fn,
};
use serde_json::json;

use crate::support::{
    Answering, Log, Numbering, Saying, Witness, builder, counting_actor, listening_actor, never_passing, passing_from,
};

fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// Fixed: an evaluator's error still ends the run with an error, but the answer in hand and the trials so far come with it, and the
/// trial's end is told, so that a trace has no open ends.
#[tokio::test]
async fn fixed_an_evaluators_error_keeps_the_answer() {
    let witness = Witness::default();
    let evaluator = evaluator_fn(|finished: FinishedAttempt| async move {
        if finished.trial == 2 { Err(BoxError::from("the judge is out")) } else { Ok(Evaluation::fail("no")) }
    });
    let reflexion = builder(counting_actor()).evaluator(evaluator).listener(witness.listener()).build().unwrap();
    let error = reflexion.run("task").await.unwrap_err();
    assert_eq!(error.stage(), Some(Stage::Evaluator));
    assert_eq!(causes(&error), "the evaluator failed in trial 2: the judge is out");
    let outcome = error.into_outcome();
    assert_eq!((outcome.answer.as_str(), outcome.trials.len()), ("answer 2", 2));
    assert_eq!(outcome.stop, StopReason::EvaluatorFailed);
    assert_eq!(witness.log.count("event trial_end"), 2);
}

/// Fixed: there, an evaluator that returns nothing at all crashes the program. Here the type leaves no room for it: it answers an
/// [`Evaluation`] or an error, and what it cannot tell is unknown.
#[tokio::test]
async fn fixed_an_evaluator_cannot_answer_nothing() {
    let evaluator = |_: &FinishedAttempt| Evaluation::unknown("cannot tell");
    let outcome = builder(counting_actor()).evaluator(evaluator).max_trials(1).build().unwrap().run("t").await.unwrap();
    assert_eq!(outcome.trials[0].evaluation.verdict.as_str(), "unknown");
}

/// Fixed: a panic of an evaluator or a hook takes down the caller there. Here it is an error of that stage, for every kind of plug-in.
#[tokio::test]
async fn fixed_a_panic_is_an_error_of_its_stage() {
    let panicking_actor =
        actor_fn(|_: String, _: AttemptContext| async { panic!("actor") as Result<Attempt, BoxError> });
    // This one panics before there is a future.
    let early_actor = actor_fn(|_: String, context: AttemptContext| {
        assert!(context.trial == 0, "early");
        async { Ok("never") }
    });
    let judge = |_: &FinishedAttempt| -> Evaluation { panic!("evaluator") };
    let hooks = Answering(|_: &str, _: u32, _: &str| panic!("hook"));
    let cases = [
        (builder(panicking_actor).evaluator(never_passing()), Stage::Actor, "actor"),
        (builder(early_actor).evaluator(never_passing()), Stage::Actor, "early"),
        (builder(counting_actor()).evaluator(judge), Stage::Evaluator, "evaluator"),
        (builder(counting_actor()).evaluator(never_passing()).hooks(hooks), Stage::Hook, "hook"),
    ];
    for (reflexion, stage, words) in cases {
        let error = reflexion.build().unwrap().run("task").await.unwrap_err();
        assert_eq!(error.stage(), Some(stage));
        let source = std::error::Error::source(&error).unwrap().downcast_ref::<Panicked>().unwrap();
        assert!(source.0.contains(words), "{source}");
    }
}

/// Fixed: a panic of a listener ends nothing, since a listener only looks on.
#[tokio::test]
async fn fixed_a_listener_that_panics_is_passed_over() {
    let listener = |_: reflect_core::Timestamp, _: &reflexion::Event| panic!("listener");
    let reflexion = builder(counting_actor()).evaluator(passing_from(2)).listener(listener).build().unwrap();
    assert!(reflexion.run("task").await.unwrap().passed());
}

/// Fixed: the run goes on with the evaluator's feedback as the lesson, for a usable answer may still come, and one exists already.
#[tokio::test]
async fn fixed_a_reflectors_error_costs_only_the_lesson() {
    let saying = Saying::new([Err(reflection::ReflectError::Temporary("no connection".into()))]);
    let reflexion = builder(counting_actor()).reflector(saying).evaluator(passing_from(2)).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    assert!(outcome.passed());
    let lesson = outcome.trials[0].lesson.as_ref().unwrap();
    assert_eq!((lesson.text().as_str(), lesson.source), ("trial 1 was wrong", reflexion::LessonSource::Feedback));
    assert_eq!((outcome.troubles[0].stage, outcome.troubles[0].error.as_str()), (Stage::Reflector, "no connection"));
}

/// Same: a hook's error ends the run. Fixed: it carries the outcome so far, and it is no longer the only way to stop.
#[tokio::test]
async fn same_a_hooks_error_ends_the_run() {
    for (place, trials) in [("start", 0), ("evaluated", 1), ("reflection", 1), ("end", 1)] {
        let hooks = Answering(
            move |here: &str, _: u32, _: &str| {
                if here == place { Err("no more".into()) } else { Ok(Control::Continue) }
            },
        );
        let reflexion = builder(counting_actor()).evaluator(never_passing()).hooks(hooks).build().unwrap();
        let error = reflexion.run("task").await.unwrap_err();
        assert_eq!(causes(&error), "a hook failed in trial 1: no more");
        assert_eq!(error.outcome().stop, StopReason::Failed(Stage::Hook));
        assert_eq!(error.outcome().trials.len(), trials, "at {place}");
    }
}

/// Same: a hook is called before its event, so one that fails keeps the event back. Fixed: but the end of a trial that began is told.
#[tokio::test]
async fn same_a_failing_hook_keeps_its_event_back() {
    for (place, starts, lessons, ends) in [("start", 0, 0, 0), ("reflection", 1, 0, 1), ("end", 1, 1, 1)] {
        let witness = Witness::default();
        let hooks = Answering(
            move |here: &str, _: u32, _: &str| {
                if here == place { Err("no more".into()) } else { Ok(Control::Continue) }
            },
        );
        let reflexion = builder(counting_actor()).evaluator(never_passing()).hooks(hooks).listener(witness.listener());
        reflexion.build().unwrap().run("task").await.unwrap_err();
        let told = ["event trial_start", "event reflection_generated", "event trial_end"];
        assert_eq!(told.map(|what| witness.log.count(what)), [starts, lessons, ends], "at {place}");
    }
}

/// Same: an empty answer is an answer, and is judged as one.
#[tokio::test]
async fn same_an_empty_answer_is_judged() {
    let actor = actor_fn(|_: String, _: AttemptContext| async { Ok("") });
    let evaluator = |finished: &FinishedAttempt| Evaluation::fail(format!("`{}` is empty", finished.answer()));
    let outcome = builder(actor).evaluator(evaluator).max_trials(1).build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.trials[0].evaluation.feedback.as_str()), ("", "`` is empty"));
}

/// Same: an unknown tool, arguments that do not fit and a tool's error are told to the model, and the trial goes on. Fixed: judge and
/// reflector see the calls with their arguments and results.
#[tokio::test]
async fn same_a_tools_error_ends_no_trial() {
    let call =
        |id: &str, name: &str, arguments: serde_json::Value| ToolCall { id: id.into(), name: name.into(), arguments };
    let calls = vec![
        call("1", "nope", json!({})),
        call("2", "look", json!({"value": "not a number"})),
        call("3", "look", json!({"value": 7})),
    ];
    let model = Arc::new(ScriptedModel::new([
        ScriptedStep::reply(ChatReply { tool_calls: calls, ..ChatReply::default() }),
        ScriptedStep::text("there is none"),
        ScriptedStep::text("here it is"),
    ]));
    let look = Tool::new("look", "Looks there.", |_at: u32| async { Err::<String, BoxError>("no such file".into()) });
    let numbering = Numbering::default();
    let reflexion = builder(ChatActor::new(model).tool(look)).reflector(numbering.clone()).evaluator(passing_from(2));
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.trials.len()), ("here it is", 2));
    let read = numbering.seen.lock().unwrap()[0].clone();
    let results: Vec<&str> =
        read.messages.iter().flat_map(|message| &message.tool_results).map(|result| result.text.as_str()).collect();
    assert_eq!(results.len(), 3, "each call has its result");
    assert!(results[0].contains("nope") && results[2].contains("no such file"), "{results:?}");
    assert!(results[1].contains("number") || results[1].contains("u32"), "{results:?}");
}

/// Fixed: a limit that is hit in the middle of a trial loses all trials there. Here the attempt ends, is judged, and the next trial
/// learns from it.
#[tokio::test]
async fn fixed_a_limit_within_a_trial_ends_that_trial_alone() {
    let actor = actor_fn(|_: String, context: AttemptContext| async move {
        let end = if context.trial == 1 { AttemptEnd::Limit("6 turns".into()) } else { AttemptEnd::Answered };
        Ok(Attempt { end, ..Attempt::answer("so far") })
    });
    let outcome = builder(actor).evaluator(passing_from(2)).build().unwrap().run("task").await.unwrap();
    assert!(outcome.passed());
    assert!(outcome.trials[0].evaluation.feedback.contains("6 turns"));
}

/// Fixed: there is no way to handle a run that was not begun: the state of a run is made by `run`.
#[tokio::test]
async fn fixed_a_run_cannot_be_handled_before_it_begins() {
    let outcome = builder(counting_actor()).evaluator(passing_from(1)).build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.trials[0].number, 1);
}

/// Fixed: without a model it works until a reflection is needed and crashes then. Here the reflector that follows rules writes it; and
/// without anybody to judge there is no loop to run.
#[tokio::test]
async fn fixed_no_model_is_needed_for_a_lesson() {
    let outcome =
        Reflexion::builder(counting_actor()).evaluator(passing_from(2)).build().unwrap().run("task").await.unwrap();
    let lesson = outcome.trials[0].lesson.as_ref().unwrap();
    assert_eq!(lesson.written_by.as_ref().unwrap().reflector, "builtin");
    assert!(lesson.text().contains("was wrong"), "{}", lesson.text());
    assert_eq!(Reflexion::builder(counting_actor()).build().err(), Some(BuildError::NoEvaluator));
}

/// A model that says its answer in pieces, and can be cut off in the middle.
struct InPieces {
    is_cut: bool,
}

#[async_trait::async_trait]
impl ChatModel for InPieces {
    fn name(&self) -> &str {
        "test/in-pieces"
    }

    async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, ChatError> {
        Ok(ChatReply::text("in pieces"))
    }

    async fn stream(&self, _: &ChatRequest) -> Result<ChatStream, ChatError> {
        let text = |text: &str| Ok(ChatPiece::Text(text.to_owned()));
        let end = if self.is_cut {
            Err(ChatError::Unavailable { status: None, retry_after: None, message: "the stream was cut".into() })
        } else {
            Ok(ChatPiece::End(ChatReply::text("in pieces")))
        };
        Ok(Box::pin(futures_util::stream::iter([text("in "), text("pie"), text("ces"), end])))
    }
}

/// Fixed: chunks of a stream are joined by line breaks there, which mangles the text. Here they are put together as they are.
/// Same: whoever listens hears the words of failed trials too; fixed: each piece says of which trial it is.
#[tokio::test]
async fn fixed_an_answer_in_pieces_is_one_text() {
    let heard = Log::default();
    let note = heard.clone();
    let actor = ChatActor::new(Arc::new(InPieces { is_cut: false }))
        .on_text(move |piece| note.add(format!("{}:{}", piece.trial, piece.text)));
    let outcome = builder(actor).evaluator(passing_from(2)).build().unwrap().run("task").await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.trials.len()), ("in pieces", 2));
    assert_eq!(heard.lines(), ["1:in ", "1:pie", "1:ces", "2:in ", "2:pie", "2:ces"]);
}

/// Fixed: an error in the stream is not looked at there. Here it is the actor's error.
#[tokio::test]
async fn fixed_a_stream_that_is_cut_is_an_error() {
    let actor = ChatActor::new(Arc::new(InPieces { is_cut: true })).on_text(|_| {});
    let error = builder(actor).evaluator(passing_from(1)).build().unwrap().run("task").await.unwrap_err();
    assert!(causes(&error).contains("the stream was cut"), "{}", causes(&error));
}

/// Same: a second run begins anew. Fixed: that holds for the conversation, too.
#[tokio::test(start_paused = true)]
async fn same_a_second_run_starts_without_the_first_ones_lessons() {
    let prompts = Log::default();
    let reflexion = builder(listening_actor(&prompts)).evaluator(never_passing()).max_trials(2).build().unwrap();
    let first = reflexion.run("task").await.unwrap();
    let second = reflexion.run("task").await.unwrap();
    assert_eq!(first, second);
    assert_eq!(prompts.lines()[2], "task");
}

/// Fixed: one strategy in two agents is a data race there. Here a run holds its own state.
#[tokio::test(start_paused = true)]
async fn fixed_one_loop_does_many_runs_at_a_time() {
    let actor = actor_fn(|task: String, context: AttemptContext| async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(format!("{task} {}", context.trial))
    });
    let reflexion = Arc::new(builder(actor).evaluator(passing_from(3)).build().unwrap());
    let mut runs = tokio::task::JoinSet::new();
    for number in 0..20 {
        let reflexion = Arc::clone(&reflexion);
        runs.spawn(async move { (number, reflexion.run(format!("task {number}")).await.unwrap()) });
    }
    while let Some(done) = runs.join_next().await {
        let (number, outcome) = done.unwrap();
        assert_eq!(outcome.answer, format!("task {number} 3"));
        assert_eq!(outcome.trials[2].shown[1].lesson.guidance, format!("lesson of task {number} 2"));
    }
}

/// Fixed: cancelling is up to the model's client there. Here every stage can be cut off; see also the module on cancelling.
#[tokio::test(start_paused = true)]
async fn fixed_a_deadline_cuts_off_whoever_does_not_heed_it() {
    let actor = actor_fn(|_: String, _: AttemptContext| std::future::pending::<Result<Attempt, BoxError>>());
    let budgets = reflexion::Budgets { time: Some(Duration::from_secs(5)), ..Default::default() };
    let outcome =
        builder(actor).evaluator(never_passing()).budgets(budgets).build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.stop, StopReason::Time);
    assert_eq!(outcome.unfinished.unwrap().trial, 1);
}

/// Fixed: a negative memory size crashes there. Here a size cannot be negative, and with none no lesson is paid for.
#[tokio::test]
async fn fixed_a_memory_of_no_size_pays_for_no_lesson() {
    let numbering = Numbering::default();
    let reflexion = builder(counting_actor()).reflector(numbering.clone()).memory_size(0).evaluator(never_passing());
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.trials.len(), 3);
    assert!(numbering.seen.lock().unwrap().is_empty());
}

/// Fixed: the end of a trial is told for every trial, not only for the last, and with its score.
#[tokio::test]
async fn fixed_every_trial_that_starts_also_ends() {
    let witness = Witness::default();
    let reflexion = builder(counting_actor()).evaluator(never_passing()).listener(witness.listener()).build().unwrap();
    reflexion.run("task").await.unwrap();
    assert_eq!((witness.log.count("event trial_start"), witness.log.count("event trial_end")), (3, 3));
}
