//! A connection, driven by the thread that waits for it.
//!
//! What is sent is in order, and so are the answers. [`Connection::send`] does not wait for its answer: whatever comes next does, so that several
//! statements share one round trip. No other thread has a part in it: an answer wakes the one that waits for it.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::poll_fn,
    pin::{Pin, pin},
    sync::{Arc, OnceLock},
    task::{Context, Poll, Waker},
};

use futures_util::{TryStreamExt, future::maybe_done};
use hashlink::LruCache;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{CancelToken, Client, Error, Statement};

use super::{
    answer::{Answer, Answered},
    dialect::translated,
    known::Known,
    target::Target,
    values::{Bound, Param, owned},
};
use crate::{
    error::{StoreError, StoreResult},
    sql::Value,
};

/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 256;

/// What each connection is told first. Statements are too short to be worth compiling. And nothing is kept to be held against every row of
/// something else: PostgreSQL would do that where it thinks that both are few, which it thinks of 20,000 that it has not counted yet.
const HELLO: &str = "SET jit = off; SET enable_material = off";

type Unanswered = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A failure, and for whom what failed was sent: maybe long before.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) sender: usize,
    pub(super) error: StoreError,
}

impl From<Failed> for StoreError {
    fn from(failed: Failed) -> Self {
        failed.error
    }
}

/// A connection to the database.
pub(super) struct Connection {
    runtime: Option<Runtime>,
    client: Arc<Client>,
    /// What reads from and writes to the network, until the connection ends.
    driver: RefCell<Option<Unanswered>>,
    statements: RefCell<LruCache<String, Statement>>,
    /// For whom something is sent, as the sender counts.
    sender: Cell<usize>,
    /// What was sent, with its sender, in its order.
    unanswered: RefCell<VecDeque<(usize, Unanswered)>>,
    known: RefCell<Known>,
}

