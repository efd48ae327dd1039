//! Adapters between lessons of runs and the three steps.
//!
//! A [`RunReflector`] is a [`Reflector`] as well, and [`any_reflector`] makes a [`RunReflector`] of any [`Reflector`]. Which part of
//! a lesson is which part of an analysis is known here and nowhere else:
//!
//! ```text
//! summary ↔ summary          root_causes ↔ key_mistake     applicable_tools ↔ applicable_tools
//! insights ↔ correct_action  suggestions ↔ guidance
//! ```
//!
//! Several entries of a list become one text, joined by a space. Key findings are in no lesson.

use async_trait::async_trait;
use reflect_core::{Lesson, Outcome, WrittenBy, WrittenLesson};
use serde_json::{Map, json};

use crate::{
    Analysis, Context, ReflectError, Reflected, ReflectionType, Reflector, ReflectorConfig, ReviewedRun, RunReflector,
    metadata_keys, prompt,
};

#[async_trait]
impl<R: RunReflector + ?Sized> Reflector for R {
    fn config(&self) -> ReflectorConfig {
        ReflectorConfig { name: self.written_by().reflector, ..ReflectorConfig::default() }
    }

    async fn analyze(&self, context: &Context<'_>) -> Result<Analysis, ReflectError> {
        match context.run() {
            Some(run) => Ok(analysis(self.reflect_run(run).await?, run.outcome)),
            None => Err(ReflectError::Permanent(
                "this reflector reads runs: make the context with `Context::of_run`, or take `GeneralReflector`".into(),
            )),
        }
    }
}

fn analysis(reflected: Reflected, outcome: Outcome) -> Analysis {
    let lesson = reflected.written.lesson;
    let mut metadata = Map::from_iter([(metadata_keys::TOOLS_USED.to_owned(), json!(lesson.tools_used))]);
    if let Some(answer) = &reflected.answer {
        metadata_keys::note_answer(&mut metadata, answer);
    }
    Analysis {
        summary: lesson.summary,
        key_findings: reflected.key_findings,
        root_causes: one(lesson.key_mistake),
        insights: one(lesson.correct_action),
        suggestions: one(lesson.guidance),
        applicable_tools: lesson.applicable_tools,
        reflection_type: Some(match outcome {
            Outcome::Pass => ReflectionType::Success,
            Outcome::Fail => ReflectionType::Failure,
        }),
        spent: reflected.spent,
        metadata,
        ..Analysis::default()
    }
}

/// Makes a reflector of runs of any reflector: it is given the run as the values `input`, `output` and `error`, which is what
/// [`crate::GeneralReflector`] reads, beside the run itself; and the lessons that the run was shown as `earlier_lessons`.
///
/// ```
/// use reflection::{Analysis, Context, ReflectError, Reflector, any_reflector};
///
/// struct Echo;
///
/// #[async_trait::async_trait]
/// impl Reflector for Echo {
///     async fn analyze(&self, context: &Context<'_>) -> Result<Analysis, ReflectError> {
///         let suggestions = vec![format!("mind this: {}", context.text("error").unwrap_or_default())];
///         Ok(Analysis { suggestions, ..Analysis::default() })
///     }
/// }
///
/// let _reflector = any_reflector(Echo);
/// ```
pub fn any_reflector(reflector: impl Reflector + 'static) -> impl RunReflector {
    AnyReflector(reflector)
}

struct AnyReflector<R>(R);

#[async_trait]
impl<R: Reflector> RunReflector for AnyReflector<R> {
    fn written_by(&self) -> WrittenBy {
        WrittenBy::new(self.0.config().name, "1")
    }

    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError> {
        let analysis = self.0.analyze(&context(run)).await?;
        let derived = self.0.insight(&analysis).await?;
        let suggestions = self.0.suggest(&analysis, &derived).await?;
        let spent = analysis.spent;
        let written_by = self.written_by();
        let written_by = if spent.calls > 0 { spent.noted_on(written_by) } else { written_by };
        let lesson = Lesson {
            summary: analysis.summary,
            key_mistake: joined(&analysis.root_causes),
            correct_action: joined(&derived.insights),
            guidance: joined(&suggestions),
            applicable_tools: analysis.applicable_tools,
            tools_used: prompt::tools_used(&run.messages),
            tells: None,
        };
        let written = WrittenLesson { lesson, written_by };
        Ok(Reflected { written, key_findings: analysis.key_findings, spent, answer: None })
    }
}

fn context(run: &ReviewedRun) -> Context<'_> {
    let mut context = Context::of_run(run).with("input", &run.task).with("output", &run.final_response);
    if let Some(feedback) = &run.feedback_text {
        context = context.with("error", feedback);
    }
    if !run.shown_lessons.is_empty() {
        let earlier = run.shown_lessons.iter().map(|shown| format!("({}) {}", shown.task, shown.lesson.text()));
        context = context.with("earlier_lessons", earlier.collect::<Vec<_>>());
    }
    context
}

fn one(text: String) -> Vec<String> {
    if text.is_empty() { Vec::new() } else { vec![text] }
}

/// A single text is the usual case and stays exactly as it was written.
fn joined(texts: &[String]) -> String {
    match texts {
        [only] => only.clone(),
        several => {
            let full = several.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
            full.collect::<Vec<_>>().join(" ")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::llm::tests::run;

    /// Writes one lesson for whatever it reads.
    struct Fixed(Lesson);

    #[async_trait]
    impl RunReflector for Fixed {
        fn written_by(&self) -> WrittenBy {
            WrittenBy::new("fixed", "1")
        }

        async fn reflect_run(&self, _: &ReviewedRun) -> Result<Reflected, ReflectError> {
            Ok(WrittenLesson { lesson: self.0.clone(), written_by: self.written_by() }.into())
        }
    }

    struct TwoCauses;

    #[async_trait]
    impl Reflector for TwoCauses {
        async fn analyze(&self, _: &Context<'_>) -> Result<Analysis, ReflectError> {
            let root_causes = vec!["No check.".into(), " ".into(), "No retry.".into()];
            Ok(Analysis { root_causes, ..Analysis::default() })
        }
    }

    proptest! {
        #[test]
        fn a_lesson_survives_the_three_steps(
            texts in prop::collection::vec("\\PC{0,20}", 4),
            applicable_tools in prop::collection::vec("[a-z]{1,6}", 0..4),
        ) {
            let run = run(Outcome::Fail);
            let lesson = Lesson {
                summary: texts[0].clone(),
                key_mistake: texts[1].clone(),
                correct_action: texts[2].clone(),
                guidance: texts[3].clone(),
                applicable_tools,
                tools_used: vec!["refund".into(), "get_order".into()],
                tells: None,
            };
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let reflected = runtime.block_on(any_reflector(Fixed(lesson.clone())).reflect_run(&run)).unwrap();
            let written_by = WrittenBy::new("fixed", "1");
            prop_assert_eq!(reflected, Reflected::from(WrittenLesson { lesson, written_by }));
        }
    }

    #[tokio::test]
    async fn several_reasons_become_one_mistake() {
        let reflected = any_reflector(TwoCauses).reflect_run(&run(Outcome::Fail)).await.unwrap();
        assert_eq!(reflected.written.lesson.key_mistake, "No check. No retry.");
        assert_eq!(reflected.written.lesson.tools_used, ["refund", "get_order"]);
    }
}
