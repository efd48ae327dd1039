//! An actor with a tool: `cargo run --example reflexion_tools`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use reflect_examples::loopback::{self, Reply};
use reflexion::{ChatActor, Evaluation, FinishedAttempt, Reflexion, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// What the model has to send, and what it is told about it.
#[derive(Deserialize, JsonSchema)]
struct Order {
    /// Such as `A-17`.
    id: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(play).await?;
    let get_order = Tool::new("get_order", "Looks an order up.", |order: Order| async move {
        match order.id.as_str() {
            "A-17" => Ok("9 €, delivered"),
            // The model is told, and may call again.
            _ => Err("there is no such order; ids look like A-17".into()),
        }
    });
    let actor = ChatActor::new(model.clone()).system_prompt("Answer by what your tools say.").tool(get_order);
    let agent = Reflexion::builder(actor)
        .model(model)
        .evaluator(|finished: &FinishedAttempt| match finished.answer().contains("9 €") {
            true => Evaluation::pass(),
            false => Evaluation::fail("the price is missing"),
        })
        .build()?;
    let outcome = agent.run("What did order 17 cost?").await?;
    for message in outcome.trials.iter().flat_map(|trial| &trial.attempt.messages) {
        let calls = message.tool_calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
        println!("{}: {}{}", message.role, calls.collect::<String>(), message.text);
    }
    Ok(())
}

fn play(messages: &[Value]) -> Reply {
    match messages.last().and_then(|message| message["content"].as_str()) {
        Some(text) if text.starts_with("error") => Reply::Call("get_order", json!({"id": "A-17"})),
        Some(text) if text.contains("delivered") => Reply::Text("It cost 9 €."),
        _ => Reply::Call("get_order", json!({"id": "17"})),
    }
}
