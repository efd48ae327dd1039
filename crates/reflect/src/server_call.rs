//! Asking a server over HTTP, for commands.

use anyhow::Context;
use reflect_api::ErrorAnswer;
use reflect_core::ProjectId;
use reqwest::{RequestBuilder, Url};
use serde::de::DeserializeOwned;

/// Where something of a project is. A project's id may hold a slash.
pub(crate) fn project_url(base_url: &str, project_id: &ProjectId, path: &str) -> anyhow::Result<Url> {
    let mut url = Url::parse(base_url).with_context(|| format!("the server's address `{base_url}` is wrong"))?;
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(["v1", "projects", project_id.as_str(), path]);
    }
    Ok(url)
}

/// Sends a request to the server at `base_url` and reads its answer.
pub(crate) fn ask<T: DeserializeOwned>(base_url: &str, request: RequestBuilder) -> anyhow::Result<T> {
    let answer = async {
        let response = request.send().await?;
        let status = response.status();
        anyhow::Ok((status, response.bytes().await?))
    };
    let (status, body) = runtime()?.block_on(answer).with_context(|| format!("asking the server at {base_url}"))?;
    if !status.is_success() {
        let refused: ErrorAnswer =
            serde_json::from_slice(&body).context("the server answered no error that we know")?;
        anyhow::bail!("the server at {base_url} refused: {}", refused.error.message);
    }
    serde_json::from_slice(&body).context("the server's answer cannot be read")
}

/// A runtime for one call.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
