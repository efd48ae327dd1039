//! A measurement: how many reviewed traces a second are acknowledged.
//!
//! `cargo nextest run --release --run-ignored only --no-capture -E 'test(measurement_of_traces)'`, with
//! `REFLECT_TEST_DATABASE_URL` for PostgreSQL.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use reflect_core::{Outcome, RawJson, Trajectory};

use crate::support::{Fixture, TempStore, all_at_once};

const CALLERS: usize = 64;
const TIME: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement, which takes a while"]
async fn measurement_of_traces_acknowledged_each_second() {
    for projects in [1, 4, 16] {
        let temp = TempStore::open().await;
        let mut fixtures = Vec::new();
        for number in 0..projects {
            fixtures.push(Fixture::in_project(&temp.store, &format!("project {number}")).await);
        }
        let text = format!(r#"[{{"role":"user","content":"{}"}}]"#, "x".repeat(4_000));
        let trajectory = Trajectory::from_stored(RawJson::parse(text).unwrap());
        let (stored, start) = (AtomicUsize::new(0), Instant::now());
        let call = async |caller: usize| {
            let fixture = &fixtures[caller % projects];
            while start.elapsed() < TIME {
                let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
                insert.trace.trajectory = trajectory.clone();
                fixture.insert(insert).await;
                stored.fetch_add(1, Ordering::Relaxed);
            }
        };
        all_at_once((0..CALLERS).map(call)).await;
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = stored.into_inner() as f64 / start.elapsed().as_secs_f64();
        println!("{CALLERS} callers, {projects} projects: {rate:.0} reviewed traces a second");
    }
}
