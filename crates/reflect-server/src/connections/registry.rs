//! Which connections there are, and which of them makes room when all are taken.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    ConnectionSettings,
    connection::{Admission, Connection, Phase},
};
use crate::byte_budget::{ByteBudget, PROMPT};

/// How many connections are taken beyond the limit, for operators.
pub(crate) const RESERVE: usize = 16;

/// How long a connection of the reserve may take for its one request.
pub(crate) const RESERVE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a client whose request was refused may go on sending it.
const LINGER_TIMEOUT: Duration = Duration::from_secs(30);

/// Every open connection.
pub(crate) struct Registry {
    settings: ConnectionSettings,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last_id: u64,
    connections: HashMap<u64, Arc<Connection>>,
    regular: usize,
    by_origin: HashMap<IpAddr, usize>,
}

impl Registry {
    pub(crate) fn new(settings: ConnectionSettings) -> Self {
        Self { settings, open: Mutex::default() }
    }

    /// A place for a new connection. When all are taken, the one that has waited longest for its client makes room, first
    /// among those whose origin has the most. Where all are being answered there is the reserve; `None` when that is taken, too.
    pub(crate) fn admit(&self, peer: SocketAddr) -> Option<Arc<Connection>> {
        let mut open = self.lock();
        let has_room = open.regular < self.settings.most || open.dismiss_waiting(Admission::Regular);
        let reserved = open.connections.len() - open.regular;
        let admission = match has_room {
            true => Admission::Regular,
            false if reserved < RESERVE || open.dismiss_waiting(Admission::Reserve) => Admission::Reserve,
            false => return None,
        };
        Some(open.insert(peer, admission))
    }

    /// Ends the connection that has waited longest for its client, and says whether there was one.
    pub(crate) fn make_room(&self) -> bool {
        self.lock().dismiss_waiting(Admission::Regular)
    }

    pub(crate) fn remove(&self, connection: &Connection) {
        self.lock().remove(connection.id);
    }

    /// Ends all connections whose clients took too long for whatever is waited for. Where requests wait for the memory that others
    /// hold, clients have to send and to read promptly.
    pub(crate) fn dismiss_overdue(&self, budget: &ByteBudget) {
        let mut open = self.lock();
        let is_contended = budget.is_contended();
        let overdue = |connection: &&Arc<Connection>| {
            let is_in_the_way = is_contended && matches!(connection.phase(), Phase::Body | Phase::Sending);
            let patience = if is_in_the_way { Some(PROMPT) } else { self.patience(connection) };
            patience.is_some_and(|patience| connection.phase_age() > patience)
        };
        let overdue: Vec<u64> = open.connections.values().filter(overdue).map(|connection| connection.id).collect();
        for id in overdue {
            open.dismiss(id);
        }
    }

    /// How long a connection may stay in its phase. Bodies have timeouts of their own, with an answer.
    fn patience(&self, connection: &Connection) -> Option<Duration> {
        match (connection.phase(), connection.admission) {
            (Phase::Working, _) => None,
            (_, Admission::Reserve) => Some(RESERVE_TIMEOUT),
            (Phase::Idle, _) => Some(self.settings.idle_timeout),
            (Phase::Head, _) => Some(self.settings.head_timeout),
            (Phase::Sending, _) => Some(self.settings.send_timeout),
            (Phase::Lingering, _) => Some(LINGER_TIMEOUT),
            (Phase::Body, _) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn insert(&mut self, peer: SocketAddr, admission: Admission) -> Arc<Connection> {
        self.last_id += 1;
        let connection = Arc::new(Connection::new(self.last_id, peer, admission));
        *self.by_origin.entry(connection.origin()).or_default() += 1;
        self.regular += usize::from(admission == Admission::Regular);
        self.connections.insert(connection.id, Arc::clone(&connection));
        connection
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Connection>> {
        let connection = self.connections.remove(&id)?;
        self.regular -= usize::from(connection.admission == Admission::Regular);
        if let Some(count) = self.by_origin.get_mut(&connection.origin()) {
            *count -= 1;
            if *count == 0 {
                self.by_origin.remove(&connection.origin());
            }
        }
        Some(connection)
    }

    fn dismiss(&mut self, id: u64) {
        if let Some(connection) = self.remove(id) {
            connection.dismiss();
        }
    }

    fn dismiss_waiting(&mut self, admission: Admission) -> bool {
        let waiting = self.connections.values();
        let waiting = waiting.filter(|one| one.admission == admission && one.phase() != Phase::Working);
        let crowd = |one: &Connection| self.by_origin.get(&one.origin()).copied().unwrap_or_default();
        let longest = waiting.max_by_key(|one| (crowd(one), one.phase_age())).map(|one| one.id);
        if let Some(id) = longest {
            self.dismiss(id);
        }
        longest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::heads::BodyLength, *};

    fn registry(most: usize) -> Registry {
        let hour = Duration::from_secs(3_600);
        Registry::new(ConnectionSettings { most, head_timeout: hour, idle_timeout: hour, send_timeout: hour })
    }

    fn from(last: u8) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, last], 1))
    }

    fn is_open(registry: &Registry, connection: &Connection) -> bool {
        registry.lock().connections.contains_key(&connection.id)
    }

    #[test]
    fn the_crowd_makes_room_for_the_newcomer() {
        let registry = registry(3);
        let neighbour = registry.admit(from(2)).unwrap();
        let crowd = [registry.admit(from(1)).unwrap(), registry.admit(from(1)).unwrap()];
        crowd[0].resume();
        let newcomer = registry.admit(from(3)).unwrap();
        assert_eq!(newcomer.admission, Admission::Regular);
        assert!(is_open(&registry, &neighbour), "it waits longest, but does not belong to the crowd");
        assert_eq!(crowd.iter().filter(|one| is_open(&registry, one)).count(), 1);
    }

    #[test]
    fn who_is_being_answered_never_makes_room() {
        let registry = registry(2);
        let working: Vec<_> = (0..2).map(|_| registry.admit(from(1)).unwrap()).collect();
        let requests: Vec<_> = working.iter().map(|one| one.start_request(BodyLength::Known(0))).collect();
        let reserve: Vec<_> = (0..RESERVE).map(|_| registry.admit(from(2)).unwrap()).collect();
        assert!(reserve.iter().all(|one| one.admission == Admission::Reserve));
        let one_more = registry.admit(from(3)).unwrap();
        assert_eq!(one_more.admission, Admission::Reserve);
        assert!(working.iter().all(|one| is_open(&registry, one)));
        drop(requests);
        assert_eq!(registry.admit(from(3)).unwrap().admission, Admission::Regular);
    }
}
