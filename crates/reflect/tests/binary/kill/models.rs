//! The same with models: the server is killed while lessons wait for a model, follow-ups replace stand-ins, the judge is being asked
//! and money is being counted.
//!
//! After every restart: what was acknowledged is there; every reviewed trace has one memory, whose newest revision says who
//! wrote it; no trace has two reviews; what was spent is not forgotten; every utility is the fold of its ledger.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::{
    PROJECT, check_says_nothing_differs, drain, ledger,
    provider::{INPUT_TOKENS, Provider, SIGNATURE},
    random::Random,
    seed_memories,
    server_view::ServerView,
};
use crate::{
    http::{Broken, Http},
    server_process::{ServerProcess, eventually, serve},
};

/// And more until enough was done to mean something.
const ROUNDS: usize = 8;
const CLIENTS: usize = 3;
/// How long a server lives, in milliseconds: long enough for a lesson to come late.
const LIFE: std::ops::Range<u64> = 200..1_900;
const SEED: u64 = 20_261_115;

/// What was acknowledged about runs: by task, the feedback of the review, if it has one.
type Book = BTreeMap<String, Option<String>>;

#[test]
fn what_models_do_survives_being_killed_and_counts_once() {
    let started = Instant::now();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let provider = Provider::start();
    let mut random = Random::new(SEED);
    let mut randoms: Vec<Random> = (0..CLIENTS).map(|_| random.fork()).collect();
    let mut book = Book::new();
    let mut server = start(data, &provider, "openai/tester");
    seed_memories(&server.client());
    let mut spent = Spent::read(data);
    let mut round = 0;
    while round < ROUNDS || book.len() <= ROUNDS || Counts::read(data).stand_ins == 0 {
        let http = server.client();
        let memories = ServerView::read(&http).memory_ids();
        let books: Vec<Book> = std::thread::scope(|scope| {
            let working: Vec<_> = randoms
                .iter_mut()
                .enumerate()
                .map(|(client, random)| {
                    let (http, memories) = (http.clone(), &memories);
                    scope.spawn(move || work_until_cut_off(&http, &format!("{round}-{client}"), memories, random))
                })
                .collect();
            std::thread::sleep(Duration::from_millis(random.between(LIFE)));
            server.kill();
            working.into_iter().map(|client| client.join().unwrap()).collect()
        });
        book.extend(books.into_iter().flatten());
        let billed = provider.times_billed();
        spent = Spent::read(data).after(&spent);
        assert!(spent.calls >= billed, "{billed} calls were billed, and {} are remembered", spent.calls);
        // Without its judge nothing but clients moves a utility, so that one can look; then it is killed as well.
        server = start(data, &provider, "off");
        assert_gauge_remembers(data, &server.client(), spent.cost_usd);
        assert_nothing_is_lost(data, &server.client(), &book);
        server.kill();
        server = start(data, &provider, "openai/tester");
        round += 1;
    }
    provider.be_well();
    let http = server.client();
    drain(&http);
    eventually("a follow-up has replaced its stand-in and the judge has judged", || {
        let done = Counts::read(data);
        (done.replaced > 0 && done.judged > 0).then_some(())
    });
    let (status, log) = server.stop("-TERM");
    assert!(status.success(), "{log}");
    let server = start(data, &provider, "off");
    assert_nothing_is_lost(data, &server.client(), &book);
    Spent::read(data).after(&spent);
    drop(server);
    check_says_nothing_differs(data);
    let counts = Counts::read(data);
    eprintln!(
        "{round} kills with models: {} traces acknowledged, {} calls, {counts:?}, {:.1} s",
        book.len(),
        provider.times_asked(),
        started.elapsed().as_secs_f64()
    );
    assert!(counts.by_model > 0 && counts.stand_ins > 0, "it was too little to mean anything");
}

fn start(data: &Path, provider: &Provider, judge: &str) -> ServerProcess {
    let mut command = serve(data);
    command.args(["--queue-max-age", "3600", "--review-deadline", "1", "--workers", "16"]);
    command.args(["--llm", "openai/tester", "--openai-base-url", &provider.url, "--judge", judge]);
    command.args(["--judge-after", "1", "--llm-timeout", "3", "--llm-retries", "1", "--attempt-timeout", "5"]);
    command.args(["--llm-prices", "openai/tester=10/10", "--llm-daily-limit", "1000"]);
    ServerProcess::start_with(data, &mut command)
}

