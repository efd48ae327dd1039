//! Tasks that are more than one text.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reflect_client::ReflectClient;
use reflect_llm::{ChatReply, ScriptedModel, ScriptedStep, Usage};
use reflexion::{
    AttemptContext, BoxError, BudgetKind, Budgets, ChatActor, Checkpoint, CheckpointSink, Content, Evaluation,
    FinishedAttempt, Part, ProjectMemory, StopReason, actor_fn,
};
use serde_json::{Value, json};

use crate::support::{Numbering, builder, never_passing, passing_from};

fn photo() -> Part {
    Part::image(*b"\x89PNG\r\n\x1a\n")
}

fn task() -> [Part; 3] {
    [Part::text("What is in the picture?"), photo(), Part::text("One word.")]
}

/// A model that answers this each time, and says nothing about what it read.
fn silent_model(answer: &'static str) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::answering(move |_| ScriptedStep::text(answer)))
}

#[tokio::test]
async fn the_model_is_shown_all_inputs_in_order_and_what_is_remembered_before_them() {
    let model = silent_model("a dog");
    let reflexion = builder(ChatActor::new(model.clone())).evaluator(passing_from(2)).build().unwrap();
    let outcome = reflexion.run(task()).await.unwrap();
    assert_eq!(outcome.task, "What is in the picture?\nOne word.");
    let requests = model.requests();
    assert_eq!(requests[0].messages[0].content(), Content::from(task()));
    let second = &requests[1].messages[0];
    assert!(second.text.starts_with("<relevant_memories>") && second.text.ends_with("\n\nWhat is in the picture?"));
    assert_eq!(second.parts, [photo(), Part::text("One word.")]);
}

#[tokio::test]
async fn a_task_without_words_is_named_and_still_comes_after_what_is_remembered() {
    let model = silent_model("a dog");
    let reflexion = builder(ChatActor::new(model.clone())).evaluator(passing_from(2)).build().unwrap();
    assert_eq!(reflexion.run(photo()).await.unwrap().task, "an image (image/png, 8 bytes)");
    let second = &model.requests()[1].messages[0];
    assert!(second.text.ends_with("</relevant_memories>"), "{}", second.text);
    assert_eq!(second.parts, [photo()]);
}

#[tokio::test]
async fn evaluators_and_reflectors_learn_of_what_they_cannot_see_whoever_acts() {
    let (seen, numbering) = (Arc::new(Mutex::new(Vec::new())), Numbering::default());
    let inputs = seen.clone();
    let evaluator = move |finished: &FinishedAttempt| {
        inputs.lock().unwrap().push(finished.inputs.clone());
        Evaluation::fail("no")
    };
    // It records its answer alone.
    let actor = actor_fn(|_: String, context: AttemptContext| async move { Ok(context.inputs.0[1].to_string()) });
    let reflexion = builder(actor).evaluator(evaluator).reflector(numbering.clone()).max_trials(2);
    let outcome = reflexion.build().unwrap().run(task()).await.unwrap();
    assert_eq!(outcome.answer, "an image (image/png, 8 bytes)");
    assert_eq!(*seen.lock().unwrap(), [Content::from(task()), Content::from(task())]);
    assert_eq!(outcome.trials[0].attempt.messages[0].content(), Content::from(task()));
    let reflected = &numbering.seen.lock().unwrap()[0].messages[0];
    assert_eq!(reflected.text, "What is in the picture?\nOne word.");
    assert_eq!(reflected.media[0].to_string(), "an image (image/png, 8 bytes)");
}

#[tokio::test]
async fn images_count_by_estimate_where_the_provider_does_not_say() {
    let spent = |model: Arc<ScriptedModel>| async move {
        let reflexion = builder(ChatActor::new(model)).evaluator(passing_from(1)).build().unwrap();
        reflexion.run(task()).await.unwrap().spent().act.usage.input_tokens
    };
    assert_eq!(spent(silent_model("a dog")).await, photo().estimated_tokens());
    let usage = Usage { input_tokens: 321, output_tokens: 1, cost_usd: None };
    let telling = ScriptedModel::new([ScriptedStep::reply(ChatReply { usage, ..ChatReply::text("a dog") })]);
    assert_eq!(spent(Arc::new(telling)).await, 321);
}

