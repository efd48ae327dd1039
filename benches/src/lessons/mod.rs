//! Do lessons help? Tasks under house rules that no model can know, done by a real model: without memory, and with lessons of several kinds.
//!
//! A family's first tasks are run and reviewed; what was learned is measured on its later ones, which leave no trace. A seed decides which
//! tasks come first and how the reviewer talks. All arms go through the real server with its defaults, a project for each arm and
//! seed, and the prompt is the client's own. What a model has answered to a prompt can be kept on disk, so that a run after a change to
//! lessons asks only what is new.
//!
//! `lift` asks the same of one server that is left to itself: runs one after another, all reviewed, a share of them held out.

mod actor;
mod arm;
mod block;
mod check;
mod endpoint;
mod experiment;
#[cfg(test)]
mod experiment_tests;
mod facts;
mod family;
#[cfg(test)]
mod family_tests;
mod lift;
mod options;
mod record;
mod report;
mod statistics;
mod style;

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reflect_client::ReflectClient;

use crate::{
    say,
    server::{MASTER_KEY, Server},
};
use actor::Actor;
use block::BlockWriter;
use endpoint::Endpoint;
use experiment::Experiment;
use family::{TaskSet, Wordings};
use options::Options;
use record::Records;

/// Prints the tables.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    if let ["lift", arguments @ ..] = arguments {
        return lift::run(arguments);
    }
    let options = Options::parse(arguments)?;
    let mut tasks = TaskSet::load(options.half, Wordings::One)?;
    tasks.families.truncate(options.families);
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let endpoint = Endpoint::reach(&options.model)?;
    let server = Server::start_with(&folder.path().join("data"), &server_settings(&options, &endpoint))?;
    let actor = Arc::new(Actor::at(&endpoint, &options.model)?);
    let experiment = Experiment { actor, client: client(&options, &server)?, tasks, options };
    let records = tokio::runtime::Runtime::new()?.block_on(all_runs(&experiment))?;
    report::print(&records, &experiment.options.arms);
    if let Some(path) = &experiment.options.json {
        std::fs::write(path, serde_json::to_vec_pretty(&records)?)?;
    }
    Ok(())
}

async fn all_runs(experiment: &Experiment) -> anyhow::Result<Records> {
    let options = &experiment.options;
    say(format_args!(
        "{:?}: {} families, {} plain tasks, {} seeds, {} learned from in each family; {:?}",
        options.half,
        experiment.tasks.families.len(),
        experiment.tasks.plain.len(),
        options.seeds,
        options.learning,
        options.block,
    ));
    let planned = (0..options.seeds).flat_map(|seed| options.arms.iter().map(move |arm| (*arm, seed)));
    let runs = stream::iter(planned.map(|(arm, seed)| experiment.run(arm, seed)));
    runs.buffered(options.at_once).try_fold(Records::default(), async |all, one| Ok(all.followed_by(one))).await
}

/// The model may write lessons where a project wants it, and gets all the time it needs.
fn server_settings(options: &Options, endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    let patient = || "900".to_owned();
    vec![
        ("REFLECT_LLM_MODELS", format!("openai/{}", options.model.name)),
        ("REFLECT_OPENAI_BASE_URL", endpoint.url.clone()),
        ("REFLECT_LLM_CONCURRENCY", options.model.parallel.to_string()),
        ("REFLECT_LLM_TIMEOUT", patient()),
        ("REFLECT_ATTEMPT_TIMEOUT", patient()),
        ("REFLECT_REVIEW_DEADLINE", patient()),
    ]
}

fn client(options: &Options, server: &Server) -> anyhow::Result<ReflectClient> {
    let url = format!("http://{}", server.address);
    let mut builder = ReflectClient::builder().base_url(url).api_key(MASTER_KEY).project("lessons");
    if options.block.writer == BlockWriter::Published {
        builder = builder.formatter(block::published_prompt);
    }
    Ok(builder.build()?)
}
