//! The retrieval log.

use std::{ops::ControlFlow, sync::Arc};

use reflect_core::{ProjectId, Retrieval, RetrievalId};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    sql::{Lane, Progress, Query, Transaction, params},
    store::Store,
    tables::{
        drawn_queries,
        retrievals::{self, LogRow, answer},
        showing::LoggedAnswer,
    },
    unlogged::Pushed,
};

/// How many rows are removed before the clock is looked at.
const ROWS_AT_ONCE: usize = 16;

/// Which rows of a log outlived their time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrievalCut {
    /// Those before this one.
    pub before: RetrievalId,
    /// Those from this one on: a clock that has been put right since wrote them.
    pub from: RetrievalId,
}

/// How much of a project's log exceeds its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogShare {
    /// The bytes of the newest rows, up to the bound.
    pub bytes: usize,
    /// The newest row that goes, if the bound is exceeded; all before it go with it.
    pub newest_to_go: Option<RetrievalId>,
}

impl Store {
    /// Logs an answered query, and says how many bytes that takes. Nobody waits for it, and those of a moment are written together; later writes
    /// see it.
    pub async fn insert_retrieval(&self, project_id: ProjectId, retrieval: Retrieval) -> StoreResult<usize> {
        let row = LogRow::of(retrieval)?;
        let bytes = row.bytes();
        let lane = Lane::of(&project_id);
        match self.unlogged.push(&project_id, row) {
            Pushed::Joined => {}
            Pushed::First(promise) => {
                let write_all = move |write: &dyn Transaction| retrievals::insert(write, &project_id, &promise.take());
                self.writer.write_lazily(lane, write_all).await?;
            }
            Pushed::TooMany => {
                let unlogged = Arc::clone(&self.unlogged);
                let write_all =
                    move |write: &dyn Transaction| retrievals::insert(write, &project_id, &unlogged.take(&project_id));
                self.writer.write(lane, write_all).await?;
            }
        }
        Ok(bytes)
    }

    /// One logged query of a project.
    pub async fn get_retrieval(&self, project_id: ProjectId, id: RetrievalId) -> StoreResult<Option<Retrieval>> {
        self.readers
            .read(move |read| {
                let sql = "SELECT key_id, task, settings, shown, worths, usual, unit, probability, rule_version, sat_out, r.created_at,
                                  draw, held_out, share, mixed
                           FROM retrievals r LEFT JOIN drawn_queries USING (project_id, retrieval_id)
                           WHERE project_id = ?1 AND retrieval_id = ?2";
                read.query_opt(sql, params![&project_id, id], |row| {
                    let LoggedAnswer { shown, slate } = answer(row)?;
                    Ok(Retrieval {
                        id,
                        key_id: row.get("key_id")?,
                        task: row.get("task")?,
                        settings: row.json("settings")?,
                        shown,
                        sat_out: row.maybe_json("sat_out")?.unwrap_or_default(),
                        draw: drawn_queries::draw(row)?,
                        mixed: drawn_queries::mixed(row)?,
                        slate,
                        created_at: row.get("created_at")?,
                    })
                })
            })
            .await
    }

    /// The projects whose logs have rows that outlived their time.
    pub async fn list_outlived_retrievals(&self, cut: RetrievalCut) -> StoreResult<Vec<ProjectId>> {
        let sql = "SELECT project_id FROM projects p
                   WHERE EXISTS (SELECT 1 FROM retrievals r WHERE r.project_id = p.project_id AND r.retrieval_id < ?1)
                      OR EXISTS (SELECT 1 FROM retrievals r WHERE r.project_id = p.project_id AND r.retrieval_id >= ?2)";
        self.readers
            .read(move |read| read.query_all(sql, params![cut.before, cut.from], |row| row.get("project_id")))
            .await
    }

    /// How much of a project's log exceeds `most` bytes. One that does is to keep `keep` of them, so that it is not
    /// exceeded again by the next query.
    pub async fn measure_retrieval_log(
        &self,
        project_id: ProjectId,
        most: usize,
        keep: usize,
    ) -> StoreResult<LogShare> {
        let sql = "SELECT retrieval_id, bytes FROM retrievals WHERE project_id = ?1 ORDER BY retrieval_id DESC";
        self.readers
            .read(move |read| {
                let (mut share, mut newest_to_go) = (LogShare { bytes: 0, newest_to_go: None }, None);
                read.walk(sql, params![&project_id], &mut |row| {
                    share.bytes += row.get::<usize>("bytes")?;
                    if share.bytes > keep && newest_to_go.is_none() {
                        newest_to_go = Some(row.get("retrieval_id")?);
                    }
                    if share.bytes > most {
                        share.newest_to_go = newest_to_go;
                        return Ok(ControlFlow::Break(()));
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
                Ok(share)
            })
            .await
    }

    /// Removes rows of a project's log for a moment, the oldest first.
    pub async fn prune_retrievals(&self, project_id: ProjectId, cut: RetrievalCut) -> StoreResult<Progress> {
        let sql = "DELETE FROM retrievals WHERE (project_id, key_id, retrieval_id) IN (
                       SELECT project_id, key_id, retrieval_id FROM retrievals
                       WHERE project_id = ?1 AND retrieval_id >= ?2 AND retrieval_id < ?3
                       ORDER BY retrieval_id LIMIT ?4)";
        let outlived = (Uuid::nil(), cut.before.as_uuid());
        let ahead = (cut.from.as_uuid(), Uuid::max());
        self.writer
            .write_some(Lane::of(&project_id), move |write| {
                let mut removed = 0;
                for (from, until) in [outlived, ahead] {
                    removed += write.execute(sql, params![&project_id, from, until, ROWS_AT_ONCE])?;
                    removed += drawn_queries::prune(write, &project_id, (from, until), ROWS_AT_ONCE)?;
                }
                Ok(removed)
            })
            .await
    }
}
