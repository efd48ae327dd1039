//! The world of kinds on the real server: whether lessons that help keep their place among all that runs leave.
//!
//! Tasks are words, lessons are found by the built-in model, everything has its default. Only the agent is simulated: it passes in two runs of five, and
//! more or less often by what the lessons add that it was shown. Every run leaves a memory of its own, which says little.

use std::path::PathBuf;

use anyhow::Context;
use futures_util::future::try_join_all;
use reflect_client::{
    AuthoredReflection, EditMemoryRequest, Memory, MemoryStatus, Message, QueriedMemories, ReflectClient,
};
use serde_json::json;
use uuid::Uuid;

use super::{dice::Dice, statistics::Mean};
use crate::{
    say,
    server::{MASTER_KEY, Server},
};

/// How often a run passes that is shown nothing of use.
const USUAL: f64 = 0.4;

const LIMIT: u32 = 5;

/// So many projects at once.
const AT_ONCE: usize = 6;

/// Tasks of a kind, with a place for a name and one for a number; and what somebody wrote for it: what helps, what harms, what does neither.
struct Kind {
    tasks: [&'static str; 4],
    lessons: [(&'static str, f64); 3],
}

const KINDS: [Kind; 6] = [
    Kind {
        tasks: [
            "Refund order {n} of customer {name}",
            "Customer {name} wants order {n} refunded",
            "Give {name} the money for order {n} back",
            "Process the refund for order {n}, asked for by {name}",
        ],
        lessons: [
            ("Refund to the payment method of the order, after looking the order up.", 0.35),
            ("Refund at once as store credit; nobody needs to look the order up.", -0.3),
            ("Refunds are listed on the page of the customer's orders.", 0.0),
        ],
    },
    Kind {
        tasks: [
            "Write an SQL query that counts the invoices of {name} above {n} euros",
            "Query the database for the invoices of {name} over {n} euros",
            "Which invoices of {name} are above {n} euros? Answer with SQL",
            "Count invoices above {n} euros for {name} in SQL",
        ],
        lessons: [
            ("In SQL over invoices leave out those that were cancelled.", 0.35),
            ("In SQL over invoices join the archive, which holds all of them.", -0.3),
            ("SQL over invoices reads well with keywords in capitals.", 0.0),
        ],
    },
    Kind {
        tasks: [
            "Book a meeting room for {n} people for {name}",
            "{name} needs a room for a meeting with {n} people",
            "Reserve a meeting room, {n} seats, in the name of {name}",
            "Find {name} a free meeting room for {n} people",
        ],
        lessons: [
            ("Meeting rooms are booked in the time zone of the office that they are in.", 0.35),
            ("Meeting rooms need no end time; leave it open.", -0.3),
            ("Meeting rooms have names of rivers.", 0.0),
        ],
    },
    Kind {
        tasks: [
            "Translate the manual of {name}'s product, page {n}, into German",
            "German translation of page {n} of the manual for {name}",
            "Page {n} of {name}'s manual is needed in German",
            "Put page {n} of the manual for {name} into German",
        ],
        lessons: [
            ("In German manuals readers are addressed with Sie, and units stay as they are.", 0.35),
            ("In German manuals translate product names as well.", -0.3),
            ("German manuals are longer than English ones.", 0.0),
        ],
    },
    Kind {
        tasks: [
            "Fix the failing unit test number {n} in the parser of {name}",
            "Unit test {n} of {name}'s parser fails; make it pass",
            "The parser of {name} breaks its test {n}. Mend it",
            "Repair the parser of {name} so that test {n} passes",
        ],
        lessons: [
            ("For a failing test of the parser mend the grammar file, and generate the parser anew.", 0.35),
            ("A failing test of the parser may be marked as skipped.", -0.3),
            ("Tests of the parser have a folder of their own.", 0.0),
        ],
    },
    Kind {
        tasks: [
            "Plan a delivery route with {n} stops for driver {name}",
            "Driver {name} has {n} deliveries today; plan the route",
            "Order the {n} stops of {name}'s delivery tour",
            "Make a route for {name} through {n} delivery stops",
        ],
        lessons: [
            ("On delivery routes visit stops with a time window first, by the end of the window.", 0.35),
            ("On delivery routes always drive to the farthest stop first.", -0.3),
            ("Delivery routes begin at the depot.", 0.0),
        ],
    },
];

const NAMES: [&str; 12] =
    ["Ada", "Boris", "Chen", "Dilip", "Elif", "Farah", "Goran", "Hana", "Ines", "Jonas", "Kofi", "Lena"];

/// What becomes of the lessons that runs leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// They are found like others.
    Found,
    /// Queries keep to what somebody wrote, by a filter.
    Filtered,
    /// Each is disabled, or deleted, as soon as it is there.
    Disabled,
    Deleted,
}

/// How much is played.
pub(super) struct Served {
    pub(super) seeds: usize,
    pub(super) runs: usize,
    pub(super) kinds: usize,
    /// What becomes of the lessons that runs leave.
    pub(super) own: Own,
    /// How many different tasks there are of a kind: few come again and again.
    pub(super) texts: usize,
}

/// What came of one project.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    /// The mean true pass rate of the second half.
    late: f64,
    /// The shares of slots with a lesson that helps: in the second eighth of the runs, and in the second half.
    early_slots: f64,
    late_slots: f64,
    /// How many lessons that help are left out, or below the middle.
    lost: f64,
    /// Whether in each kind the one that helps leads by 0.15, and the one that harms is last or left out.
    right: f64,
}

pub(super) fn print(served: &Served) -> anyhow::Result<()> {
    std::fs::create_dir_all("target")?;
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in("target")?;
    let data: PathBuf = folder.path().join("data");
    let server = Server::start(&data)?;
    let client = ReflectClient::builder().base_url(format!("http://{}", server.address)).api_key(MASTER_KEY).build()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut outcomes = Vec::new();
    for first in (1..=served.seeds).step_by(AT_ONCE) {
        let seeds = first..(first + AT_ONCE).min(served.seeds + 1);
        let projects = seeds.map(|seed| play(&client, served, seed as u64));
        outcomes.extend(runtime.block_on(try_join_all(projects))?);
        say(format_args!("{} of {} projects", outcomes.len(), served.seeds));
    }
    let Served { seeds, runs, kinds, own, texts } = served;
    let mean = |figure: fn(&Outcome) -> f64| Mean::of(&outcomes.iter().map(figure).collect::<Vec<_>>());
    let late = mean(|outcome| outcome.late);
    let own = match own {
        Own::Found => "",
        Own::Filtered => ", filtered",
        Own::Disabled => ", runs' lessons disabled",
        Own::Deleted => ", runs' lessons deleted",
    };
    let texts = if *texts < usize::MAX { format!(", {texts} texts a kind") } else { String::new() };
    say(format_args!("\n{kinds} kinds, {runs} runs, {seeds} projects{own}{texts}\n"));
    say(format_args!("| late | helpful slots early | late | helpful lost | right |\n|---|---|---|---|---|"));
    say(format_args!(
        "| {:.3} ± {:.3} | {:.2} | {:.2} | {:.2} | {:.2} |",
        late.value,
        late.error,
        mean(|outcome| outcome.early_slots).value,
        mean(|outcome| outcome.late_slots).value,
        mean(|outcome| outcome.lost).value,
        mean(|outcome| outcome.right).value,
    ));
    Ok(())
}

async fn play(client: &ReflectClient, served: &Served, seed: u64) -> anyhow::Result<Outcome> {
    let client = client.with_project(format!("seed-{seed}"))?;
    let kinds = KINDS.get(..served.kinds).context("there are six kinds")?;
    let mut dice = Dice::new(seed);
    let mut authored = Vec::new();
    for kind in kinds {
        for (words, adds) in kind.lessons {
            let lesson = AuthoredReflection { guidance: Some(words.into()), ..AuthoredReflection::default() };
            let task = task(kind, &mut dice, served.texts);
            let written = client.create_memory(task, true, lesson).metadata("by", "hand").await?;
            let memory_id = client.wait_for_trace(written.trace_id).await?.created_memory_id;
            authored.push((memory_id.context("no memory was made")?, adds));
        }
    }
    let (mut outcome, mut early, mut late) = (Outcome::default(), 0.0, 0.0);
    for run in 0..served.runs {
        let number = dice.below(kinds.len());
        let Some(kind) = kinds.get(number) else { continue };
        let task = task(kind, &mut dice, served.texts);
        let query = client.query(&task).limit(LIMIT);
        let found = if served.own == Own::Filtered { query.metadata("by", "hand").await? } else { query.await? };
        let own = authored.iter().skip(3 * number).take(3);
        let adds: Vec<f64> = own.filter(|(id, _)| was_shown(&found.memories, *id)).map(|(_, adds)| *adds).collect();
        let rate = (USUAL + adds.iter().sum::<f64>()).clamp(0.02, 0.98);
        let helpful = adds.iter().filter(|adds| **adds > 0.0).count() as f64;
        let slots = found.memories.len() as f64;
        if (served.runs / 8..served.runs / 4).contains(&run) {
            (outcome.early_slots, early) = (outcome.early_slots + helpful, early + slots);
        }
        if run >= served.runs / 2 {
            outcome.late += rate / (served.runs - served.runs / 2) as f64;
            (outcome.late_slots, late) = (outcome.late_slots + helpful, late + slots);
        }
        let trace_id = leave(&client, &task, &found, dice.toss(rate)).await?;
        put_away(&client, trace_id, served.own).await?;
    }
    outcome.early_slots /= f64::max(early, 1.0);
    outcome.late_slots /= f64::max(late, 1.0);
    judge(&client, &authored, &mut outcome).await?;
    Ok(outcome)
}

/// Hands the run in: it called a tool, and was reviewed without a word.
async fn leave(client: &ReflectClient, task: &str, found: &QueriedMemories, passed: bool) -> anyhow::Result<Uuid> {
    let call = json!([{"id": "c1", "type": "function", "function": {"name": "work", "arguments": json!({"on": task}).to_string()}}]);
    let trajectory = [
        Message::user(task),
        Message::assistant("").with("tool_calls", call),
        Message::tool("c1", "{\"status\": \"ok\"}"),
        Message::assistant("It is done."),
    ];
    let trace =
        client.create_trace(task, trajectory).retrieved_memory_ids(found.memories.iter().map(|memory| memory.id));
    let trace = match found.retrieval_id {
        Some(retrieval_id) => trace.retrieval_id(retrieval_id),
        None => trace,
    };
    Ok(trace.result(passed).await?.trace_id)
}

async fn put_away(client: &ReflectClient, trace_id: Uuid, own: Own) -> anyhow::Result<()> {
    if !matches!(own, Own::Disabled | Own::Deleted) {
        return Ok(());
    }
    let Some(memory_id) = client.wait_for_trace(trace_id).await?.created_memory_id else { return Ok(()) };
    if own == Own::Disabled {
        let edit = EditMemoryRequest { status: Some(MemoryStatus::Disabled), ..Default::default() };
        client.edit_memory(memory_id, edit).await?;
    } else {
        client.delete_memory(memory_id).await?;
    }
    Ok(())
}

async fn judge(client: &ReflectClient, authored: &[(Uuid, f64)], outcome: &mut Outcome) -> anyhow::Result<()> {
    let mut is_right = true;
    for kind in authored.chunks(3) {
        let mut learned = Vec::new();
        for (id, _) in kind {
            let memory = client.get_memory(*id).await?;
            learned.push((memory.q_value, memory.retirement.is_some()));
        }
        let [(helpful, is_retired), (harmful, is_out), (neutral, _)] = learned[..] else { continue };
        let is_lost = is_retired || helpful < 0.5;
        outcome.lost += f64::from(u8::from(is_lost));
        is_right &= !is_lost && helpful >= harmful.max(neutral) + 0.15 && (is_out || harmful <= neutral);
    }
    outcome.right = f64::from(u8::from(is_right));
    Ok(())
}

fn was_shown(memories: &[Memory], id: Uuid) -> bool {
    memories.iter().any(|memory| memory.id == id)
}

/// One of a kind's tasks, of which there are so many.
fn task(kind: &Kind, dice: &mut Dice, texts: usize) -> String {
    let all = kind.tasks.len() * NAMES.len() * 990;
    let text = dice.below(all.min(texts.max(1)));
    let of = |texts: &[&'static str], number: usize| texts.get(number % texts.len()).copied().unwrap_or_default();
    let (template, name) = (of(&kind.tasks, text), of(&NAMES, text / kind.tasks.len()));
    template.replace("{name}", name).replace("{n}", &(10 + text / (kind.tasks.len() * NAMES.len())).to_string())
}
