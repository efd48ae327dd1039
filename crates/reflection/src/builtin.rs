//! The reflector that needs no model.

use async_trait::async_trait;
use reflect_core::{Lesson, WrittenBy};

use crate::{ReflectError, Reflector, ReviewedRun};

/// Writes lessons by rule.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltinReflector;

#[async_trait]
impl Reflector for BuiltinReflector {
    fn written_by(&self) -> WrittenBy {
        WrittenBy {
            reflector: "builtin".into(),
            version: "1".into(),
        }
    }

    async fn reflect(&self, run: &ReviewedRun) -> Result<Lesson, ReflectError> {
        let ended = if run.outcome.is_pass() { "passed" } else { "failed" };
        Ok(Lesson {
            summary: format!("`{}` {ended}.", run.task),
            key_mistake: run
                .feedback_text
                .clone()
                .filter(|_| !run.outcome.is_pass())
                .unwrap_or_default(),
            ..Lesson::default()
        })
    }
}
