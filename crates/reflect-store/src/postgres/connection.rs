//! A connection, driven by the thread that waits for it.
//!
//! What is sent is in order, and so are the answers. [`Connection::send`] does not wait for its answer: whatever comes next does, so that several
//! statements share one round trip. No other thread has a part in it: an answer wakes the one that waits for it.

use std::{
    cell::RefCell,
    collections::VecDeque,
    future::poll_fn,
    pin::{Pin, pin},
    sync::{Arc, OnceLock},
    task::{Context, Poll, Waker},
};

use futures_util::{TryStreamExt, future::maybe_done};
use hashlink::LruCache;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{CancelToken, Client, Error, Row, Statement};

use super::{
    dialect::translated,
    error::unreachable,
    target::Target,
    values::{Bound, owned},
};
use crate::{
    error::{StoreError, StoreResult},
    sql::Value,
};

/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 256;

/// What each connection is told first: statements are too short to be worth compiling.
const HELLO: &str = "SET jit = off";

type Unanswered = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// The rows of an answer, and how many rows the statement changed.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    pub(super) changed: usize,
}

/// A connection to the database.
pub(super) struct Connection {
    runtime: Option<Runtime>,
    client: Arc<Client>,
    /// What reads from and writes to the network, until the connection ends.
    driver: RefCell<Option<Unanswered>>,
    statements: RefCell<LruCache<String, Statement>>,
    unanswered: RefCell<VecDeque<Unanswered>>,
    prefetched: RefCell<Vec<Prefetched>>,
}

/// A question that was asked ahead. Its answer is there once everything is answered.
struct Prefetched {
    sql: String,
    params: Vec<Value<'static>>,
    answer: Arc<OnceLock<Answer>>,
}

impl Connection {
    pub(super) fn open(target: &Target) -> StoreResult<Self> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(StoreError::file("connecting"))?;
        let connected = runtime.block_on(target.config().connect(target.tls()));
        let (client, driver) = connected.map_err(|error| unreachable(&error))?;
        let connection = Self {
            runtime: Some(runtime),
            client: Arc::new(client),
            driver: RefCell::new(Some(Box::pin(driver))),
            statements: RefCell::new(LruCache::new(STATEMENTS)),
            unanswered: RefCell::default(),
            prefetched: RefCell::default(),
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

    /// Sends statements without parameters along with whatever comes next.
    pub(super) fn send(&self, sql: &str) {
        let (client, sql) = (Arc::clone(&self.client), sql.to_owned());
        self.send_unanswered(Box::pin(async move { client.batch_execute(&sql).await }));
    }

    /// The same for one statement with parameters.
    pub(super) fn send_with(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        let statement = self.statement(sql)?;
        let (client, params) = (Arc::clone(&self.client), params.iter().map(owned).collect::<Vec<_>>());
        self.send_unanswered(Box::pin(async move {
            client.execute_raw(&statement, params.iter().map(Bound)).await.map(|_| ())
        }));
        Ok(())
    }

    /// Writes what was sent to the network, as far as that takes no waiting.
    pub(super) fn flush(&self) {
        self.run(self.drive_once());
    }

    /// Waits for all answers; the first failure among them is answered.
    pub(super) fn settle(&self) -> StoreResult<()> {
        Ok(self.run(self.all_answered())?)
    }

    /// Runs a statement.
    pub(super) fn query(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<Answer> {
        if let Some(answer) = self.take_prefetched(sql, params) {
            return self.answered(answer);
        }
        let statement = self.statement(sql)?;
        self.query_prepared(&statement, params)
    }

    pub(super) fn query_prepared(&self, statement: &Statement, params: &[Value<'_>]) -> StoreResult<Answer> {
        let mut request = pin!(maybe_done(request(&self.client, statement, params)));
        sent(request.as_mut());
        Ok(self.run(async {
            self.all_answered().await?;
            request.as_mut().await;
            request.as_mut().take_output().unwrap_or_else(|| Ok(Answer::default()))
        })?)
    }

    /// Runs a statement once for each list of parameters, in one round trip, and answers the rows of all.
    pub(super) fn query_all(&self, sql: &str, lists: &[Vec<Value<'_>>]) -> StoreResult<Vec<Row>> {
        let prefetched: Option<Vec<_>> = lists.iter().map(|params| self.take_prefetched(sql, params)).collect();
        if let Some(answers) = prefetched {
            let answers = answers.into_iter().map(|answer| Ok(self.answered(answer)?.rows));
            return Ok(answers.collect::<StoreResult<Vec<_>>>()?.into_iter().flatten().collect());
        }
        let statement = self.statement(sql)?;
        let mut requests: Vec<_> =
            lists.iter().map(|params| Box::pin(maybe_done(request(&self.client, &statement, params)))).collect();
        for request in &mut requests {
            sent(request.as_mut());
        }
        let mut rows = Vec::new();
        self.run(async {
            self.all_answered().await?;
            for mut request in requests {
                request.as_mut().await;
                rows.extend(request.as_mut().take_output().transpose()?.unwrap_or_default().rows);
            }
            Ok::<_, Error>(())
        })?;
        Ok(rows)
    }

    /// Asks what will be asked soon.
    pub(super) fn prefetch(&self, sql: &str, params: &[Value<'_>]) -> StoreResult<()> {
        let statement = self.statement(sql)?;
        let params: Vec<Value<'static>> = params.iter().map(owned).collect();
        let (client, asked, answer) = (Arc::clone(&self.client), params.clone(), Arc::new(OnceLock::new()));
        let told = Arc::clone(&answer);
        self.send_unanswered(Box::pin(async move {
            let _ = told.set(request(&client, &statement, &asked).await?);
            Ok(())
        }));
        self.prefetched.borrow_mut().push(Prefetched { sql: sql.to_owned(), params, answer });
        Ok(())
    }

    /// Forgets what was asked ahead: it may be other than it was.
    pub(super) fn forget_prefetched(&self) {
        self.prefetched.borrow_mut().clear();
    }

    fn take_prefetched(&self, sql: &str, params: &[Value<'_>]) -> Option<Arc<OnceLock<Answer>>> {
        let mut prefetched = self.prefetched.borrow_mut();
        let found = prefetched.iter().position(|asked| asked.sql == sql && asked.params == params)?;
        Some(prefetched.swap_remove(found).answer)
    }

    fn answered(&self, answer: Arc<OnceLock<Answer>>) -> StoreResult<Answer> {
        self.settle()?;
        let answer = Arc::into_inner(answer).and_then(OnceLock::into_inner);
        answer.ok_or_else(|| StoreError::Unavailable("a question was left without an answer".into()))
    }

    /// A statement that is used once.
    pub(super) fn prepare(&self, sql: &str) -> StoreResult<Statement> {
        self.settle()?;
        Ok(self.run(self.client.prepare(sql))?)
    }

    fn statement(&self, sql: &str) -> StoreResult<Statement> {
        if let Some(statement) = self.statements.borrow_mut().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.prepare(&translated(sql))?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn send_unanswered(&self, mut request: Unanswered) {
        let request = match request.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => Box::pin(std::future::ready(answer)),
            Poll::Pending => request,
        };
        self.unanswered.borrow_mut().push_back(request);
    }

    /// In their order: whoever answers waits until the answer before has been taken.
    async fn all_answered(&self) -> Result<(), Error> {
        let mut first = Ok(());
        loop {
            let Some(request) = self.unanswered.borrow_mut().pop_front() else { return first };
            let answer = request.await;
            if first.is_ok() {
                first = answer;
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
