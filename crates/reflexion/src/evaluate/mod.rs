//! Evaluators that people need, and what combines them.
