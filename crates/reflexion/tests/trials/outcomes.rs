//! What comes of a run.

use reflexion::{
    AnswerPolicy, Evaluation, FinishedAttempt, Reflexion, RunError, StopReason, UnknownPolicy, Verdict, evaluator_fn,
};

use crate::support::{TickingClock, builder, counting_actor, never_passing, passing_from, scoring};

fn judging(
    verdicts: &'static [(&'static str, Option<f64>)],
) -> impl Fn(&FinishedAttempt) -> Evaluation + Send + Sync + 'static {
    move |finished: &FinishedAttempt| {
        let (verdict, score) = verdicts[finished.trial as usize - 1];
        let evaluation = match verdict {
            "pass" => Evaluation::pass(),
            "fail" => Evaluation::fail("no"),
            _ => Evaluation::unknown("who knows"),
        };
        Evaluation { score, ..evaluation }
    }
}

#[tokio::test]
async fn the_best_trial_is_the_success_then_the_highest_score_then_unknown_then_the_later_one() {
    type Verdicts = &'static [(&'static str, Option<f64>)];
    let cases: [(Verdicts, usize); 6] = [
        (&[("fail", Some(0.3)), ("fail", Some(0.7)), ("fail", Some(0.5))], 1),
        (&[("fail", None), ("unknown", None), ("fail", None)], 1),
        (&[("fail", None), ("fail", None), ("fail", None)], 2),
        (&[("fail", Some(0.4)), ("unknown", None), ("fail", None)], 0),
        (&[("fail", Some(0.9)), ("pass", None)], 1),
        (&[("fail", Some(0.9)), ("pass", Some(0.1))], 1),
    ];
    for (verdicts, best) in cases {
        let outcome =
            builder(counting_actor()).evaluator(judging(verdicts)).build().unwrap().run("task").await.unwrap();
        assert_eq!(outcome.best, Some(best), "{verdicts:?}");
        assert_eq!(outcome.answer, format!("answer {}", best + 1));
        assert_eq!(outcome.best_trial().unwrap().number as usize, best + 1);
    }
}

#[tokio::test]
async fn the_last_answer_or_an_error_comes_by_choice() {
    let reflexion = |policy| {
        let reflexion = builder(counting_actor()).evaluator(scoring(&[0.3, 0.7, 0.5])).answer_policy(policy);
        reflexion.build().unwrap()
    };
    let last = reflexion(AnswerPolicy::Last).run("task").await.unwrap();
    assert_eq!((last.answer.as_str(), last.answered_by, last.best), ("answer 3", Some(2), Some(1)));
    let error = reflexion(AnswerPolicy::Error).run("task").await.unwrap_err();
    assert_eq!(error.to_string(), "no trial passed: no trial is left");
    assert_eq!((error.stage(), error.outcome().answer.as_str()), (None, "answer 2"));
    assert!(matches!(error, RunError::NotPassed { .. }));
    let passed =
        builder(counting_actor()).evaluator(passing_from(2)).answer_policy(AnswerPolicy::Error).build().unwrap();
    assert_eq!(passed.run("task").await.unwrap().answer, "answer 2");
}

#[tokio::test]
async fn an_unknown_verdict_is_a_fail_or_ends_the_run_by_choice() {
    let going_on = builder(counting_actor()).evaluator(judging(&[("unknown", None), ("pass", None)])).build().unwrap();
    let outcome = going_on.run("task").await.unwrap();
    assert_eq!((outcome.trials.len(), outcome.stop), (2, StopReason::Passed));
    let stopping = builder(counting_actor())
        .evaluator(judging(&[("fail", Some(0.9)), ("unknown", None)]))
        .unknown_policy(UnknownPolicy::Stop)
        .build()
        .unwrap();
    let outcome = stopping.run("task").await.unwrap();
    // The answer in hand, though an earlier one scored.
    assert_eq!((outcome.stop, outcome.answer.as_str()), (StopReason::UnknownVerdict, "answer 2"));
}

#[tokio::test]
async fn a_score_that_is_high_enough_is_a_success_whatever_the_verdict() {
    for verdict in ["fail", "unknown"] {
        let evaluator = move |_: &FinishedAttempt| match verdict {
            "fail" => Evaluation::fail("nearly").scored(0.8),
            _ => Evaluation::unknown("who knows").scored(0.8),
        };
        let reflexion = |least| builder(counting_actor()).evaluator(evaluator).success_score(least).build().unwrap();
        assert_eq!(reflexion(0.8).run("task").await.unwrap().stop, StopReason::Passed);
        assert_eq!(reflexion(0.81).run("task").await.unwrap().stop, StopReason::TrialsUsedUp);
    }
}

#[tokio::test]
async fn a_score_that_is_none_is_brought_to_reason() {
    for (given, kept) in [(f64::NAN, None), (7.0, Some(1.0)), (-1.0, Some(0.0))] {
        let evaluator = evaluator_fn(move |_: FinishedAttempt| async move {
            Ok(Evaluation { score: Some(given), ..Evaluation::pass() })
        });
        let outcome = builder(counting_actor()).evaluator(evaluator).build().unwrap().run("task").await.unwrap();
        assert_eq!(outcome.trials[0].evaluation.score, kept);
    }
}

#[tokio::test]
async fn an_outcome_tells_times_usage_and_lessons_of_each_trial() {
    let clock = std::sync::Arc::new(TickingClock::default());
    let evaluator = |finished: &FinishedAttempt| Evaluation {
        usage: reflect_llm::Usage { input_tokens: 7, output_tokens: 1, cost_usd: None },
        ..if finished.trial > 1 { Evaluation::pass() } else { Evaluation::fail("no") }
    };
    let saying = crate::support::Saying::new([Ok("Look at the second page first.")]);
    let reflexion =
        builder(crate::support::costly_actor(100, 0.5, 2)).reflector(saying).evaluator(evaluator).clock(clock);
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    let [first, second] = outcome.trials.as_slice() else { panic!("two trials") };
    assert!(outcome.started_at < first.started_at && first.started_at < first.attempted_at);
    assert!(
        first.attempted_at < first.ended_at && first.ended_at < second.started_at && second.ended_at < outcome.ended_at
    );
    assert_eq!((first.spent.act.usage.input_tokens, first.spent.evaluate.usage.input_tokens), (100, 7));
    assert_eq!((first.spent.reflect.usage.input_tokens, second.spent.reflect.tries), (10, 0));
    assert_eq!(outcome.spent().usage().input_tokens, 224);
    let lesson = first.lesson.as_ref().unwrap();
    assert_eq!((lesson.text().as_str(), second.lesson.as_ref()), ("Look at the second page first.", None));
    assert_eq!(lesson.written_by.as_ref().unwrap().reflector, "saying");
    assert_eq!(second.shown[0].lesson, lesson.lesson);
    assert_eq!(first.evaluation.verdict, Verdict::Fail);
}

#[tokio::test]
async fn an_outcome_survives_the_way_through_json() {
    let outcome = builder(counting_actor()).evaluator(never_passing()).build().unwrap().run("task").await.unwrap();
    let json = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<reflexion::Outcome>(&json).unwrap(), outcome);
}

#[test]
fn a_run_can_be_spawned() {
    fn is_send<T: Send>(_: &T) {}
    let reflexion: Reflexion = builder(counting_actor()).evaluator(never_passing()).build().unwrap();
    let run = reflexion.run("task");
    is_send(&run);
}
