//! The prompt: the task, and the memories as one of two clients writes them.

use reflect_client::{AugmentedTask, Memory};
use regex::Regex;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// How memories are put into the prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockOptions {
    pub(super) writer: BlockWriter,
    /// Whether the task that a lesson comes from is shown.
    pub(super) shows_task: bool,
    /// Whether the outcome of its run is shown.
    pub(super) shows_outcome: bool,
}

/// Whose block it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockWriter {
    /// Our formatter.
    Ours,
    /// The published Python client, `reflect-sdk` 0.3.3.
    Published,
}

/// Word for word what the published client tells the agent about its block.
const PUBLISHED_INSTRUCTIONS: &str = "Review the memories below before answering. Each memory contains a reflection — a lesson learned from a past task. Memories \
     with higher q_value (0-1 scale) have historically led to better outcomes.\n\n\
     - outcome=\"success\": The past task succeeded. The reflection describes the strategy that worked. FOLLOW this advice.\n\
     - outcome=\"failure\": The past task failed. The reflection is a POST-MORTEM that diagnoses what went wrong and recommends \
     corrective steps. FOLLOW the recommendations in the reflection — they describe what TO DO to avoid the same failure, not what to avoid doing.\n\
     - outcome=\"unknown\": No review yet. Use your judgment.\n\n\
     If a memory's past task differs significantly from the current task, extract only the transferable principle.";

/// The client's prompt as the options want it. The memories' ids are replaced by ones that follow from what they say: real ones differ from
/// run to run, and a model may answer differently because of them.
pub(super) fn adjust(augmented: &AugmentedTask, options: BlockOptions) -> anyhow::Result<String> {
    let mut prompt = augmented.augmented_task.clone();
    for memory in &augmented.memories {
        prompt = prompt.replace(&memory.id.to_string(), &stable_id(memory).to_string());
    }
    if !options.shows_task {
        prompt = Regex::new(r"(?s)<past_task>.*?</past_task>\n")?.replace_all(&prompt, "").into_owned();
    }
    if !options.shows_outcome {
        prompt = Regex::new(r#"(<memory [^>]*?) outcome="[a-z]+""#)?.replace_all(&prompt, "$1").into_owned();
        prompt = Regex::new(r"<context>.*?</context>\n")?.replace_all(&prompt, "").into_owned();
    }
    Ok(prompt)
}

fn stable_id(memory: &Memory) -> Uuid {
    let digest = Sha256::digest(format!("{}\n{}", memory.task, memory.reflection));
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(byte, value)| *byte = value);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The prompt that the published client writes.
pub(super) fn published_prompt(task: &str, memories: &[Memory]) -> String {
    if memories.is_empty() {
        return task.to_owned();
    }
    let blocks: Vec<String> = memories.iter().map(published_memory).collect();
    format!(
        "{task}\n\n<relevant_memories>\n<instructions>{PUBLISHED_INSTRUCTIONS}</instructions>\n\n{}\n</relevant_memories>",
        blocks.join("\n\n")
    )
}

/// Nothing is escaped: the published client escapes nothing.
fn published_memory(memory: &Memory) -> String {
    let (outcome, context) = match memory.success {
        Some(true) => ("success", "This approach worked. Apply this strategy."),
        Some(false) => (
            "failure",
            "This task failed. The reflection below is a post-mortem with corrective advice — follow its recommendations.",
        ),
        None => ("unknown", "No outcome recorded."),
    };
    let Memory { id, q_value, similarity, task, reflection, .. } = memory;
    format!(
        "<memory id=\"{id}\" q_value=\"{q_value:.2}\" similarity=\"{similarity:.2}\" outcome=\"{outcome}\">\n\
         <context>{context}</context>\n<past_task>{task}</past_task>\n<reflection>{reflection}</reflection>\n</memory>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn augmented(id: u128) -> AugmentedTask {
        let memory = serde_json::json!({
            "id": Uuid::from_u128(id), "task": "Greet Chen", "reflection": "Team Nord comes last.", "q_value": 0.5, "similarity": 0.8, "score": 0.65,
            "success": false, "summary": "", "key_mistake": "", "correct_action": "", "guidance": "", "applicable_tools": [], "tools_used": [],
        });
        let memories = vec![serde_json::from_value(memory).unwrap()];
        let (task, augmented_task) = ("Greet Ada".to_owned(), published_prompt("Greet Ada", &memories));
        AugmentedTask { task, augmented_task, memories, retrieval_id: None }
    }

    #[test]
    fn a_prompt_does_not_depend_on_the_ids_of_a_run() {
        let options = BlockOptions { writer: BlockWriter::Published, shows_task: true, shows_outcome: true };
        let prompt = adjust(&augmented(1), options).unwrap();
        assert_eq!(prompt, adjust(&augmented(2), options).unwrap());
        assert!(prompt.contains("<past_task>Greet Chen</past_task>\n<reflection>Team Nord comes last.</reflection>"));
    }

    #[test]
    fn task_and_outcome_can_be_left_out() {
        let options = BlockOptions { writer: BlockWriter::Published, shows_task: false, shows_outcome: false };
        let prompt = adjust(&augmented(1), options).unwrap();
        let (_, memory) = prompt.split_once("similarity=").unwrap();
        assert_eq!(
            memory,
            "\"0.80\">\n<reflection>Team Nord comes last.</reflection>\n</memory>\n</relevant_memories>"
        );
        assert!(prompt.contains("- outcome=\"success\": The past task succeeded."));
    }
}
