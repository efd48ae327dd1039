//! An image or a document in a message: what is known of it without looking at it.

use std::fmt;

use serde_json::Value;

/// An image, a document or another file, as it can be named to whoever cannot see it. Its text is "an image (image/png, 12 KB)".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Media {
    /// `image`, `document`, `audio`, `video` or `file`.
    pub kind: String,
    /// Such as `image/png`; empty when it is not said.
    pub media_type: String,
    /// How many bytes it has; not known of what only its address is given.
    pub bytes: Option<u64>,
    /// The host that has it, where an address is given. The rest of an address may hold a key, and is not shown.
    pub host: String,
}

/// The most characters of a type or a host.
const NAME_LIMIT: usize = 80;

impl Media {
    /// Something of this kind at this address.
    pub fn at_url(kind: &str, url: &str) -> Self {
        let after_scheme = url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        Self { kind: kind.to_owned(), host: name(host), ..Self::default() }
    }

    /// Reads a content part of an LLM API; `None` for one that holds words or anything else.
    pub(crate) fn read(part: &Value) -> Option<Self> {
        if part.get("text").or_else(|| part.get("content")).is_some() {
            return None;
        }
        let kind = match part.get("type").and_then(Value::as_str) {
            Some("image" | "image_url" | "input_image") => "image",
            Some("document") => "document",
            Some("file" | "input_file") => "file",
            Some("audio" | "input_audio") => "audio",
            Some("video") => "video",
            // Gemini names no type.
            None if GEMINI.iter().any(|key| part.get(key).is_some_and(Value::is_object)) => "file",
            _ => return None,
        };
        let holders = HOLDERS.iter().chain(&GEMINI).filter_map(|key| part.get(key));
        let holder = holders.into_iter().find(|value| value.is_object()).unwrap_or(part);
        let text = |keys: &[&str]| keys.iter().find_map(|key| holder.get(key).and_then(Value::as_str));
        let url = text(&["url", "file_url", "fileUri", "file_uri", "image_url"]);
        let data = text(&["data", "file_data", "base64"]);
        let said = text(&["media_type", "mime_type", "mimeType"]).map(name).unwrap_or_default();
        let media = match (data, url) {
            (Some(data), _) => Self::from_data(kind, data),
            (None, Some(url)) if url.starts_with("data:") => Self::from_data(kind, url),
            (None, Some(url)) => Self::at_url(kind, url),
            (None, None) => Self { kind: kind.to_owned(), ..Self::default() },
        };
        Some(if said.is_empty() { media } else { Self { media_type: said, ..media } }.with_kind_of_type())
    }

    /// Base64, as it is or in an address of the scheme `data`.
    fn from_data(kind: &str, data: &str) -> Self {
        let (media_type, base64) = match data.strip_prefix("data:").and_then(|rest| rest.split_once(',')) {
            Some((head, base64)) => (name(head.split(';').next().unwrap_or_default()), base64),
            None => (String::new(), data),
        };
        let digits = base64.trim_end_matches('=').len();
        let bytes = u64::try_from(digits / 4 * 3 + (digits % 4).saturating_sub(1)).ok();
        Self { kind: kind.to_owned(), media_type, bytes, host: String::new() }
    }

    /// A file is what its type says, where that is more.
    fn with_kind_of_type(mut self) -> Self {
        if self.kind == "file" {
            let kind = match self.media_type.split('/').next() {
                Some(kind @ ("image" | "audio" | "video")) => kind,
                _ if self.media_type == "application/pdf" => "document",
                _ => "file",
            };
            self.kind = kind.to_owned();
        }
        self
    }
}

/// Where APIs keep the data of a part.
const HOLDERS: [&str; 4] = ["image_url", "source", "file", "input_audio"];
const GEMINI: [&str; 4] = ["inlineData", "inline_data", "fileData", "file_data"];

/// A name of someone else's, short and on one line.
fn name(text: &str) -> String {
    text.chars().filter(|one| !one.is_control() && !one.is_whitespace()).take(NAME_LIMIT).collect()
}

impl fmt::Display for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let article = if self.kind.starts_with(['a', 'i']) { "an" } else { "a" };
        let size = self.bytes.map(size).unwrap_or_default();
        let host = if self.host.is_empty() { String::new() } else { format!("at {}", self.host) };
        let known: Vec<&str> =
            [self.media_type.as_str(), &size, &host].into_iter().filter(|it| !it.is_empty()).collect();
        write!(f, "{article} {}", self.kind)?;
        if known.is_empty() { Ok(()) } else { write!(f, " ({})", known.join(", ")) }
    }
}

/// In the unit that people would say.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(part: Value) -> String {
        Media::read(&part).map(|media| media.to_string()).unwrap_or_default()
    }

    #[test]
    fn every_api_s_parts_are_named() {
        let data = "A".repeat(16_000);
        let url = format!("data:image/png;base64,{data}");
        for part in [
            json!({"type": "image_url", "image_url": {"url": url}}),
            json!({"type": "input_image", "image_url": url}),
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}),
            json!({"type": "image", "source_type": "base64", "mime_type": "image/png", "data": data}),
            json!({"inlineData": {"mimeType": "image/png", "data": data}}),
        ] {
            assert_eq!(read(part), "an image (image/png, 12 KB)");
        }
        let pdf = "data:application/pdf;base64,JVBERi0=";
        assert_eq!(
            read(json!({"type": "file", "file": {"filename": "a", "file_data": pdf}})),
            "a document (application/pdf, 5 bytes)"
        );
        assert_eq!(
            read(json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}})),
            "an audio (3 bytes)"
        );
    }

    #[test]
    fn an_address_is_named_by_its_host_alone() {
        let url = "https://user:pass@files.example.com/a.png?sig=secret";
        assert_eq!(
            read(json!({"type": "image", "source": {"type": "url", "url": url}})),
            "an image (at files.example.com)"
        );
        let gemini = json!({"fileData": {"mimeType": "application/pdf", "fileUri": "https://a.example/b"}});
        assert_eq!(read(gemini), "a document (application/pdf, at a.example)");
        assert_eq!(read(json!({"type": "file", "file": {"file_id": "f-1"}})), "a file");
    }

    #[test]
    fn words_are_no_media() {
        for part in [
            json!({"type": "text", "text": "hi"}),
            json!({"a": 1}),
            json!("image"),
            json!({"type": "tool_use"}),
            json!({"type": "document", "content": "words"}),
        ] {
            assert_eq!(read(part), "");
        }
    }
}
