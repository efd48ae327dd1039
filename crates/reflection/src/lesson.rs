//! From a reflection to a lesson and back: the one place that knows which part of the one is which part of the other.
//!
//! ```text
//! summary ↔ summary          root_causes ↔ key_mistake       metadata.applicable_tools ↔ applicable_tools
//! insights ↔ correct_action  suggestions ↔ guidance          metadata.tools_used       ↔ tools_used
//! ```
//!
//! Several entries of a list become one text, joined by a space. `key_findings` stay behind: a memory has no place for them.

use reflect_core::{Lesson, Outcome, WrittenBy};
use reflect_llm::{Extracted, ParseStatus};
use serde_json::{Map, Value, json};

use crate::{Analysis, ReflectionResult, ReflectionType, Spent, WrittenLesson, metadata_keys};

/// The lesson in a result.
pub(crate) fn from_result(result: &ReflectionResult, written_by: WrittenBy) -> WrittenLesson {
    let metadata = result.metadata();
    let read = |key: &str| metadata.get(key).cloned();
    let spent: Spent =
        read(metadata_keys::SPENT).and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
    let parse_status = read(metadata_keys::PARSE_STATUS).and_then(|value| serde_json::from_value(value).ok());
    let asked_a_model = spent.calls > 0;
    WrittenLesson {
        lesson: Lesson {
            summary: result.summary().to_owned(),
            key_mistake: joined(result.root_causes()),
            correct_action: joined(result.insights()),
            guidance: joined(result.suggestions()),
            applicable_tools: texts(metadata, metadata_keys::APPLICABLE_TOOLS),
            tools_used: texts(metadata, metadata_keys::TOOLS_USED),
        },
        written_by: WrittenBy {
            input_tokens: asked_a_model.then_some(spent.usage.input_tokens),
            output_tokens: asked_a_model.then_some(spent.usage.output_tokens),
            millis: asked_a_model.then_some(spent.millis),
            ..written_by
        },
        spent,
        parse_status,
    }
}

/// The analysis that becomes this lesson again.
pub(crate) fn to_analysis(lesson: Lesson, outcome: Outcome) -> Analysis {
    let tools = |names: Vec<String>| Value::Array(names.into_iter().map(Value::String).collect());
    Analysis {
        summary: lesson.summary,
        key_findings: Vec::new(),
        root_causes: one(lesson.key_mistake),
        insights: one(lesson.correct_action),
        suggestions: one(lesson.guidance),
        reflection_type: Some(match outcome {
            Outcome::Pass => ReflectionType::Success,
            Outcome::Fail => ReflectionType::Failure,
        }),
        metadata: Map::from_iter([
            (metadata_keys::APPLICABLE_TOOLS.to_owned(), tools(lesson.applicable_tools)),
            (metadata_keys::TOOLS_USED.to_owned(), tools(lesson.tools_used)),
        ]),
    }
}

/// Notes how well an answer could be read, and keeps it.
pub(crate) fn note_parsing(metadata: &mut Map<String, Value>, found: &Extracted) {
    metadata.insert(metadata_keys::PARSE_STATUS.to_owned(), json!(found.status));
    metadata.insert(metadata_keys::PARSE_NOTES.to_owned(), json!(found.notes));
    metadata.insert(metadata_keys::RAW.to_owned(), Value::String(found.raw.clone()));
    if found.status == ParseStatus::Fallback {
        metadata.insert(metadata_keys::PARSE_ERROR.to_owned(), Value::Bool(true));
    }
}

fn one(text: String) -> Vec<String> {
    if text.is_empty() { Vec::new() } else { vec![text] }
}

fn joined(texts: &[String]) -> String {
    let full: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    // A single text is the usual case and stays exactly as it was written.
    match texts {
        [only] => only.clone(),
        _ => full.join(" "),
    }
}

fn texts(metadata: &Map<String, Value>, key: &str) -> Vec<String> {
    let list = metadata.get(key).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ReflectionLevel;

    fn result(analysis: Analysis) -> ReflectionResult {
        ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Medium, analysis.summary)
            .with_root_causes(analysis.root_causes)
            .with_insights(analysis.insights)
            .with_suggestions(analysis.suggestions)
            .with_metadata(analysis.metadata)
    }

    proptest! {
        #[test]
        fn a_lesson_survives_the_way_through_a_result(
            texts in prop::collection::vec("\\PC{0,20}", 4),
            tools in prop::collection::vec("[a-z]{1,6}", 0..4),
        ) {
            let lesson = Lesson {
                summary: texts[0].clone(),
                key_mistake: texts[1].clone(),
                correct_action: texts[2].clone(),
                guidance: texts[3].clone(),
                applicable_tools: tools.clone(),
                tools_used: tools,
            };
            let written = from_result(&result(to_analysis(lesson.clone(), Outcome::Fail)), WrittenBy::new("x", "1"));
            prop_assert_eq!(written.lesson, lesson);
            prop_assert_eq!(written.parse_status, None);
        }
    }

    #[test]
    fn several_reasons_become_one_mistake() {
        let several = ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, "s")
            .with_root_causes(vec!["No check.".into(), " ".into(), "No retry.".into()]);
        assert_eq!(from_result(&several, WrittenBy::new("x", "1")).lesson.key_mistake, "No check. No retry.");
    }
}
