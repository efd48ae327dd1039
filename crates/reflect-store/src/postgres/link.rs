//! The connection on which instances tell each other what has happened, and agree which of them leads.
//!
//! It has a thread and a runtime of its own, so that news is heard however busy everybody else is. A connection that breaks is made anew; what
//! was told meanwhile was not heard, which those who listen are told.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::{MissedTickBehavior, interval, timeout},
};
use tokio_postgres::{AsyncMessage, Client};

use super::target::Target;
use crate::error::{StoreError, StoreResult};

/// Before a connection that broke is made anew, and between two attempts to lead.
const PAUSE: Duration = Duration::from_millis(500);

/// How long the database may take to answer anything here.
const PATIENCE: Duration = Duration::from_secs(5);

/// Marks the lock of those who lead among all locks of this kind.
const LEADING: i32 = 0x5246_4C44;

/// The history that a database writes: the first part of the name of its log.
const TIMELINE: &str = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline";

/// What was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// What an instance, which may be this one, has told.
    Message(String),
    /// Something may have been told that was not heard.
    Anything,
    /// Another server has taken over from the database. What was committed last may be lost, and its numbers given anew.
    Failover,
}

/// The connection to other instances, made when it is first needed: commands that come and go have nothing to tell.
pub(crate) struct LazyLink {
    target: Target,
    link: OnceLock<StoreResult<Link>>,
}

impl LazyLink {
    pub(crate) fn new(target: Target) -> Self {
        Self { target, link: OnceLock::new() }
    }

    pub(crate) fn get(&self) -> StoreResult<&Link> {
        self.link.get_or_init(|| Link::start(&self.target)).as_ref().map_err(Clone::clone)
    }
}

/// One instance's connection to the others. Closed when it is dropped, and then another instance may lead.
pub(crate) struct Link {
    messages: mpsc::UnboundedSender<Telling>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    listeners: Mutex<Listeners>,
    leads: AtomicBool,
    /// The history that the database was last seen to write.
    timeline: Mutex<Option<String>>,
}

#[derive(Default)]
struct Listeners {
    all: Vec<mpsc::UnboundedSender<Heard>>,
    /// Whether what is told now is heard.
    can_hear: bool,
}

struct Telling {
    message: String,
    told: oneshot::Sender<StoreResult<()>>,
}

impl Link {
    pub(crate) fn start(target: &Target) -> StoreResult<Self> {
        let (messages, received) = mpsc::unbounded_channel();
        let (shared, target) = (Arc::new(Shared::default()), target.clone());
        let held = Arc::clone(&shared);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(StoreError::file("starting a runtime"))?;
        std::thread::Builder::new()
            .name("reflect-link".into())
            .spawn(move || runtime.block_on(run(&target, received, &held)))
            .map_err(StoreError::file("starting the thread that hears of other instances"))?;
        Ok(Self { messages, shared })
    }

    pub(crate) async fn tell(&self, message: String) -> StoreResult<()> {
        let (told, is_told) = oneshot::channel();
        self.messages.send(Telling { message, told }).map_err(|_| StoreError::Closed)?;
        is_told.await.unwrap_or(Err(StoreError::Closed))
    }

    pub(crate) fn hear(&self) -> mpsc::UnboundedReceiver<Heard> {
        let (listener, heard) = mpsc::unbounded_channel();
        let mut listeners = self.shared.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.can_hear {
            // It is there to be received, as long as it has not been dropped.
            let _ = listener.send(Heard::Anything);
        }
        listeners.all.push(listener);
        heard
    }

    pub(crate) fn leads(&self) -> bool {
        self.shared.leads.load(Ordering::Acquire)
    }
}

impl Shared {
    fn pass_on(&self, heard: &Heard) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.can_hear = true;
        listeners.all.retain(|listener| listener.send(heard.clone()).is_ok());
    }

    /// Notes which history the database writes. A standby that takes over begins another one.
    fn note_timeline(&self, timeline: String) {
        let last = self.timeline.lock().unwrap_or_else(PoisonError::into_inner).replace(timeline.clone());
        if last.is_some_and(|last| last != timeline) {
            tracing::warn!(timeline, "another server has taken over from the database; all indexes are read anew");
            self.pass_on(&Heard::Failover);
        }
    }

    fn note_break(&self) {
        self.leads.store(false, Ordering::Release);
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).can_hear = false;
    }
}

