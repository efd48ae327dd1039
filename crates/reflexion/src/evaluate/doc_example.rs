// Included by the examples in the documentation: a first trial that gave this answer.
fn trajectory(answer: &str) -> reflexion::Trajectory {
    let now = reflect_core::Timestamp::from_micros(1_794_734_000_000_000);
    let attempt = reflexion::Attempt::answer(answer);
    reflexion::Trajectory { trial: 1, task: "the task".into(), attempt, started_at: now, ended_at: now }
}
