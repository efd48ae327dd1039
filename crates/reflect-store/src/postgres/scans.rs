//! Searches, which the server is told to give up.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use reflect_core::ProjectId;
use tokio::{task::JoinSet, time::timeout};
use tokio_postgres::CancelToken;

use super::{pool::Pool, readers::in_snapshot, target::Target};
use crate::{
    backend::Turns,
    error::{StoreError, StoreResult},
    sql::Read,
};

/// How many run side by side.
const CONNECTIONS: usize = 2;

pub(crate) struct Scans {
    pool: Arc<Pool>,
    turns: Turns,
    cancelling: Cancelling,
}

/// Tells servers to give up.
type Cancelling = Arc<Mutex<JoinSet<()>>>;

impl Scans {
    pub(crate) fn new(target: &Target) -> Self {
        Self { pool: Pool::new(target, CONNECTIONS), turns: Turns::default(), cancelling: Cancelling::default() }
    }

    /// Runs `query` over one consistent view of the database. It waits for others as long as it may then take itself.
    pub(crate) async fn scan<T: Send + 'static>(
        &self,
        project_id: &ProjectId,
        patience: Duration,
        query: impl FnOnce(&dyn Read) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let waited = timeout(patience, async {
            let turn = self.turns.turn(project_id).await?;
            Ok((turn, self.pool.permit().await?))
        });
        let held = waited.await.unwrap_or(Err(StoreError::SearchesBusy))?;
        let state = Arc::new(State::default());
        let (target, cancelling) = (self.pool.target().clone(), Arc::clone(&self.cancelling));
        let _caller = Caller { state: Arc::clone(&state), target, cancelling };
        let pool = Arc::clone(&self.pool);
        let work = move || {
            let _held = held;
            let connection = pool.take()?;
            state.begin(connection.cancel_token())?;
            let deadline = Instant::now() + patience;
            let result = in_snapshot(&connection, query);
            // Who was told to give up may be told once more: a connection to such a one is not used again.
            if state.end() {
                pool.give_back(connection);
            }
            if Instant::now() < deadline { result } else { Err(StoreError::Interrupted) }
        };
        let work = tokio::task::spawn_blocking(work);
        match timeout(patience, work).await {
            Ok(ended) => ended.map_err(|_| StoreError::Closed)?,
            Err(_) => Err(StoreError::Interrupted),
        }
    }
}

/// How far a search has come. Whoever sets the last of these has the say about its connection.
const WAITING: u8 = 0;
const RUNNING: u8 = 1;
const ENDED: u8 = 2;
const GIVEN_UP: u8 = 3;

#[derive(Default)]
struct State {
    step: AtomicU8,
    token: OnceLock<CancelToken>,
}

impl State {
    /// Refused if nobody waits any more.
    fn begin(&self, token: CancelToken) -> StoreResult<()> {
        let _ = self.token.set(token);
        let begun = self.step.compare_exchange(WAITING, RUNNING, Ordering::AcqRel, Ordering::Acquire);
        begun.map(|_| ()).map_err(|_| StoreError::Interrupted)
    }

    /// Says whether nobody has given it up before.
    fn end(&self) -> bool {
        self.step.compare_exchange(RUNNING, ENDED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Says by what the server can be told, if it is at work.
    fn give_up(&self) -> Option<CancelToken> {
        let before = self.step.swap(GIVEN_UP, Ordering::AcqRel);
        if before == RUNNING { self.token.get().cloned() } else { None }
    }
}

/// Whoever waits for a search. A request that is dropped, since its client has gone or its time is up, drops this.
struct Caller {
    state: Arc<State>,
    target: Target,
    cancelling: Cancelling,
}

impl Drop for Caller {
    fn drop(&mut self) {
        let (Some(token), Ok(runtime)) = (self.state.give_up(), tokio::runtime::Handle::try_current()) else { return };
        let tls = self.target.tls();
        let cancel = async move {
            if let Err(error) = token.cancel_query(tls).await {
                tracing::warn!(%error, "a search could not be given up");
            }
        };
        let mut cancelling = self.cancelling.lock().unwrap_or_else(PoisonError::into_inner);
        while cancelling.try_join_next().is_some() {}
        cancelling.spawn_on(cancel, &runtime);
    }
}
