//! One arm with one seed: learning runs with reviews, then runs that are only measured.

use std::{collections::HashMap, sync::Arc};

use anyhow::Context;
use futures_util::future::try_join_all;
use reflect_client::{AugmentedTask, Message, ReflectClient};
use tokio::task::JoinSet;

use super::{
    actor::{Actor, DEADLINE},
    arm::Arm,
    block,
    family::{Family, Task, TaskSet},
    options::Options,
    record::{Learned, Records, Run},
    style::Style,
};
use crate::say;

/// What reviewers say about a right answer.
pub(super) const PRAISE: &str = "Right.";

/// How often a line says how far it has come: after so many answers.
const PROGRESS: usize = 24;

/// What all arms share.
pub(super) struct Experiment {
    pub(super) options: Options,
    pub(super) tasks: TaskSet,
    pub(super) actor: Arc<Actor>,
    /// Opens every project.
    pub(super) client: ReflectClient,
}

/// A task that is about to be done.
#[derive(Clone, Copy)]
struct Planned<'a> {
    /// None for a plain task.
    family: Option<(&'a Family, Style)>,
    task: &'a Task,
}

/// A task that was done.
struct Done<'a> {
    planned: Planned<'a>,
    augmented: AugmentedTask,
    prompt: String,
    answer: String,
}

impl Experiment {
    /// What happened in this arm.
    pub(super) async fn run(&self, arm: Arm, seed: usize) -> anyhow::Result<Records> {
        let mut records = Records::default();
        let client = self.client.with_project(format!("lessons-{}-{seed}", arm.name()))?;
        if arm.has_memory() {
            client.update_settings(arm.settings(&self.options.model.name)).await?;
            for round in 0..self.options.learning {
                let done = self.act(arm, &client, self.planned(seed, round..round + 1)).await?;
                let reviews = done.into_iter().map(|done| self.review(arm, seed, &client, done));
                records.learned.extend(try_join_all(reviews).await?);
                say(format_args!("{}, seed {seed}: learned from round {}", arm.name(), round + 1));
            }
        }
        let mut planned = self.planned(seed, self.options.learning..usize::MAX);
        planned.extend(self.tasks.plain.iter().map(|task| Planned { family: None, task }));
        let families = self.families_by_task();
        for done in self.act(arm, &client, planned).await? {
            records.runs.push(done.into_run(arm, seed, &families));
        }
        Ok(records)
    }

    /// The tasks at these places of every family's order.
    fn planned(&self, seed: usize, places: std::ops::Range<usize>) -> Vec<Planned<'_>> {
        let mut planned = Vec::new();
        for (number, family) in self.tasks.families.iter().enumerate() {
            let family_and_style = Some((family, Style::dealt(number, seed)));
            let order = family.order(seed).into_iter().skip(places.start).take(places.len());
            let tasks = order.filter_map(|number| family.tasks.get(number));
            planned.extend(tasks.map(|task| Planned { family: family_and_style, task }));
        }
        planned
    }

    fn families_by_task(&self) -> HashMap<&str, &str> {
        let families = self.tasks.families.iter();
        families.flat_map(|family| family.tasks.iter().map(|task| (&*task.prompt, &*family.name))).collect()
    }

    /// Does tasks side by side; answers come back in the order of the tasks, so that what follows does not depend on who was first.
    async fn act<'a>(
        &self,
        arm: Arm,
        client: &ReflectClient,
        planned: Vec<Planned<'a>>,
    ) -> anyhow::Result<Vec<Done<'a>>> {
        let mut asked: Vec<(Planned<'a>, AugmentedTask, String)> = Vec::new();
        let mut answering = JoinSet::new();
        for (place, planned) in planned.into_iter().enumerate() {
            let augmented = self.augment(arm, client, planned).await?;
            let prompt = block::adjust(&augmented, self.options.block)?;
            let (actor, question) = (Arc::clone(&self.actor), prompt.clone());
            answering.spawn(async move { (place, actor.answer(&question).await) });
            asked.push((planned, augmented, prompt));
        }
        let mut answers = HashMap::new();
        while let Some(answered) = answering.join_next().await {
            let (place, answer) = answered?;
            answers.insert(place, answer?);
            if answers.len() % PROGRESS == 0 {
                say(format_args!("{}: {} of {} answered", client.project_id(), answers.len(), asked.len()));
            }
        }
        let done = asked.into_iter().enumerate().map(|(place, (planned, augmented, prompt))| {
            let answer = answers.remove(&place).context("a task was left out")?;
            Ok(Done { planned, augmented, prompt, answer })
        });
        done.collect()
    }

    /// The task with what is remembered, as a client of ours asks for it.
    async fn augment(&self, arm: Arm, client: &ReflectClient, planned: Planned<'_>) -> anyhow::Result<AugmentedTask> {
        let task = planned.task.prompt.clone();
        if !arm.has_memory() {
            let augmented_task = match planned.family {
                Some((family, _)) if arm == Arm::Told => format!("{}\n\n{task}", family.rule(planned.task)),
                _ => task.clone(),
            };
            return Ok(AugmentedTask { augmented_task, task, memories: Vec::new(), retrieval_id: None });
        }
        let mut query = client.augment_with_memories(task);
        if let Some(limit) = self.options.limit {
            query = query.limit(limit);
        }
        Ok(query.await?)
    }

    /// Stores a run with its review, and waits for the lesson.
    async fn review(&self, arm: Arm, seed: usize, client: &ReflectClient, done: Done<'_>) -> anyhow::Result<Learned> {
        let (family, style) = done.planned.family.context("only tasks of families are learned from")?;
        let task = done.planned.task;
        let passed = task.passes(&done.answer);
        let feedback = if passed { PRAISE.to_owned() } else { family.feedback(style, task) };
        let trajectory = [Message::user(&done.prompt), Message::assistant(&done.answer)];
        let mut trace = client.create_trace(&task.prompt, trajectory).memories(&done.augmented);
        trace = trace.model(&self.options.model.name).result(passed).feedback(&feedback);
        if let Some(lesson) = arm.authored_lesson(family, &feedback) {
            trace = trace.reflection(lesson);
        }
        let trace = trace.and_wait().wait_timeout(DEADLINE).await?;
        let memory = client.get_memory(trace.created_memory_id.context("a review left no lesson")?).await?;
        Ok(Learned {
            seed,
            arm,
            family: family.name.clone(),
            style: Some(style),
            task: task.prompt.clone(),
            answer: done.answer,
            passed,
            feedback,
            lesson: memory.reflection,
            written_by: memory.written_by.reflector,
        })
    }
}

impl Done<'_> {
    fn into_run(self, arm: Arm, seed: usize, families: &HashMap<&str, &str>) -> Run {
        let Planned { family, task } = self.planned;
        let own = |memory: &reflect_client::Memory| {
            family.is_some_and(|(family, _)| families.get(&*memory.task) == Some(&&*family.name))
        };
        Run {
            seed,
            arm,
            family: family.map(|(family, _)| family.name.clone()),
            style: family.map(|(_, style)| style),
            task: task.prompt.clone(),
            passed: task.passes(&self.answer),
            prompt: self.prompt,
            answer: self.answer,
            lessons_shown: self.augmented.memories.len(),
            own_lesson_at: self.augmented.memories.iter().position(own).map(|place| place + 1),
        }
    }
}
