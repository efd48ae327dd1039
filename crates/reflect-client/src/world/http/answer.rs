//! Reading what a server answers.

use reflect_core::Clock;
use reflect_http::retry_after;
use reflect_system::SystemClock;
use reqwest::{Url, header::HeaderMap};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{Error, Refused, Result};

use super::HttpSettings;

/// An answer that arrived whole.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// Whether it is a refusal in this protocol's own envelope.
    pub(super) is_ours: bool,
}

/// The envelope of errors, with a code that may be newer than this client.
#[derive(Deserialize)]
struct Envelope {
    error: EnvelopeBody,
}

#[derive(Deserialize)]
struct EnvelopeBody {
    code: String,
    message: String,
    request_id: Option<String>,
    path: Option<String>,
}

pub(super) fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers.get(name).and_then(|value| value.to_str().ok())
}

pub(super) fn read<T: DeserializeOwned>(settings: &HttpSettings, answer: &Answer) -> Result<T> {
    serde_json::from_slice(&answer.body).map_err(|error| not_understood(settings, error.to_string()))
}

/// The refusal that an answer is, if it is one.
pub(super) fn refusal(settings: &HttpSettings, answer: &mut Answer) -> Option<Error> {
    match answer.status {
        200..=299 => return None,
        300..=399 => {
            let to = header(answer, "location").unwrap_or("elsewhere");
            return Some(not_understood(settings, format!("it redirects to `{to}`; give that URL instead")));
        }
        _ => {}
    }
    let retry_after = retry_after(&answer.headers, SystemClock.now());
    let envelope = serde_json::from_slice::<Envelope>(&answer.body);
    answer.is_ours = envelope.is_ok();
    let refused = match envelope {
        Ok(Envelope { error }) => Refused {
            code: error.code,
            status: answer.status,
            message: error.message,
            path: error.path,
            request_id: error.request_id,
            retry_after,
        },
        // A proxy, or another program.
        Err(_) => Refused {
            code: format!("http_{}", answer.status),
            status: answer.status,
            message: format!("{} answered {} without saying why", settings.base_url, answer.status),
            path: None,
            request_id: None,
            retry_after,
        },
    };
    Some(Error::Refused(refused))
}

/// The cursor in the `Link` to the next page.
pub(super) fn next_cursor(answer: &Answer) -> Option<String> {
    let link = header(answer, "link")?;
    let target = link.split(',').find(|part| part.contains("rel=\"next\""))?.split(['<', '>']).nth(1)?;
    // The server writes a path; joined to any base it can be read as a URL.
    let url = Url::parse("http://server").ok()?.join(target).ok()?;
    url.query_pairs().find(|(name, _)| name == "cursor").map(|(_, cursor)| cursor.into_owned())
}

pub(super) fn not_understood(settings: &HttpSettings, problem: String) -> Error {
    Error::NotUnderstood { url: settings.base_url.to_string(), problem }
}
