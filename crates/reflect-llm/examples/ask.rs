//! Asks a model for a lesson, whole and in pieces: `ask MODEL [BASE_URL]`, with the key in `API_KEY` where one is needed.

use std::{io::Write, sync::Arc};

use futures_util::StreamExt;
use reflect_llm::{
    ChatPiece, ChatRequest, HttpClient, Kind, ProviderSettings, Secret, Shape, connect_with, extract_json,
};
use reflect_system::SystemClock;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: ask MODEL [BASE_URL]")?;
    let mut settings = ProviderSettings::new(HttpClient::new()?, Arc::new(SystemClock));
    settings.base_url = arguments.next();
    settings.api_key = std::env::var("API_KEY").ok().map(Secret::new);
    let model = connect_with(&name, &settings)?;

    let schema = serde_json::json!({
        "type": "object",
        "properties": {"summary": {"type": "string", "maxLength": 120}},
        "required": ["summary"],
        "additionalProperties": false
    });
    let request = ChatRequest::ask("You write lessons.", "An agent guessed the date and failed. What is the lesson?")
        .json("lesson", schema)
        .max_tokens(200);
    let shape = Shape::any().required("summary", Kind::Text);
    let mut out = std::io::stdout();

    let reply = model.chat(&request).await?;
    let found = extract_json(&reply.text, &shape);
    writeln!(out, "{:?} {:?}\n{:?} {:?}", reply.finish, reply.usage, found.status, found.value)?;

    let mut pieces = model.stream(&request).await?;
    while let Some(piece) = pieces.next().await {
        match piece? {
            ChatPiece::Text(text) => write!(out, "{text}|")?,
            ChatPiece::End(reply) => writeln!(out, "\n{:?} {:?}", reply.finish, reply.usage)?,
        }
    }
    Ok(())
}
