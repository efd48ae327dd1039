//! One exchange with an endpoint.

use std::{sync::Arc, time::Duration};

use reflect_core::{Clock, Secret};
use reflect_http::{client_for, retry_after};
use reqwest::{Client, Response, StatusCode, Url, header};

use crate::EmbedError;

use super::{failure::Failure, settings::HttpEmbedderSettings, wire};

/// How much of an error's body is read.
const MAX_ERROR_BYTES: usize = 8 * 1024;

/// How much an answer may have beside its numbers.
const MAX_WRAPPING_BYTES: usize = 64 * 1024;

/// How many bytes a number may have: every `f64` is written in less, with indentation.
const MAX_NUMBER_BYTES: usize = 48;

/// How long it may take to be connected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Where embeddings are asked for.
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    key: Option<Secret>,
    model: String,
    dimension: usize,
    asks_for_dimension: bool,
    clock: Arc<dyn Clock>,
}

impl Endpoint {
    pub(super) fn new(settings: &HttpEmbedderSettings, clock: Arc<dyn Clock>) -> Result<Self, EmbedError> {
        if settings.dimension == 0 || settings.model.is_empty() {
            return Err(EmbedError::Failed("an embedder over HTTP needs a model and a dimension above 0".into()));
        }
        let url = embeddings_url(&settings.base_url)?;
        let client = client_for(&url, |builder| builder.connect_timeout(CONNECT_TIMEOUT));
        Ok(Self {
            client: client.map_err(|error| EmbedError::Failed(error.to_string()))?,
            url,
            key: settings.key.clone(),
            model: settings.model.clone(),
            dimension: settings.dimension,
            asks_for_dimension: settings.asks_for_dimension,
            clock,
        })
    }

    /// The vectors of some texts, in their order.
    pub(super) async fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let dimensions = self.asks_for_dimension.then_some(self.dimension);
        let body = wire::request(&self.model, texts, dimensions).map_err(Failure::lasting)?;
        let mut request =
            self.client.post(self.url.clone()).header(header::CONTENT_TYPE, "application/json").body(body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose());
        }
        let response = request.send().await.map_err(|error| passing("it could not be asked", error))?;
        if response.status() != StatusCode::OK {
            return Err(self.refusal(response).await);
        }
        let most = MAX_WRAPPING_BYTES + texts.len() * (self.dimension * MAX_NUMBER_BYTES + 1_024);
        let answer = match read(response, most).await.map_err(|error| passing("its answer was cut off", error))? {
            (answer, true) => answer,
            (_, false) => return Err(Failure::lasting(format!("its answer has more than {most} bytes"))),
        };
        wire::vectors(&answer, texts.len(), self.dimension).map_err(Failure::lasting)
    }

    async fn refusal(&self, response: Response) -> Failure {
        let status = response.status();
        let retry_after = retry_after(response.headers(), self.clock.now());
        let body = read(response, MAX_ERROR_BYTES).await.map(|(body, _)| body).unwrap_or_default();
        let said = wire::error_message(&body);
        let said = self.key.as_ref().map_or_else(|| said.clone(), |key| key.strike_from(&said));
        // What to do comes after it, in the same sentence.
        let said = said.trim_end_matches('.');
        let message = format!("it answered {}{}{said}", status.as_u16(), if said.is_empty() { "" } else { ": " });
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Failure::passing(message, retry_after),
            status if status.is_server_error() => Failure::passing(message, retry_after),
            StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
                Failure::refused(message)
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Failure::lasting(format!("{message}; check its key")),
            StatusCode::NOT_FOUND => Failure::lasting(format!("{message}; check its URL and the model's name")),
            status if status.is_redirection() => Failure::lasting(format!("{message}; give the URL that it leads to")),
            _ => Failure::lasting(message),
        }
    }
}

fn embeddings_url(base_url: &str) -> Result<Url, EmbedError> {
    let wrong =
        |problem: &str| EmbedError::Failed(format!("the embedder's URL {problem}, as in `http://localhost:11434/v1`"));
    let mut url = Url::parse(base_url).map_err(|_| wrong("cannot be read: it must be a whole one"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("must begin with http:// or https:// and name a host"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must be without a user, a query and a fragment; the key goes into its own setting"));
    }
    let path = url.path().trim_end_matches('/').trim_end_matches("/embeddings").to_owned();
    url.set_path(&format!("{path}/embeddings"));
    Ok(url)
}

/// The body, and whether it was read to its end: at most `most` bytes are.
async fn read(mut response: Response, most: usize) -> reqwest::Result<(Vec<u8>, bool)> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let room = most - body.len();
        if chunk.len() > room {
            body.extend(chunk.iter().take(room));
            return Ok((body, false));
        }
        body.extend_from_slice(&chunk);
    }
    Ok((body, true))
}

/// A failure of the connection, with its innermost reason: that is the one which says something.
fn passing(what: &str, error: reqwest::Error) -> Failure {
    let error = error.without_url();
    let mut reason: &dyn std::error::Error = &error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    Failure::passing(format!("{what}: {reason}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_base_url_with_embeddings() {
        for base in ["http://localhost:11434/v1", "http://localhost:11434/v1/", "http://localhost:11434/v1/embeddings"]
        {
            assert_eq!(embeddings_url(base).unwrap().as_str(), "http://localhost:11434/v1/embeddings");
        }
        assert_eq!(embeddings_url("https://host").unwrap().as_str(), "https://host/embeddings");
    }

    #[test]
    fn an_address_that_could_not_be_or_holds_a_secret_is_refused_without_being_repeated() {
        for base in
            ["", "localhost", "ftp://host/v1", "http://me:hunter2@host/v1", "http://host/v1?key=hunter2", "http://"]
        {
            let refused = embeddings_url(base).unwrap_err().to_string();
            assert!(refused.contains("http://localhost:11434/v1") && !refused.contains("hunter2"), "{refused}");
        }
    }
}
