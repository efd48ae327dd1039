//! The messages of a run, kept byte for byte and read leniently.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::{Message, RawJson};

/// A list of message objects, as the JSON text that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trajectory(RawJson);

/// Why a value cannot be a trajectory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrajectoryError {
    /// Neither a list nor a text.
    #[error("must be a list of messages, or a text")]
    NotAList,
    /// One element is not an object.
    #[error("message {index} must be an object such as {{\"role\": \"user\", \"content\": \"…\"}}")]
    NotAMessage {
        /// The element's position, from 0.
        index: usize,
    },
    /// More elements than are allowed.
    #[error("has {found} messages, at most {allowed} are allowed")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there may be.
        allowed: usize,
    },
}

impl Trajectory {
    /// Takes what clients send: a list of messages, a text that holds such a list as JSON, or any other text, which
    /// becomes one message of the assistant.
    pub fn from_wire(raw: &RawJson, max_messages: usize) -> Result<Self, TrajectoryError> {
        match raw.as_str().as_bytes().first() {
            Some(b'[') => Self::from_list(raw.clone(), max_messages),
            Some(b'"') => Self::from_text(&read_text(raw.as_str()), max_messages),
            _ => Err(TrajectoryError::NotAList),
        }
    }

    fn from_text(text: &str, max_messages: usize) -> Result<Self, TrajectoryError> {
        let inner = text.trim();
        if inner.starts_with('[')
            && let Ok(list) = RawJson::parse(inner.to_owned())
            && list.read::<Vec<&RawValue>>().is_ok_and(|messages| messages.iter().all(|message| is_object(message)))
        {
            return Self::from_list(list, max_messages);
        }
        Ok(Self(RawJson::from_value(&[serde_json::json!({"role": "assistant", "content": text})])))
    }

    fn from_list(list: RawJson, max_messages: usize) -> Result<Self, TrajectoryError> {
        let messages: Vec<&RawValue> = list.read().map_err(|_| TrajectoryError::NotAList)?;
        if messages.len() > max_messages {
            return Err(TrajectoryError::TooMany { found: messages.len(), allowed: max_messages });
        }
        if let Some(index) = messages.iter().position(|message| !is_object(message)) {
            return Err(TrajectoryError::NotAMessage { index });
        }
        Ok(Self(list))
    }

    /// A trajectory that this type has written before and a store kept.
    pub fn from_stored(list: RawJson) -> Self {
        Self(list)
    }

    /// The JSON text.
    pub fn raw(&self) -> &RawJson {
        &self.0
    }

    /// The JSON text, for good.
    pub fn into_raw(self) -> RawJson {
        self.0
    }

    /// The messages, as far as they can be understood. Whatever a message holds, it yields one [`Message`].
    pub fn messages(&self) -> Vec<Message> {
        self.raw_messages().into_iter().map(|raw| Message::read(&mend_surrogates(raw.get()))).collect()
    }

    /// The text of the last message of the assistant that has any; empty if none has.
    pub fn last_assistant_text(&self) -> String {
        let messages = self.raw_messages();
        let texts = messages.iter().rev().map(|raw| Message::read(&mend_surrogates(raw.get())));
        texts
            .filter(Message::is_assistant)
            .map(|message| message.text)
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }

    fn raw_messages(&self) -> Vec<&RawValue> {
        self.0.read().unwrap_or_default()
    }
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

fn read_text(json_string: &str) -> String {
    serde_json::from_str(&mend_surrogates(json_string)).unwrap_or_default()
}

/// Replaces escapes of lone surrogates by that of U+FFFD. JSON's grammar allows them (and Python writes them), yet no
/// Rust string can hold what they mean.
fn mend_surrogates(json: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + offset;
        at = match surrogate_at(json, escape) {
            None => escape + 2,
            Some(high) if (0xD800..0xDC00).contains(&high) && is_low_surrogate(json, escape + 6) => escape + 12,
            Some(_) => {
                mended.push_str(json.get(copied..escape).unwrap_or_default());
                mended.push_str("\\ufffd");
                copied = escape + 6;
                copied
            }
        };
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    mended.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(mended)
}

fn surrogate_at(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    let unit = u16::from_str_radix(digits, 16).ok()?;
    (0xD800..0xE000).contains(&unit).then_some(unit)
}

fn is_low_surrogate(json: &str, at: usize) -> bool {
    surrogate_at(json, at).is_some_and(|unit| unit >= 0xDC00)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(json: &str) -> Result<Trajectory, TrajectoryError> {
        Trajectory::from_wire(&RawJson::parse(json.to_owned()).unwrap(), 3)
    }

    #[test]
    fn a_list_is_kept_byte_for_byte() {
        let text = r#"[{"role":"user",  "content":"é\ud83d\ude00", "n": 1.50e3, "role":"twice"}]"#;
        assert_eq!(take(text).unwrap().raw().as_str(), text);
    }

    #[test]
    fn a_text_with_a_list_in_it_is_that_list() {
        let trajectory = take(r#"" [{\"role\":\"user\",\"content\":\"hi\"}] ""#).unwrap();
        assert_eq!(trajectory.raw().as_str(), r#"[{"role":"user","content":"hi"}]"#);
    }

    #[test]
    fn any_other_text_is_one_message_of_the_assistant() {
        for text in ["plain", "[not json", "[1, 2]", "", "{\"role\": \"user\"}"] {
            let trajectory = take(&serde_json::to_string(text).unwrap()).unwrap();
            let messages = trajectory.messages();
            assert_eq!(messages.len(), 1, "{text}");
            assert_eq!((messages[0].role.as_str(), messages[0].text.as_str()), ("assistant", text));
        }
    }

    #[test]
    fn other_values_are_refused_with_the_place() {
        assert_eq!(take("17"), Err(TrajectoryError::NotAList));
        assert_eq!(take("{}"), Err(TrajectoryError::NotAList));
        assert_eq!(take(r#"[{}, "x"]"#), Err(TrajectoryError::NotAMessage { index: 1 }));
        assert_eq!(take("[{},{},{},{}]"), Err(TrajectoryError::TooMany { found: 4, allowed: 3 }));
    }

    #[test]
    fn the_last_assistant_text_skips_tool_calls_without_words() {
        let trajectory = take(
            r#"[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
                {"role":"assistant","content":null,"tool_calls":[]}, {"role":"user","content":"thanks"}]"#,
        );
        assert_eq!(trajectory.unwrap().last_assistant_text(), "ab");
        assert_eq!(take("[]").unwrap().last_assistant_text(), "");
    }

    #[test]
    fn lone_surrogates_and_huge_numbers_still_read() {
        let trajectory =
            take(r#"[{"role":"assistant","content":"a\ud800b\\ud800 \ud83d\ude00"},{"n":1e999}]"#).unwrap();
        assert_eq!(trajectory.messages()[0].text, "a\u{FFFD}b\\ud800 \u{1F600}");
        assert_eq!(trajectory.messages().len(), 2);
    }
}
