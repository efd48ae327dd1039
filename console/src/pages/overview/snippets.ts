export type SnippetValues = { url: string; key: string; project: string };

/** What to paste to get a first trace, in three languages. The run fails on purpose: from that a lesson is made. */
export const SNIPPETS = {
  python: {
    label: "Python",
    text: ({ url, key, project }: SnippetValues) => `from reflect_sdk import ReflectClient

client = ReflectClient(
    base_url=${JSON.stringify(url)},
    api_key=${JSON.stringify(key)},
    project_id=${JSON.stringify(project)},
)

client.create_trace_and_wait(
    task="Write a greeting to the customer Chen",
    trajectory=[{"role": "assistant", "content": "Hello Chen!"}],
    review_result="fail",
    feedback_text="Every greeting to a customer ends with the words Team Nord.",
)

# A similar task is shown what was learned.
task = "Write a greeting to the customer Diaz"
print(client.augment_with_memories(task=task).augmented_task)
`,
  },
  rust: {
    label: "Rust",
    text: ({ url, key, project }: SnippetValues) => `use reflect_client::{Message, ReflectClient};

let client = ReflectClient::builder()
    .base_url(${JSON.stringify(url)})
    .api_key(${JSON.stringify(key)})
    .project(${JSON.stringify(project)})
    .build()?;

let answer = [Message::assistant("Hello Chen!")];
client
    .create_trace("Write a greeting to the customer Chen", answer)
    .failed("Every greeting to a customer ends with the words Team Nord.")
    .await?;

// A similar task is shown what was learned.
let task = "Write a greeting to the customer Diaz";
let augmented = client.augment_with_memories(task).await?;
println!("{}", augmented.augmented_task);
`,
  },
  curl: {
    label: "curl",
    text: ({
      url,
      key,
      project,
    }: SnippetValues) => `curl ${shellQuoted(`${url}/v1/projects/${encodeURIComponent(project)}/traces`)} \\
  --header ${shellQuoted(`Authorization: Bearer ${key}`)} \\
  --json '{
    "task": "Write a greeting to the customer Chen",
    "trajectory": [{"role": "assistant", "content": "Hello Chen!"}],
    "review": {
      "result": "fail",
      "feedback_text": "Every greeting to a customer ends with the words Team Nord."
    }
  }'
`,
  },
};
export type Language = keyof typeof SNIPPETS;

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
