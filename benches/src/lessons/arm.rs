//! What the agent has learned from: nothing, or lessons of one kind.

use reflect_client::{AuthoredReflection, SettingsRequest};

use super::family::Family;

/// One way to come by lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Arm {
    /// No memory.
    None,
    /// No memory, and the rule stands before the task: what the model can do at most.
    Told,
    /// Lessons by the built-in reflector.
    Rules,
    /// Lessons by the same model that acts.
    Model,
    /// The reviewer's words alone are the lesson: the yardstick.
    Words,
    /// A lesson written by hand.
    Oracle,
}

impl Arm {
    pub(super) const ALL: [Self; 6] = [Self::None, Self::Told, Self::Rules, Self::Model, Self::Words, Self::Oracle];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Told => "told",
            Self::Rules => "rules",
            Self::Model => "model",
            Self::Words => "words",
            Self::Oracle => "oracle",
        }
    }

    pub(super) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = Self::ALL.into_iter().find(|arm| arm.name() == name);
        found.ok_or_else(|| {
            anyhow::anyhow!("`{name}` is not one of `none`, `told`, `rules`, `model`, `words`, `oracle`")
        })
    }

    pub(super) fn has_memory(self) -> bool {
        !matches!(self, Self::None | Self::Told)
    }

    /// The lesson that the review brings along; without one the server's reflector writes it.
    pub(super) fn authored_lesson(self, family: &Family, feedback: &str) -> Option<AuthoredReflection> {
        let text = match self {
            Self::None | Self::Told | Self::Rules | Self::Model => return None,
            Self::Words => feedback,
            Self::Oracle => &family.oracle,
        };
        Some(AuthoredReflection { summary: Some(text.to_owned()), ..AuthoredReflection::default() })
    }

    /// The settings of its project.
    pub(super) fn settings(self, model: &str) -> SettingsRequest {
        let reflector = if self == Self::Model { format!("openai/{model}") } else { "builtin".to_owned() };
        SettingsRequest { reflector: Some(Some(reflector)), ..SettingsRequest::default() }
    }
}
