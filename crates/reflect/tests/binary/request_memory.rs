//! Clients that want the process to hold as much as possible, and what everybody else experiences.

use std::{
    io::Write,
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    http::Http,
    server_process::{ServerProcess, eventually, serve},
};

const TRACES: &str = "/v1/projects/default/traces";
const MEMORIES: &str = "/v1/projects/default/memories?limit=1000";
const MIB: usize = 1 << 20;

/// What requests may hold in this test.
const REQUEST_MEMORY: usize = 16 * MIB;

/// What the process may grow by: what requests may hold, what is read of the database meanwhile, and the buffers of fifty connections.
/// Measured were 48 to 60 MiB; without the bound the process reached 692 MB.
const GROWTH: usize = 160 * MIB;

/// How long a bystander may wait for an answer, on a machine that does other things as well.
const BOUND: Duration = Duration::from_secs(20);

#[test]
fn who_asks_for_much_and_reads_nothing_uses_up_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(folder.path());
    let server = ServerProcess::start_with(folder.path(), command.env("REFLECT_REQUEST_MEMORY", "16"));
    store_much(&server.client());
    let before = resident(&server, "VmRSS:");
    // From here on the peak is that of the attack.
    std::fs::write(format!("/proc/{}/clear_refs", server.pid()), "5").unwrap();
    let is_over = AtomicBool::new(false);
    let (lists, memories, body) = (get(&server, TRACES), get(&server, MEMORIES), large_body(&server));
    let attacks = [&lists, &memories, &body, &body, &body];
    let (address, is_over) = (server.url.trim_start_matches("http://").to_owned(), &is_over);
    let (grown, log) = std::thread::scope(|scope| {
        for attack in attacks.into_iter().flat_map(|attack| std::iter::repeat_n(attack, 10)) {
            let address = &address;
            scope.spawn(move || insist(address, attack, is_over));
        }
        // Also where an assertion fails, since the scope waits for the attackers.
        let end = End(is_over);
        eventually("the attack uses up what there is", || {
            let answer = server.client().get(&format!("{TRACES}?limit=20")).ok()?;
            (answer.status == 503).then_some(())
        });
        live_on(&server.client());
        drop(end);
        let grown = resident(&server, "VmHWM:").saturating_sub(before);
        // While they are still at it: what they wait for ends with the server.
        let (_, log) = server.stop("-TERM");
        (grown, log)
    });
    eprintln!("grew by {} MiB", grown / MIB);
    assert!(grown < GROWTH, "{} MiB for requests that may hold {}", grown / MIB, REQUEST_MEMORY / MIB);
    assert!(log.contains("requests hold as much memory as they may"), "{log}");
}

/// Ends the attack when it is dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Traces of 40 MiB and memories of 20.
fn store_much(http: &Http) {
    for number in 0..20 {
        let run = json!({
            "task": format!("find report {number}"),
            "trajectory": [{"role": "assistant", "content": "x".repeat(900_000)}, {"role": "tool", "content": "y".repeat(900_000)}],
            "review": {"result": "pass"},
        });
        http.post(TRACES, &run).unwrap().good();
    }
    let memories = eventually("the lessons are written", || {
        let memories = http.get(MEMORIES).unwrap().good();
        (memories.as_array().unwrap().len() == 20).then_some(memories)
    });
    for memory in memories.as_array().unwrap() {
        let path = format!("/v1/projects/default/memories/{}", memory["id"].as_str().unwrap());
        http.patch(&path, &json!({"guidance": "z".repeat(1_000_000)})).unwrap().good();
    }
}

/// What somebody does in another project.
fn live_on(http: &Http) {
    let quickly = |path: &str, body: Option<Value>| {
        let asked_at = Instant::now();
        let path = format!("/v1/projects/bystander/{path}");
        let answer = body.map_or_else(|| http.get(&path), |body| http.post(&path, &body)).unwrap();
        assert!(asked_at.elapsed() < BOUND, "{path} took {:?}", asked_at.elapsed());
        answer
    };
    for _ in 0..10 {
        quickly("traces", Some(json!({"task": "find", "trajectory": "looked", "review": {"result": "pass"}}))).good();
        quickly("memory/query", Some(json!({"task": "find"}))).good();
        quickly("traces?limit=10&view=summary", None).good();
        quickly("memories", None).good();
    }
    // Large ones are answered or hear when to come back. Summaries leave the trajectory out, so that the list above stays small.
    let trajectory = json!([{"role": "tool", "content": "x".repeat(900_000)}]);
    let large = json!({"task": "find", "trajectory": trajectory, "final_response": "found"});
    let answer = quickly("traces", Some(large));
    assert!(matches!(answer.status, 200 | 503), "{answer:?}");
}

/// Sends the same request again and again and never reads anything.
fn insist(address: &str, request: &[u8], is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address) else { continue };
        stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        // The server may refuse to take all of it.
        let _ = stream.write_all(request);
        std::thread::sleep(Duration::from_secs(2));
    }
}

fn get(server: &ServerProcess, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n", server.key()).into_bytes()
}

/// A request whose last byte never comes.
fn large_body(server: &ServerProcess) -> Vec<u8> {
    let length = 8 * MIB;
    let mut request = format!(
        "POST {TRACES} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n",
        server.key()
    )
    .into_bytes();
    request.resize(request.len() + length - 1, b' ');
    request
}

/// A line of `/proc/PID/status`, in bytes.
fn resident(server: &ServerProcess, line: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let kibibytes = status.lines().find_map(|found| found.strip_prefix(line)).unwrap();
    kibibytes.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1_024
}
