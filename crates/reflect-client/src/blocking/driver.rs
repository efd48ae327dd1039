//! The runtime on which blocking calls run.

use std::{
    io,
    panic::{AssertUnwindSafe, resume_unwind},
    sync::{OnceLock, mpsc},
};

use futures_util::FutureExt;
use tokio::runtime::{Builder, Runtime};

use crate::{Error, Result};

/// One for the process, so that a traced function need not start one for each call. It is never dropped: dropping a runtime on a
/// thread of another one panics.
static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();

/// A second thread lets a call go on while a formatter of the caller's holds up the first.
const THREADS: usize = 2;

fn start() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(THREADS).thread_name("reflect-blocking").enable_all().build()
}

/// Runs a future on the runtime and holds this thread until it is done. A panic in it goes on here.
pub(super) fn wait<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> Result<T> {
    let runtime = RUNTIME.get_or_init(start).as_ref();
    let runtime = runtime.map_err(|error| Error::Settings(format!("no thread for blocking calls: {error}")))?;
    let (sender, receiver) = mpsc::sync_channel(1);
    runtime.spawn(async move {
        // The receiver waits as long as the sender lives.
        let _ = sender.send(AssertUnwindSafe(future).catch_unwind().await);
    });
    match receiver.recv() {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => Err(Error::Settings("the threads of blocking calls have ended; the process is going down".into())),
    }
}
