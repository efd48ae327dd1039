//! How often requests ask a PostgreSQL and wait: what a distance to it costs. Rows must not cost any.

use std::time::Duration;

use reflect_core::worth::LearningRule;
use reflect_engine::EngineSettings;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    client::run,
    distance::Distance,
    test_app::{Setup, TestApp},
    test_database::TestDatabase,
};

/// So far away that all that is sent together has been sent before the first answer arrives, on a busy machine, too.
const AWAY: Duration = Duration::from_millis(60);

/// A server with so many reviewed runs, each of which has become a memory and was shown to the last one.
struct Far {
    app: TestApp,
    distance: Distance,
    traces: Vec<String>,
    memories: Vec<String>,
}

impl Far {
    async fn with_rows(rows: usize) -> Self {
        let (database, distance) = TestDatabase::at_a_distance();
        let settings = EngineSettings { learning: LearningRule::Worth, ..EngineSettings::default() };
        let app = Setup { settings, ..Setup::default() }.start_on(database);
        let mut traces = Vec::new();
        for number in 0..rows {
            let mut body = run(&format!("Refund order {number} of customer {}", number % 7));
            let result = if number % 3 == 0 { "fail" } else { "pass" };
            body["review"] = json!({"result": result, "feedback_text": format!("Check order {number} first.")});
            traces.push(app.create(body).await);
        }
        while app.drain().await > 0 {}
        let listed = app.get("/memories?limit=1000").await.ok();
        let memories = listed.as_array().unwrap().iter().map(|memory| memory["id"].as_str().unwrap().to_owned());
        let memories = memories.collect();
        Self { app, distance, traces, memories }
    }

    /// How many round trips a request takes once its statements are known to the database. The least of some, since a machine that is busy for as long as
    /// an answer is under way shows one more.
    async fn trips(&self, request: impl AsyncFn(usize) -> Answer) -> u64 {
        for number in 0..12 {
            request(number).await.assert_status(200);
        }
        self.distance.set(AWAY);
        let mut least = u64::MAX;
        for number in 12..15 {
            let before = self.distance.round_trips();
            request(number).await.assert_status(200);
            least = least.min(self.distance.round_trips() - before);
        }
        self.distance.set(Duration::ZERO);
        least
    }

    async fn table(&self) -> Vec<(&'static str, u64)> {
        let Self { app, traces, memories, .. } = self;
        let (trace, memory) = (&traces[0], &memories[0]);
        let shown: Vec<&String> = memories.iter().take(5).collect();
        let reviewed = |number: usize| {
            let mut body: Value = run(&format!("Refund order {number}"));
            body["review"] = json!({"result": "pass"});
            body
        };
        let with_shown = |number: usize| {
            let mut body = reviewed(number);
            body["retrieved_memory_ids"] = json!(shown);
            body
        };
        let question = |number: usize| json!({"task": format!("Refund order {number}"), "limit": 100});
        vec![
            ("list traces", self.trips(async |_| app.get("/traces?limit=500").await).await),
            ("list memories", self.trips(async |_| app.get("/memories?limit=500").await).await),
            ("one trace", self.trips(async |_| app.get(&format!("/traces/{trace}")).await).await),
            ("one memory", self.trips(async |_| app.get(&format!("/memories/{memory}")).await).await),
            ("statistics", self.trips(async |_| app.get("/statistics").await).await),
            ("query", self.trips(async |number| app.post("/memory/query", question(number)).await).await),
            ("run", self.trips(async |number| app.post("/traces", run(&format!("Refund order {number}"))).await).await),
            ("reviewed run", self.trips(async |number| app.post("/traces", reviewed(number)).await).await),
            (
                "reviewed run with memories",
                self.trips(async |number| app.post("/traces", with_shown(number)).await).await,
            ),
            ("run, review, lesson", self.trips(async |number| self.learn(with_shown(number)).await).await),
        ]
    }

    async fn learn(&self, run: Value) -> Answer {
        let answer = self.app.post("/traces", run).await;
        while self.app.drain().await > 0 {}
        answer
    }
}

/// The most that each may take: one more than it takes now where another connection of the pool may have to learn a statement.
const MOST: [(&str, u64); 10] = [
    ("list traces", 5),
    ("list memories", 4),
    ("one trace", 3),
    ("one memory", 5),
    ("statistics", 9),
    ("query", 2),
    ("run", 6),
    ("reviewed run", 6),
    ("reviewed run with memories", 6),
    ("run, review, lesson", 30),
];

#[tokio::test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn rows_cost_no_round_trips() {
    for rows in [1, 500] {
        let table = Far::with_rows(rows).await.table().await;
        println!("{rows} rows: {table:?}");
        for ((name, trips), (same, most)) in table.into_iter().zip(MOST) {
            assert_eq!(name, same);
            assert!(trips <= most, "{name} takes {trips} round trips with {rows} rows");
        }
    }
}
