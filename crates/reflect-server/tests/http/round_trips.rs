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
const AWAY: Duration = Duration::from_millis(400);

/// How often a request is made before it is counted, so that every connection knows its statements, and how often it may be.
const WARM: usize = 40;
const TRIES: usize = 5;

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

    /// How many round trips a request takes once its statements are known to the database. Tried again while it seems to be more than it may: a machine
    /// that is busy for as long as an answer is under way shows one more.
    async fn trips(&self, name: &'static str, request: impl AsyncFn(usize) -> Answer) -> (&'static str, u64) {
        for number in 0..WARM {
            request(number).await.assert_status(200);
        }
        self.distance.set(AWAY);
        let (most, mut least) = (most(name), u64::MAX);
        for number in WARM..WARM + TRIES {
            let before = self.distance.round_trips();
            request(number).await.assert_status(200);
            least = least.min(self.distance.round_trips() - before);
            if least <= most {
                break;
            }
        }
        self.distance.set(Duration::ZERO);
        (name, least)
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
            self.trips("list traces", async |_| app.get("/traces?limit=500").await).await,
            self.trips("list memories", async |_| app.get("/memories?limit=500").await).await,
            self.trips("one trace", async |_| app.get(&format!("/traces/{trace}")).await).await,
            self.trips("one memory", async |_| app.get(&format!("/memories/{memory}")).await).await,
            self.trips("statistics", async |_| app.get("/statistics").await).await,
            self.trips("query", async |number| app.post("/memory/query", question(number)).await).await,
            self.trips("run", async |number| app.post("/traces", run(&format!("Refund order {number}"))).await).await,
            self.trips("reviewed run", async |number| app.post("/traces", reviewed(number)).await).await,
            self.trips("reviewed run with memories", async |number| app.post("/traces", with_shown(number)).await)
                .await,
            self.trips("run, review, lesson", async |number| self.learn(with_shown(number)).await).await,
        ]
    }

    async fn learn(&self, run: Value) -> Answer {
        let answer = self.app.post("/traces", run).await;
        while self.app.drain().await > 0 {}
        answer
    }
}

/// The most that each may take: up to two more than on an idle machine, where another connection of the pool may have to learn a statement, or the log of
/// the query before is written meanwhile.
const MOST: [(&str, u64); 10] = [
    ("list traces", 5),
    ("list memories", 5),
    ("one trace", 4),
    ("one memory", 6),
    ("statistics", 7),
    ("query", 4),
    ("run", 7),
    ("reviewed run", 7),
    ("reviewed run with memories", 7),
    ("run, review, lesson", 23),
];

fn most(name: &str) -> u64 {
    MOST.iter().find(|(named, _)| *named == name).unwrap().1
}

#[tokio::test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
async fn rows_cost_no_round_trips() {
    for rows in [1, 500] {
        let table = Far::with_rows(rows).await.table().await;
        println!("{rows} rows: {table:?}");
        for (name, trips) in table {
            assert!(trips <= most(name), "{name} takes {trips} round trips with {rows} rows");
        }
    }
}
