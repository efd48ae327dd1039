//! A disk that is full or read-only, and then is not.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{
    http::{Answer, Http},
    server_process::{ServerProcess, eventually, reflect, run},
};

const ROUNDS: u64 = 4;
const PROJECT: &str = "/v1/projects/default";

/// A small disk of its own. Unmounted when dropped.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// `None` where we may not mount.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=12m", "reflect-test"]).arg(folder.path()).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self { folder }),
            _ => None,
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file until not one more byte fits, then gives `left` bytes back.
    fn fill(&self, left: u64) -> PathBuf {
        let path = self.path().join("filler");
        let mut file = std::fs::File::create(&path).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![7; size]).is_ok() {}
        }
        let length = file.metadata().unwrap().len();
        file.set_len(length - left).unwrap();
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: whatever still has a file open there keeps its own hold, and the folder can be removed.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[test]
fn a_full_disk_refuses_writes_serves_reads_and_heals_by_itself() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("skipped: mounting a tmpfs is not permitted here");
        return;
    };
    let data = disk.path().join("data");
    let server = ServerProcess::start(&data);
    let http = server.client();
    let mut acknowledged: Vec<String> = (0..5).map(|number| trace_id(&create(&http, number, 100))).collect();
    eventually("there is a memory to find", || {
        (get_trace(&http, &acknowledged[0])["review_status"] == "reviewed").then_some(())
    });
    // The disk runs full at another moment each time: before, while or after a lesson is claimed and written.
    for round in 0..ROUNDS {
        let filler = disk.fill(200_000 + 150_000 * round);
        fill_up(&http, &mut acknowledged);
        std::fs::remove_file(filler).unwrap();
        let healed = eventually("creates work again", || {
            let answer = create(&http, 1, 100);
            (answer.status == 200).then_some(answer)
        });
        acknowledged.push(trace_id(&healed));
        assert_all_lessons_are_written(&http, &acknowledged);
        eventually("the server is ready again", || (http.get("/ready").unwrap().status == 200).then_some(()));
    }
    let said = run(reflect().args(["check", "--data"]).arg(&data)).succeeded();
    assert!(said.contains(&format!("{} memories", acknowledged.len())) && said.contains(", 0 differ"), "{said}");
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
}

/// A folder under which nothing can be opened for writing, as on a disk that the system has made read-only. Writable again when dropped.
struct ReadOnly<'a>(&'a Path);

impl<'a> ReadOnly<'a> {
    fn mount(folder: &'a Path) -> Self {
        let mount = |arguments: &[&str]| {
            assert!(Command::new("mount").args(arguments).arg(folder).status().unwrap().success());
        };
        // The folder once more over itself: only the second mount can become read-only while files are open in the first.
        mount(&["--bind", folder.to_str().unwrap()]);
        mount(&["-o", "remount,ro,bind"]);
        Self(folder)
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_read_only_disk_is_not_ready_and_says_so_until_it_is_writable_again() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("skipped: mounting a tmpfs is not permitted here");
        return;
    };
    let data = disk.path().join("data");
    let server = ServerProcess::start(&data);
    let http = server.client();
    let trace_id = trace_id(&create(&http, 1, 100));
    eventually("the server is ready", || (http.get("/ready").unwrap().status == 200).then_some(()));
    let read_only = ReadOnly::mount(&data);
    let ready = eventually("the server is not ready", || {
        let ready = http.get("/ready").unwrap();
        (ready.status == 503).then_some(ready.body)
    });
    assert_eq!((&ready["status"], &ready["store"]), (&json!("not_ready"), &json!("read_only")), "{ready}");
    assert_eq!(ready["problems"][0]["part"], "store", "{ready}");
    get_trace(&http, &trace_id);
    drop(read_only);
    eventually("the server is ready again", || (http.get("/ready").unwrap().status == 200).then_some(()));
}

/// Hands in runs until they are refused, and sees that all else goes on.
fn fill_up(http: &Http, acknowledged: &mut Vec<String>) {
    let refused = create_until_refused(http, acknowledged);
    assert!(matches!((refused.status, refused.code()), (507, "disk_full") | (503, "unavailable")), "{refused:?}");
    let error = &refused.body["error"];
    assert!(!error["message"].as_str().unwrap().is_empty() && !error["request_id"].as_str().unwrap().is_empty());
    for _ in 0..5 {
        assert_reads_go_on(http, acknowledged);
        // A small write is refused as well, or finds room that the log had already taken.
        let answer = create(http, 0, 1);
        match answer.status {
            200 => acknowledged.push(trace_id(&answer)),
            503 | 507 => {}
            _ => panic!("{answer:?}"),
        }
    }
}

fn assert_all_lessons_are_written(http: &Http, acknowledged: &[String]) {
    eventually("every lesson is written", || {
        let listed = http.get(&format!("{PROJECT}/traces?view=summary")).unwrap().good();
        let listed = listed.as_array().unwrap();
        assert_eq!(listed.len(), acknowledged.len());
        assert!(listed.iter().all(|trace| trace["ingest_status"] != "failed"), "{listed:?}");
        listed.iter().all(|trace| trace["review_status"] == "reviewed").then_some(())
    });
}

/// Several clients hand in runs until nothing fits any more, so that some lessons are still to be written by then, and
/// some are being written.
fn create_until_refused(http: &Http, acknowledged: &mut Vec<String>) -> Answer {
    let client = |number: usize| {
        let mut created = Vec::new();
        loop {
            let answer = create(http, number, 500);
            if answer.status != 200 {
                return (created, answer);
            }
            created.push(trace_id(&answer));
        }
    };
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8).map(|number| scope.spawn(move || client(number))).collect();
        let ended: Vec<_> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        let mut refused = None;
        for (created, answer) in ended {
            acknowledged.extend(created);
            refused = Some(answer);
        }
        refused.unwrap()
    })
}

fn assert_reads_go_on(http: &Http, acknowledged: &[String]) {
    assert_eq!(http.get("/health").unwrap().good()["status"], "ok");
    eventually("the server says that the disk is full", || {
        let ready = http.get("/ready").unwrap();
        let problem = &ready.body["problems"][0];
        (ready.status == 503 && ready.body["store"] == "full" && problem["part"] == "store").then_some(())
    });
    let listed = http.get(&format!("{PROJECT}/traces?view=summary")).unwrap().good();
    let listed: Vec<&str> = listed.as_array().unwrap().iter().map(|trace| trace["id"].as_str().unwrap()).collect();
    for trace_id in acknowledged {
        assert!(listed.contains(&trace_id.as_str()), "{trace_id} is lost");
    }
    get_trace(http, &acknowledged[0]);
    let query = json!({"task": "find the report"});
    let found = http.post(&format!("{PROJECT}/memory/query"), &query).unwrap().good();
    assert!(!found.as_array().unwrap().is_empty());
}

fn create(http: &Http, number: usize, size: usize) -> Answer {
    let body = json!({
        "task": format!("find report {number}"),
        "trajectory": [{"role": "assistant", "content": "x".repeat(size)}],
        "review": {"result": "pass"},
    });
    http.post(&format!("{PROJECT}/traces"), &body).unwrap()
}

fn trace_id(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["trace_id"].as_str().unwrap().to_owned()
}

fn get_trace(http: &Http, trace_id: &str) -> Value {
    http.get(&format!("{PROJECT}/traces/{trace_id}")).unwrap().good()
}
