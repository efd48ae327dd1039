//! Rows that are remembered between requests, and forgotten all at once when any of them may have changed; where other instances may
//! change them, also when they are old.
//!
//! All who ask for a row while it is looked up share that one look-up. Otherwise each of many callers would ask the database whenever a row is old.

use std::{
    borrow::Borrow,
    collections::HashMap,
    hash::Hash,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use reflect_store::StoreResult;
use tokio::time::Instant;

/// How many rows are remembered before all are forgotten.
const MAX_ROWS: usize = 10_000;

pub(super) struct Cache<K, V> {
    rows: Rows<K, V>,
    /// How old a row may be; without it, as old as it likes.
    max_age: Option<Duration>,
}

type Rows<K, V> = RwLock<HashMap<K, LookUp<V>>>;

/// A row that was looked up, or is on its way. One that was read before a change is not here after it, or a revoked key would go on opening doors.
#[derive(Clone)]
struct LookUp<V> {
    began: Instant,
    row: Row<V>,
}

type Row<V> = Shared<BoxFuture<'static, StoreResult<Option<V>>>>;

/// Somebody who asks for a row. Whoever finds none, or goes before it is there, takes its look-up out of the cache: it ends once nobody waits for it,
/// and must not be found in the middle.
struct Asking<'a, K: Borrow<Q> + Eq + Hash, Q: Eq + Hash + ?Sized, V: Clone> {
    rows: &'a Rows<K, V>,
    key: &'a Q,
    row: Row<V>,
    has_found: bool,
}

impl<K: Borrow<Q> + Eq + Hash, Q: Eq + Hash + ?Sized, V: Clone> Drop for Asking<'_, K, Q, V> {
    fn drop(&mut self) {
        if self.has_found {
            return;
        }
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        if rows.get(self.key).is_some_and(|look_up| look_up.row.ptr_eq(&self.row)) {
            rows.remove(self.key);
        }
    }
}

