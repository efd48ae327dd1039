//! Scope, attribute and explicit calls, each twice: the second run is shown what the first one taught.
//!
//! ```text
//! cargo run --example three_patterns
//! ```
//!
//! It opens a folder of its own; with `REFLECT_API_KEY` set it asks a server instead.
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

mod support;

use reflect_client::{Message, ReflectClient, TraceContext, TraceOutput, TraceResult, reflect_trace};
use support::{Agent, connect};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (client, _folder) = connect().await?;
    for run in ["first", "second"] {
        println!("== {run} run");
        scope(&client).await?;
        let answer = answer(client.clone(), "Summarise the quarterly report").await?;
        println!("attribute: {answer}");
        explicit(&client).await?;
    }
    client.close().await;
    Ok(())
}

/// Memories on entry, the trace on exit.
async fn scope(client: &ReflectClient) -> anyhow::Result<()> {
    let scope = client.trace("Parse the CSV and return the top 5 rows").limit(5).lambda(0.5).blocking(true);
    let traced = scope
        .run(|ctx| async move {
            println!("scope: {} memories", ctx.memories().len());
            let answer = Agent.answer(ctx.augmented_task());
            let trajectory = [Message::user(ctx.augmented_task()), Message::assistant(&answer)];
            ctx.set_output(TraceOutput::new(trajectory).passed().model("stand-in"));
            anyhow::Ok(answer)
        })
        .await?;
    println!("scope: {} (stored: {})", traced.value, traced.trace_id.is_some());
    Ok(())
}

/// The same around a function. The client is an argument here; a `static` does as well.
#[reflect_trace(client = client, task = |_, question| question.to_string(), blocking = true)]
async fn answer(ctx: TraceContext, client: ReflectClient, question: &str) -> anyhow::Result<TraceResult<String>> {
    println!("attribute: {} memories for {question:?}", ctx.memories().len());
    let answer = Agent.answer(ctx.augmented_task());
    let trajectory = [Message::user(ctx.augmented_task()), Message::assistant(&answer)];
    drop(client);
    Ok(TraceResult::new(answer, trajectory).failed("Missed the decline in Q3"))
}

/// Every step by hand.
async fn explicit(client: &ReflectClient) -> anyhow::Result<()> {
    let task = "Refund order A-17";
    let augmented = client.augment_with_memories(task).limit(3).await?;
    println!("explicit: {} memories", augmented.memories.len());
    let answer = Agent.answer(&augmented.augmented_task);
    let trajectory = [Message::user(&augmented.augmented_task), Message::assistant(&answer)];
    let trace = client.create_trace(task, trajectory).memories(&augmented).passed().and_wait().await?;
    println!("explicit: {answer} ({})", trace.review_status);
    Ok(())
}
