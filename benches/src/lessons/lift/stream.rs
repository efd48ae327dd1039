//! The runs: query, answer, review, lesson; the next ones see what these taught.

use std::{collections::HashMap, time::Instant};

use anyhow::Context;
use futures_util::future::try_join_all;
use reflect_client::{Message, ReflectClient};

use super::{
    super::{
        actor::{Actor, DEADLINE},
        experiment::PRAISE,
        family::Family,
    },
    options::Options,
    plan::{self, Planned},
    record::{Arm, Record, RunLog},
    report,
    windows::Window,
};
use crate::say;

/// Who does the runs.
pub(super) struct Stream<'a> {
    pub(super) options: &'a Options,
    pub(super) actor: Actor,
    pub(super) client: &'a ReflectClient,
    pub(super) families: &'a [Family],
}

impl Stream<'_> {
    /// Does what is left, as many runs side by side as the model answers, and keeps each.
    pub(super) async fn run(&self, records: &mut Vec<Record>, log: &mut RunLog) -> anyhow::Result<()> {
        let (begun, own_families) = (Instant::now(), self.families_by_task());
        while records.len() < self.options.runs && begun.elapsed() < self.options.time {
            let last = self.options.runs.min(records.len() + self.options.model.parallel);
            let next = (records.len()..last).map_while(|number| plan::planned(self.families, number));
            let done = try_join_all(next.map(|planned| self.one(planned, &own_families))).await?;
            anyhow::ensure!(!done.is_empty(), "there are {} tasks and no more", records.len());
            for record in done {
                log.append(&record)?;
                records.push(record);
            }
            if let Some(so_far) = Window::of(records) {
                say(format_args!("{} runs: {}", records.len(), report::rates(&so_far)));
            }
        }
        Ok(())
    }

    fn families_by_task(&self) -> HashMap<&str, &str> {
        let families = self.families.iter();
        families.flat_map(|family| family.tasks.iter().map(|task| (&*task.prompt, &*family.name))).collect()
    }

    async fn one(&self, planned: Planned<'_>, own_families: &HashMap<&str, &str>) -> anyhow::Result<Record> {
        let begun = Instant::now();
        let Planned { number, family, task, style } = planned;
        let augmented = self.client.augment_with_memories(&task.prompt).limit(self.options.limit).await?;
        let answer = self.actor.answer(&augmented.augmented_task).await?;
        let passed = task.passes(&answer);
        let feedback = if passed { PRAISE.to_owned() } else { family.feedback(style, task) };
        let trajectory = [Message::user(&augmented.augmented_task), Message::assistant(&answer)];
        let trace = self.client.create_trace(&task.prompt, trajectory).memories(&augmented);
        let trace = trace.model(&self.options.model.name).result(passed).feedback(&feedback);
        trace.and_wait().wait_timeout(DEADLINE).await?;
        let retrieval_id = augmented.retrieval_id.context("a query has no `X-Retrieval-Id`")?;
        let retrieval = self.client.get_retrieval(retrieval_id).await?;
        let is_own = |memory: &&reflect_client::Memory| own_families.get(&*memory.task) == Some(&&*family.name);
        Ok(Record {
            number,
            family: family.name.clone(),
            task: task.prompt.clone(),
            arm: Arm::drawn(retrieval.held_out),
            lessons_shown: augmented.memories.len(),
            own_lessons: augmented.memories.iter().filter(is_own).count(),
            answer,
            passed,
            feedback,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }
}
