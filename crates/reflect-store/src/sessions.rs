//! Sessions of the console. Only hashes of secrets come here.

use reflect_core::{Session, SessionParent, Timestamp};

use crate::{
    error::StoreResult,
    sql::{Lane, Query, Row, params},
    store::Store,
};

/// A session with what is needed to check its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionWithHash {
    /// What may be shown of it.
    pub session: Session,
    /// The hash of its secret.
    pub secret_hash: Vec<u8>,
}

impl Store {
    /// Stores a session. Of one key's sessions the newest `most` are kept, so that whoever may sign in cannot fill the disk.
    pub async fn insert_session(&self, insert: SessionWithHash, most: usize) -> StoreResult<()> {
        self.writer
            .write(Lane::Server, move |write| {
                let SessionWithHash { session, secret_hash } = insert;
                let parent = session.parent.as_str();
                write.submit(
                    "INSERT INTO sessions (public_id, session_id, secret_hash, parent, created_at, expires_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        &session.public_id,
                        session.id,
                        secret_hash,
                        parent,
                        session.created_at,
                        session.expires_at
                    ],
                )?;
                write.submit(
                    "DELETE FROM sessions WHERE parent = ?1 AND session_id <= (
                         SELECT session_id FROM sessions WHERE parent = ?1 ORDER BY session_id DESC LIMIT 1 OFFSET ?2)",
                    params![parent, most],
                )
            })
            .await
    }

    /// The session that has this public id.
    pub async fn get_session(&self, public_id: String) -> StoreResult<Option<SessionWithHash>> {
        self.readers
            .read(move |read| {
                read.query_opt(
                    "SELECT public_id, session_id, secret_hash, parent, created_at, expires_at FROM sessions
                     WHERE public_id = ?1",
                    params![&public_id],
                    session,
                )
            })
            .await
    }

    /// Ends a session; says whether it was there.
    pub async fn delete_session(&self, public_id: String) -> StoreResult<bool> {
        self.writer
            .write(Lane::Server, move |write| {
                Ok(write.execute("DELETE FROM sessions WHERE public_id = ?1", params![&public_id])? > 0)
            })
            .await
    }

    /// Removes sessions that expired before this time. Answers how many.
    pub async fn prune_sessions(&self, before: Timestamp) -> StoreResult<usize> {
        self.writer
            .write(Lane::Server, move |write| {
                write.execute("DELETE FROM sessions WHERE expires_at < ?1", params![before])
            })
            .await
    }
}

fn session(row: &dyn Row) -> StoreResult<SessionWithHash> {
    let session = Session {
        id: row.get("session_id")?,
        public_id: row.get("public_id")?,
        parent: SessionParent::from(row.get::<String>("parent")?),
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
    };
    Ok(SessionWithHash { session, secret_hash: row.get("secret_hash")? })
}
