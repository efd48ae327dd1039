//! Runs that are stored without a review, and reviewed later: one by one, and many at once.
//!
//! ```text
//! cargo run --example deferred_review
//! ```
//!
//! It opens a folder of its own; with `REFLECT_API_KEY` set it asks a server instead.
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

mod support;

use reflect_client::{Message, ReviewStatus};
use support::{Agent, connect};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (client, _folder) = connect().await?;
    let mut stored = Vec::new();
    for order in 1..=4 {
        let task = format!("Refund order {order}");
        let trajectory = [Message::user(&task), Message::assistant(Agent.answer(&task))];
        stored.push(client.create_trace(&task, trajectory).await?.trace_id);
    }
    let pending = client.list_traces().review_status(ReviewStatus::Pending).summaries().await?;
    println!("pending: {}", pending.iter().filter(|trace| stored.contains(&trace.id)).count());

    // One by one: the answer has the lesson.
    let (Some(first), rest) = (stored.first().copied(), stored.iter().skip(1)) else { return Ok(()) };
    let trace = client.review_trace(first, "fail").feedback("The order was not looked up first.").await?;
    println!("reviewed: {} (memory: {})", trace.review_status, trace.created_memory_id.is_some());

    // Many at once: each is answered for, and the lessons follow.
    let reviews = rest.fold(client.review_traces(), |reviews, trace_id| reviews.passed(*trace_id));
    let answer = reviews.await?;
    println!("in bulk: {} answers", answer.reviews.len());
    for trace_id in stored {
        client.wait_for_trace(trace_id).require_reviewed(true).await?;
    }
    // What the reviewer said is worth more than three runs that just passed.
    let memories = client.query("Refund order 5").await?.memories;
    println!("told: {}", memories.iter().map(|memory| memory.guidance.as_str()).collect::<Vec<_>>().join(" "));
    client.close().await;
    Ok(())
}
