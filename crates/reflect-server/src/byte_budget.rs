//! A bound on what the bodies and the answers of all requests together hold in memory.
//!
//! Large answers are counted before they are read, as values and as JSON, so that a request that waits for its share holds nothing yet.
//! What cannot be known before is counted when it is there, and dropped at once where there is no room for it.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body as HttpBody;
use reflect_api::ErrorCode;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    connections::Reminder,
    error::{ApiError, ApiResult},
};

/// What is smaller is not counted: connections are bounded, too, and ordinary requests never wait for large ones.
pub(crate) const UNCOUNTED: usize = 64 * 1024;

/// How long a client may keep the server waiting while others wait for the bytes that its request holds.
pub(crate) const PROMPT: Duration = Duration::from_secs(1);

/// How many bytes a permit of the semaphore stands for.
const UNIT: usize = 1_024;

/// How long a request waits for others to end before it is turned away. Longer than it takes to end those who are not prompt.
const PATIENCE: Duration = Duration::from_secs(3);

/// How many bytes requests may hold.
pub(crate) struct ByteBudget {
    semaphore: Arc<Semaphore>,
    units: u32,
    waiting: AtomicUsize,
    refusals: Mutex<Refusals>,
}

#[derive(Default)]
struct Refusals {
    last: Option<Instant>,
    said: Reminder,
}

/// Bytes that a request may hold, until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct BytePermit(Option<OwnedSemaphorePermit>);

impl BytePermit {
    pub(crate) fn add(&mut self, more: Self) {
        match (&mut self.0, more.0) {
            (Some(permit), Some(more)) => permit.merge(more),
            (permit, more) => *permit = permit.take().or(more),
        }
    }

    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits) * UNIT
    }

    /// Gives back what is not needed for so many bytes.
    fn shrink(&mut self, bytes: usize) {
        if let Some(permit) = &mut self.0 {
            drop(permit.split(permit.num_permits().saturating_sub(bytes.div_ceil(UNIT))));
        }
    }
}

/// Bytes that hold their permit until they were sent.
pub(crate) fn held(bytes: impl Into<Bytes>, permit: Arc<BytePermit>) -> Bytes {
    Bytes::from_owner(Held { bytes: bytes.into(), _permit: permit })
}

struct Held {
    bytes: Bytes,
    _permit: Arc<BytePermit>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer that was counted before it was read. Should it have become larger than that, it is counted again.
pub(crate) struct CountedJson<T> {
    pub(crate) value: T,
    pub(crate) permit: BytePermit,
}

/// Marks a response that needs no counting: it was counted before, or its bytes are part of the program.
#[derive(Clone)]
pub(crate) struct IsCounted;

impl<T: Serialize> IntoResponse for CountedJson<T> {
    fn into_response(self) -> Response {
        let Self { value, mut permit } = self;
        let json = match serde_json::to_vec(&value) {
            Ok(json) => json,
            Err(error) => return ApiError::new(ErrorCode::Internal, error.to_string()).into_response(),
        };
        drop(value);
        let is_enough = permit.bytes() >= json.len();
        permit.shrink(json.len());
        let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let mut response = (content_type, Body::from(held(json, Arc::new(permit)))).into_response();
        if is_enough {
            response.extensions_mut().insert(IsCounted);
        }
        response
    }
}

impl ByteBudget {
    pub(crate) fn new(bytes: usize) -> Self {
        // Far more than a machine has, and no more than a semaphore can count.
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(u32::MAX >> 4);
        let semaphore = Arc::new(Semaphore::new(units as usize));
        Self { semaphore, units, waiting: AtomicUsize::new(0), refusals: Mutex::default() }
    }

    /// A permit for an answer that is made of so many bytes: they are held as values, and then as JSON.
    pub(crate) async fn take_for_answer(&self, bytes: usize) -> ApiResult<BytePermit> {
        if bytes > UNCOUNTED { self.take(2 * bytes).await } else { Ok(BytePermit::default()) }
    }

    /// A permit for the values that are made of a body, which has its own already. They must leave room for others: nobody waits for all there is.
    pub(crate) async fn take_for_values(&self, bytes: usize) -> ApiResult<BytePermit> {
        if self.units_of(bytes) > self.units / 2 {
            let message = "the body holds more values than one request may; send fewer lists, keys and objects at once";
            return Err(ApiError::new(ErrorCode::PayloadTooLarge, message));
        }
        if bytes > UNCOUNTED { self.take(bytes).await } else { Ok(BytePermit::default()) }
    }

    /// A permit for so many bytes, or for all there are if that is less.
    pub(crate) async fn take(&self, bytes: usize) -> ApiResult<BytePermit> {
        if let Some(permit) = self.take_now(bytes) {
            return Ok(permit);
        }
        let waiter = Waiter::new(&self.waiting);
        let acquired = Arc::clone(&self.semaphore).acquire_many_owned(self.units_of(bytes));
        let permit = tokio::time::timeout(PATIENCE, acquired).await;
        drop(waiter);
        match permit {
            Ok(Ok(permit)) => Ok(BytePermit(Some(permit))),
            _ => Err(self.exhausted()),
        }
    }

    fn take_now(&self, bytes: usize) -> Option<BytePermit> {
        let permit = Arc::clone(&self.semaphore).try_acquire_many_owned(self.units_of(bytes));
        permit.ok().map(|permit| BytePermit(Some(permit)))
    }

    fn units_of(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.units)
    }

    /// Counts an answer that is known in whole until it was sent. It does not wait for its share: it would hold its bytes meanwhile.
    pub(crate) async fn count(&self, response: Response) -> ApiResult<Response> {
        let bytes = response.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
        let is_counted = response.extensions().get::<IsCounted>().is_some();
        let Some(bytes) = bytes.filter(|bytes| !is_counted && *bytes > UNCOUNTED) else { return Ok(response) };
        let permit = self.take_now(bytes).ok_or_else(|| self.exhausted())?;
        let (parts, body) = response.into_parts();
        let broken = |error| ApiError::new(ErrorCode::Internal, format!("an answer broke off: {error}"));
        let bytes = body.collect().await.map_err(broken)?.to_bytes();
        Ok(Response::from_parts(parts, Body::from(held(bytes, Arc::new(permit)))))
    }

    /// Whether somebody waits for others to end, or was turned away and may come back.
    pub(crate) fn is_contended(&self) -> bool {
        let was_refused = || self.lock().last.is_some_and(|last| last.elapsed() < PATIENCE);
        self.waiting.load(Ordering::Relaxed) > 0 || was_refused()
    }

    /// What is said when there is nothing left.
    pub(crate) fn exhausted(&self) -> ApiError {
        let mut refusals = self.lock();
        refusals.last = Some(Instant::now());
        if refusals.said.is_due() {
            tracing::warn!(
                "requests hold as much memory as they may: large ones are answered with 503; see `request_memory`"
            );
        }
        let message = "the server holds as much for other requests as it may; try again shortly";
        ApiError::new(ErrorCode::Unavailable, message).retry_after(1)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Refusals> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts as waiting until it is dropped.
struct Waiter<'a>(&'a AtomicUsize);

impl<'a> Waiter<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
