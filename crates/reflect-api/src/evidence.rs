//! What is known of a memory, in figures and in words.

use reflect_core::{
    Memory, MemoryId,
    worth::{Belief, PROBABLY},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::CreditAnswer;

/// How many memories are named that another one is always shown with.
const NAMED: usize = 5;

/// What is known of a memory, where memories learn by worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceAnswer {
    /// All of it in plain words.
    pub sentence: String,
    /// What it is believed to add, in shares of passes; below 0 where it is believed to hurt.
    pub worth: f64,
    /// The standard deviation of that belief.
    pub deviation: f64,
    /// How many runs it rests on, after ageing.
    pub runs: f64,
    /// How probable it is that it adds anything: 1 where it surely helps, 0 where it surely hurts.
    pub helps: f64,
    /// How well runs of such tasks usually go, on the average of its newest runs. Only on a single memory, and absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub usual: Option<f64>,
    /// Memories that each of its newest hundred runs was shown as well, five of them at most: by those runs nobody can tell which one helped.
    /// Only on a single memory that at least five runs have seen, and absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 5)]
    pub always_with: Vec<Uuid>,
}

impl EvidenceAnswer {
    /// What is known of a memory, with its ledger if that was read.
    pub(crate) fn of(memory: &Memory, credits: Option<&[CreditAnswer]>) -> Option<Self> {
        let belief = *memory.tally.belief()?;
        let usual = credits.and_then(usual);
        let Belief { worth, deviation, runs, helps } = belief;
        Some(Self {
            sentence: sentence(memory, &belief, usual),
            worth,
            deviation,
            runs,
            helps,
            usual,
            always_with: Vec::new(),
        })
    }

    pub(crate) fn always_with(mut self, memory_ids: &[MemoryId]) -> Self {
        self.sentence += &match memory_ids.len() {
            0 => return self,
            1 => " In its newest runs always shown together with 1 other: their evidence is shared.".to_owned(),
            others => {
                format!(" In its newest runs always shown together with {others} others: their evidence is shared.")
            }
        };
        self.always_with = memory_ids.iter().take(NAMED).map(|memory_id| memory_id.as_uuid()).collect();
        self
    }
}

fn usual(credits: &[CreditAnswer]) -> Option<f64> {
    let known: Vec<f64> = credits.iter().filter_map(|credit| credit.usual).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

fn sentence(memory: &Memory, belief: &Belief, usual: Option<f64>) -> String {
    let (uses, passes) = (memory.tally.uses(), memory.tally.passes());
    if uses == 0 {
        return "No reviewed run has seen it yet.".to_owned();
    }
    let usual = usual.map(|usual| format!(" ({:.0} % is usual for such tasks)", usual * 100.0)).unwrap_or_default();
    let (points, deviation) = ((belief.worth * 100.0).round(), belief.deviation * 100.0);
    let adds = match points {
        1.0.. => format!("add {points:.0} points"),
        ..=-1.0 => format!("cost {:.0} points", -points),
        _ => "make no difference".to_owned(),
    };
    let seen = format!("{passes} of {uses} reviewed runs that saw it passed{usual}");
    let believed = format!("it is believed to {adds}, give or take {deviation:.0}");
    let Some(retirement) = memory.tally.retirement() else {
        return format!("{seen}; {believed}: {}.", sureness(belief.helps));
    };
    let returns = match retirement.returns_on {
        Some(day) => format!("It comes back on {}, when it is tried, or when somebody says so.", date(day)),
        None => "It comes back when it is tried, or when somebody says so.".to_owned(),
    };
    format!("Left out: {seen}; {believed}. {returns}")
}

/// Below it a memory probably hurts.
const LITTLE: f64 = 1.0 - PROBABLY;

fn sureness(helps: f64) -> &'static str {
    match helps {
        0.975.. => "it very probably helps",
        PROBABLY.. => "it probably helps",
        LITTLE.. => "too little is known to say whether it helps",
        0.025.. => "it probably hurts",
        _ => "it very probably hurts",
    }
}

fn date(day: i64) -> String {
    reflect_core::Timestamp::start_of_day(day).to_string().chars().take_while(|character| *character != 'T').collect()
}