/// Sends runs, some with a review, some with one that follows, some with none. Answers what was acknowledged.
fn work_until_cut_off(http: &Http, name: &str, memories: &[String], random: &mut Random) -> Book {
    let mut book = Book::new();
    for number in 0.. {
        if send_run(http, &format!("{name}-{number}"), memories, random, &mut book).is_err() {
            break;
        }
    }
    book
}

fn send_run(http: &Http, name: &str, memories: &[String], random: &mut Random, book: &mut Book) -> Result<(), Broken> {
    let task = format!("task {name}: book a flight to Oslo");
    let review =
        json!({"result": if random.chance(50) { "pass" } else { "fail" }, "feedback_text": format!("why {name}")});
    let mut body = json!({
        "task": task,
        "trajectory": [{"role": "user", "content": "book a flight"}, {"role": "assistant", "content": format!("done {name}")}],
        "retrieved_memory_ids": [random.pick(memories), random.pick(memories)],
    });
    let kind = random.between(0..10);
    if kind < 4 {
        body["review"] = review.clone();
    }
    let created = http.post(&format!("{PROJECT}/traces"), &body)?.good();
    book.insert(task.clone(), (kind < 4).then(|| format!("why {name}")));
    if (4..7).contains(&kind) {
        let path = format!("{PROJECT}/traces/{}/review", created["trace_id"].as_str().unwrap());
        let answer = http.post(&path, &review)?;
        answer.good();
        book.insert(task, Some(format!("why {name}")));
    }
    Ok(())
}

fn assert_nothing_is_lost(data: &Path, http: &Http, book: &Book) {
    let view = ServerView::read(http);
    for (task, feedback) in book {
        let Some(trace) = view.by_task.get(task).map(|place| &view.traces[*place]) else {
            panic!("an acknowledged trace is lost: {task}");
        };
        let found = (&trace.review["feedback_text"], &trace.review["source"]);
        match feedback {
            Some(feedback) => assert_eq!(found, (&json!(feedback), &json!("api")), "{trace:?}"),
            // Nobody else reviews it, or its review broke off: then it was carried out, once, or was not.
            None => assert!(trace.review.is_null() || found.1 == "judge" || found.0.as_str().is_some(), "{trace:?}"),
        }
    }
    ledger::assert_sound(data, &view);
    let database = open(data);
    for (what, sql) in [
        ("traces with more than one memory", "SELECT 1 FROM memories GROUP BY project_id, trace_id HAVING count(*) > 1"),
        (
            "traces that were judged twice",
            "SELECT 1 FROM reviews WHERE source = 'judge' GROUP BY project_id, trace_id HAVING count(*) > 1",
        ),
        (
            "judge's reviews that are not its verdict",
            "SELECT 1 FROM reviews r LEFT JOIN judgements g USING (project_id, trace_id)
             WHERE r.source = 'judge' AND g.verdict IS NOT r.result",
        ),
        (
            "reviewed traces without their memory",
            "SELECT 1 FROM traces t LEFT JOIN memories m ON m.project_id = t.project_id AND m.memory_id = t.created_memory_id
             WHERE t.review_status = 'reviewed' AND (m.trace_id IS NOT t.trace_id OR m.deleted_at IS NOT NULL)",
        ),
        (
            "revisions that are missing",
            "SELECT 1 FROM memories m WHERE revision <> 1 + (SELECT count(*) FROM memory_revisions r
             WHERE r.project_id = m.project_id AND r.memory_id = m.memory_id)",
        ),
    ] {
        let found: i64 = database.query_row(&format!("SELECT count(*) FROM ({sql})"), [], |row| row.get(0)).unwrap();
        assert_eq!(found, 0, "{what}");
    }
    assert_writers_are_honest(&database);
}