/// Connects again and again until nobody can tell anything any more.
async fn run(target: &Target, mut messages: mpsc::UnboundedReceiver<Telling>, shared: &Shared) {
    loop {
        let ended = serve(target, &mut messages, shared).await;
        shared.note_break();
        let Err(error) = ended else { return };
        tracing::debug!(%error, "the connection to other instances broke");
        let refuse = async {
            while let Some(telling) = messages.recv().await {
                let _ = telling.told.send(Err(error.clone()));
            }
        };
        if timeout(PAUSE, refuse).await.is_ok() {
            return;
        }
    }
}

/// Hears and tells over one connection, until it breaks or nobody can tell anything any more.
async fn serve(target: &Target, messages: &mut mpsc::UnboundedReceiver<Telling>, shared: &Shared) -> StoreResult<()> {
    let (client, mut connection) = target.connect().await?;
    let heard = async {
        loop {
            match poll_fn(|context| connection.poll_message(context)).await {
                Some(Ok(AsyncMessage::Notification(notification))) => {
                    shared.pass_on(&Heard::Message(notification.payload().to_owned()));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(StoreError::from(error)),
                None => return Err(StoreError::Unavailable("the connection was closed".into())),
            }
        }
    };
    // The connection is only alive while it is polled.
    tokio::select! {
        broken = heard => broken,
        ended = tell(&client, messages, shared) => ended,
    }
}

async fn tell(client: &Client, messages: &mut mpsc::UnboundedReceiver<Telling>, shared: &Shared) -> StoreResult<()> {
    let row = answer(client.query_one("SELECT 'reflect_' || md5(current_schema()) AS channel", &[])).await?;
    let channel: String = row.try_get("channel")?;
    answer(client.batch_execute(&format!("LISTEN {channel}"))).await?;
    // Not every service that speaks PostgreSQL's protocol has a log that it would tell of.
    if let Ok(row) = answer(client.query_one(TIMELINE, &[])).await {
        shared.note_timeline(row.try_get("timeline")?);
    }
    shared.pass_on(&Heard::Anything);
    let mut look = interval(PAUSE);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            telling = messages.recv() => {
                let Some(Telling { message, told }) = telling else { return Ok(()) };
                let sent = answer(client.execute("SELECT pg_notify($1, $2)", &[&channel, &message])).await;
                let broken = sent.as_ref().err().filter(|error| matches!(error, StoreError::Unavailable(_))).cloned();
                // Whoever has told it may not wait for the answer.
                let _ = told.send(sent.map(|_| ()));
                if let Some(error) = broken {
                    return Err(error);
                }
            }
            _ = look.tick() => lead(client, shared).await?,
        }
    }
}

/// Takes the lock of the one that leads, if it is free. It is held as long as the connection, so all there is to do later is to see that the
/// connection still answers.
async fn lead(client: &Client, shared: &Shared) -> StoreResult<()> {
    if shared.leads.load(Ordering::Acquire) {
        answer(client.batch_execute("SELECT 1")).await?;
        return Ok(());
    }
    let sql = "SELECT pg_try_advisory_lock($1, hashtext(current_schema())) AS leads";
    let row = answer(client.query_one(sql, &[&LEADING])).await?;
    shared.leads.store(row.try_get("leads")?, Ordering::Release);
    Ok(())
}

/// Waits for the database, not for ever.
async fn answer<T, E: Into<StoreError>>(asked: impl Future<Output = Result<T, E>>) -> StoreResult<T> {
    match timeout(PATIENCE, asked).await {
        Ok(answered) => answered.map_err(Into::into),
        Err(_) => Err(StoreError::Unavailable("it takes too long to answer".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_history_is_told_and_the_same_is_not() {
        let (listener, mut heard) = mpsc::unbounded_channel();
        let shared = Shared::default();
        shared.listeners.lock().unwrap().all.push(listener);
        for timeline in ["00000001", "00000001", "00000002", "00000002"] {
            shared.note_timeline(timeline.to_owned());
        }
        assert_eq!(heard.try_recv(), Ok(Heard::Failover));
        assert!(heard.try_recv().is_err());
    }
}
