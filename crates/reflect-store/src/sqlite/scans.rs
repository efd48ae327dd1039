//! Searches, which SQLite gives up when it is told to.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use reflect_core::ProjectId;
use rusqlite::Connection;
use tokio::time::{sleep, timeout};

use super::{
    log_size::LogWishes,
    readers::{Readers, in_snapshot},
    writer::Writer,
};
use crate::{
    backend::Turns,
    error::{StoreError, StoreResult},
    sql::Read,
};

/// How many run side by side. They are what keeps cores busy, and queries need those, too.
const CONNECTIONS: usize = 2;

/// How many steps of SQLite's machine pass between two looks at the clock: less than one row with large texts takes.
const STEPS_BETWEEN_LOOKS: i32 = 100;

pub(crate) struct Scans {
    readers: Readers,
    turns: Turns,
    log_wishes: LogWishes,
}

impl Scans {
    pub(crate) fn open(path: &Path, writer: &Writer) -> StoreResult<Self> {
        let readers = Readers::open_some(path, CONNECTIONS)?;
        Ok(Self { readers, turns: Turns::default(), log_wishes: writer.log_wishes() })
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
            let permit = self.readers.permit().await?;
            while let Some(pause) = self.log_wishes.search_pause() {
                sleep(pause).await;
            }
            Ok((turn, permit))
        });
        let (turn, permit) = waited.await.unwrap_or(Err(StoreError::SearchesBusy))?;
        let caller = Caller::default();
        let gone = Arc::clone(&caller.gone);
        let work = move |connection: &mut Connection| {
            let _turn = turn;
            let deadline = Instant::now() + patience;
            let give_up = move || gone.load(Ordering::Relaxed) || Instant::now() >= deadline;
            connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(give_up))?;
            let result = in_snapshot(connection, query);
            connection.progress_handler(0, None::<fn() -> bool>)?;
            result
        };
        self.readers.run(permit, work).await
    }
}

/// Whoever waits for a search. A request that is dropped, since its client has gone, drops this.
#[derive(Default)]
struct Caller {
    gone: Arc<AtomicBool>,
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        sql::{Query, params},
        store::Store,
    };

    const LONG: Duration = Duration::from_secs(600);

    /// A search that never ends by itself.
    fn endless(read: &dyn Read) -> StoreResult<()> {
        let sql = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n WHERE x < 0";
        read.exists(sql, params![]).map(|_| ())
    }

    fn open() -> (tempfile::TempDir, Arc<Store>) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("reflect.db")).unwrap();
        (folder, Arc::new(store))
    }

    fn project(name: &str) -> ProjectId {
        name.parse().unwrap()
    }

    #[tokio::test]
    async fn a_search_ends_at_its_deadline() {
        let (_folder, store) = open();
        let ended = store.scans.scan(&project("a"), Duration::from_millis(20), endless).await;
        assert!(matches!(ended, Err(StoreError::Interrupted)), "{ended:?}");
        store.scans.scan(&project("a"), LONG, |_| Ok(())).await.unwrap();
    }

    #[tokio::test]
    async fn a_search_ends_when_nobody_waits_for_it() {
        let (_folder, store) = open();
        for _ in 0..CONNECTIONS + 1 {
            let (begun, begins) = tokio::sync::oneshot::channel();
            let project = project("a");
            let search = store.scans.scan(&project, LONG, |read| {
                let _ = begun.send(());
                endless(read)
            });
            tokio::select! {
                ended = search => panic!("it ended: {ended:?}"),
                begins = begins => begins.unwrap(),
            }
        }
        // It gets the connection of one that would never end.
        store.scans.scan(&project("a"), LONG, |_| Ok(())).await.unwrap();
    }

    #[tokio::test]
    async fn one_projects_searches_hold_up_neither_reads_nor_other_projects() {
        let (_folder, store) = open();
        let mut searches = tokio::task::JoinSet::new();
        for _ in 0..2 * CONNECTIONS {
            let store = Arc::clone(&store);
            searches.spawn(async move { store.scans.scan(&project("greedy"), LONG, endless).await });
        }
        tokio::task::yield_now().await;
        store.ping().await.unwrap();
        store.scans.scan(&project("other"), LONG, |_| Ok(())).await.unwrap();
        let refused = store.scans.scan(&project("greedy"), Duration::from_millis(20), |_| Ok(())).await;
        assert!(matches!(refused, Err(StoreError::SearchesBusy)), "{refused:?}");
        searches.shutdown().await;
    }
}
