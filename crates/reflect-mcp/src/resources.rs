//! What can be read: how to use the tools, and what the project has learned.

use reflect_api::{ErrorCode, ListMemoriesRequest, MemoryDetail, SkillAnswer};
use reflect_core::{MemoryStatus, memory_block::escape};
use reflect_service::{Page, Refusal, ServiceResult};
use rmcp::{
    ErrorData,
    model::{Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

use crate::{AGENT_SKILL, Asked};

const MARKDOWN: &str = "text/markdown";
const GUIDE: &str = "reflect://guide";
const LEFT_OUT: &str = "reflect://left-out";
const SKILL: &str = "reflect://skill";
const SKILL_VERSION: &str = "reflect://skill/{version}";

/// The guide, what is left out, and the project's skill if there is one that the key may read.
pub(crate) async fn list(asked: &Asked) -> Result<Vec<Resource>, ErrorData> {
    let guide = Resource::new(GUIDE, "guide")
        .with_title("How to use Reflect")
        .with_description("When to retrieve, what to report, how to write a good lesson")
        .with_mime_type(MARKDOWN);
    let left_out = Resource::new(LEFT_OUT, "left out")
        .with_title("Lessons that are left out")
        .with_description("Lessons that are believed to hurt, with the evidence, and when they come back")
        .with_mime_type(MARKDOWN);
    match asked.service.get_skill(asked.asker()).await {
        Ok(skill) => Ok(vec![guide, left_out, described(&skill)]),
        Err(refusal) if matches!(refusal.code, ErrorCode::NotFound | ErrorCode::Forbidden) => Ok(vec![guide, left_out]),
        Err(refusal) => Err(error(&refusal)),
    }
}

fn described(skill: &SkillAnswer) -> Resource {
    Resource::new(SKILL, &skill.name)
        .with_title(format!("What the project has learned, version {}", skill.version))
        .with_description(&skill.description)
        .with_mime_type(MARKDOWN)
        .with_size(skill.content.len() as u64)
}

/// Earlier versions of the skill.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let version = ResourceTemplate::new(SKILL_VERSION, "skill version")
        .with_description("A version of the project's skill, by its number")
        .with_mime_type(MARKDOWN);
    vec![version]
}

/// What is at an address.
pub(crate) async fn read(asked: &Asked, uri: &str) -> Result<ResourceContents, ErrorData> {
    let text = match uri.strip_prefix("reflect://skill/") {
        None if uri == GUIDE => Ok(AGENT_SKILL.to_owned()),
        None if uri == LEFT_OUT => left_out(asked).await,
        None if uri == SKILL => asked.service.get_skill(asked.asker()).await.map(|skill| skill.content),
        Some(version) if version.parse::<u32>().is_ok() => {
            let version = version.parse().unwrap_or_default();
            asked.service.get_skill_version(asked.asker(), version).await.map(|skill| skill.content)
        }
        _ => Err(Refusal::new(
            ErrorCode::NotFound,
            format!("there is no resource `{uri}`; there are {GUIDE}, {LEFT_OUT}, {SKILL} and {SKILL_VERSION}"),
        )),
    };
    text.map(|text| ResourceContents::text(text, uri).with_mime_type(MARKDOWN)).map_err(|refusal| error(&refusal))
}

/// What queries leave out, and why.
async fn left_out(asked: &Asked) -> ServiceResult<String> {
    let (status, retired) = (Some(MemoryStatus::Active), Some(true));
    let request = ListMemoriesRequest { status, retired, ..ListMemoriesRequest::default() };
    let Page { items: memories, next_cursor } = asked.service.list_memories(asked.asker(), &request).await?;
    if memories.is_empty() {
        return Ok("No lesson is left out.\n".to_owned());
    }
    let line = |memory: &MemoryDetail| {
        let evidence = memory.evidence.as_ref().map_or("", |evidence| &evidence.sentence);
        format!(
            "- {} ({}): {evidence}\n",
            escape(&memory.summary.split_whitespace().collect::<Vec<_>>().join(" ")),
            memory.id
        )
    };
    let more = next_cursor.map(|_| "- …and more: `reflect lessons --left-out --limit 1000` lists them.\n".to_owned());
    Ok(memories.iter().map(line).chain(more).collect())
}

/// A refusal as an error of the protocol. The wire's code goes along, for programs.
fn error(refusal: &Refusal) -> ErrorData {
    let data = Some(json!({"code": refusal.code.as_str()}));
    let message = refusal.message.clone();
    match refusal.code {
        ErrorCode::NotFound => ErrorData::resource_not_found(message, data),
        code if code.status() < 500 => ErrorData::invalid_request(message, data),
        _ => ErrorData::internal_error(message, data),
    }
}