impl Connection {
    pub(super) fn open(target: &Target) -> StoreResult<Self> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(StoreError::file("connecting"))?;
        let (client, driver) = runtime.block_on(target.connect())?;
        let connection = Self {
            runtime: Some(runtime),
            client: Arc::new(client),
            driver: RefCell::new(Some(Box::pin(driver))),
            statements: RefCell::new(LruCache::new(STATEMENTS)),
            unanswered: RefCell::default(),
            sender: Cell::new(0),
            known: RefCell::default(),
        };
        connection.send(HELLO);
        Ok(connection)
    }

    /// Whether the server has not ended it, as far as is known here.
    pub(super) fn is_alive(&self) -> bool {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(async {
                // So that the runtime looks at the network once.
                tokio::task::yield_now().await;
                self.drive_once().await;
            });
        }
        self.is_open()
    }

    /// Whether it has not ended.
    pub(super) fn is_open(&self) -> bool {
        self.driver.borrow().is_some() && !self.client.is_closed()
    }

    /// Ends it.
    pub(super) fn close(&self) {
        *self.driver.borrow_mut() = None;
    }

    pub(super) fn cancel_token(&self) -> CancelToken {
        self.client.cancel_token()
    }

    /// Says for whom things are sent from now on.
    pub(super) fn set_sender(&self, sender: usize) {
        self.sender.set(sender);
    }

    /// Sends statements without parameters along with whatever comes next.
    pub(super) fn send(&self, sql: &str) {
        let (client, sql) = (Arc::clone(&self.client), sql.to_owned());
        self.send_unanswered(Box::pin(async move { client.batch_execute(&sql).await }));
    }

    /// The same for one statement with parameters.
    pub(super) fn send_prepared(&self, statement: &Statement, params: Arc<Vec<Param>>) {
        let (client, statement) = (Arc::clone(&self.client), statement.clone());
        self.send_unanswered(Box::pin(async move { client.execute_raw(&statement, params.iter()).await.map(|_| ()) }));
    }

    /// Writes what was sent to the network, as far as that takes no waiting.
    pub(super) fn flush(&self) {
        self.run(self.drive_once());
    }

    /// Whether everything was answered.
    pub(super) fn is_settled(&self) -> bool {
        self.unanswered.borrow().is_empty()
    }

    /// Waits for all answers; the first failure among them is answered.
    pub(super) fn settle(&self) -> Result<(), Failed> {
        self.run(self.all_answered())
    }

    /// Runs a statement, unless its answer is known.
    pub(super) fn query(&self, sql: &str, params: &[Value<'_>]) -> Result<Answered, Failed> {
        match self.find_known(sql, params) {
            Some(known) => self.answered(known),
            None => self.query_prepared(&self.statement(sql)?, params).map(Answered::Own),
        }
    }

    pub(super) fn query_prepared(&self, statement: &Statement, params: &[Value<'_>]) -> Result<Answer, Failed> {
        let mut request = pin!(maybe_done(request(&self.client, statement, params)));
        sent(request.as_mut());
        self.run(async {
            self.all_answered().await?;
            request.as_mut().await;
            request.as_mut().take_output().unwrap_or_else(|| Ok(Answer::default())).map_err(|error| self.failed(error))
        })
    }

    /// Runs a statement once for each list of parameters, in one round trip.
    pub(super) fn query_all(&self, sql: &str, lists: &[Vec<Value<'_>>]) -> Result<Vec<Answered>, Failed> {
        let known: Option<Vec<_>> = lists.iter().map(|params| self.find_known(sql, params)).collect();
        if let Some(known) = known {
            return known.into_iter().map(|known| self.answered(known)).collect();
        }
        let statement = self.statement(sql)?;
        let mut requests: Vec<_> =
            lists.iter().map(|params| Box::pin(maybe_done(request(&self.client, &statement, params)))).collect();
        for request in &mut requests {
            sent(request.as_mut());
        }
        self.run(async {
            self.all_answered().await?;
            let mut answers = Vec::with_capacity(requests.len());
            for mut request in requests {
                request.as_mut().await;
                let answer = request.as_mut().take_output().transpose().map_err(|error| self.failed(error))?;
                answers.push(Answered::Own(answer.unwrap_or_default()));
            }
            Ok(answers)
        })
    }

    /// Asks what will be asked soon, unless the answer is known or on its way.
    pub(super) fn prefetch(&self, sql: &str, params: &[Value<'_>]) -> Result<(), Failed> {
        if self.known.borrow().find(sql, params).is_some() {
            return Ok(());
        }
        let statement = self.statement(sql)?;
        let params: Vec<Value<'static>> = params.iter().map(owned).collect();
        let (client, asked) = (Arc::clone(&self.client), params.clone());
        let answer = self.known.borrow_mut().insert(sql, params);
        self.send_unanswered(Box::pin(async move {
            let _ = answer.set(request(&client, &statement, &asked).await?);
            Ok(())
        }));
        Ok(())
    }

    /// Forgets answers that this statement may change.
    pub(super) fn forget_changed_by(&self, sql: &str, params: &[Value<'_>]) {
        self.known.borrow_mut().forget_changed_by(sql, params);
    }

    pub(super) fn forget_known(&self) {
        *self.known.borrow_mut() = Known::default();
    }

    fn find_known(&self, sql: &str, params: &[Value<'_>]) -> Option<Arc<OnceLock<Answer>>> {
        self.known.borrow().find(sql, params)
    }

    fn answered(&self, answer: Arc<OnceLock<Answer>>) -> Result<Answered, Failed> {
        if answer.get().is_none() {
            self.settle()?;
        }
        Ok(Answered::Known(answer))
    }

    /// A statement that is used once.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement, Failed> {
        self.settle()?;
        self.run(self.client.prepare(sql)).map_err(|error| self.failed(error))
    }

    /// A statement that is kept.
    pub(super) fn statement(&self, sql: &str) -> Result<Statement, Failed> {
        if let Some(statement) = self.statements.borrow_mut().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.prepare(&translated(sql))?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn failed(&self, error: Error) -> Failed {
        Failed { sender: self.sender.get(), error: error.into() }
    }

    fn send_unanswered(&self, mut request: Unanswered) {
        let request = match request.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Box::pin(std::future::ready(answer)),
            Poll::Pending => request,
        };
        self.unanswered.borrow_mut().push_back((self.sender.get(), request));
    }

    /// In their order: whoever answers waits until the answer before has been taken.
    async fn all_answered(&self) -> Result<(), Failed> {
        let mut first = Ok(());
        loop {
            let Some((sender, request)) = self.unanswered.borrow_mut().pop_front() else { return first };
            let answer = request.await;
            if first.is_ok() {
                first = answer.map_err(|error| Failed { sender, error: error.into() });
            }
        }
    }

    fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let drive = poll_fn(|context| {
            if let Poll::Ready(answer) = work.as_mut().poll(context) {
                return Poll::Ready(answer);
            }
            self.drive(context);
            work.as_mut().poll(context)
        });
        match &self.runtime {
            Some(runtime) => runtime.block_on(drive),
            None => tokio::runtime::Handle::current().block_on(drive),
        }
    }

    async fn drive_once(&self) {
        poll_fn(|context| {
            self.drive(context);
            Poll::Ready(())
        })
        .await;
    }

    fn drive(&self, context: &mut Context<'_>) {
        let mut driver = self.driver.borrow_mut();
        if let Some(running) = driver.as_mut()
            && running.as_mut().poll(context).is_ready()
        {
            *driver = None;
        }
    }
}

async fn request(client: &Client, statement: &Statement, params: &[Value<'_>]) -> Result<Answer, Error> {
    let mut stream = pin!(client.query_raw(statement, params.iter().map(Bound)).await?);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        rows.push(row);
    }
    let changed = usize::try_from(stream.rows_affected().unwrap_or(0)).unwrap_or(usize::MAX);
    Ok(Answer { rows, changed })
}

/// Polled once, a request is sent; its answer comes after those to what was sent before.
fn sent(request: Pin<&mut impl Future>) {
    let _ = request.poll(&mut Context::from_waker(Waker::noop()));
}

/// A connection may end anywhere, also where waiting is not allowed.
impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
