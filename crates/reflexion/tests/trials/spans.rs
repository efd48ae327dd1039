//! What a trace shows.

use std::sync::{Arc, Mutex};

use tracing::{Subscriber, field::Visit, span};
use tracing_subscriber::{Layer, layer::Context, prelude::*, registry::LookupSpan};

use crate::support::{builder, costly_actor, passing_from};

/// Writes down each span with its parent, and what is recorded on it.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        let parent = span.parent().map_or("none", |parent| parent.name());
        let mut fields = Fields(String::new());
        attributes.record(&mut fields);
        self.0.lock().unwrap().push(format!("{} in {parent}{}", span.name(), fields.0));
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        let mut fields = Fields(String::new());
        values.record(&mut fields);
        self.0.lock().unwrap().push(format!("{}:{}", context.span(id).unwrap().name(), fields.0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_has_a_span_with_one_for_each_stage_in_it_and_what_it_took() {
    let spans = Spans::default();
    let _default = tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let reflexion = builder(costly_actor(100, 0.5, 1)).evaluator(passing_from(2)).build().unwrap();
    reflexion.run("task").await.unwrap();
    let lines = spans.0.lock().unwrap().clone();
    let names: Vec<&str> = lines.iter().filter(|line| line.contains(" in ")).map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "trial in none trial_number=1",
            "act in trial",
            "evaluate in trial",
            "reflect in trial",
            "trial in none trial_number=2",
            "act in trial",
            "evaluate in trial",
        ]
    );
    for recorded in ["act: input_tokens=100", "act: cost_usd=0.5", "reflect: millis=0", "trial: success=true"] {
        assert!(lines.iter().any(|line| line == recorded), "{recorded} in {lines:#?}");
    }
}
