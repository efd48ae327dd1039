//! One search at a time in each project.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use reflect_core::ProjectId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{StoreError, StoreResult};

/// Of each project that is searching: whose turn it is.
#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<ProjectId, Weak<Semaphore>>>);

impl Turns {
    /// Waits until no other search of the project runs.
    pub(crate) async fn turn(&self, project_id: &ProjectId) -> StoreResult<OwnedSemaphorePermit> {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| turn.strong_count() > 0);
            let known = turns.get(project_id).and_then(Weak::upgrade);
            let turn = known.unwrap_or_else(|| Arc::new(Semaphore::new(1)));
            turns.insert(project_id.clone(), Arc::downgrade(&turn));
            turn
        };
        turn.acquire_owned().await.map_err(|_| StoreError::Closed)
    }
}
