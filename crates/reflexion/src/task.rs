//! What a run is asked to do.

use reflect_llm::{ChatMessage, Content, Part};

use crate::Attempt;

/// A task, in words and with what came with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Task {
    /// Its words; where it has none, the names of what it has.
    pub(crate) text: String,
    /// All of it; empty where it is words alone.
    pub(crate) inputs: Content,
}

impl Task {
    pub(crate) fn of(inputs: Content) -> Self {
        let media = inputs.media();
        let text = match inputs.text() {
            text if text.trim().is_empty() => media.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            text => text,
        };
        Self { text, inputs: if media.is_empty() { Content::default() } else { inputs } }
    }

    /// The whole task, as it can be given again.
    pub(crate) fn content(&self) -> Content {
        if self.inputs.0.is_empty() { self.text.as_str().into() } else { self.inputs.clone() }
    }

    /// All of it with these words in front; empty where it is words alone.
    pub(crate) fn inputs_after(&self, words: &str) -> Content {
        let mut parts = self.inputs.0.clone();
        match parts.first_mut() {
            Some(Part::Text { text }) => text.insert_str(0, words),
            Some(_) if !words.is_empty() => parts.insert(0, Part::text(words.trim_end())),
            _ => {}
        }
        Content(parts)
    }

    /// What images and documents take of a budget, by estimate.
    pub(crate) fn media_tokens(&self) -> u64 {
        media_tokens(&self.inputs.0)
    }

    /// Lets the record of an attempt show what came with the task, where the actor left it out.
    pub(crate) fn shown_in(&self, mut attempt: Attempt) -> Attempt {
        let is_shown = attempt.messages.iter().any(|message| message.parts.iter().any(|part| part.media().is_some()));
        if !self.inputs.0.is_empty() && !is_shown {
            attempt.messages.insert(0, ChatMessage::user(self.inputs.clone()));
        }
        attempt
    }
}

/// What the images and documents among these parts count for, by estimate.
pub(crate) fn media_tokens<'a>(parts: impl IntoIterator<Item = &'a Part>) -> u64 {
    let media = parts.into_iter().filter(|part| part.media().is_some());
    media.map(Part::estimated_tokens).fold(0, u64::saturating_add)
}
