//! Asks a model at an endpoint that speaks OpenAI's protocol for the lessons of three runs, and prints how many tokens it counted beside
//! how many we had estimated. `cargo run -p reflection --example what_a_trace_costs -- http://127.0.0.1:8080/v1 MODEL [BUDGET]`

#![expect(clippy::print_stdout, clippy::expect_used, reason = "an example for the terminal")]

#[path = "../tests/suite/costs/runs.rs"]
mod runs;

use std::{sync::Arc, time::Duration};

use reflect_core::{Clock, Timestamp};
use reflect_llm::{HttpClient, Meter, Metered, Prices, ProviderSettings, connect_with};
use reflection::{Judge, JudgeOptions, LlmReflector, LlmReflectorOptions, RunReflector, estimated_tokens};

/// An endpoint of one's own names no date to wait for, so no time is needed.
struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(0)
    }
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let base_url = arguments.next().expect("the endpoint's address, up to /v1");
    let name = arguments.next().expect("the model's name");
    let input_token_budget = arguments.next().map_or(12_000, |budget| budget.parse().expect("a number of tokens"));
    let timeout = Duration::from_secs(600);
    let http = HttpClient::new().expect("a client");
    let settings = ProviderSettings { timeout, ..ProviderSettings::new(http, Arc::new(NoClock)).base_url(base_url) };
    println!("run, what for: tokens estimated, counted; tokens of the answer; calls");
    for (run_name, run) in runs::all() {
        for purpose in ["lesson", "verdict"] {
            let meter = Meter::default();
            let model = connect_with(&format!("openai/{name}"), &settings).expect("a model");
            let model = Arc::new(Metered::new(model, Arc::new(Prices::none()), meter.clone()));
            let (estimated, problem) = match purpose {
                "lesson" => {
                    let options =
                        LlmReflectorOptions { input_token_budget, timeout: Some(timeout), ..Default::default() };
                    let reflector = LlmReflector::new(model, options);
                    let (instructions, prompt) = reflector.prompt(&run);
                    let problem = reflector.reflect_run(&run).await.err();
                    (Some(estimated_tokens(&instructions) + estimated_tokens(&prompt)), problem)
                }
                _ => {
                    let options = JudgeOptions { input_token_budget, timeout: Some(timeout), ..Default::default() };
                    (None, Judge::new(model, options).judge(&runs::pending(&run), None).await.err())
                }
            };
            let reading = meter.read();
            let (counted, answered, calls) = (reading.usage.input_tokens, reading.usage.output_tokens, reading.answers);
            let estimated = estimated.map_or_else(|| "–".to_owned(), |tokens| tokens.to_string());
            let problem = problem.map(|problem| format!(" ({problem})")).unwrap_or_default();
            println!("{run_name}, {purpose}: {estimated}, {counted}; {answered}; {calls}{problem}");
        }
    }
}
