//! Prints what a model would be sent for a small run. `cargo run -p reflection --example show_prompt`

#![expect(clippy::print_stdout, clippy::expect_used, reason = "an example for the terminal")]

use std::sync::Arc;

use reflect_core::{Outcome, RawJson, ReviewSource, Trajectory};
use reflect_llm::ScriptedModel;
use reflection::{LlmReflector, LlmReflectorOptions, ReviewedRun};

fn main() {
    let trajectory = RawJson::from_value(&serde_json::json!([
        {"role": "user", "content": "Refund order A-17"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "refund", "arguments": "{\"id\": \"17\"}"}}]},
        {"role": "tool", "tool_call_id": "1", "name": "refund", "content": "refunded 17"},
        {"role": "assistant", "content": "The refund is on its way."},
    ]));
    let trajectory = Trajectory::from_wire(&trajectory, 100).expect("a list of messages");
    let run = ReviewedRun {
        task: "Refund order A-17".into(),
        messages: trajectory.messages(),
        final_response: trajectory.last_assistant_text(),
        outcome: Outcome::Fail,
        feedback_text: Some("That was somebody else's order.".into()),
        review_source: ReviewSource::Api,
        reference_context: None,
        shown_lessons: Vec::new(),
    };
    let reflector = LlmReflector::new(Arc::new(ScriptedModel::new([])), LlmReflectorOptions::default());
    let (instructions, prompt) = reflector.prompt(&run);
    println!("{instructions}\n──────────\n{prompt}");
}
