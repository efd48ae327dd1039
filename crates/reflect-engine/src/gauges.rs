//! What `/metrics` answers: counters, and how things stand right now.

use reflect_core::JobKind;
use reflect_store::QueueDepth;

use crate::{
    Engine, EngineResult,
    metrics::{Family, Gauge, Metrics},
};

static QUEUE_DEPTH: Family =
    Family::gauge("reflect_queue_depth", &["kind", "state"], "Jobs that are queued or in progress, or have failed.");
static QUEUE_AGE: Family = Family::gauge(
    "reflect_queue_oldest_seconds",
    &["kind"],
    "For how long the job that has waited longest has been due.",
);
static SPENT_TODAY: Family =
    Family::gauge("reflect_llm_spent_today_usd", &[], "What models have cost today (UTC), in US dollars.");
static DAILY_LIMIT: Family =
    Family::gauge("reflect_llm_daily_limit_usd", &[], "What they may cost in a day, in US dollars.");
static OUTAGE: Family =
    Family::gauge("reflect_llm_out", &["model"], "Whether a model is left alone because it has not answered lately.");

static UNEMBEDDED: Family = Family::gauge(
    "reflect_memories_unembedded",
    &["project_id"],
    "Memories that lack a vector, of projects whose memories are being embedded.",
);

impl Engine {
    /// What is counted.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Counters and gauges as Prometheus reads them.
    #[expect(clippy::cast_precision_loss, reason = "counts and ages are far below 2^52")]
    pub async fn render_metrics(&self) -> EngineResult<String> {
        let now = self.now();
        let found = self.store.queue_depths().await?;
        let empty = |kind| QueueDepth { kind, live: 0, failed: 0, next_due: None };
        let of_kind = |kind| found.iter().find(|depth| depth.kind == kind).copied().unwrap_or_else(|| empty(kind));
        let depths: Vec<QueueDepth> = JobKind::ALL.iter().map(|kind| of_kind(*kind)).collect();
        let mut gauges = Vec::new();
        for depth in &depths {
            for (state, count) in [("live", depth.live), ("failed", depth.failed)] {
                let labels = vec![depth.kind.to_string(), state.to_owned()];
                gauges.push(Gauge { family: &QUEUE_DEPTH, labels, value: count as f64 });
            }
        }
        for depth in &depths {
            let millis = depth.next_due.map_or(0, |due| now.millis_since(due));
            let labels = vec![depth.kind.to_string()];
            gauges.push(Gauge { family: &QUEUE_AGE, labels, value: millis as f64 / 1_000.0 });
        }
        for model in self.models.iter() {
            let value = f64::from(u8::from(model.breaker.open_until(now).is_some()));
            gauges.push(Gauge { family: &OUTAGE, labels: vec![model.name.clone()], value });
        }
        for pending in self.store.list_embedder_switches().await? {
            let labels = vec![pending.project_id.to_string()];
            let progress = self.store.get_switch_progress(pending.project_id, pending.switch.target).await?;
            let value = progress.total.saturating_sub(progress.done) as f64;
            gauges.push(Gauge { family: &UNEMBEDDED, labels, value });
        }
        gauges.push(Gauge { family: &SPENT_TODAY, labels: Vec::new(), value: self.spending.spent_today().await? });
        if let Some(value) = self.spending.daily_limit_usd {
            gauges.push(Gauge { family: &DAILY_LIMIT, labels: Vec::new(), value });
        }
        Ok(self.metrics.render(&gauges))
    }
}
