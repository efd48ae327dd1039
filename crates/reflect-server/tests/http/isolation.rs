//! Random goings-on in two projects: neither is ever seen from the other.

use std::collections::HashMap;

use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    answer::Answer,
    client::{Client, reviewed_run, run},
    test_app::{TestApp, block_on},
};

const TASKS: [&str; 4] = ["Refund an order", "Refund the order", "Cancel an order", "Water the plants"];

/// One request. Numbers pick among what the project has.
#[derive(Debug, Clone)]
enum Act {
    Create {
        task: usize,
        shown: Vec<usize>,
        result: Option<bool>,
    },
    Review {
        trace: usize,
        pass: bool,
        supersedes: bool,
    },
    TakeBack {
        trace: usize,
    },
    DeleteTrace {
        trace: usize,
        cascade: bool,
    },
    Disable {
        memory: usize,
        disabled: bool,
    },
    DeleteMemory {
        memory: usize,
    },
    Query {
        task: usize,
        lambda: f64,
    },
    SetAlpha {
        alpha: f64,
    },
    ListTraces,
    ListMemories,
    /// Only B does this: its name is used again.
    DeleteProject,
}

fn act() -> impl Strategy<Value = Act> {
    let one = 0..6_usize;
    let task = 0..TASKS.len();
    prop_oneof![
        6 => (task.clone(), prop::collection::vec(one.clone(), 0..3), any::<Option<bool>>())
            .prop_map(|(task, shown, result)| Act::Create { task, shown, result }),
        3 => (one.clone(), any::<bool>(), any::<bool>())
            .prop_map(|(trace, pass, supersedes)| Act::Review { trace, pass, supersedes }),
        1 => one.clone().prop_map(|trace| Act::TakeBack { trace }),
        1 => (one.clone(), any::<bool>()).prop_map(|(trace, cascade)| Act::DeleteTrace { trace, cascade }),
        1 => (one.clone(), any::<bool>()).prop_map(|(memory, disabled)| Act::Disable { memory, disabled }),
        1 => one.prop_map(|memory| Act::DeleteMemory { memory }),
        4 => (task, 0.0..=1.0_f64).prop_map(|(task, lambda)| Act::Query { task, lambda }),
        1 => (0.0..=1.0_f64).prop_map(|alpha| Act::SetAlpha { alpha }),
        2 => Just(Act::ListTraces),
        2 => Just(Act::ListMemories),
        1 => Just(Act::DeleteProject),
    ]
}

/// Someone at work in a project, who knows its ids from its answers.
struct Worker {
    client: Client,
    traces: Vec<String>,
    memories: Vec<String>,
    /// Every answer, in order.
    answers: Vec<Value>,
}

impl Worker {
    fn new(client: Client) -> Self {
        Self { client, traces: Vec::new(), memories: Vec::new(), answers: Vec::new() }
    }

    async fn act(&mut self, act: &Act) {
        let Some(answer) = self.send(act).await else { return };
        self.client.drain().await;
        self.answers.push(json!([answer.status.as_u16(), answer.json]));
        let memories = self.client.get("/memories").await.ok();
        for memory in crate::client::ids(memories.as_array().unwrap()).into_iter().rev() {
            if !self.memories.contains(&memory) {
                self.memories.push(memory);
            }
        }
        self.answers.push(memories);
    }

    async fn send(&mut self, act: &Act) -> Option<Answer> {
        let client = &self.client;
        let pick = |ids: &[String], number: usize| (!ids.is_empty()).then(|| ids[number % ids.len()].clone());
        Some(match act {
            Act::Create { task, shown, result } => {
                let shown: Vec<_> = shown.iter().filter_map(|&number| pick(&self.memories, number)).collect();
                let mut body = match result {
                    Some(pass) => reviewed_run(TASKS[*task], json!({"result": outcome(*pass)})),
                    None => run(TASKS[*task]),
                };
                body["retrieved_memory_ids"] = json!(shown);
                let answer = client.post("/traces", body).await;
                self.traces.push(crate::client::text(&answer.json["trace_id"]));
                answer
            }
            Act::Review { trace, pass, supersedes } => {
                let review = json!({"result": outcome(*pass), "supersedes": supersedes});
                client.review(&pick(&self.traces, *trace)?, review).await
            }
            Act::TakeBack { trace } => client.take_back(&pick(&self.traces, *trace)?).await,
            Act::DeleteTrace { trace, cascade } => {
                let body = json!({"trace_ids": [pick(&self.traces, *trace)?], "cascade": cascade});
                client.post("/traces/delete", body).await
            }
            Act::Disable { memory, disabled } => {
                let status = if *disabled { "disabled" } else { "active" };
                let path = format!("/memories/{}", pick(&self.memories, *memory)?);
                client.patch(&path, json!({"status": status})).await
            }
            Act::DeleteMemory { memory } => {
                client.delete(&format!("/memories/{}", pick(&self.memories, *memory)?)).await
            }
            Act::Query { task, lambda } => {
                let query = json!({"task": TASKS[*task], "lambda": lambda, "limit": 3, "explain": true});
                client.post("/memory/query", query).await
            }
            Act::SetAlpha { alpha } => client.patch("/settings", json!({"alpha": alpha})).await,
            Act::ListTraces => client.get("/traces").await,
            Act::ListMemories => client.get("/memories?status=active").await,
            Act::DeleteProject if client.project == "B" => client.delete("").await,
            Act::DeleteProject => return None,
        })
    }
}

