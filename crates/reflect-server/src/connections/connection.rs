//! What is known of a connection while it lives.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use super::heads::{BodyLength, Head};

/// What a connection is doing. In all phases but [`Phase::Working`] the server waits for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Between two requests.
    Idle,
    /// The head of a request is on its way.
    Head,
    /// The body of a request is on its way.
    Body,
    /// The client is to take an answer.
    Sending,
    /// The answer is out; what the client still sends is thrown away, so that it gets to read it.
    Lingering,
    /// A request is being answered.
    Working,
}

impl Phase {
    const ALL: [Self; 6] = [Self::Idle, Self::Head, Self::Body, Self::Sending, Self::Lingering, Self::Working];
    /// How many bits of a number say which phase it is.
    const BITS: u32 = 3;
}

/// Whether a connection may ask for anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It may.
    Regular,
    /// All regular ones are taken: it gets one answer, and a good one only where an operator would ask.
    Reserve,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) id: u64,
    pub(crate) peer: SocketAddr,
    pub(crate) admission: Admission,
    /// Whether it came to a loopback address, which nobody can reach but over this machine.
    is_local: AtomicBool,
    accepted_at: Instant,
    /// Milliseconds from `accepted_at` to the start of the phase, and the phase. One number, so that nobody sees the one
    /// without the other.
    phase: AtomicU64,
    is_in_request: AtomicBool,
    lingers: AtomicBool,
    framing: Mutex<Framing>,
    dismissal: Notify,
}

/// What the socket and the parser tell each other about requests.
#[derive(Debug, Default)]
struct Framing {
    /// The head that came last, until its request starts.
    head: Option<Head>,
    /// Whether the request that is being answered had a good head.
    is_head_good: bool,
    /// How long its body is, until the socket has heard of it.
    body_length: Option<BodyLength>,
}

impl Connection {
    pub(crate) fn new(id: u64, peer: SocketAddr, admission: Admission) -> Self {
        let connection = Self {
            id,
            peer,
            admission,
            is_local: AtomicBool::new(false),
            accepted_at: Instant::now(),
            phase: AtomicU64::new(0),
            is_in_request: AtomicBool::new(false),
            lingers: AtomicBool::new(false),
            framing: Mutex::default(),
            dismissal: Notify::new(),
        };
        connection.enter(Phase::Head);
        connection
    }

    /// Whom the connection counts for: an address, or the network that one machine usually has in IPv6.
    pub(crate) fn origin(&self) -> IpAddr {
        match self.peer.ip().to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
            address => address,
        }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        let since = u64::try_from(self.accepted_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.phase.store(since << Phase::BITS | phase as u64, Ordering::Relaxed);
    }

    pub(crate) fn phase(&self) -> Phase {
        let number = self.phase.load(Ordering::Relaxed) & ((1 << Phase::BITS) - 1);
        Phase::ALL.into_iter().find(|phase| *phase as u64 == number).unwrap_or(Phase::Working)
    }

    /// For how long it has been in its phase.
    pub(crate) fn phase_age(&self) -> Duration {
        let since = Duration::from_millis(self.phase.load(Ordering::Relaxed) >> Phase::BITS);
        self.accepted_at.elapsed().saturating_sub(since)
    }

    /// A request has come, with a body of this length. It lasts until what is answered here is dropped.
    pub(crate) fn start_request(self: &Arc<Self>, body_length: BodyLength) -> InRequest {
        let mut framing = self.framing();
        framing.is_head_good = framing.head.take() == Some(Head::Good);
        framing.body_length = Some(body_length);
        self.is_in_request.store(true, Ordering::Relaxed);
        self.enter(Phase::Working);
        InRequest(Arc::clone(self))
    }

    pub(crate) fn is_in_request(&self) -> bool {
        self.is_in_request.load(Ordering::Relaxed)
    }

    /// Notes what the head of the next request looks like.
    pub(crate) fn head_ended(&self, head: Head) {
        self.framing().head = Some(head);
    }

    /// How long the body of the request is, for the first who asks.
    pub(crate) fn take_body_length(&self) -> Option<BodyLength> {
        self.framing().body_length.take()
    }

    /// Whether the head of the request had no bare line feeds.
    pub(crate) fn is_head_good(&self) -> bool {
        self.framing().is_head_good
    }

    fn framing(&self) -> MutexGuard<'_, Framing> {
        self.framing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_local(&self, is_local: bool) {
        self.is_local.store(is_local, Ordering::Relaxed);
    }

    pub(crate) fn is_local(&self) -> bool {
        self.is_local.load(Ordering::Relaxed)
    }

    /// The client has done what the server waited for.
    pub(crate) fn resume(&self) {
        self.enter(if self.is_in_request() { Phase::Working } else { Phase::Idle });
    }

    /// From now on the connection ends after its answer, but not before the client had time to read it.
    pub(crate) fn linger(&self) {
        self.lingers.store(true, Ordering::Relaxed);
    }

    pub(crate) fn lingers(&self) -> bool {
        self.lingers.load(Ordering::Relaxed)
    }

    /// Ends the connection, whatever it is doing.
    pub(crate) fn dismiss(&self) {
        self.dismissal.notify_one();
    }

    pub(crate) async fn dismissed(&self) {
        self.dismissal.notified().await;
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct InRequest(Arc<Connection>);

impl Drop for InRequest {
    fn drop(&mut self) {
        self.0.is_in_request.store(false, Ordering::Relaxed);
        self.0.enter(Phase::Idle);
    }
}
