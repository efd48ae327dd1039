// Included by the examples in the documentation: a first trial that gave this answer.
fn finished(answer: &str) -> reflexion::FinishedAttempt {
    let now = reflect_core::Timestamp::from_micros(1_794_734_000_000_000);
    let attempt = reflexion::Attempt::answer(answer);
    reflexion::FinishedAttempt { trial: 1, task: "the task".into(), inputs: Default::default(), attempt, started_at: now, ended_at: now }
}
