//! What the reflector reads, and what is made of its words.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_llm::{ScriptedModel, ScriptedStep};
use reflection::{Analysis, Context, ReflectError, Reflector};
use reflexion::{LessonSource, Reflexion, Stage, any_reflector};

use crate::support::{Numbering, Saying, builder, counting_actor, never_passing, passing_from, scoring};

#[tokio::test]
async fn earlier_lessons_and_their_scores_are_in_what_the_reflector_reads() {
    let numbering = Numbering::default();
    let reflexion = builder(counting_actor()).reflector(numbering.clone()).evaluator(scoring(&[0.25, 0.5, 0.0, 0.0]));
    // Room for one: what was forgotten by then is known to the reflector all the same.
    reflexion.max_trials(4).memory_size(1).build().unwrap().run("task").await.unwrap();
    let seen = numbering.seen.lock().unwrap();
    let known: Vec<Vec<(&str, &str)>> = seen
        .iter()
        .map(|run| {
            run.shown_lessons.iter().map(|known| (known.task.as_str(), known.lesson.guidance.as_str())).collect()
        })
        .collect();
    let first = ("this same task, trial 1, score 0.25", "lesson of answer 1");
    let second = ("this same task, trial 2, score 0.50", "lesson of answer 2");
    assert_eq!(known, [vec![], vec![first], vec![first, second]]);
    assert_eq!(seen[0].feedback_text.as_deref(), Some("not yet"));
}

#[tokio::test]
async fn a_lesson_of_no_use_is_asked_for_once_more_and_then_the_feedback_takes_its_place() {
    let cases = [
        (vec![Ok(""), Ok("Look under the table.")], "Look under the table.", LessonSource::Reflector),
        (vec![Ok("answer 1"), Ok("Look under the table.")], "Look under the table.", LessonSource::Reflector),
        (vec![Ok(""), Ok("answer 1")], "trial 1 was wrong", LessonSource::Feedback),
    ];
    for (lessons, text, source) in cases {
        let saying = Arc::new(Saying::new(lessons));
        let reflexion = builder(counting_actor()).shared_reflector(saying.clone()).evaluator(passing_from(2));
        let outcome = reflexion.build().unwrap().run("task").await.unwrap();
        let lesson = outcome.trials[0].lesson.as_ref().unwrap();
        assert_eq!((lesson.text().as_str(), lesson.source), (text, source));
        assert_eq!(saying.calls.lines(), ["asked with 0 known", "asked with 1 known"]);
        assert_eq!(outcome.trials[0].spent.reflect.tries, 2);
        assert_eq!(outcome.trials[0].spent.reflect.usage.input_tokens, 20);
        assert!(outcome.troubles.iter().all(|trouble| trouble.stage == Stage::Reflector));
    }
}

#[tokio::test]
async fn a_lesson_that_repeats_an_earlier_one_is_of_no_use() {
    let again = "look under the table, and behind the red door!";
    let saying = Saying::new([Ok("Look under the table and behind the red door."), Ok(again), Ok(again)]);
    let reflexion = builder(counting_actor()).reflector(saying).evaluator(never_passing()).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    assert_eq!(outcome.trials[1].lesson.as_ref().unwrap().text(), "trial 2 was wrong");
    assert_eq!(outcome.troubles.len(), 2);
    assert!(outcome.troubles[0].error.contains("repeats an earlier lesson"));
}

#[tokio::test]
async fn without_feedback_a_useless_lesson_leaves_nothing_and_tells_nothing() {
    let witness = crate::support::Witness::default();
    let saying = Saying::new([Ok(""), Ok("")]);
    let evaluator = |_: &reflexion::FinishedAttempt| reflexion::Evaluation::fail("");
    let reflexion = builder(counting_actor()).reflector(saying).evaluator(evaluator).max_trials(2);
    let outcome =
        reflexion.hooks(witness.clone()).listener(witness.listener()).build().unwrap().run("t").await.unwrap();
    assert_eq!(outcome.trials[0].lesson, None);
    assert_eq!((witness.log.count("hook reflection"), witness.log.count("event reflection")), (0, 0));
}

#[tokio::test]
async fn a_reflector_that_gave_up_by_itself_is_not_asked_again() {
    let saying = Arc::new(Saying::new([Err(ReflectError::Unusable("it repeats the answer".into()))]));
    let reflexion = builder(counting_actor()).shared_reflector(saying.clone()).evaluator(passing_from(2));
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert_eq!(
        (saying.calls.lines().len(), outcome.trials[0].lesson.as_ref().unwrap().source),
        (1, LessonSource::Feedback)
    );
}

struct Echo;

#[async_trait]
impl Reflector for Echo {
    async fn analyze(&self, context: &Context<'_>) -> Result<Analysis, ReflectError> {
        let read = |key| context.text(key).unwrap_or_default();
        let suggestions =
            vec![format!("{} / {} / {} / {}", read("input"), read("output"), read("error"), read("earlier_lessons"))];
        Ok(Analysis { suggestions, ..Analysis::default() })
    }
}

#[tokio::test]
async fn any_reflector_can_write_lessons() {
    let reflexion =
        builder(counting_actor()).reflector(any_reflector(Echo)).evaluator(never_passing()).build().unwrap();
    let outcome = reflexion.run("task").await.unwrap();
    let lesson = |place: usize| outcome.trials[place].lesson.as_ref().unwrap();
    assert_eq!(lesson(0).text(), "task / answer 1 / trial 1 was wrong / ");
    assert!(lesson(1).text().contains("(this same task, trial 1)"));
    assert_eq!(lesson(0).written_by.as_ref().unwrap().reflector, "reflector");
}

#[tokio::test]
async fn a_model_writes_the_lesson_when_one_is_named_and_reads_the_trial_without_old_lessons_as_evidence() {
    let model = Arc::new(ScriptedModel::answering(|request| {
        let number = request.messages.iter().filter(|message| message.text.contains("recalled lesson 1")).count();
        let guidance = ["Read the second page before the first one.", "Compare both pages line by line, then answer."];
        ScriptedStep::text(format!(r#"{{"summary": "It failed.", "guidance": "{}"}}"#, guidance[number.min(1)]))
    }));
    let reflexion = Reflexion::builder(counting_actor()).model(model.clone()).evaluator(scoring(&[0.4, 0.5, 0.0]));
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    assert_eq!(outcome.trials[0].lesson.as_ref().unwrap().source, LessonSource::Reflector);
    assert_eq!(
        outcome.trials[0].lesson.as_ref().unwrap().written_by.as_ref().unwrap().model.as_deref(),
        Some("scripted/model")
    );
    let second = &model.requests()[1].messages[1].text;
    assert!(
        second.contains("about: this same task, trial 1, score 0.40") && second.contains("Read the second page"),
        "{second}"
    );
    assert_eq!(model.requests().len(), 2);
}
