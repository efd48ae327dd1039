//! Several futures at once, but not too many.

use futures_util::future::join_all;
use tokio::sync::Semaphore;

/// Drives the futures, at most `limit` of them (at least one) at a time, and gives what they gave in the order of the futures.
/// They begin in that order too. Nothing is spawned: dropping this drops them all.
pub(crate) async fn join_limited<F: Future>(limit: usize, futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let turns = Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS));
    let waiting = futures.into_iter().map(|future| async {
        // It is never closed, so there is always a permit to wait for.
        let _permit = turns.acquire().await;
        future.await
    });
    join_all(waiting).await
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn order_is_kept_and_the_limit_is_heeded() {
        for limit in [0, 1, 3, usize::MAX] {
            let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = (0..9_u64).map(|number| {
                let (running, most) = (&running, &most);
                async move {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(100 - number * 10)).await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    number
                }
            });
            assert_eq!(join_limited(limit, work).await, (0..9).collect::<Vec<_>>());
            assert_eq!(most.load(Ordering::SeqCst), limit.clamp(1, 9), "limit {limit}");
        }
    }
}
