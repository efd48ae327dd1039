//! File descriptors: each connection takes one, and the database must never want for any.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many descriptors are for everything but connections: the database, the log, calls to models, the reserve of connections.
const OTHERS: u64 = 96;

/// How many connections the system has descriptors for, `wanted` at most. Asks the system for more first.
pub(crate) fn allow(wanted: usize) -> usize {
    let needed = wanted as u64 + OTHERS;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        let raised = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
        // What the system refuses shows in the limit, which is read again.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum });
    }
    let Some(current) = getrlimit(Resource::Nofile).current.filter(|current| *current < needed) else {
        return wanted;
    };
    let allowed = usize::try_from(current.saturating_sub(OTHERS).max(8)).unwrap_or(wanted);
    tracing::warn!(
        max_connections = wanted,
        allowed,
        descriptors = current,
        "the system gives too few file descriptors for so many connections; raise `ulimit -n`"
    );
    allowed
}
