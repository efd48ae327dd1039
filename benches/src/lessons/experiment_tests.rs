//! The whole way of a lesson, with an agent that is scripted and a memory in this process.

use std::sync::Arc;

use reflect_client::ReflectClient;
use reflect_llm::{ChatRequest, ScriptedModel, ScriptedStep};

use super::{
    actor::Actor,
    arm::Arm,
    experiment::Experiment,
    family::{Half, TaskSet, Wordings},
    options::Options,
    record::Records,
};

/// Says the task back, and "Team Nord" after it where anything in the prompt told it to.
pub(super) fn obedient(request: &ChatRequest) -> ScriptedStep {
    let prompt = request.messages.last().map(|message| message.text.as_str()).unwrap_or_default();
    let task = prompt.lines().next().unwrap_or_default();
    ScriptedStep::text(if prompt.contains("Team Nord") { format!("{task} Team Nord") } else { task.to_owned() })
}

async fn experiment(client: ReflectClient) -> Experiment {
    let mut tasks = TaskSet::load(Half::Tuning, Wordings::One).unwrap();
    tasks.families.truncate(1);
    tasks.plain.truncate(1);
    let model = Arc::new(ScriptedModel::answering(obedient).named("scripted"));
    let actor = Arc::new(Actor { model, max_tokens: 120, cache: None });
    Experiment { options: Options::default(), tasks, actor, client }
}

#[tokio::test]
async fn a_reviewers_words_reach_the_later_tasks_of_their_family() {
    let folder = tempfile::tempdir().unwrap();
    let client = ReflectClient::open(folder.path()).await.unwrap();
    let experiment = experiment(client.clone()).await;
    let mut records = Records::default();
    for arm in [Arm::None, Arm::Words] {
        records = records.followed_by(experiment.run(arm, 0).await.unwrap());
    }
    let passed = |arm| records.runs.iter().filter(|run| run.arm == arm && run.passed).count();
    assert_eq!((passed(Arm::None), passed(Arm::Words)), (0, 6));
    assert_eq!(records.runs.len(), 2 * (6 + 1));
    let in_family = |run: &&super::record::Run| run.arm == Arm::Words && run.family.is_some();
    assert!(records.runs.iter().filter(in_family).all(|run| run.own_lesson_at == Some(1)));
    let learned: Vec<_> = records.learned.iter().map(|learned| (learned.passed, &*learned.lesson)).collect();
    assert_eq!(learned, [(false, "Every greeting to a customer must end with the words Team Nord."), (true, "Right.")]);
    drop(experiment);
    client.close().await;
}
