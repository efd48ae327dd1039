//! A clock that tests turn, dice that always fall the same way, and a reflector that follows a script.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use reflect_core::{Clock, EmbedderId, Entropy, Timestamp, WrittenBy};
use reflect_embed::{EmbedError, Embedder, HashingEmbedder};
use reflect_engine::Embedders;
use reflect_llm::{ChatError, ChatReply, ScriptedModel, ScriptedStep, Usage};
use reflection::{BuiltinReflector, ReflectError, Reflected, ReviewedRun, RunReflector};
use serde_json::json;
use tokio::sync::Notify;

/// Stands still until it is turned, but for one microsecond a look: ids sort by the time they were made, so things that
/// were made one after the other are listed in that order.
pub(crate) struct FakeClock {
    micros: AtomicI64,
}

impl FakeClock {
    pub(crate) fn new() -> Self {
        Self { micros: AtomicI64::new(1_794_734_000_000_000) }
    }

    pub(crate) fn turn_millis(&self, millis: i64) {
        self.micros.fetch_add(millis * 1_000, Ordering::Relaxed);
    }

    pub(crate) fn turn_seconds(&self, seconds: i64) {
        self.turn_millis(seconds * 1_000);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.micros.fetch_add(1, Ordering::Relaxed))
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014) from a fixed seed.
pub(crate) struct FixedEntropy {
    state: AtomicU64,
}

impl FixedEntropy {
    pub(crate) fn new() -> Self {
        Self { state: AtomicU64::new(7) }
    }

    fn next(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }
}

impl Entropy for FixedEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let random = self.next().to_le_bytes();
            chunk.copy_from_slice(&random[..chunk.len()]);
        }
    }
}

/// What a scripted reflector does when it is asked.
pub(crate) enum Step {
    Temporary(&'static str),
    Permanent(&'static str),
    Panic,
    Hang,
    /// Writes its lesson once it is told to.
    WaitFor(Arc<Notify>),
}

/// Follows its steps one by one, and writes honest lessons after the last.
pub(crate) struct Script {
    steps: Mutex<VecDeque<Step>>,
}

impl Script {
    pub(crate) fn new(steps: impl IntoIterator<Item = Step>) -> Arc<Self> {
        Arc::new(Self { steps: Mutex::new(steps.into_iter().collect()) })
    }

    /// Waits until the last step was begun.
    pub(crate) async fn last_step(&self) {
        while !self.steps.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait]
impl RunReflector for Script {
    fn written_by(&self) -> WrittenBy {
        BuiltinReflector.written_by()
    }

    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError> {
        let step = self.steps.lock().unwrap().pop_front();
        match step {
            Some(Step::Temporary(why)) => return Err(ReflectError::Temporary(why.into())),
            Some(Step::Permanent(why)) => return Err(ReflectError::Permanent(why.into())),
            Some(Step::Panic) => panic!("the script says so"),
            Some(Step::Hang) => std::future::pending().await,
            Some(Step::WaitFor(signal)) => signal.notified().await,
            None => {}
        }
        BuiltinReflector.reflect_run(run).await
    }
}

/// Embeds any task but one.
pub(crate) struct HashingUnless(&'static str);

impl HashingUnless {
    /// A server's embedders, which have no vector for this task.
    pub(crate) fn task(task: &'static str) -> Embedders {
        Embedders::new("builtin", Arc::new(Self(task)))
    }
}

#[async_trait]
impl Embedder for HashingUnless {
    fn id(&self) -> EmbedderId {
        HashingEmbedder.id()
    }

    fn default_floor(&self) -> Option<f64> {
        HashingEmbedder.default_floor()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.contains(&self.0) {
            return Err(EmbedError::Failed("it has no words for this".into()));
        }
        HashingEmbedder.embed(texts).await
    }
}

/// What the provider of a model is doing right now; tests change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weather {
    Fine,
    Down,
    Hanging,
}

/// A model for lessons whose provider has good days and bad ones.
pub(crate) fn weathered_model() -> (Arc<ScriptedModel>, Arc<Mutex<Weather>>) {
    let weather = Arc::new(Mutex::new(Weather::Fine));
    let today = Arc::clone(&weather);
    let model = ScriptedModel::answering(move |_| match *today.lock().unwrap() {
        Weather::Fine => lesson_step("The model says so."),
        Weather::Down => ScriptedStep::error(down()),
        Weather::Hanging => ScriptedStep::hang(),
    });
    (Arc::new(model.named("openai/tester")), weather)
}

/// A provider that cannot be reached.
pub(crate) fn down() -> ChatError {
    ChatError::Unavailable { status: Some(500), retry_after: None, message: "the provider is down".into() }
}

/// A lesson as a model answers it, which cost something.
pub(crate) fn lesson_step(summary: &str) -> ScriptedStep {
    let lesson = json!({
        "summary": summary,
        "key_mistake": "",
        "correct_action": "Look up the order before anything is paid.",
        "guidance": "Call look_up first.",
        "applicable_tools": ["look_up"],
    });
    let usage = Usage { input_tokens: 1_000, output_tokens: 100, cost_usd: Some(0.01) };
    ScriptedStep::reply(ChatReply { usage, ..ChatReply::text(lesson.to_string()) })
}
