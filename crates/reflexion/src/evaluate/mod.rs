//! Evaluators that people need, and what combines them.

mod llm;
mod shown;

#[cfg(test)]
mod testing;

pub use llm::LlmEvaluator;
