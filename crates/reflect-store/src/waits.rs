//! What a request waited for, added up while it runs, so that a slow one can be told why.
//!
//! Whoever answers a request runs it in [`with_waits`]; whoever makes it wait says so with [`waiting_for`]. Outside of a request nothing is added up.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

tokio::task_local! {
    static WAITS: Waits;
}

/// What can make a request wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitedFor {
    /// The client, to send its body.
    Body,
    /// A connection that reads from the database to become free, and the read itself.
    Reader,
    /// The writer thread, and the disk.
    Writer,
    /// The embedder.
    Embedder,
    /// The search through the index, and its turn.
    Search,
    /// A lesson to be written.
    Lesson,
    /// A model.
    Model,
}

const NAMES: [&str; 7] = ["body", "reader", "writer", "embedder", "search", "lesson", "model"];

/// For how long a request waited, by what for. What runs at the same time counts twice.
#[derive(Debug, Default)]
pub struct Waits([AtomicU64; NAMES.len()]);

impl Waits {
    fn add(&self, what: WaitedFor, since: Instant) {
        let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        if let Some(sum) = self.0.get(what as usize) {
            sum.fetch_add(micros, Ordering::Relaxed);
        }
    }
}

/// `embedder 812 ms, reader 3 ms`: the longest first, without what took less than a millisecond.
impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.iter().map(|micros| micros.load(Ordering::Relaxed) / 1_000);
        let mut waits: Vec<(u64, &str)> = millis.zip(NAMES).filter(|(millis, _)| *millis > 0).collect();
        waits.sort_unstable_by(|left, right| right.cmp(left));
        if waits.is_empty() {
            return f.write_str("nothing");
        }
        for (index, (millis, name)) in waits.iter().enumerate() {
            write!(f, "{}{name} {millis} ms", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// Runs a request, and answers what it waited for.
pub async fn with_waits<T>(request: impl Future<Output = T>) -> (T, Waits) {
    WAITS
        .scope(Waits::default(), async {
            let answer = request.await;
            let waits = WAITS.with(|waits| Waits(waits.0.each_ref().map(|sum| sum.load(Ordering::Relaxed).into())));
            (answer, waits)
        })
        .await
}

/// Counts how long the request that runs here, if one does, waits for `work`.
pub async fn waiting_for<T>(what: WaitedFor, work: impl Future<Output = T>) -> T {
    let since = Instant::now();
    let answer = work.await;
    let _ = WAITS.try_with(|waits| waits.add(what, since));
    answer
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn waits_add_up_and_the_longest_comes_first() {
        let wait = |what, millis| waiting_for(what, tokio::time::sleep(Duration::from_millis(millis)));
        let ((), waits) = with_waits(async {
            wait(WaitedFor::Reader, 2).await;
            wait(WaitedFor::Embedder, 20).await;
            wait(WaitedFor::Embedder, 20).await;
        })
        .await;
        let said = waits.to_string();
        assert!(said.starts_with("embedder ") && said.contains(" ms, reader "), "{said}");
        wait(WaitedFor::Reader, 1).await;
        assert_eq!(with_waits(async {}).await.1.to_string(), "nothing");
    }
}
