//! Threads for work that nobody waits for.

use std::io;

use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
};

/// A few threads that let others go first: where all cores are wanted, each gets a tenth of the time of another thread. What others leave is
/// theirs, so that an idle machine works as fast as ever.
pub(crate) struct BackgroundThreads(Option<Runtime>);

impl BackgroundThreads {
    pub(crate) fn new(count: usize) -> io::Result<Self> {
        let mut builder = Builder::new_current_thread();
        builder.max_blocking_threads(count).thread_name("reflect-background").on_thread_start(let_others_go_first);
        Ok(Self(Some(builder.build()?)))
    }

    pub(crate) fn spawn<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<JoinHandle<T>> {
        self.0.as_ref().map(|runtime| runtime.spawn_blocking(work))
    }
}

/// They may end anywhere, also where waiting is not allowed.
impl Drop for BackgroundThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// On Linux a thread has a niceness of its own; elsewhere it would be the whole process's.
fn let_others_go_first() {
    #[cfg(target_os = "linux")]
    // Where that is refused, all threads are alike.
    let _ = rustix::process::nice(10);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_and_the_rest_of_the_process_stays_as_nice_as_it_was() {
        let threads = BackgroundThreads::new(1).unwrap();
        assert_eq!(threads.spawn(|| 6 * 7).unwrap().await.unwrap(), 42);
        #[cfg(target_os = "linux")]
        {
            let nice = || rustix::process::getpriority_process(None).unwrap();
            let background = threads.spawn(nice).unwrap().await.unwrap();
            assert_eq!(background, (nice() + 10).min(19));
        }
    }
}