/// What a model wrote says so, and so does what rules wrote in its place.
fn assert_writers_are_honest(database: &Connection) {
    let sql = "SELECT lesson, written_by, revision FROM memories WHERE task LIKE 'task %'";
    let mut statement = database.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let json = |column: &str| -> Value { serde_json::from_str(&row.get::<_, String>(column).unwrap()).unwrap() };
        let (lesson, by) = (json("lesson"), json("written_by"));
        let signed = lesson["summary"].as_str().unwrap().starts_with(SIGNATURE);
        let says = (&by["reflector"], &by["model"], &by["stands_in_for"]);
        let honest = match signed {
            true => says == (&json!("llm"), &json!("openai/tester"), &Value::Null),
            false => says == (&json!("builtin"), &Value::Null, &json!("openai/tester")),
        };
        let revision: i64 = row.get("revision").unwrap();
        assert!(honest && (revision == 1 || (revision == 2 && signed)), "{lesson} {by} {revision}");
    }
}

/// What the ledger of spending holds.
#[derive(Debug, Default, Clone)]
struct Spent {
    calls: i64,
    cost_usd: f64,
}

impl Spent {
    fn read(data: &Path) -> Self {
        let database = open(data);
        let sql = "SELECT coalesce(sum(calls), 0), coalesce(sum(cost_usd), 0.0) FROM llm_spend";
        let spent = database.query_row(sql, [], |row| Ok(Self { calls: row.get(0)?, cost_usd: row.get(1)? })).unwrap();
        // A lesson is stored after what it cost, and so is a verdict.
        let (lessons, verdicts, by_reflector, by_judge): (i64, i64, i64, i64) = database
            .query_row(
                "SELECT (SELECT coalesce(sum(written_by ->> 'input_tokens'), 0) FROM memories),
                        (SELECT count(*) FROM judgements WHERE verdict IS NOT NULL),
                        (SELECT coalesce(sum(input_tokens), 0) FROM llm_spend WHERE role = 'reflector'),
                        (SELECT coalesce(sum(input_tokens), 0) FROM llm_spend WHERE role = 'judge')",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
            )
            .unwrap();
        assert!(by_reflector >= lessons, "lessons of {lessons} tokens, and {by_reflector} were charged");
        assert!(by_judge >= verdicts * INPUT_TOKENS, "{verdicts} verdicts, and {by_judge} tokens were charged");
        spent
    }

    #[track_caller]
    fn after(self, earlier: &Self) -> Self {
        assert!(self.calls >= earlier.calls && self.cost_usd >= earlier.cost_usd, "{self:?} after {earlier:?}");
        self
    }
}

/// The limit is held against what all servers of today have spent, not against what this one has.
fn assert_gauge_remembers(data: &Path, http: &Http, left_behind: f64) {
    let metrics = http.text("/metrics").unwrap();
    let gauge = metrics.lines().find_map(|line| line.strip_prefix("reflect_llm_spent_today_usd "));
    let gauge: f64 = gauge.unwrap().parse().unwrap();
    let same_day: bool =
        open(data).query_row("SELECT min(day) = unixepoch() / 86400 FROM llm_spend", [], |row| row.get(0)).unwrap();
    assert!(gauge >= left_behind - 1e-9 || !same_day, "{gauge} of {left_behind}");
}

#[derive(Debug)]
#[expect(dead_code, reason = "some of it is only printed")]
struct Counts {
    by_model: i64,
    stand_ins: i64,
    replaced: i64,
    judged: i64,
    waiting: i64,
}

impl Counts {
    fn read(data: &Path) -> Self {
        let database = open(data);
        let count = |sql: &str| -> i64 { database.query_row(sql, [], |row| row.get(0)).unwrap() };
        Self {
            by_model: count("SELECT count(*) FROM memories WHERE written_by ->> 'reflector' = 'llm'"),
            stand_ins: count("SELECT count(*) FROM memories WHERE written_by ->> 'stands_in_for' IS NOT NULL")
                + count("SELECT count(*) FROM memory_revisions"),
            replaced: count("SELECT count(*) FROM memory_revisions"),
            judged: count("SELECT count(*) FROM reviews WHERE source = 'judge'"),
            waiting: count("SELECT count(*) FROM jobs WHERE kind = 'follow_up'"),
        }
    }
}

fn open(data: &Path) -> Connection {
    let database = Connection::open_with_flags(data.join("reflect.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    database.busy_timeout(Duration::from_secs(5)).unwrap();
    database
}
