//! Reading an answer while it arrives.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use futures_util::stream;
use reqwest::Response;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{
    failure::{broken_off, error_inside},
    http_model::MOST_ANSWER_BYTES,
    pieces::Pieces,
    protocol::{Framing, Protocol, malformed},
};
use crate::{ChatError, ChatPiece, ChatStream, Secret};

/// What ends a stream of OpenAI's protocol; it is not JSON, and is handed to the reader as a text.
pub(super) const DONE: &str = "[DONE]";

/// Until when an answer may arrive, and how long after the request that is.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    pub(super) deadline: Instant,
    pub(super) after: Duration,
}

struct Arriving {
    response: Response,
    protocol: Arc<dyn Protocol>,
    pieces: Pieces,
    limit: TimeLimit,
    key: Option<Secret>,
    /// What came after the last line break.
    rest: Vec<u8>,
    bytes: usize,
    ready: VecDeque<String>,
    ended: bool,
}

/// The pieces of an answer, up to its end or to the first error.
pub(super) fn pieces_of(
    response: Response,
    protocol: Arc<dyn Protocol>,
    limit: TimeLimit,
    key: Option<Secret>,
) -> ChatStream {
    let arriving = Arriving {
        response,
        protocol,
        pieces: Pieces::default(),
        limit,
        key,
        rest: Vec::new(),
        bytes: 0,
        ready: VecDeque::new(),
        ended: false,
    };
    Box::pin(stream::unfold(arriving, |mut arriving| async move {
        let piece = arriving.next().await?;
        arriving.ended = !matches!(piece, Ok(ChatPiece::Text(_)));
        Some((piece, arriving))
    }))
}

impl Arriving {
    async fn next(&mut self) -> Option<Result<ChatPiece, ChatError>> {
        if self.ended {
            return None;
        }
        loop {
            if let Some(text) = self.ready.pop_front() {
                return Some(Ok(ChatPiece::Text(text)));
            }
            if self.pieces.done {
                return Some(Ok(ChatPiece::End(self.pieces.take_reply())));
            }
            if let Err(error) = self.read_more().await {
                return Some(Err(error));
            }
        }
    }

    async fn read_more(&mut self) -> Result<(), ChatError> {
        let status = self.response.status();
        let chunk = timeout_at(self.limit.deadline, self.response.chunk()).await;
        let chunk = chunk.map_err(|_| ChatError::Timeout { after: self.limit.after })?;
        let chunk = chunk.map_err(|error| broken_off(status, error, self.key.as_ref()))?;
        let Some(chunk) = chunk else {
            // A last line without a line break still counts.
            let rest = std::mem::take(&mut self.rest);
            if !rest.trim_ascii().is_empty() {
                return self.read_line(&rest);
            }
            if self.bytes == 0 {
                return Err(malformed("it is empty"));
            }
            let message = "its answer broke off before its end".to_owned();
            return Err(ChatError::Unavailable { status: Some(status.as_u16()), retry_after: None, message });
        };
        self.bytes += chunk.len();
        if self.bytes > MOST_ANSWER_BYTES {
            return Err(malformed(format!("it is longer than {MOST_ANSWER_BYTES} bytes")));
        }
        let mut lines = chunk.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = lines.next() {
            self.rest.extend_from_slice(part);
            if lines.peek().is_some() {
                let line = std::mem::take(&mut self.rest);
                self.read_line(&line)?;
            }
        }
        Ok(())
    }

    fn read_line(&mut self, line: &[u8]) -> Result<(), ChatError> {
        let line = String::from_utf8_lossy(line.trim_ascii());
        let data = match self.protocol.framing() {
            Framing::Lines => line.as_ref(),
            Framing::Events => match line.strip_prefix("data:") {
                Some(data) => data.trim(),
                None if line.starts_with('<') => return Err(malformed("it is a web page")),
                // A gateway that answers its error, or the whole answer, as plain JSON.
                None if line.starts_with('{') => line.as_ref(),
                None => return Ok(()),
            },
        };
        if data.is_empty() || self.pieces.done {
            return Ok(());
        }
        let piece = match data {
            DONE => Value::from(DONE),
            data => serde_json::from_str(data).map_err(|error| malformed(format!("a piece is not JSON: {error}")))?,
        };
        if let Some(error) = error_inside(&piece, self.key.as_ref()) {
            return Err(error);
        }
        let text = self.protocol.add(&piece, &mut self.pieces)?;
        if !text.is_empty() {
            self.ready.push_back(text);
        }
        Ok(())
    }
}
