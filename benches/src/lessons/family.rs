//! Families of tasks under one house rule, and tasks without one.

use anyhow::Context;
use serde::Deserialize;

use super::{
    check::{self, Check, CheckTemplate},
    facts::Facts,
    style::Style,
};

/// Which families are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    /// May be looked at while lessons are being improved.
    Tuning,
    /// May not.
    HeldBack,
}

/// How often the facts of a family make a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wordings {
    /// Once, in one of the wordings.
    One,
    /// Once in every wording, and all of them in one before any is repeated in another.
    Every,
}

/// All tasks of a half.
#[derive(Debug)]
pub(super) struct TaskSet {
    pub(super) families: Vec<Family>,
    pub(super) plain: Vec<Task>,
}

/// Tasks of one kind under one rule of the house.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: String,
    /// The lesson that a careful person would write.
    pub(super) oracle: String,
    pub(super) tasks: Vec<Task>,
    /// Answers that its checks refuse, with names of facts in them.
    #[cfg(test)]
    pub(super) wrong: Vec<String>,
    words: Words,
}

/// A task with its facts filled in.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) prompt: String,
    /// A right answer.
    pub(super) answer: String,
    checks: Vec<Check>,
    facts: Facts,
}

/// What a reviewer says, where it is not the same for all families.
#[derive(Debug, Deserialize)]
struct Words {
    rule: String,
    missed: String,
    sentences: String,
    german: String,
}

#[derive(Deserialize)]
struct HalfFile {
    family: Vec<FamilyEntry>,
    plain: Vec<PlainEntry>,
}

#[derive(Deserialize)]
struct FamilyEntry {
    name: String,
    prompts: Vec<String>,
    answer: String,
    checks: Vec<CheckTemplate>,
    #[cfg(test)]
    wrong: Vec<String>,
    oracle: String,
    tasks: Vec<Facts>,
    #[serde(flatten)]
    words: Words,
}

#[derive(Deserialize)]
struct PlainEntry {
    task: String,
    answer: String,
    checks: Vec<CheckTemplate>,
}

impl TaskSet {
    pub(super) fn load(half: Half, wordings: Wordings) -> anyhow::Result<Self> {
        let text = match half {
            Half::Tuning => include_str!("../../data/lessons/tuning.toml"),
            Half::HeldBack => include_str!("../../data/lessons/held_back.toml"),
        };
        let file: HalfFile = toml::from_str(text)?;
        let families = file.family.into_iter().map(|family| family.fill(wordings)).collect::<anyhow::Result<_>>()?;
        let plain = file.plain.into_iter().map(PlainEntry::fill).collect::<anyhow::Result<_>>()?;
        Ok(Self { families, plain })
    }
}

impl FamilyEntry {
    fn fill(self, wordings: Wordings) -> anyhow::Result<Family> {
        let rounds = if wordings == Wordings::Every { self.prompts.len() } else { 1 };
        let prompts = (0..rounds).flat_map(|round| self.prompts.iter().cycle().skip(round).take(self.tasks.len()));
        let tasks = self.tasks.iter().cycle().zip(prompts).map(|(facts, prompt)| {
            let checks = fill_all(&self.checks, facts).with_context(|| format!("checks of `{}`", self.name))?;
            let answer = facts.fill(&self.answer);
            Ok(Task { prompt: facts.fill(prompt), answer, checks, facts: facts.clone() })
        });
        Ok(Family {
            tasks: tasks.collect::<anyhow::Result<_>>()?,
            name: self.name,
            oracle: self.oracle,
            #[cfg(test)]
            wrong: self.wrong,
            words: self.words,
        })
    }
}

impl PlainEntry {
    fn fill(self) -> anyhow::Result<Task> {
        let facts = Facts::default();
        let checks = fill_all(&self.checks, &facts).with_context(|| format!("checks of `{}`", self.task))?;
        Ok(Task { prompt: self.task, answer: self.answer, checks, facts })
    }
}

fn fill_all(checks: &[CheckTemplate], facts: &Facts) -> anyhow::Result<Vec<Check>> {
    checks.iter().map(|check| check.fill(facts)).collect()
}

impl Family {
    /// What a reviewer of this style says about a wrong answer to the task.
    pub(super) fn feedback(&self, style: Style, task: &Task) -> String {
        match style {
            Style::Rule => self.rule(task),
            Style::ShouldBe => format!("Wrong, it should be: {}", task.answer),
            Style::Missed => task.fill(&self.words.missed),
            Style::AnswerOnly => task.answer.clone(),
            Style::No => "No.".to_owned(),
            Style::Sentences => task.fill(&self.words.sentences),
            Style::German => task.fill(&self.words.german),
        }
    }

    /// The rule of the house.
    pub(super) fn rule(&self, task: &Task) -> String {
        task.fill(&self.words.rule)
    }

    /// The numbers of its tasks in the order in which a seed takes them. The first ones are learned from, the others measured.
    pub(super) fn order(&self, seed: usize) -> Vec<usize> {
        let count = self.tasks.len();
        (0..count).map(|place| (place + 3 * seed) % count.max(1)).collect()
    }
}

impl Task {
    /// Whether the answer is right.
    pub(super) fn passes(&self, answer: &str) -> bool {
        check::passes(&self.checks, answer)
    }

    pub(super) fn fill(&self, template: &str) -> String {
        self.facts.fill(template)
    }
}
