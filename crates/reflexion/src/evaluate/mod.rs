//! Evaluators that people need, and what combines them.

pub(crate) mod clip;
pub(crate) mod join;
mod llm;
mod shown;

#[cfg(test)]
mod testing;

pub use llm::LlmEvaluator;
