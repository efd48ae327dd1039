//! What is remembered.

use async_trait::async_trait;
use reflect_core::Lesson;
use reflexion::{
    BestLessons, BoxError, EpisodicMemory, Keeps, LatestLessons, RememberedLesson, RunSoFar, Strategy, Trial,
};

use crate::support::{Log, Numbering, Saying, builder, counting_actor, listening_actor, never_passing, scoring};

#[tokio::test]
async fn best_lessons_keeps_those_of_the_best_trials_oldest_first() {
    let reflexion = |memory_size| {
        let reflexion = builder(counting_actor()).evaluator(scoring(&[0.2, 0.9, 0.4, 0.1, 0.0])).max_trials(5);
        reflexion.memory(BestLessons::new(memory_size)).build().unwrap()
    };
    let shown = |outcome: reflexion::Outcome| -> Vec<u32> {
        outcome.trials[4].shown.iter().map(|lesson| lesson.trial.unwrap()).collect()
    };
    assert_eq!(shown(reflexion(2).run("task").await.unwrap()), [2, 3]);
    assert_eq!(shown(reflexion(3).run("task").await.unwrap()), [1, 2, 3]);
    let unscored = builder(counting_actor()).evaluator(never_passing()).max_trials(5).memory(BestLessons::new(2));
    assert_eq!(shown(unscored.build().unwrap().run("task").await.unwrap()), [3, 4]);
    assert_eq!((BestLessons::new(0).keeps(), BestLessons::new(1).keeps()), (Keeps::Nothing, Keeps::ThisRun));
}

#[tokio::test]
async fn a_lesson_that_repeats_another_takes_no_second_place() {
    let saying = Saying::new([Ok("Count the apples twice."), Ok("Look under the table.")]);
    // The feedback is the third lesson, and the fourth, and says the same each time.
    let evaluator = |_: &reflexion::FinishedAttempt| reflexion::Evaluation::fail("seven is wrong");
    let reflexion = builder(counting_actor()).reflector(saying).evaluator(evaluator).max_trials(5).memory_size(3);
    let outcome = reflexion.build().unwrap().run("task").await.unwrap();
    let shown: Vec<Option<u32>> = outcome.trials[4].shown.iter().map(|lesson| lesson.trial).collect();
    assert_eq!(shown, [Some(1), Some(2), Some(4)]);
}

/// Has a lesson from an earlier run, and keeps what it is told.
struct House {
    told: Log,
    shown: bool,
}

#[async_trait]
impl EpisodicMemory for House {
    fn keeps(&self) -> Keeps {
        Keeps::BeyondTheRun
    }

    async fn recall(&self, run: &RunSoFar<'_>) -> Result<Vec<RememberedLesson>, BoxError> {
        assert!(self.shown, "nobody shows lessons");
        let old = Lesson { guidance: "Ask the gardener first.".into(), ..Lesson::default() };
        let earlier = RememberedLesson {
            lesson: old,
            id: Some("m1".into()),
            task: Some("count pears".into()),
            score: Some(0.75),
            ..RememberedLesson::default()
        };
        Ok([earlier].into_iter().chain(LatestLessons::new(3).select(run)).collect())
    }

    async fn remember(&self, run: &RunSoFar<'_>, trial: &Trial) -> Result<Option<String>, BoxError> {
        let used: Vec<&str> = trial.shown.iter().filter_map(|lesson| lesson.id.as_deref()).collect();
        let lesson = trial.lesson.as_ref().map(reflexion::TrialLesson::text).unwrap_or_default();
        let verdict = trial.evaluation.verdict.as_str();
        self.told.add(format!("{} {}: {verdict}, used {used:?}, learned `{lesson}`", run.task, trial.number));
        Ok(trial.lesson.as_ref().map(|_| format!("own {}", trial.number)))
    }
}

#[tokio::test]
async fn a_memory_from_elsewhere_is_shown_from_the_first_trial_on_and_told_of_every_trial() {
    let (prompts, told, numbering) = (Log::default(), Log::default(), Numbering::default());
    let memory = House { told: told.clone(), shown: true };
    let reflexion = builder(listening_actor(&prompts)).reflector(numbering.clone()).evaluator(never_passing());
    reflexion.memory(memory).max_trials(2).build().unwrap().run("count").await.unwrap();
    let first = &prompts.lines()[0];
    assert!(first.contains("<memory id=\"m1\" result=\"unknown\" score=\"0.75\">") && first.ends_with("\n\ncount"));
    assert!(first.contains("<past_task>count pears</past_task>") && !first.contains("You tried"));
    assert_eq!(
        told.lines(),
        [
            "count 1: fail, used [\"m1\"], learned `lesson of answer 1`",
            // Its own lesson has an id by now, so that it can be credited, too.
            "count 2: fail, used [\"m1\", \"own 1\"], learned ``",
        ]
    );
    // The reflector knows that lesson, too.
    let known = numbering.seen.lock().unwrap()[0].shown_lessons[0].clone();
    assert_eq!((known.memory_id.as_str(), known.task.as_str()), ("m1", "count pears, score 0.75"));
}

#[tokio::test]
async fn a_memory_that_outlives_the_run_gets_lessons_that_the_run_itself_does_not_show() {
    let told = Log::default();
    let memory = House { told: told.clone(), shown: false };
    let reflexion = builder(counting_actor()).evaluator(never_passing()).memory(memory).strategy(Strategy::Nothing);
    let outcome = reflexion.build().unwrap().run("count").await.unwrap();
    assert_eq!(outcome.trials.iter().filter(|trial| trial.lesson.is_some()).count(), 2);
    assert!(told.lines()[0].ends_with("learned `lesson of answer 1`"));
}
