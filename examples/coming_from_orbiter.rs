//! The example of orbiter's `eval.reflection`, line for line: a judge that answers JSON, a failed run, a history.
//!
//! ```text
//! cargo run --example coming_from_orbiter
//! ```
//!
//! `docs/coming-from-orbiter.md` has each class and method beside ours.
#![expect(clippy::print_stdout, reason = "it shows what was found to the person at the terminal")]

use reflection::{Context, GeneralReflector, ReflectionHistory, ReflectionType, Reflector};

async fn my_judge(_prompt: String) -> String {
    r#"{
        "summary": "The agent failed to handle edge cases in the input.",
        "key_findings": ["Missing null check", "No retry logic"],
        "root_causes": ["Insufficient error handling"],
        "insights": ["Edge cases need explicit handling"],
        "suggestions": ["Add input validation", "Implement retry with backoff"]
    }"#
    .to_owned()
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let reflector = GeneralReflector::new().with_judge(my_judge).with_type(ReflectionType::Failure);

    let context = Context::new()
        .with("input", "Process this data: null")
        .with("output", "Error: NoneType has no attribute 'strip'")
        .with("error", "AttributeError")
        .with("iteration", 3);

    let result = reflector.reflect(&context).await?;
    println!("Type: {}", result.reflection_type());
    println!("Summary: {}", result.summary());
    println!("Suggestions: {:?}", result.suggestions());

    // Tracked in a history.
    let mut history = ReflectionHistory::new();
    history.add(result);
    println!("{}", serde_json::to_string(&history.summarize())?);
    Ok(())
}