fn outcome(pass: bool) -> &'static str {
    if pass { "pass" } else { "fail" }
}

const ALL_SCOPES: [&str; 4] = ["memory:read", "memory:write", "trace:write", "project:write"];

/// Carries the acts out, those of B only if it `exists`. Answers both workers.
async fn carry_out(app: &TestApp, acts: &[(bool, Act)], b_exists: bool) -> (Worker, Worker) {
    let mut a = Worker::new(app.project("A").holding(&ALL_SCOPES).await);
    let mut b = Worker::new(app.project("B"));
    for (is_a, act) in acts {
        if *is_a {
            a.act(act).await;
        } else if b_exists {
            b.act(act).await;
        }
    }
    (a, b)
}

/// Every id in a value, in reading order.
fn ids_in(value: &Value, found: &mut Vec<Uuid>) {
    match value {
        Value::String(text) => {
            let words = text.split(|c: char| !(c.is_ascii_hexdigit() || c == '-'));
            found.extend(words.filter_map(|word| word.parse::<Uuid>().ok()));
        }
        Value::Array(values) => values.iter().for_each(|value| ids_in(value, found)),
        Value::Object(values) => values.values().for_each(|value| ids_in(value, found)),
        _ => {}
    }
}

/// The answers with every id replaced by its number in order of appearance, and times and request ids left out.
fn without_ids(answers: &[Value]) -> Vec<String> {
    let mut numbers: HashMap<Uuid, usize> = HashMap::new();
    let mut plain = Vec::new();
    for answer in answers {
        let mut answer = answer.clone();
        leave_times_out(&mut answer);
        let mut ids = Vec::new();
        ids_in(&answer, &mut ids);
        let mut text = answer.to_string();
        for id in ids {
            let next = numbers.len();
            let number = numbers.entry(id).or_insert(next);
            text = text.replace(&id.to_string(), &format!("id {number}"));
        }
        plain.push(text);
    }
    plain
}

fn leave_times_out(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("_at") && name != "request_id");
            fields.values_mut().for_each(leave_times_out);
        }
        Value::Array(values) => values.iter_mut().for_each(leave_times_out),
        _ => {}
    }
}

async fn compare(acts: Vec<(bool, Act)>) {
    let (both, alone) = (TestApp::new(), TestApp::new());
    let (a, b) = carry_out(&both, &acts, true).await;
    let (expected, _) = carry_out(&alone, &acts, false).await;
    assert_eq!(without_ids(&a.answers), without_ids(&expected.answers));

    let (mut seen_by_a, mut seen_by_b) = (Vec::new(), Vec::new());
    a.answers.iter().for_each(|answer| ids_in(answer, &mut seen_by_a));
    b.answers.iter().for_each(|answer| ids_in(answer, &mut seen_by_b));
    assert!(seen_by_a.iter().all(|id| !seen_by_b.contains(id)));
    for id in b.traces.iter().chain(&b.memories) {
        for path in ["traces", "memories"] {
            a.client.get(&format!("/{path}/{id}")).await.assert_code("not_found");
            let foreign = a.client.project("B").get(&format!("/{path}/{id}")).await;
            foreign.assert_code("forbidden");
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 16, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_project_is_as_if_it_were_alone(acts in prop::collection::vec((any::<bool>(), act()), 1..32)) {
        block_on(compare(acts));
    }
}
