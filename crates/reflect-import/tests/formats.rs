//! Files as the tools write them, and the lines that they become.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

use reflect_core::Timestamp;
use reflect_import::{ConvertError, Format, Target, convert};
use serde_json::Value;

fn target() -> Target {
    let [now, undated] = [1_800_000_000_000_000, 1_700_000_000_000_000].map(Timestamp::from_micros);
    Target { project_id: "shop".parse().unwrap(), embedder: "test-2".into(), now, undated }
}

fn lines(format: Format, file: &str) -> Result<Vec<Value>, ConvertError> {
    let mut lines = Vec::new();
    convert(format, file.as_bytes(), &target(), &mut |line| {
        lines.push(serde_json::from_str(&line).unwrap());
        Ok(())
    })?;
    Ok(lines)
}

#[test]
fn chat_logs_become_traces() {
    insta::assert_json_snapshot!(lines(Format::OpenAi, include_str!("fixtures/openai.jsonl")).unwrap());
}

#[test]
fn memories_of_mem0_become_memories() {
    insta::assert_json_snapshot!(lines(Format::Mem0, include_str!("fixtures/mem0.json")).unwrap());
}

#[test]
fn traces_of_langfuse_become_traces_with_reviews() {
    insta::assert_json_snapshot!(lines(Format::Langfuse, include_str!("fixtures/langfuse.json")).unwrap());
}

#[test]
fn runs_of_langsmith_become_traces_with_their_tools() {
    insta::assert_json_snapshot!(lines(Format::LangSmith, include_str!("fixtures/langsmith.jsonl")).unwrap());
}

#[test]
fn lines_lists_and_pages_are_read_alike() {
    let record = r#"{"id": "a", "memory": "m", "created_at": "2025-01-01T00:00:00Z"}"#;
    let read = |file: &str| lines(Format::Mem0, file).unwrap();
    let one_by_one = read(&format!("{record}\n{record}\n\n"));
    assert_eq!(one_by_one.len(), 5);
    assert_eq!(read(&format!("[{record},\n {record}]")), one_by_one);
    assert_eq!(read(&format!(r#"{{"results": [{record}, {record}], "relations": []}}"#)), one_by_one);
    assert_eq!(one_by_one.first().unwrap(), &serde_json::json!({"reflect_export": 1}));
    assert_eq!(read("").len(), 3);
}

#[test]
fn what_is_of_another_shape_is_named() {
    let said = |format, file: &str| lines(format, file).unwrap_err().to_string();
    assert_eq!(
        said(Format::OpenAi, "{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}\n{\"prompt\": \"x\"}"),
        "record 2 is nothing that OpenAi exports: it has no list `messages`"
    );
    assert!(said(Format::Mem0, "{\"id\": \"a\"}").contains("no text `memory`"));
    assert!(said(Format::Langfuse, "{\"name\": \"a\"}").contains("no `id`"));
    assert!(said(Format::LangSmith, "{\"id\": \"a\"}").contains("no `run_type`"));
    assert!(said(Format::Mem0, "{\"id\"").starts_with("record 1 cannot be read"));
    assert!("csv".parse::<Format>().unwrap_err().contains("openai, mem0, langfuse, langsmith"));
}
