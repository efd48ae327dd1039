//! The three steps of a reflection: analyze, insight, suggest.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use crate::{Context, ReflectError, ReflectionLevel, ReflectionResult, ReflectionType, Spent, metadata_keys};

/// What a reflector is called, and what stands on its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectorConfig {
    /// Its name, which goes into the metadata of each result.
    pub name: String,
    /// What its results are about.
    pub reflection_type: ReflectionType,
    /// How deep it goes.
    pub level: ReflectionLevel,
}

impl Default for ReflectorConfig {
    fn default() -> Self {
        Self { name: "reflector".into(), reflection_type: ReflectionType::Insight, level: ReflectionLevel::Medium }
    }
}

/// What the first step finds. Everything may be empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// One sentence.
    pub summary: String,
    /// Notable observations.
    pub key_findings: Vec<String>,
    /// The reasons underneath.
    pub root_causes: Vec<String>,
    /// Learnings, where the analysis has some already.
    pub insights: Vec<String>,
    /// Improvements, where the analysis has some already.
    pub suggestions: Vec<String>,
    /// Whatever else was answered, by name: a judge's keys beside the five that it was asked for. They are here for the next two
    /// steps; no result has them.
    pub other: Map<String, Value>,
    /// Tools that it is about.
    pub applicable_tools: Vec<String>,
    /// What type the result has, where the run itself says so; else the reflector's configuration does.
    pub reflection_type: Option<ReflectionType>,
    /// What the calls of a model added up to.
    pub spent: Spent,
    /// What else goes into the result's metadata: parse status, errors, the raw reply.
    pub metadata: Map<String, Value>,
}

/// What the second step derives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Derived {
    /// Learnings: these go into the result.
    pub insights: Vec<String>,
    /// Improvements that are known by now, handed on to the third step.
    pub suggestions: Vec<String>,
}

/// Reflects in three steps. Only [`Reflector::analyze`] has to be written; the others pass on what it found. Without it there is
/// no reflector:
///
/// ```compile_fail,E0046
/// struct Nothing;
/// impl reflection::Reflector for Nothing {}
/// ```
#[async_trait]
pub trait Reflector: Send + Sync {
    /// Name, type and level: `reflector`, insight and medium unless said otherwise.
    fn config(&self) -> ReflectorConfig {
        ReflectorConfig::default()
    }

    /// Step 1: facts and findings.
    async fn analyze(&self, context: &Context<'_>) -> Result<Analysis, ReflectError>;

    /// Step 2: what follows from them. Passes on the analysis' insights and suggestions.
    async fn insight(&self, analysis: &Analysis) -> Result<Derived, ReflectError> {
        Ok(Derived { insights: analysis.insights.clone(), suggestions: analysis.suggestions.clone() })
    }

    /// Step 3: what to do. Passes on the suggestions of step 2.
    ///
    /// It gets what step 2 derived, since suggestions follow from insights, and the analysis beside it, so that a step
    /// which was written to read the analysis alone still can.
    async fn suggest(&self, _analysis: &Analysis, derived: &Derived) -> Result<Vec<String>, ReflectError> {
        Ok(derived.suggestions.clone())
    }

    /// All three steps. Type and level come from the configuration and the run, never from a model; the metadata holds
    /// what the analysis put there, tools and cost if there are any, and the reflector's name. An error of any step is answered as it is.
    async fn reflect(&self, context: &Context<'_>) -> Result<ReflectionResult, ReflectError> {
        let config = self.config();
        let mut analysis = self.analyze(context).await?;
        let derived = self.insight(&analysis).await?;
        let suggestions = self.suggest(&analysis, &derived).await?;
        let mut metadata = std::mem::take(&mut analysis.metadata);
        metadata.insert(metadata_keys::REFLECTOR.to_owned(), Value::String(config.name));
        if !analysis.applicable_tools.is_empty() {
            metadata.insert(metadata_keys::APPLICABLE_TOOLS.to_owned(), json!(analysis.applicable_tools));
        }
        if analysis.spent.calls > 0 {
            metadata.insert(metadata_keys::SPENT.to_owned(), json!(analysis.spent));
        }
        let reflection_type = analysis.reflection_type.unwrap_or(config.reflection_type);
        Ok(ReflectionResult::new(reflection_type, config.level, analysis.summary)
            .with_key_findings(analysis.key_findings)
            .with_root_causes(analysis.root_causes)
            .with_insights(derived.insights)
            .with_suggestions(suggestions)
            .with_metadata(metadata))
    }
}
