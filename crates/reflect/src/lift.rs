//! `reflect lift`.

use std::fmt::Write;

use anyhow::Context;
use reflect_api::{LiftAnswer, LiftArmAnswer, LiftRequest};
use reflect_core::ProjectId;
use reflect_http::client_for;

use crate::{
    print,
    server_call::{ask, project_url},
};

/// What is asked, and of whom.
pub(crate) struct LiftWish {
    pub(crate) url: String,
    pub(crate) key: Option<String>,
    pub(crate) project: String,
    pub(crate) request: LiftRequest,
    pub(crate) as_json: bool,
}

/// Asks a server whether memories help, and prints what it says.
pub(crate) fn run(wish: &LiftWish) -> anyhow::Result<()> {
    let project_id: ProjectId = wish.project.clone().try_into().context("`--project` is wrong")?;
    let key = wish.key.as_deref().context("the key is not known: set REFLECT_API_KEY, or give it with --key")?;
    let mut url = project_url(&wish.url, &project_id, "lift")?;
    for (name, counts) in [("judged", wish.request.judged), ("unnamed", wish.request.unnamed)] {
        if let Some(counts) = counts {
            url.query_pairs_mut().append_pair(name, if counts { "true" } else { "false" });
        }
    }
    let request = client_for(&url, |builder| builder)?.get(url).bearer_auth(key);
    let answer: LiftAnswer = ask(&wish.url, request)?;
    if wish.as_json {
        return print(&format!("{}\n", serde_json::to_string_pretty(&answer)?));
    }
    print(&table(&answer)?)
}

/// A figure of an arm.
type Figure = fn(&LiftArmAnswer) -> u64;

/// The sentence, and what it was made of.
fn table(answer: &LiftAnswer) -> Result<String, std::fmt::Error> {
    let mut text = format!("{}\n", answer.sentence);
    let Some(share) = answer.share else { return Ok(text) };
    let (with, without) = (&answer.with_memories, &answer.without_memories);
    writeln!(text, "\n{:<28}{:>14}{:>18}", "", "with memories", "without memories")?;
    let rows: [(&str, Figure); 7] = [
        ("tasks, each once a day", |arm| arm.tasks),
        ("  reviewed", |arm| arm.reviewed),
        ("    passed", |arm| arm.passed),
        ("    by the judge", |arm| arm.judged),
        ("  without a review", |arm| arm.unreviewed),
        ("  without a run", |arm| arm.unrecorded),
        ("  that named no query", |arm| arm.unnamed),
    ];
    for (name, count) in rows {
        writeln!(text, "{name:<28}{:>14}{:>18}", count(with), count(without))?;
    }
    let rate = |arm: &LiftArmAnswer| arm.pass_rate.map_or("–".to_owned(), |rate| format!("{:.1} %", 100.0 * rate));
    writeln!(text, "{:<28}{:>14}{:>18}\n", "pass rate", rate(with), rate(without))?;
    writeln!(text, "evidence {:.2}, a verdict takes 20", answer.evidence)?;
    writeln!(text, "a difference of ten points takes about {} more reviewed runs", answer.more_runs_for_ten_points)?;
    let since = answer.since.map_or(String::new(), |since| format!(" since {since}"));
    writeln!(text, "held out: {:.1} % of the tasks{since}; now {:.1} %", 100.0 * share, 100.0 * answer.holdout)?;
    Ok(text)
}