#[tokio::test]
async fn a_trial_that_its_images_alone_would_take_beyond_the_budget_is_not_begun() {
    let model = silent_model("a dog");
    let budgets = Budgets { tokens: Some(photo().estimated_tokens() * 2 - 1), ..Default::default() };
    let reflexion = builder(ChatActor::new(model)).evaluator(never_passing()).budgets(budgets).build().unwrap();
    let outcome = reflexion.run(task()).await.unwrap();
    assert_eq!((outcome.stop, outcome.trials.len()), (StopReason::Budget(BudgetKind::Tokens), 1));
    let outcome =
        reflexion.run([Part::text("Sum it up."), Part::document_url("https://a.example/b.pdf")]).await.unwrap();
    assert_eq!((outcome.stop, outcome.trials.len()), (StopReason::Budget(BudgetKind::Tokens), 0));
}

#[derive(Clone, Default)]
struct Latest(Arc<Mutex<String>>);

#[async_trait]
impl CheckpointSink for Latest {
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), BoxError> {
        *self.0.lock().unwrap() = checkpoint.to_json()?;
        Ok(())
    }
}

#[tokio::test]
async fn a_resumed_run_has_its_images_again_and_words_alone_are_stored_as_ever() {
    let latest = Latest::default();
    let agent = |model: &Arc<ScriptedModel>, trials| {
        let reflexion = builder(ChatActor::new(model.clone())).evaluator(never_passing()).max_trials(trials);
        reflexion.checkpoints(latest.clone()).build().unwrap()
    };
    let model = silent_model("a dog");
    agent(&model, 1).run(task()).await.unwrap();
    let json = latest.0.lock().unwrap().clone();
    let written: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&written["version"], &written["task"]), (&json!(2), &json!("What is in the picture?\nOne word.")));
    agent(&model, 2).resume(Checkpoint::from_json(&json).unwrap()).await.unwrap();
    assert_eq!(model.requests()[1].messages[0].parts, [photo(), Part::text("One word.")]);
    agent(&model, 1).run("words alone").await.unwrap();
    let written: Value = serde_json::from_str(&latest.0.lock().unwrap()).unwrap();
    assert_eq!((&written["version"], written.get("inputs")), (&json!(1), None));
}

#[tokio::test]
async fn a_project_stores_what_fits_as_content_parts_and_names_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let client = ReflectClient::open(folder.path()).await.unwrap();
    let reflexion = builder(ChatActor::new(silent_model("a dog"))).evaluator(passing_from(1));
    let reflexion = reflexion.memory(ProjectMemory::new(client.clone())).build().unwrap();
    let mut large = b"%PDF-1.7 ".to_vec();
    large.resize(1_200_000, b'x');
    let [words, photo, more] = task();
    reflexion.run([words, photo, Part::document(large), more]).await.unwrap();
    let listed = client.list_traces().await.unwrap();
    let trace = client.get_trace(listed.first().unwrap().id).await.unwrap();
    let trajectory = serde_json::to_value(&trace.trajectory).unwrap();
    let expected = json!([
        {"type": "text", "text": "What is in the picture?"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
        {"type": "text", "text": "[a document (application/pdf, 1.2 MB), too large to be stored]"},
        {"type": "text", "text": "One word."},
    ]);
    assert_eq!(trajectory[0]["content"], expected, "{trajectory}");
    let memory = client.query("What is in the picture?").await.unwrap().memories.remove(0);
    let named = "It came with an image (image/png, 8 bytes), not looked at for this lesson.";
    assert!(memory.lesson().summary.ends_with(named), "{:?}", memory.lesson());
}
