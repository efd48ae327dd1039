//! The threads that search, as many at a time as there are cores.
//!
//! A thread that has ended a search takes the next one that waits by itself: handing it over to another thread would leave a core idle for
//! as long as that takes to wake up.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    sync::{Notify, oneshot},
    task::spawn_blocking,
};

use crate::{EngineResult, StoreError};

/// With fewer searches waiting for each thread, threads might soon have nothing to do.
const FEW_A_THREAD: usize = 4;

/// Searches wait here in the order in which they came.
pub(crate) struct SearchThreads(Arc<Shared>);

struct Shared {
    most: usize,
    state: Mutex<State>,
    few_wait: Notify,
}

#[derive(Default)]
struct State {
    busy: usize,
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    useful_threads: usize,
    /// Told how many threads it may use.
    search: Box<dyn FnOnce(usize) + Send>,
}

impl SearchThreads {
    /// So many at a time.
    pub(crate) fn new(most: usize) -> Self {
        Self(Arc::new(Shared { most, state: Mutex::default(), few_wait: Notify::new() }))
    }

    /// Searches when it is its turn. One that is worth several threads gets them as far as they are idle, and is told how many.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        useful_threads: usize,
        search: impl FnOnce(usize) -> T + Send + 'static,
    ) -> EngineResult<T> {
        let (sender, found) = oneshot::channel();
        let search = move |threads| {
            // Nobody searches for someone who has gone.
            if !sender.is_closed() {
                let _ = sender.send(search(threads));
            }
        };
        self.0.push(Waiting { useful_threads, search: Box::new(search) });
        // Nothing is sent if the search panicked, or the runtime ends.
        Ok(found.await.map_err(|_| StoreError::Closed)?)
    }

    /// Waits while many searches do: whoever comes now has time until those are done, and can get ready for a search together with others.
    pub(crate) async fn few_wait(&self) {
        loop {
            let few_wait = self.0.few_wait.notified();
            if self.0.lock().waiting.len() < self.0.few() {
                return;
            }
            few_wait.await;
        }
    }
}

impl Shared {
    const fn few(&self) -> usize {
        FEW_A_THREAD * self.most
    }

    fn push(self: &Arc<Self>, waiting: Waiting) {
        let mut state = self.lock();
        state.waiting.push_back(waiting);
        self.start_idle(&mut state);
    }

    /// Gives idle threads something to do.
    fn start_idle(self: &Arc<Self>, state: &mut State) {
        while state.busy < self.most
            && let Some(first) = state.waiting.pop_front()
        {
            state.busy += 1;
            let shared = Arc::clone(self);
            spawn_blocking(move || shared.run(first));
        }
    }

    /// Searches until nothing waits any more.
    fn run(self: &Arc<Self>, first: Waiting) {
        let mut next = Some(first);
        while let Some(Waiting { useful_threads, search }) = next {
            let helpers = self.take_helpers(useful_threads);
            // One that panics must not take those that wait with it.
            let _ = catch_unwind(AssertUnwindSafe(|| search(1 + helpers)));
            next = self.next(helpers);
        }
    }

    fn take_helpers(&self, useful_threads: usize) -> usize {
        let mut state = self.lock();
        let helpers = useful_threads.saturating_sub(1).min(self.most - state.busy);
        state.busy += helpers;
        helpers
    }

    fn next(self: &Arc<Self>, helpers: usize) -> Option<Waiting> {
        let mut state = self.lock();
        let next = state.waiting.pop_front();
        state.busy -= helpers + usize::from(next.is_none());
        self.start_idle(&mut state);
        if state.waiting.len() < self.few() {
            self.few_wait.notify_waiters();
        }
        next
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::{FutureExt, future::join_all};

    use super::*;

    /// A search that ends when it is let, and what lets it.
    fn held() -> (impl FnOnce(usize) -> usize, mpsc::Sender<()>) {
        let (end, may_end) = mpsc::channel();
        let search = move |threads| {
            let _ = may_end.recv();
            threads
        };
        (search, end)
    }

    #[tokio::test]
    async fn a_search_that_is_worth_it_gets_the_threads_that_are_idle() {
        let threads = SearchThreads::new(3);
        assert_eq!(threads.search(2, |threads| threads).await.unwrap(), 2);
        assert_eq!(threads.search(9, |threads| threads).await.unwrap(), 3);
        let (search, end) = held();
        let second = async {
            let threads = threads.search(9, |threads| threads).await;
            end.send(()).unwrap();
            threads
        };
        let (first, second) = tokio::join!(threads.search(1, search), second);
        assert_eq!((first.unwrap(), second.unwrap()), (1, 2), "the first one kept its own");
    }

    #[tokio::test]
    async fn a_panic_and_a_caller_who_leaves_take_nobody_with_them() {
        let threads = SearchThreads::new(1);
        let (search, end) = held();
        let (done, is_done) = mpsc::channel();
        let leaves = async {
            assert!(threads.search(1, move |_| done.send(())).now_or_never().is_none());
            end.send(()).unwrap();
        };
        let panics = threads.search(1, |_| -> usize { panic!("on purpose") });
        let (first, (), panicked, last) =
            tokio::join!(threads.search(1, search), leaves, panics, threads.search(1, |threads| threads));
        assert_eq!((first.unwrap(), last.unwrap()), (1, 1));
        assert!(panicked.is_err());
        assert!(is_done.recv().is_err(), "nobody waited for it");
    }

    #[tokio::test]
    async fn whoever_gets_ready_waits_while_many_searches_do() {
        let threads = SearchThreads::new(1);
        threads.few_wait().await;
        let (search, end) = held();
        let all = [1; FEW_A_THREAD].map(|useful| threads.search(useful, |threads| threads));
        let gets_ready = async {
            assert_eq!(threads.few_wait().now_or_never(), None);
            end.send(()).unwrap();
            threads.few_wait().await;
        };
        let (first, all, ()) = tokio::join!(threads.search(1, search), join_all(all), gets_ready);
        assert!(first.is_ok() && all.iter().all(Result::is_ok));
    }
}
