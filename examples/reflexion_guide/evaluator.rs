//! An evaluator that waits, and that can fail: `cargo run --example reflexion_evaluator`
#![expect(clippy::print_stdout, reason = "it shows what happens to the person at the terminal")]

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use reflect_examples::loopback::{self, Reply};
use reflexion::{BoxError, Evaluation, FinishedAttempt, Reflexion, RunError, StagePolicies, StagePolicy, evaluator_fn};

/// A checker that does not answer the first two times.
async fn check(answer: &str) -> Result<bool, BoxError> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    match CALLS.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Err("the checker does not answer".into()),
        _ => Ok(answer == "42"),
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (model, _server) = loopback::model(|_| Reply::Text("42")).await?;
    let checking = || {
        evaluator_fn(|finished: FinishedAttempt| async move {
            Ok(match check(finished.answer()).await? {
                true => Evaluation::pass().scored(1.0),
                false => Evaluation::fail("the checker says no"),
            })
        })
    };

    // An error of the evaluator is no verdict. It ends the run, and carries what was reached.
    let agent = Reflexion::with_model(model.clone()).evaluator(checking()).build()?;
    match agent.run("What is 6 times 7?").await {
        Err(RunError::Stage { source, outcome, .. }) => println!("{source}; the answer in hand is {}", outcome.answer),
        other => anyhow::bail!("{other:?}"),
    }

    // Or it is tried again, and then the verdict is unknown.
    let evaluator = StagePolicy::degrade().retry(2, Duration::from_millis(10)).within(Duration::from_secs(5));
    let policies = StagePolicies { evaluator, ..Default::default() };
    let agent = Reflexion::with_model(model).evaluator(checking()).policies(policies).build()?;
    let outcome = agent.run("What is 6 times 7?").await?;
    println!("{}: {} (evaluations tried: {})", outcome.stop, outcome.answer, outcome.spent().evaluate.tries);
    Ok(())
}
