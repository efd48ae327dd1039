//! A client of one project, and the things that tests do again and again.

use std::{cell::Cell, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Method, Request, header},
};
use reflect_core::Outcome;
use reflect_engine::Engine;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::answer::Answer;

/// Someone with a key who works in a project.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) engine: Arc<Engine>,
    pub(crate) router: Router,
    pub(crate) key: String,
    pub(crate) project: String,
}

impl Client {
    /// The same caller in another project.
    pub(crate) fn project(&self, project: &str) -> Self {
        Self { project: project.to_owned(), ..self.clone() }
    }

    /// Someone else in the same project.
    pub(crate) fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    /// Someone with a new key for this project that has just these scopes.
    pub(crate) async fn holding(&self, scopes: &[&str]) -> Self {
        let created = self.post("/api-keys", json!({"label": "a key", "scopes": scopes})).await.ok();
        self.with_key(created["api_key"].as_str().unwrap())
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, &self.in_project(path), None, &[]).await
    }

    /// Of a deleted project a busy machine may leave something to the background, which does not run here.
    pub(crate) async fn delete(&self, path: &str) -> Answer {
        let answer = self.send(Method::DELETE, &self.in_project(path), None, &[]).await;
        if path.is_empty() && answer.status == 200 {
            self.engine.erase_deleted_projects().await.unwrap();
        }
        answer
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, &self.in_project(path), Some(&body), &[]).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, &self.in_project(path), Some(&body), &[]).await
    }

    /// Posts with an `Idempotency-Key`.
    pub(crate) async fn post_once(&self, key: &str, path: &str, body: Value) -> Answer {
        let headers = [("idempotency-key", key)];
        self.working(self.send(Method::POST, &self.in_project(path), Some(&body), &headers)).await
    }

    /// Any request, with the path from the server's root.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !self.key.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.key));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = match body {
            Some(body) => request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        Answer::read(self.router.clone().oneshot(request.unwrap()).await.unwrap()).await
    }

    /// Posts a body that need not be JSON.
    pub(crate) async fn post_text(&self, path: &str, media_type: &str, body: &str) -> Answer {
        let request = Request::post(self.in_project(path))
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .header(header::CONTENT_TYPE, media_type)
            .body(Body::from(body.to_owned()));
        Answer::read(self.router.clone().oneshot(request.unwrap()).await.unwrap()).await
    }

    /// A path below the project.
    pub(crate) fn in_project(&self, path: &str) -> String {
        let encode = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        };
        let project: String = self.project.bytes().map(encode).collect();
        format!("/v1/projects/{project}{path}")
    }

    /// Works every job that is due.
    pub(crate) async fn drain(&self) -> usize {
        self.engine.run_due_jobs().await.unwrap()
    }

    /// Waits for an answer while someone works the jobs.
    pub(crate) async fn working(&self, request: impl Future<Output = Answer>) -> Answer {
        let answered = Cell::new(false);
        let request = async {
            let answer = request.await;
            answered.set(true);
            answer
        };
        let worker = async {
            while !answered.get() {
                self.drain().await;
                tokio::task::yield_now().await;
            }
        };
        tokio::join!(request, worker).0
    }

    /// Stores a trace and answers its id. Its lesson is still to be written.
    #[track_caller]
    pub(crate) fn create(&self, body: Value) -> impl Future<Output = String> {
        let request = self.clone();
        async move { text(&request.post("/traces", body).await.ok()["trace_id"]) }
    }

    pub(crate) async fn trace(&self, trace_id: &str) -> Value {
        self.get(&format!("/traces/{trace_id}")).await.ok()
    }

    /// Waits until someone else has written a trace's lesson.
    pub(crate) async fn until_reviewed(&self, trace_id: &str) {
        while self.trace(trace_id).await["review_status"] != "reviewed" {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Reviews a trace, with someone there to write the lesson.
    pub(crate) async fn review(&self, trace_id: &str, review: Value) -> Answer {
        self.working(self.post(&format!("/traces/{trace_id}/review"), review)).await
    }

    pub(crate) async fn take_back(&self, trace_id: &str) -> Answer {
        self.delete(&format!("/traces/{trace_id}/review")).await
    }

    /// A trace that was reviewed inline, with its lesson written.
    pub(crate) async fn reviewed_trace(&self, outcome: Outcome) -> Value {
        self.shown_trace(&[], outcome).await
    }

    /// A run that was shown these memories, reviewed inline, with its lesson written.
    pub(crate) async fn shown_trace(&self, memory_ids: &[&str], outcome: Outcome) -> Value {
        let mut body = run("Refund order 4411");
        body["retrieved_memory_ids"] = json!(memory_ids);
        body["review"] = json!({"result": outcome});
        let trace_id = self.create(body).await;
        self.drain().await;
        self.trace(&trace_id).await
    }

    /// A memory about this task, and its id.
    pub(crate) async fn learned(&self, task: &str) -> String {
        self.learned_with(task, json!({})).await
    }

    /// A memory about this task, whose trace has this metadata, and its id.
    pub(crate) async fn learned_with(&self, task: &str, metadata: Value) -> String {
        let mut body = run(task);
        body["metadata"] = metadata;
        body["review"] = json!({"result": "pass"});
        let trace_id = self.create(body).await;
        self.drain().await;
        text(&self.trace(&trace_id).await["created_memory_id"])
    }

    pub(crate) async fn memory(&self, memory_id: &str) -> Value {
        self.get(&format!("/memories/{memory_id}")).await.ok()
    }

    pub(crate) async fn utility(&self, memory_id: &str) -> f64 {
        self.memory(memory_id).await["q_value"].as_f64().unwrap()
    }

    /// The memories of a query, best first.
    pub(crate) async fn query(&self, query: Value) -> Vec<Value> {
        let answer = self.post("/memory/query", query).await.ok();
        answer.as_array().unwrap().clone()
    }

    /// The ids of the memories of a query, best first.
    pub(crate) async fn query_ids(&self, query: Value) -> Vec<String> {
        ids(&self.query(query).await)
    }
}

/// The body of a run, without a review.
pub(crate) fn run(task: &str) -> Value {
    // What it looks up is in its lesson: runs of different tasks say different things.
    let arguments = json!({"order": task}).to_string();
    json!({
        "task": task,
        "trajectory": [
            {"role": "user", "content": task},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": arguments}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "found"},
            {"role": "assistant", "content": "Done."}
        ],
        "final_response": "Done."
    })
}

/// The body of a run with a review.
pub(crate) fn reviewed_run(task: &str, review: Value) -> Value {
    let mut body = run(task);
    body["review"] = review;
    body
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

pub(crate) fn ids(things: &[Value]) -> Vec<String> {
    things.iter().map(|thing| text(&thing["id"])).collect()
}
