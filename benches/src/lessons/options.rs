//! What was asked for on the command line.

use std::path::PathBuf;

use anyhow::Context;

use super::{
    arm::Arm,
    block::{BlockOptions, BlockWriter},
    family::Half,
};

pub(super) const USAGE: &str = "\
usage: reflect-bench lessons [--llm-url URL --model NAME] [--parallel N] [--at-once N] [--max-tokens N]
                             [--arms none,told,rules,model,words,oracle] [--seeds N] [--families N] [--learning N]
                             [--held-back] [--block ours|published] [--limit N] [--without-task] [--without-outcome]
                             [--cache FOLDER] [--json FILE]";

/// Which model does the tasks, and how it is asked.
#[derive(Debug, Clone)]
pub(super) struct ModelOptions {
    /// An endpoint that runs already; without one a model is started.
    pub(super) llm_url: Option<String>,
    pub(super) name: String,
    /// How many answers are waited for at the same time.
    pub(super) parallel: usize,
    pub(super) max_tokens: u32,
    /// Where answers are kept.
    pub(super) cache: Option<PathBuf>,
}

impl ModelOptions {
    pub(super) fn answering_with(max_tokens: u32) -> Self {
        Self { llm_url: None, name: "qwen2.5-coder-1.5b".to_owned(), parallel: 4, max_tokens, cache: None }
    }

    pub(super) fn set(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        match name {
            "--llm-url" => self.llm_url = Some(value.to_owned()),
            "--model" => value.clone_into(&mut self.name),
            "--parallel" => self.parallel = value.parse()?,
            "--max-tokens" => self.max_tokens = value.parse()?,
            "--cache" => self.cache = Some(value.into()),
            _ => anyhow::bail!("there is no such option"),
        }
        Ok(())
    }
}

/// How a run is done.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) model: ModelOptions,
    /// How many arms and seeds go on at the same time.
    pub(super) at_once: usize,
    pub(super) arms: Vec<Arm>,
    pub(super) seeds: usize,
    /// How many families at most.
    pub(super) families: usize,
    /// How many tasks of a family are learned from.
    pub(super) learning: usize,
    pub(super) half: Half,
    pub(super) block: BlockOptions,
    /// How many memories a query asks for; the server's default without it.
    pub(super) limit: Option<u32>,
    pub(super) json: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            model: ModelOptions::answering_with(120),
            at_once: 1,
            arms: Arm::ALL.to_vec(),
            seeds: 7,
            families: usize::MAX,
            learning: 2,
            half: Half::Tuning,
            block: BlockOptions { writer: BlockWriter::Ours, shows_task: true, shows_outcome: true },
            limit: None,
            json: None,
        }
    }
}

impl Options {
    pub(super) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter().copied();
        while let Some(name) = rest.next() {
            match name {
                "--held-back" => options.half = Half::HeldBack,
                "--without-task" => options.block.shows_task = false,
                "--without-outcome" => options.block.shows_outcome = false,
                _ => {
                    let value = rest.next().with_context(|| format!("`{name}` needs a value\n{USAGE}"))?;
                    options.set(name, value).with_context(|| format!("`{name} {value}`\n{USAGE}"))?;
                }
            }
        }
        anyhow::ensure!(options.arms.contains(&Arm::None), "`--arms` needs `none`: all others are compared with it");
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        match name {
            "--at-once" => self.at_once = value.parse()?,
            "--arms" => self.arms = value.split(',').map(Arm::parse).collect::<anyhow::Result<_>>()?,
            "--seeds" => self.seeds = value.parse()?,
            "--families" => self.families = value.parse()?,
            "--learning" => self.learning = value.parse()?,
            "--limit" => self.limit = Some(value.parse()?),
            "--json" => self.json = Some(value.into()),
            "--block" => {
                self.block.writer = match value {
                    "ours" => BlockWriter::Ours,
                    "published" => BlockWriter::Published,
                    _ => anyhow::bail!("a block is `ours` or `published`"),
                }
            }
            _ => self.model.set(name, value)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_mistakes_refused() {
        let options =
            Options::parse(&["--arms", "none,words", "--held-back", "--limit", "3", "--without-task"]).unwrap();
        assert_eq!(options.arms, [Arm::None, Arm::Words]);
        assert_eq!((options.half, options.limit, options.block.shows_task), (Half::HeldBack, Some(3), false));
        for wrong in [&["--limit"][..], &["--limit", "many"], &["--nothing", "1"], &["--arms", "words"]] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
