//! Headers that tell browsers what they may not do with an answer.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// What kind of answer a path leads to, as far as browsers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The API's description for people.
    Documentation,
    /// The console.
    Console,
    /// Everything else.
    Data,
}

/// The documentation is served whole from here, with styles inside its page.
const DOCUMENTATION_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

/// The console shows what agents have read anywhere: nothing of that may run, be loaded, or lead out.
const CONSOLE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; \
                              base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// What a console has no use for, so that nothing that gets into it has either.
const NO_POWERS: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

impl Kind {
    /// The kind of what is at a path.
    pub(crate) fn of(path: &str) -> Self {
        let is_console = ["/p/", "/assets/"].iter().any(|start| path.starts_with(start));
        match path {
            "/" | "/sign-in" => Self::Console,
            _ if is_console => Self::Console,
            path if path.starts_with("/docs") => Self::Documentation,
            _ => Self::Data,
        }
    }

    fn policy(self) -> &'static str {
        match self {
            Self::Documentation => DOCUMENTATION_POLICY,
            Self::Console => CONSOLE_POLICY,
            Self::Data => DATA_POLICY,
        }
    }
}

/// Answers hold keys and what agents have seen: they are kept nowhere, framed nowhere, and taken for nothing but what they are.
pub(crate) fn protect(headers: &mut HeaderMap, kind: Kind) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(kind.policy()));
    let no_store = HeaderValue::from_static("no-store");
    match kind {
        Kind::Documentation => {}
        Kind::Console => {
            // Its files say themselves how long they keep; refusals do not.
            headers.entry(header::CACHE_CONTROL).or_insert(no_store);
            headers
                .insert(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
            headers.insert(
                HeaderName::from_static("cross-origin-resource-policy"),
                HeaderValue::from_static("same-origin"),
            );
            headers.insert(HeaderName::from_static("permissions-policy"), HeaderValue::from_static(NO_POWERS));
        }
        Kind::Data => {
            headers.insert(header::CACHE_CONTROL, no_store);
        }
    }
}
