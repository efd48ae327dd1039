//! The audit log: who got in, who did not, and what they did to access and data, a line of JSON each.
//!
//! Reading and learning are not here: the log of queries and the traces themselves say that. Lines about failed attempts are limited,
//! so that a stranger can neither fill a disk nor push the other lines out of the files that are kept.

mod file;

use std::{
    io::Write,
    net::IpAddr,
    path::Path,
    sync::{Mutex, PoisonError},
};

use reflect_core::{ProjectId, Scope, Timestamp};
use serde::Serialize;

use crate::{Engine, access};
use file::RotatedFile;

/// How many lines about failed attempts are written in a minute; the rest are counted.
const FAILURES_A_MINUTE: u32 = 20;

/// What is written down. Keys are named by their public part, the master key as `master`.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the fields are the names in the log, and docs/operations.md describes them")]
pub enum AuditEvent<'a> {
    /// A key was made.
    KeyCreated {
        by: &'a str,
        project: &'a ProjectId,
        key: &'a str,
        label: &'a str,
        scopes: &'a [Scope],
        #[serde(skip_serializing_if = "Option::is_none")]
        expires_at: Option<Timestamp>,
    },
    /// A key was used for the first time.
    KeyFirstUsed { key: &'a str, project: &'a ProjectId },
    /// A key was revoked.
    KeyRevoked { by: &'a str, project: &'a ProjectId, key: &'a str },
    /// Somebody signed in to the console, by a key or by a one-time code.
    SignedIn { by: &'a str, session: &'a str, project: Option<&'a ProjectId>, expires_at: Timestamp },
    /// Somebody ended their session.
    SignedOut { session: &'a str },
    /// A project was deleted with all that was in it.
    ProjectDeleted { by: &'a str, project: &'a ProjectId, traces: usize, memories: usize, keys: usize },
    /// A project's settings were changed.
    SettingsChanged { by: &'a str, project: &'a ProjectId, settings: Vec<&'static str> },
    /// Somebody came with a key or a token that is not, or no longer, valid.
    AuthenticationFailed { key: Option<&'a str>, address: Option<IpAddr>, reason: &'a str },
    /// Somebody was turned away unheard after too many failures.
    RateLimited { key: Option<&'a str>, address: Option<IpAddr> },
    /// Lines about failures that were not written in the minute before.
    FailuresLeftOut { count: u64 },
}

impl AuditEvent<'_> {
    const fn is_failure(&self) -> bool {
        matches!(self, Self::AuthenticationFailed { .. } | Self::RateLimited { .. })
    }
}

/// Where the lines go; nowhere by default.
#[derive(Default)]
pub struct AuditLog {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    target: Target,
    /// The minute that the failures below were in.
    minute: i64,
    failures: u32,
    left_out: u64,
}

#[derive(Default)]
enum Target {
    #[default]
    Nowhere,
    StandardError,
    File(RotatedFile),
}

impl AuditLog {
    /// Into a file, which is followed by a new one when it is full; a few full ones are kept beside it.
    pub fn to_file(path: &Path) -> std::io::Result<Self> {
        Ok(Self::to(Target::File(RotatedFile::open(path)?)))
    }

    /// To standard error, among the other lines of the log.
    pub fn to_standard_error() -> Self {
        Self::to(Target::StandardError)
    }

    fn to(target: Target) -> Self {
        Self { state: Mutex::new(State { target, ..State::default() }) }
    }

    fn write(&self, event: &AuditEvent<'_>, now: Timestamp) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(state.target, Target::Nowhere) {
            return;
        }
        let minute = now.as_micros().div_euclid(60_000_000);
        if state.minute != minute {
            let left_out = std::mem::take(&mut state.left_out);
            (state.minute, state.failures) = (minute, 0);
            if left_out > 0 {
                state.target.write(&AuditEvent::FailuresLeftOut { count: left_out }, now);
            }
        }
        if event.is_failure() {
            state.failures = state.failures.saturating_add(1);
            if state.failures > FAILURES_A_MINUTE {
                state.left_out += 1;
                return;
            }
        }
        state.target.write(event, now);
    }
}

/// A line of the log.
#[derive(Serialize)]
struct Line<'a> {
    at: Timestamp,
    #[serde(flatten)]
    event: &'a AuditEvent<'a>,
}

impl Target {
    fn write(&mut self, event: &AuditEvent<'_>, now: Timestamp) {
        let Ok(mut line) = serde_json::to_vec(&Line { at: now, event }) else { return };
        line.push(b'\n');
        let written = match self {
            Self::Nowhere => Ok(()),
            Self::StandardError => std::io::stderr().write_all(&line),
            Self::File(file) => file.append(&line),
        };
        if let Err(error) = written {
            let line = String::from_utf8_lossy(&line);
            tracing::error!(%error, line = line.trim_end(), "the audit log cannot be written");
        }
    }
}

impl Engine {
    /// Writes a line into the audit log.
    pub fn audit(&self, event: &AuditEvent<'_>) {
        self.audit.write(event, self.now());
    }

    /// Notes that somebody came with a key that is not valid, or with a wrong bootstrap token.
    pub fn audit_failure(&self, key: &str, address: Option<IpAddr>, reason: &str) {
        self.audit(&AuditEvent::AuthenticationFailed { key: access::public_part(key), address, reason });
    }

    /// Notes that somebody was turned away after too many failures.
    pub fn audit_rate_limit(&self, key: &str, address: Option<IpAddr>) {
        self.audit(&AuditEvent::RateLimited { key: access::public_part(key), address });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_limited_and_counted_and_push_nothing_else_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let log = AuditLog::to_file(&path).unwrap();
        let (start, project) = (Timestamp::from_micros(60_000_000), "p".parse().unwrap());
        for _ in 0..1_000 {
            log.write(&AuditEvent::RateLimited { key: None, address: None }, start);
        }
        log.write(&AuditEvent::KeyRevoked { by: "master", project: &project, key: "ab" }, start);
        log.write(&AuditEvent::RateLimited { key: None, address: None }, start.plus_millis(60_000));
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 20 + 3, "{text}");
        assert!(lines[20].contains(r#""event":"key_revoked","by":"master","project":"p","key":"ab""#), "{text}");
        assert!(lines[21].contains(r#""event":"failures_left_out","count":980"#), "{text}");
    }
}
