//! The stream of a project's changes, as server-sent events.

use std::time::Duration;

use futures_util::stream::{self, BoxStream};
use reflect_api::ChangedEvent;
use reqwest::Response;

use super::{
    HttpSettings, HttpWorld,
    answer::{Answer, not_understood, refusal},
    call::Call,
};
use crate::{Error, Result};

/// How long a stream may be silent. The server sends something every 15 seconds.
const MOST_SILENCE: Duration = Duration::from_secs(45);

/// For how long a stream is read: the client's own limit is for answers that have an end.
const WITHOUT_END: Duration = Duration::from_secs(10 * 365 * 24 * 3_600);

impl HttpWorld {
    /// Opens the stream. It is not tried again: whoever follows a project opens it anew when it breaks, too.
    pub(super) async fn follow(&self, call: &Call) -> Result<BoxStream<'static, Result<ChangedEvent>>> {
        let mut request = self.request(call)?;
        *request.timeout_mut() = Some(WITHOUT_END);
        let opened = tokio::time::timeout(self.settings.timeout, self.client.execute(request)).await;
        let timed_out = |_| Error::TimedOut {
            url: self.settings.base_url.to_string(),
            seconds: self.settings.timeout.as_secs_f64(),
        };
        let response = opened.map_err(timed_out)?.map_err(|error| self.missed(&error).error)?;
        if !response.status().is_success() {
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = response.bytes().await.map_err(|error| self.missed(&error).error)?.to_vec();
            let mut answer = Answer { status, headers, body, is_ours: false };
            let error = refusal(&self.settings, &mut answer);
            return Err(error.unwrap_or_else(|| not_understood(&self.settings, format!("it answered {status}"))));
        }
        let following = Following { settings: self.settings.clone(), response, unread: Vec::new() };
        let changes = stream::unfold(Some(following), |following| async move {
            let mut following = following?;
            let changed = following.next().await.transpose()?;
            let rest = changed.is_ok().then_some(following);
            Some((changed, rest))
        });
        Ok(Box::pin(changes))
    }
}

/// A stream that is open.
struct Following {
    settings: HttpSettings,
    response: Response,
    /// Bytes that have arrived and are not read yet.
    unread: Vec<u8>,
}

impl Following {
    /// The next change; `None` when the server has ended the stream.
    async fn next(&mut self) -> Result<Option<ChangedEvent>> {
        loop {
            while let Some(event) = take_event(&mut self.unread) {
                if let Some(data) = data_of(&event) {
                    let changed = serde_json::from_str(&data);
                    return changed.map(Some).map_err(|error| not_understood(&self.settings, error.to_string()));
                }
            }
            let url = || self.settings.base_url.to_string();
            let arrived = tokio::time::timeout(MOST_SILENCE, self.response.chunk()).await;
            let arrived = arrived.map_err(|_| Error::TimedOut { url: url(), seconds: MOST_SILENCE.as_secs_f64() })?;
            match arrived.map_err(|error| Error::Unreachable { url: url(), problem: error.to_string() })? {
                Some(bytes) => self.unread.extend_from_slice(&bytes),
                None => return Ok(None),
            }
        }
    }
}

/// Takes the text up to the next empty line, once that has arrived.
fn take_event(unread: &mut Vec<u8>) -> Option<String> {
    let end = unread.windows(2).position(|pair| pair == b"\n\n")?;
    let event: Vec<u8> = unread.drain(..end + 2).collect();
    Some(String::from_utf8_lossy(&event).into_owned())
}

/// What an event says; a comment says nothing.
fn data_of(event: &str) -> Option<String> {
    let lines: Vec<&str> = event
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| data.strip_prefix(' ').unwrap_or(data))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_they_arrive() {
        let sent = ": watching\n\nevent: changed\ndata: {\"a\":1}\n\n: still here\n\nevent: changed\ndata: {\"b\":2}\n\nevent: ch";
        for size in [1, 7, sent.len()] {
            let (mut unread, mut read) = (Vec::new(), Vec::new());
            for bytes in sent.as_bytes().chunks(size) {
                unread.extend_from_slice(bytes);
                read.extend(std::iter::from_fn(|| take_event(&mut unread)).filter_map(|event| data_of(&event)));
            }
            assert_eq!(read, [r#"{"a":1}"#, r#"{"b":2}"#], "{size}");
            assert_eq!(unread, b"event: ch");
        }
    }

    #[test]
    fn data_may_have_several_lines() {
        assert_eq!(data_of("data: {\ndata:}\n\n").as_deref(), Some("{\n}"));
        assert_eq!(data_of("event: changed\n\n"), None);
    }
}
