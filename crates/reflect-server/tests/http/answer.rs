//! What came back.

use axum::{
    body::Body,
    http::{HeaderMap, Response, StatusCode},
};
use http_body_util::BodyExt;
use serde_json::Value;

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Null where there was no body.
    pub(crate) json: Value,
}

impl Answer {
    pub(crate) async fn read(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let json = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into()))
        };
        Self { status: parts.status, headers: parts.headers, json }
    }

    /// The body of a 200.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        self.assert_status(200).json
    }

    #[track_caller]
    pub(crate) fn assert_status(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.json);
        self
    }

    /// Checks that it is an error of this code, with the status that belongs to the code.
    #[track_caller]
    pub(crate) fn assert_code(self, code: &str) -> Self {
        assert_eq!(self.json["error"]["code"], code, "{} {}", self.status, self.json);
        let known = reflect_api::ErrorCode::ALL.iter().find(|known| known.as_str() == code);
        assert_eq!(Some(self.status.as_u16()), known.map(|code| code.status()));
        self
    }

    /// Checks that it is a 422 that names this field.
    #[track_caller]
    pub(crate) fn assert_invalid(self, path: &str) -> Self {
        let answer = self.assert_code("invalid_request");
        assert_eq!(answer.json["error"]["path"], path, "{}", answer.json);
        answer
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap().to_str().unwrap()
    }

    /// Where the `Link` header leads, if there is one.
    pub(crate) fn next_page(&self) -> Option<String> {
        let link = self.headers.get("link")?.to_str().unwrap();
        let target = link.strip_prefix('<').unwrap().strip_suffix(">; rel=\"next\"").unwrap();
        Some(target.to_owned())
    }
}
