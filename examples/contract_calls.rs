//! Every call that the published Python client knows, once, against the server that the environment names. A test compares the
//! requests of both.
#![expect(clippy::print_stdout, reason = "the test reads what was made")]

use reflect_client::{Message, ReflectClient, ReviewStatus, Scope};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let client = ReflectClient::from_env()?;
    let task = "Parse the CSV and return the top 5 rows";
    let trajectory = || [Message::user(task), Message::assistant("Here are the rows.")];

    client.health().await?;
    client.query(task).limit(3).lambda(0.5).await?;
    client.augment_with_memories(task).limit(10).lambda(0.5).await?;
    let stored = client
        .create_trace(task, trajectory())
        .retrieved_memory_ids(["mem-abc"])
        .model("gpt-5.4-mini")
        .metadata("source", "cli")
        .await?;
    client.create_trace(task, "plain text").final_response("rows").result("failure").feedback("wrong rows").await?;
    client.create_trace(task, trajectory()).result("success").and_wait().await?;
    client.list_traces().review_status(ReviewStatus::Pending).await?;
    client.list_traces().await?;
    client.get_trace(stored.trace_id).await?;
    client.review_trace(stored.trace_id, "fail").feedback("missed the header").await?;
    client.get_skill().await?;
    client.list_keys().await?;
    let key = client.create_key("reader", [Scope::MemoryRead]).await?;
    client.revoke_key(key.key.id.to_string()).await?;
    let made = client.with_project(format!("{}-made", client.project_id()))?;
    let token = std::env::var("REFLECT_BOOTSTRAP_TOKEN")?;
    made.bootstrap(token, "me").key_label("Default Admin Key").await?;
    println!("done");
    Ok(())
}
