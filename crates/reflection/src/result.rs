//! The outcome of one reflection.

use derive_setters::Setters;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ReflectionLevel, ReflectionType};

/// What one reflection found. Nothing changes it once it is made: build it with [`ReflectionResult::new`] and the
/// `with_` methods, each of which answers a new value.
///
/// ```compile_fail,E0616
/// # use reflection::{ReflectionLevel, ReflectionResult, ReflectionType};
/// let mut result = ReflectionResult::new(ReflectionType::Insight, ReflectionLevel::Medium, "Fine.");
/// result.summary = "Changed.".into();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Setters)]
#[setters(prefix = "with_")]
pub struct ReflectionResult {
    #[setters(skip)]
    reflection_type: ReflectionType,
    #[setters(skip)]
    level: ReflectionLevel,
    #[setters(skip)]
    summary: String,
    /// With these observations.
    #[serde(default)]
    key_findings: Vec<String>,
    /// With these reasons.
    #[serde(default)]
    root_causes: Vec<String>,
    /// With these learnings.
    #[serde(default)]
    insights: Vec<String>,
    /// With these improvements.
    #[serde(default)]
    suggestions: Vec<String>,
    /// With this metadata in place of what was there.
    #[serde(default)]
    metadata: Map<String, Value>,
}

impl ReflectionResult {
    /// A result with nothing but a summary: every list and the metadata are empty.
    pub fn new(reflection_type: ReflectionType, level: ReflectionLevel, summary: impl Into<String>) -> Self {
        Self {
            reflection_type,
            level,
            summary: summary.into(),
            key_findings: Vec::new(),
            root_causes: Vec::new(),
            insights: Vec::new(),
            suggestions: Vec::new(),
            metadata: Map::new(),
        }
    }

    /// What it is about: set by the reflector's configuration, never by a model.
    pub fn reflection_type(&self) -> ReflectionType {
        self.reflection_type
    }

    /// How deep it went.
    pub fn level(&self) -> ReflectionLevel {
        self.level
    }

    /// One sentence.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Notable observations.
    pub fn key_findings(&self) -> &[String] {
        &self.key_findings
    }

    /// The reasons underneath.
    pub fn root_causes(&self) -> &[String] {
        &self.root_causes
    }

    /// Patterns and learnings.
    pub fn insights(&self) -> &[String] {
        &self.insights
    }

    /// What to do better.
    pub fn suggestions(&self) -> &[String] {
        &self.suggestions
    }

    /// Whatever else is known: at least `reflector`, the name of who reflected. The names that this crate uses are in
    /// [`crate::metadata_keys`].
    pub fn metadata(&self) -> &Map<String, Value> {
        &self.metadata
    }

    /// Whether this stands in for a reflection that failed.
    pub fn is_degraded(&self) -> bool {
        self.metadata.get(crate::metadata_keys::DEGRADED) == Some(&Value::Bool(true))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_type_level_and_summary_are_needed() {
        let result = ReflectionResult::new(ReflectionType::Insight, ReflectionLevel::Medium, "Fine.");
        assert_eq!((result.reflection_type(), result.level()), (ReflectionType::Insight, ReflectionLevel::Medium));
        assert_eq!(result.summary(), "Fine.");
        assert!(result.key_findings().is_empty() && result.root_causes().is_empty());
        assert!(result.insights().is_empty() && result.suggestions().is_empty() && result.metadata().is_empty());
        assert!(!result.is_degraded());
    }

    #[test]
    fn every_field_is_kept_and_the_original_stays_as_it_was() {
        let bare = ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, "It broke.");
        let full = bare
            .clone()
            .with_key_findings(vec!["a".into()])
            .with_root_causes(vec!["b".into()])
            .with_insights(vec!["c".into()])
            .with_suggestions(vec!["d".into()])
            .with_metadata(Map::from_iter([("run".to_owned(), json!(7))]));
        assert!(bare.key_findings().is_empty());
        assert_eq!(full.key_findings(), ["a"]);
        assert_eq!(full.root_causes(), ["b"]);
        assert_eq!(full.insights(), ["c"]);
        assert_eq!(full.suggestions(), ["d"]);
        assert_eq!(full.metadata()["run"], 7);
        let read: ReflectionResult = serde_json::from_str(&serde_json::to_string(&full).unwrap()).unwrap();
        assert_eq!(read, full);
    }
}