impl<K: Eq + Hash, V: Clone + Send + Sync + 'static> Cache<K, V> {
    pub(super) fn new(max_age: Option<Duration>) -> Self {
        Self { rows: RwLock::default(), max_age }
    }

    /// The row, looked up if need be. That there is none is not remembered, nor is a failure.
    pub(super) async fn find<Q, F>(&self, key: &Q, look_up: impl Fn() -> F) -> StoreResult<Option<V>>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
        F: Future<Output = StoreResult<Option<V>>> + Send + 'static,
    {
        let arrived = Instant::now();
        loop {
            let LookUp { began, row } = self.young(key).unwrap_or_else(|| self.begin(key, &look_up));
            let mut asking = Asking { rows: &self.rows, key, row, has_found: false };
            let found = asking.row.clone().await;
            asking.has_found = matches!(found, Ok(Some(_)));
            // Whoever came later may ask for what was made since.
            if !matches!(found, Ok(None)) || began >= arrived {
                return found;
            }
        }
    }

    pub(super) fn forget(&self) {
        self.rows.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn young<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<LookUp<V>>
    where
        K: Borrow<Q>,
    {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.get(key).filter(|look_up| self.is_young(look_up)).cloned()
    }

    /// Looks a row up, unless somebody else has just begun to.
    fn begin<Q, F>(&self, key: &Q, look_up: impl Fn() -> F) -> LookUp<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
        F: Future<Output = StoreResult<Option<V>>> + Send + 'static,
    {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(begun) = rows.get(key).filter(|look_up| self.is_young(look_up)) {
            return begun.clone();
        }
        if rows.len() >= MAX_ROWS {
            rows.clear();
        }
        let begun = LookUp { began: Instant::now(), row: look_up().boxed().shared() };
        rows.insert(key.to_owned(), begun.clone());
        begun
    }

    fn is_young(&self, look_up: &LookUp<V>) -> bool {
        self.max_age.is_none_or(|max_age| look_up.began.elapsed() < max_age)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{pending, ready},
        sync::Arc,
    };

    use reflect_store::StoreError;
    use tokio::sync::Notify;

    use super::*;

    /// What is found where the row is this one now.
    async fn find(cache: &Cache<String, u8>, now: u8) -> Option<u8> {
        cache.find("key", || ready(Ok(Some(now)))).await.unwrap()
    }

    #[tokio::test]
    async fn all_who_come_while_a_row_is_looked_up_share_that() {
        let (cache, found) = (Cache::new(None), Arc::new(Notify::new()));
        let first = cache.find("key", || {
            let found = Arc::clone(&found);
            async move {
                found.notified().await;
                Ok(Some(1))
            }
        });
        let end = async { found.notify_one() };
        let others = async { (find(&cache, 2).await, find(&cache, 3).await) };
        let (first, others, ()) = tokio::join!(first, others, end);
        assert_eq!((first.unwrap(), others), (Some(1), (Some(1), Some(1))));
    }

    #[tokio::test]
    async fn a_row_read_before_a_change_is_not_remembered_after_it() {
        let cache = Cache::new(None);
        let mut before = Box::pin(cache.find("key", || async {
            tokio::task::yield_now().await;
            Ok(Some(1))
        }));
        assert!(before.as_mut().now_or_never().is_none());
        cache.forget();
        assert_eq!(
            find(&cache, 2).await,
            Some(2),
            "whoever comes after the change does not wait for what was read before it"
        );
        assert_eq!(before.await.unwrap(), Some(1));
        assert_eq!(find(&cache, 3).await, Some(2));
    }

    #[tokio::test]
    async fn neither_a_failure_nor_that_there_is_no_row_is_remembered() {
        let cache: Cache<String, u8> = Cache::new(None);
        assert!(cache.find("key", || ready(Err(StoreError::Closed))).await.is_err());
        assert_eq!(cache.find("key", || ready(Ok(None))).await.unwrap(), None);
        assert_eq!(find(&cache, 1).await, Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_that_was_made_while_it_was_looked_for_is_found() {
        let cache = Cache::new(None);
        let mut before = Box::pin(cache.find("key", || async {
            tokio::task::yield_now().await;
            Ok(None)
        }));
        assert!(before.as_mut().now_or_never().is_none());
        tokio::time::advance(Duration::from_millis(1)).await;
        let (before, after) = tokio::join!(before, find(&cache, 1));
        assert_eq!((before.unwrap(), after), (None, Some(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_is_read_again_once_it_is_as_old_as_it_may_be() {
        let (young, cache) = (Duration::from_millis(499), Cache::new(Some(Duration::from_millis(500))));
        let slow = cache.find("key", || async move {
            tokio::time::sleep(young).await;
            Ok(Some(1))
        });
        assert_eq!(slow.await.unwrap(), Some(1));
        assert_eq!(find(&cache, 2).await, Some(1));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(find(&cache, 2).await, Some(2), "it counts from when its look-up began");
        tokio::time::advance(young).await;
        assert_eq!(find(&cache, 3).await, Some(2));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_a_look_up_that_began_too_long_ago() {
        let cache = Cache::new(Some(Duration::from_millis(500)));
        let mut slow = Box::pin(cache.find("key", pending::<StoreResult<Option<u8>>>));
        assert!(slow.as_mut().now_or_never().is_none());
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(find(&cache, 1).await, Some(1));
        drop(slow);
        assert_eq!(find(&cache, 2).await, Some(1), "whoever goes takes nothing with him but his own look-up");
    }

    #[tokio::test]
    async fn a_look_up_ends_when_nobody_waits_for_it_any_more() {
        let (cache, held) = (Cache::new(None), Arc::new(()));
        let look_up = || {
            let held = Arc::clone(&held);
            async move {
                let _held = held;
                pending().await
            }
        };
        assert!(cache.find("key", look_up).now_or_never().is_none());
        assert_eq!(Arc::strong_count(&held), 1, "it would keep a connection from all others");
        assert_eq!(find(&cache, 1).await, Some(1));
    }
}
