//! A provider on loopback that speaks OpenAI's protocol and outlives every server: mostly quick and well, now and then slow, broken,
//! cut off or talking nonsense.

use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;

/// Every lesson of this provider begins so, and none by rules does.
pub(super) const SIGNATURE: &str = "The model says";

/// What each whole answer says that it used.
pub(super) const INPUT_TOKENS: i64 = 1_000;
const OUTPUT_TOKENS: i64 = 100;

/// The mood in which it does nothing and says so.
const BROKEN: usize = 7;

pub(super) struct Provider {
    pub(super) url: String,
    asked: Arc<AtomicUsize>,
    billed: Arc<AtomicUsize>,
    well: Arc<AtomicBool>,
}

impl Provider {
    /// Its threads end with the process of the test.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let count = || Arc::new(AtomicUsize::new(0));
        let (asked, billed, well) = (count(), count(), Arc::new(AtomicBool::new(false)));
        let (counting, bill, is_well) = (Arc::clone(&asked), Arc::clone(&billed), Arc::clone(&well));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let number = counting.fetch_add(1, Ordering::Relaxed);
                let mood = if is_well.load(Ordering::Relaxed) { 0 } else { number % 16 };
                // A server that was killed in the middle is what this is about.
                let bill = Arc::clone(&bill);
                std::thread::spawn(move || drop(answer(&connection, number, mood, &bill)));
            }
        });
        Self { url, asked, billed, well }
    }

    /// From now on every answer is good and quick.
    pub(super) fn be_well(&self) {
        self.well.store(true, Ordering::Relaxed);
    }

    /// How many requests it has read and set out to answer, whoever lives to read the answer. Providers bill those.
    pub(super) fn times_billed(&self) -> i64 {
        i64::try_from(self.billed.load(Ordering::Relaxed)).unwrap()
    }

    pub(super) fn times_asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

fn answer(mut connection: &TcpStream, number: usize, mood: usize, bill: &AtomicUsize) -> std::io::Result<()> {
    read_request(connection)?;
    if mood != BROKEN {
        bill.fetch_add(1, Ordering::Relaxed);
    }
    let good = completion(&everything(number));
    let (pause, answer) = match mood {
        // Later than the sender of a review waits.
        5 | 11 => (1_300, http("200 OK", &good)),
        BROKEN => (5, http("500 Internal Server Error", r#"{"error": "broken"}"#)),
        13 => {
            let whole = http("200 OK", &good);
            (5, whole[..whole.len() - 40].to_owned())
        }
        15 => (5, http("200 OK", &completion("I am a teapot."))),
        mood => (5 + 20 * u64::try_from(mood).unwrap(), http("200 OK", &good)),
    };
    std::thread::sleep(Duration::from_millis(pause));
    connection.write_all(answer.as_bytes())
}

/// A lesson unlike any other, and a verdict: whatever is asked for is in it.
fn everything(number: usize) -> String {
    let word = |salt: usize| format!("{:x}", (number * 31 + salt).wrapping_mul(0x9E37_79B9) & 0xFFFF_FFFF);
    json!({
        "summary": format!("{SIGNATURE} {} {} {}.", word(1), word(2), word(3)),
        "key_mistake": format!("{} {} {}.", word(4), word(5), word(6)),
        "correct_action": format!("{} {} {}.", word(7), word(8), word(9)),
        "guidance": format!("{} {} {} {}.", word(10), word(11), word(12), word(13)),
        "applicable_tools": [],
        "verdict": if number.is_multiple_of(3) { "fail" } else { "pass" },
        "explanation": format!("{} {}", word(14), word(15)),
    })
    .to_string()
}

fn read_request(connection: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let read = reader.take(length).read_to_end(&mut Vec::new())?;
    // A server that was killed while it asked has asked nothing.
    if u64::try_from(read).is_ok_and(|read| read == length) { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

fn http(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn completion(content: &str) -> String {
    json!({
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "tester",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS},
    })
    .to_string()
}
