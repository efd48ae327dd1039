//! `reflect what-if`.

use std::fmt::Write;

use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use reflect_api::{ConfigurationRequest, EstimateAnswer, EvaluatePolicyRequest, EvaluationAnswer, PolicyValueAnswer};
use reflect_core::Timestamp;

use crate::{
    print,
    target::{Target, with_target},
};

/// What is asked, and of whom.
pub(crate) struct WhatIfCommand {
    target: Target,
    request: EvaluatePolicyRequest,
    as_json: bool,
}

pub(crate) fn command() -> Clap {
    let number = |id: &'static str, name: &'static str| Arg::new(id).long(name).allow_negative_numbers(true);
    with_target(
        Clap::new("what-if")
            .about("Ask what another configuration of queries would have done")
            .long_about("Asks what another configuration of queries would have done, by runs that were shown what it shows. It must be one of those that a share of tasks is answered with at random (`mixture` in the settings).\n\nWhere the runs cannot tell, it says why; it never guesses.")
            .arg(number("what_if_lambda", "lambda").value_name("LAMBDA").value_parser(value_parser!(f64)).help("The weight of utility against similarity"))
            .arg(number("what_if_limit", "limit").value_name("LIMIT").value_parser(value_parser!(u32)).help("How many memories at most"))
            .arg(number("what_if_threshold", "similarity-threshold").value_name("THRESHOLD").value_parser(value_parser!(f64)).help("The least similarity"))
            .arg(Arg::new("since").long("since").value_name("TIME").value_parser(value_parser!(Timestamp)).help("Only runs whose query was asked at or after this time, such as 2026-11-01T00:00:00Z"))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print the server's answer as it is")),
    )
}

impl WhatIfCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let configuration = ConfigurationRequest {
            lambda: matches.get_one("what_if_lambda").copied(),
            limit: matches.get_one("what_if_limit").copied(),
            similarity_threshold: matches.get_one("what_if_threshold").copied(),
        };
        let request = EvaluatePolicyRequest { configuration, since: matches.get_one("since").copied() };
        Ok(Self { target: Target::read(matches)?, request, as_json: matches.get_flag("json") })
    }

    /// Asks, and prints the answer.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let reached = self.target.reach()?;
        let client = reached.client(&self.target.project_id)?;
        let answer = runtime.block_on(client.evaluate_policy(self.request))?;
        if self.as_json {
            return print(&format!("{}\n", serde_json::to_string_pretty(&answer)?));
        }
        print(&table(&answer)?)
    }
}

/// A figure of an estimate.
type Figure = fn(&EstimateAnswer) -> String;

/// The sentence, and what it was made of.
fn table(answer: &EvaluationAnswer) -> Result<String, std::fmt::Error> {
    let mut text = format!("{}\n", answer.sentence);
    let Some(since) = answer.since else { return Ok(text) };
    writeln!(text, "\n{:<22}{:>12}{:>12}", "", "asked about", "as asked")?;
    let (target, usual) = (&answer.target, &answer.as_asked);
    let told = |value: &PolicyValueAnswer, of: Figure| value.estimate.as_ref().map_or_else(|| "–".to_owned(), of);
    let rows: [(&str, Figure); 4] = [
        ("mean score", |estimate| format!("{:.3}", estimate.value)),
        ("  of 95 %, from", |estimate| format!("{:.3}", estimate.low)),
        ("  to", |estimate| format!("{:.3}", estimate.high)),
        ("matching runs", |estimate| estimate.matching_runs.to_string()),
    ];
    for (name, of) in rows {
        writeln!(text, "{name:<22}{:>12}{:>12}", told(target, of), told(usual, of))?;
    }
    writeln!(text, "\n{} reviewed runs since {since}, answered with", answer.runs)?;
    for part in &answer.mixed {
        let ConfigurationRequest { lambda, limit, similarity_threshold } = part.configuration;
        let changes = [
            lambda.map(|lambda| format!("lambda {lambda}")),
            limit.map(|limit| format!("limit {limit}")),
            similarity_threshold.map(|floor| format!("similarity_threshold {floor}")),
        ];
        let changes: Vec<String> = changes.into_iter().flatten().collect();
        let name = if changes.is_empty() { "what was asked for".to_owned() } else { changes.join(", ") };
        writeln!(text, "{:>6.1} %  {name}", 100.0 * part.probability)?;
    }
    Ok(text)
}
