//! One client: it works until its connection breaks, and repeats what was in doubt once the server is back.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{
    PROJECT,
    book::{Book, DEFAULT_ALPHA, Doubt, Presence, Request, Run, Verdict},
    random::Random,
};
use crate::{
    http::{Answer, Broken, Http},
    server_process::eventually,
};

pub(super) struct Client {
    number: usize,
    random: Random,
    /// Makes every task, feedback and idempotency key different.
    counter: usize,
    pub(super) book: Book,
}

impl Client {
    pub(super) fn new(number: usize, random: Random) -> Self {
        Self { number, random, counter: 0, book: Book::default() }
    }

    /// Sends one request after the other. The last one is in doubt.
    pub(super) fn work_until_cut_off(&mut self, http: &Http, memories: &[String]) {
        self.work_until(http, memories, &AtomicBool::new(false));
    }

    /// The same, until `stop` says so: then nothing is in doubt.
    pub(super) fn work_until(&mut self, http: &Http, memories: &[String], stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            let done = match self.random.between(0..100) {
                0..40 => self.create(http, memories, true),
                40..60 => self.create_and_review_later(http, memories),
                60..80 => self.correct(http),
                80..92 => self.take_back(http),
                _ => self.review_again(http),
            };
            if done.is_err() {
                self.book.in_doubt += 1;
                return;
            }
            self.book.acknowledged += 1;
        }
    }

    /// Repeats requests that are in doubt: all that carry an `Idempotency-Key`, and some of the others. Each must then
    /// be done, whether or not it had been before.
    pub(super) fn repeat_what_is_in_doubt(&mut self, http: &Http) {
        for index in 0..self.book.runs.len() {
            let Some(doubt) = self.book.runs[index].doubt.take() else {
                continue;
            };
            if doubt.idempotency_key.is_some() || self.random.chance(50) {
                self.repeat(http, index, &doubt);
            }
        }
    }

    fn repeat(&mut self, http: &Http, index: usize, doubt: &Doubt) {
        let run = &mut self.book.runs[index];
        let key = doubt.idempotency_key.as_deref();
        match &doubt.request {
            Request::Create if key.is_some() => {
                let answer = post(http, "/traces", &run.body, key).unwrap().good();
                let trace_id = answer["trace_id"].as_str().unwrap().to_owned();
                // It had been carried out: then this is the answer of then.
                if let Some(known) = run.trace_id() {
                    assert_eq!(known, trace_id, "{run:?}");
                }
                run.presence = Presence::There { trace_id };
            }
            // Sent again without a key it would be another trace, and rightly so.
            Request::Create => return,
            Request::Review { verdict, supersedes } => {
                let Some(trace_id) = run.trace_id() else { return };
                let path = format!("/traces/{trace_id}/review");
                let body = verdict.to_json(*supersedes);
                let answer = eventually("a review is no longer in progress", || {
                    let answer = post(http, &path, &body, key).unwrap();
                    (answer.code() != "review_in_progress").then_some(answer)
                });
                answer.good();
                run.acknowledge(Some(verdict.clone()));
            }
            Request::TakeBack => {
                let Some(trace_id) = run.trace_id() else { return };
                let answer = http.delete(&format!("{PROJECT}/traces/{trace_id}/review")).unwrap();
                let expected = if run.possible == [None] { 404 } else { 200 };
                assert_eq!(answer.status, expected, "{run:?} {answer:?}");
                run.acknowledge(None);
            }
        }
        self.book.repeated += 1;
    }

    fn create(&mut self, http: &Http, memories: &[String], reviewed: bool) -> Result<(), Broken> {
        let name = self.next_name();
        let verdict = reviewed.then(|| self.draw_verdict());
        let mut body = json!({
            "task": format!("task {name}: book a flight to Oslo"),
            "trajectory": [
                {"role": "user", "content": "book a flight to Oslo"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{\"to\": \"OSL\"}"}}]},
                {"role": "tool", "tool_call_id": "1", "content": "error: no such airport"},
                {"role": "assistant", "content": format!("done {name}")},
            ],
            "retrieved_memory_ids": self.draw_memories(memories),
        });
        if let Some(verdict) = &verdict {
            body["review"] = verdict.to_json(false);
        }
        let key = self.random.chance(40).then(|| format!("create {name}"));
        let answer = post(http, "/traces", &body, key.as_deref());
        let mut run = Run {
            task: body["task"].as_str().unwrap().to_owned(),
            body,
            presence: Presence::InDoubt,
            possible: vec![verdict],
            doubt: Some(Doubt { request: Request::Create, idempotency_key: key }),
        };
        let answer = answer.map(|answer| {
            let trace_id = answer.good()["trace_id"].as_str().unwrap().to_owned();
            run.presence = Presence::There { trace_id };
            run.doubt = None;
        });
        self.book.runs.push(run);
        answer
    }

    fn create_and_review_later(&mut self, http: &Http, memories: &[String]) -> Result<(), Broken> {
        self.create(http, memories, false)?;
        self.book.acknowledged += 1;
        self.review(http, self.book.runs.len() - 1, false)
    }

    fn correct(&mut self, http: &Http) -> Result<(), Broken> {
        match self.pick_run(|verdict| verdict.is_some()) {
            Some(index) => self.review(http, index, true),
            None => Ok(()),
        }
    }

    fn review_again(&mut self, http: &Http) -> Result<(), Broken> {
        match self.pick_run(|verdict| verdict.is_none()) {
            Some(index) => self.review(http, index, false),
            None => Ok(()),
        }
    }

    fn review(&mut self, http: &Http, index: usize, supersedes: bool) -> Result<(), Broken> {
        let mut verdict = self.draw_verdict();
        if supersedes {
            // A correction that asks for no step size keeps the one it finds; asking for it keeps the books simple.
            verdict.asked_alpha.get_or_insert(DEFAULT_ALPHA);
        }
        let key = self.random.chance(50).then(|| format!("review {}", verdict.feedback));
        let run = &mut self.book.runs[index];
        let path = format!("/traces/{}/review", run.trace_id().unwrap());
        match post(http, &path, &verdict.to_json(supersedes), key.as_deref()) {
            Ok(answer) if answer.code() == "review_in_progress" => assert!(supersedes, "{run:?} {answer:?}"),
            Ok(answer) => {
                assert_eq!(answer.good()["review"]["feedback_text"], verdict.feedback.as_str());
                run.acknowledge(Some(verdict));
            }
            Err(broken) => {
                run.possible.push(Some(verdict.clone()));
                run.doubt = Some(Doubt { request: Request::Review { verdict, supersedes }, idempotency_key: key });
                return Err(broken);
            }
        }
        Ok(())
    }

    fn take_back(&mut self, http: &Http) -> Result<(), Broken> {
        let Some(index) = self.pick_run(|verdict| verdict.is_some()) else {
            return Ok(());
        };
        let run = &mut self.book.runs[index];
        let path = format!("{PROJECT}/traces/{}/review", run.trace_id().unwrap());
        match http.delete(&path) {
            Ok(answer) => {
                assert_eq!(answer.good()["review"], Value::Null);
                run.acknowledge(None);
                Ok(())
            }
            Err(broken) => {
                run.possible.push(None);
                run.doubt = Some(Doubt { request: Request::TakeBack, idempotency_key: None });
                Err(broken)
            }
        }
    }

    /// One of the newest runs about which nothing is in doubt and whose verdict is as wanted.
    fn pick_run(&mut self, wanted: impl Fn(&Option<Verdict>) -> bool) -> Option<usize> {
        let runs = self.book.runs.iter().enumerate().rev();
        let known = runs.filter(|(_, run)| run.trace_id().is_some() && run.possible.len() == 1);
        let fitting: Vec<usize> =
            known.filter(|(_, run)| wanted(&run.possible[0])).map(|(index, _)| index).take(20).collect();
        (!fitting.is_empty()).then(|| *self.random.pick(&fitting))
    }

    fn draw_verdict(&mut self) -> Verdict {
        Verdict {
            result: if self.random.chance(50) { "pass" } else { "fail" },
            feedback: format!("because of {}", self.next_name()),
            asked_alpha: self.random.chance(30).then_some(0.1),
            authored: self.random.chance(15),
        }
    }

    /// None, or up to three that exist, sometimes one of them twice.
    fn draw_memories(&mut self, memories: &[String]) -> Vec<String> {
        let count = self.random.between(0..4);
        (0..count).map(|_| self.random.pick(memories).clone()).collect()
    }

    fn next_name(&mut self) -> String {
        self.counter += 1;
        format!("{}-{}", self.number, self.counter)
    }
}

fn post(http: &Http, path: &str, body: &Value, key: Option<&str>) -> Result<Answer, Broken> {
    http.post_once(&format!("{PROJECT}{path}"), body, key)
}
