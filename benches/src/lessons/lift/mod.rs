//! Whether memories help a real model, by the server's own lift report.
//!
//! Families of tasks take turns, each under a rule that only reviews tell. Every run is reviewed, and its lesson is written before the next
//! runs begin; the server holds a share of the tasks out. Lessons are written by rules, as is the default. What was done is kept: the same
//! command goes on where it was stopped, and prints the report again if there is nothing left to do.

mod options;
mod picture;
mod plan;
mod record;
mod report;
mod stream;
#[cfg(test)]
mod stream_tests;
mod windows;

use reflect_client::{LiftRequest, ReflectClient};

use super::{actor::Actor, endpoint::Endpoint};
use crate::server::{MASTER_KEY, Server};
use options::Options;
use record::RunLog;
use stream::Stream;
use windows::Window;

/// Does the runs, prints the report and draws the picture.
pub(super) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let options = Options::parse(arguments)?;
    std::fs::create_dir_all(&options.folder)?;
    let (mut log, mut records) = RunLog::open(&options.folder.join("runs.jsonl"))?;
    let settings = [("REFLECT_HOLDOUT", options.holdout.to_string())];
    let server = Server::start_with(&options.folder.join("data"), &settings)?;
    let client = ReflectClient::builder().base_url(format!("http://{}", server.address));
    let client = client.api_key(MASTER_KEY).project("lessons").build()?;
    let runtime = tokio::runtime::Runtime::new()?;
    if records.len() < options.runs {
        let endpoint = Endpoint::reach(&options.model)?;
        let actor = Actor::at(&endpoint, &options.model)?;
        let stream = Stream { options: &options, actor, client: &client, families: &plan::families()? };
        runtime.block_on(stream.run(&mut records, &mut log))?;
    }
    let lift = runtime.block_on(client.lift(LiftRequest::default()))?;
    let windows = Window::all(&records, options.window);
    report::print(&records, &windows, &lift)?;
    if let Some(path) = &options.picture {
        std::fs::write(path, picture::svg(&windows))?;
    }
    Ok(())
}
