//! What can go wrong, by what a caller would do about it.

use std::time::Duration;

use reflect_api::ErrorCode;
use uuid::Uuid;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) {
/// use reflect_client::Error;
///
/// match client.query("Refund order A-17").await {
///     Ok(found) => println!("{} memories", found.memories.len()),
///     Err(Error::Unreachable { url, .. }) => println!("start the server at {url} first"),
///     Err(error) => println!("{error}"),
/// }
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server, or the engine, refused or failed; its code says why.
    #[error("{0}")]
    Refused(Refused),
    /// Nobody answered.
    #[error("the server at {url} cannot be reached: {problem}; is it running?")]
    Unreachable {
        /// Where it should have been.
        url: String,
        /// What happened.
        problem: String,
    },
    /// An answer took longer than the client's time limit.
    #[error("the server at {url} did not answer within {seconds:.1} s")]
    TimedOut {
        /// Who did not answer.
        url: String,
        /// The limit.
        seconds: f64,
    },
    /// An answer came that does not follow this protocol: another program listens there, or a proxy spoke.
    #[error("the answer of {url} cannot be read: {problem}")]
    NotUnderstood {
        /// Who answered.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The lesson of a trace could not be written. The trace is kept and can be retried.
    #[error("trace `{trace_id}` could not be ingested: {problem}")]
    IngestFailed {
        /// The trace.
        trace_id: Uuid,
        /// Why.
        problem: String,
    },
    /// The time to wait for a trace is over. It may still be worked.
    #[error("trace `{trace_id}` was not ready after {waited:?}")]
    WaitedTooLong {
        /// The trace.
        trace_id: Uuid,
        /// How long was waited.
        waited: Duration,
    },
    /// A trace is stored, and waiting for it failed.
    #[error("trace `{trace_id}` is stored, and waiting for it failed: {cause}")]
    WaitFailed {
        /// The trace.
        trace_id: Uuid,
        /// Why.
        #[source]
        cause: Box<Error>,
    },
    /// A setting of the client is missing or wrong.
    #[error("{0}")]
    Settings(String),
    /// Another process has the folder open.
    #[error(
        "the data folder `{folder}` is in use by process {pid}{}",
        url.as_ref().map_or_else(|| "; stop it first".into(), |url| format!(" at {url}; use ReflectClient::builder().base_url(\"{url}\")"))
    )]
    FolderInUse {
        /// The folder.
        folder: String,
        /// The process.
        pid: u32,
        /// Where it serves, if it does.
        url: Option<String>,
    },
}

/// A refusal or failure of the server.
///
/// ```no_run
/// # async fn example(client: reflect_client::ReflectClient) {
/// use reflect_client::Error;
///
/// if let Err(Error::Refused(refused)) = client.query("Refund order A-17").lambda(7.0).await {
///     println!("{}: {} (field {:?})", refused.code, refused.message, refused.path);
/// }
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Refused {
    /// Its stable name, such as `already_reviewed`. Servers newer than this client may know more than [`ErrorCode`] does.
    pub code: String,
    /// The HTTP status, or what it would be.
    pub status: u16,
    /// What was wrong and what to do about it.
    pub message: String,
    /// The field that is wrong, where it is a field.
    pub path: Option<String>,
    /// Names the request in the server's log.
    pub request_id: Option<String>,
    /// When to come back, where the server said so.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// The server's code, if it refused and this client knows it.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::WaitFailed { cause, .. } => cause.code(),
            Self::Refused(refused) => ErrorCode::ALL.iter().copied().find(|code| code.as_str() == refused.code),
            _ => None,
        }
    }

    /// The trace that the error is about: it is stored, and its lesson did not come.
    pub fn trace_id(&self) -> Option<Uuid> {
        match self {
            Self::IngestFailed { trace_id, .. }
            | Self::WaitedTooLong { trace_id, .. }
            | Self::WaitFailed { trace_id, .. } => Some(*trace_id),
            _ => None,
        }
    }

    /// Whether the same call may well succeed later: nobody answered, or the server said that it cannot just now.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::TimedOut { .. } => true,
            Self::Refused(refused) => matches!(refused.status, 408 | 429 | 500 | 502..=504),
            _ => false,
        }
    }
}

#[cfg(feature = "embedded")]
#[doc(hidden)] // Only the service in the same process makes them.
impl From<reflect_service::Refusal> for Error {
    fn from(refusal: reflect_service::Refusal) -> Self {
        Self::Refused(Refused {
            code: refusal.code.as_str().to_owned(),
            status: refusal.code.status(),
            message: refusal.message,
            path: refusal.path,
            request_id: None,
            retry_after: refusal.retry_after_seconds.map(Duration::from_secs),
        })
    }
}
