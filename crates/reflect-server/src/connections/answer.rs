//! The body of an answer, which ends the request when it is dropped.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::connection::InRequest;

/// An answer's body.
pub(crate) struct AnswerBody {
    body: Body,
    _in_request: InRequest,
}

impl AnswerBody {
    pub(crate) fn new(body: Body, in_request: InRequest) -> Self {
        Self { body, _in_request: in_request }
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
