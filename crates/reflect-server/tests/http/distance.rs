//! A database that is far away: what crosses the distance is counted.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// A proxy in front of a database.
pub(crate) struct Distance {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    millis: AtomicU64,
    round_trips: AtomicU64,
}

impl Distance {
    /// In front of the database at this address, which is next door at first.
    pub(crate) fn before(database: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, shared) = (listener.local_addr().unwrap().port(), Arc::<Shared>::default());
        let seen = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                forward(client.unwrap(), TcpStream::connect(&database).unwrap(), &seen);
            }
        });
        Self { port, shared }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// How long answers are under way from now on.
    pub(crate) fn set(&self, away: Duration) {
        self.shared.millis.store(away.as_millis() as u64, Ordering::SeqCst);
    }

    /// How often somebody spoke who had been answered since he spoke last, all connections together.
    pub(crate) fn round_trips(&self) -> u64 {
        self.shared.round_trips.load(Ordering::SeqCst)
    }
}

fn forward(client: TcpStream, database: TcpStream, shared: &Arc<Shared>) {
    client.set_nodelay(true).unwrap();
    database.set_nodelay(true).unwrap();
    let was_answered = Arc::new(AtomicBool::new(true));
    let (asking, asked) = (client.try_clone().unwrap(), database.try_clone().unwrap());
    let (counted, answered) = (Arc::clone(shared), Arc::clone(&was_answered));
    thread::spawn(move || {
        carry(asking, asked, |_| {
            if answered.swap(false, Ordering::SeqCst) {
                counted.round_trips.fetch_add(1, Ordering::SeqCst);
            }
        });
    });
    let (under_way, arriving) = mpsc::channel::<(Instant, Vec<u8>)>();
    let shared = Arc::clone(shared);
    let from = database.try_clone().unwrap();
    thread::spawn(move || {
        let mut from = from;
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let arrival = Instant::now() + Duration::from_millis(shared.millis.load(Ordering::SeqCst));
            if under_way.send((arrival, buffer[..length].to_vec())).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || {
        let mut client = client;
        for (arrival, bytes) in arriving {
            thread::sleep(arrival.saturating_duration_since(Instant::now()));
            was_answered.store(true, Ordering::SeqCst);
            if client.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ = client.shutdown(Shutdown::Both);
        let _ = database.shutdown(Shutdown::Both);
    });
}

fn carry(mut from: TcpStream, mut to: TcpStream, mut note: impl FnMut(usize)) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        note(length);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
