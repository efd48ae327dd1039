//! What a message or a task holds: words, images, documents.

use std::{fmt, sync::Arc};

use base64::{Engine, prelude::BASE64_STANDARD};
use reflect_core::Media;
use serde::{Deserialize, Serialize};

/// The type of bytes that nobody knows: no provider is sent them.
const UNKNOWN: &str = "application/octet-stream";
const PDF: &str = "application/pdf";

/// About the most that providers count for an image: larger ones are made smaller first.
const IMAGE_TOKENS: u64 = 1_600;
/// What providers count for a page of a PDF, which is read as text and looked at as an image: between 1,500 and 3,000.
const PAGE_TOKENS: u64 = 2_000;
/// The bytes of a page where the pages of a PDF cannot be counted.
const PAGE_BYTES: u64 = 50_000;
/// The pages of a document of which only the address is known.
const UNKNOWN_PAGES: u64 = 10;

/// A part of a message. As JSON it is a content part that Reflect's server and console read.
///
/// ```
/// use reflect_llm::{ChatMessage, Part};
///
/// let message = ChatMessage::user([
///     Part::text("Which of the two is cheaper?"),
///     Part::image_url("https://shop.example/a.jpg"),
///     Part::document(b"%PDF-1.7 ...".as_slice()),
/// ]);
/// assert_eq!(message.parts[1].to_string(), "a document (application/pdf, 12 bytes)");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// An image.
    Image {
        /// Where it is.
        source: Source,
    },
    /// A document: a PDF.
    Document {
        /// Where it is.
        source: Source,
    },
}

/// Where an image or a document is.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Source {
    /// Here. Cloning shares the bytes.
    #[serde(rename = "base64")]
    Bytes {
        /// Such as `image/png`.
        media_type: String,
        /// The bytes; base64 in JSON.
        #[serde(with = "as_base64")]
        data: Arc<[u8]>,
    },
    /// At an address that the provider can reach.
    Url {
        /// The address.
        url: String,
    },
}

impl Part {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// An image by its bytes. PNG, JPEG, GIF, WebP and HEIC are known by their first bytes; anything else is refused when it is to be
    /// sent.
    pub fn image(data: impl Into<Arc<[u8]>>) -> Self {
        let data = data.into();
        Self::Image { source: Source::Bytes { media_type: image_type(&data).to_owned(), data } }
    }

    /// An image that the provider fetches.
    pub fn image_url(url: impl Into<String>) -> Self {
        Self::Image { source: Source::Url { url: url.into() } }
    }

    /// A PDF by its bytes; anything else is refused when it is to be sent.
    pub fn document(data: impl Into<Arc<[u8]>>) -> Self {
        let data = data.into();
        let media_type = if data.starts_with(b"%PDF-") { PDF } else { UNKNOWN };
        Self::Document { source: Source::Bytes { media_type: media_type.to_owned(), data } }
    }

    /// A PDF that the provider fetches.
    pub fn document_url(url: impl Into<String>) -> Self {
        Self::Document { source: Source::Url { url: url.into() } }
    }

    /// What can be said of an image or a document without looking at it; none for words.
    pub fn media(&self) -> Option<Media> {
        let (kind, source) = match self {
            Self::Text { .. } => return None,
            Self::Image { source } => ("image", source),
            Self::Document { source } => ("document", source),
        };
        Some(match source {
            Source::Url { url } => Media::at_url(kind, url),
            Source::Bytes { media_type, data } => Media {
                kind: kind.to_owned(),
                media_type: media_type.clone(),
                bytes: u64::try_from(data.len()).ok(),
                ..Media::default()
            },
        })
    }

    /// About how many tokens a provider counts for it: a quarter of the characters of words; 1,600 for an image, which is about the most
    /// that providers count; 2,000 for each page of a document. Pages are counted where the PDF shows them, else one for each 50 KB;
    /// a document at an address counts as ten pages.
    pub fn estimated_tokens(&self) -> u64 {
        match self {
            Self::Text { text } => u64::try_from(text.chars().count().div_ceil(4)).unwrap_or(u64::MAX),
            Self::Image { .. } => IMAGE_TOKENS,
            Self::Document { source: Source::Url { .. } } => UNKNOWN_PAGES * PAGE_TOKENS,
            Self::Document { source: Source::Bytes { data, .. } } => pages(data).saturating_mul(PAGE_TOKENS),
        }
    }

    /// Whether it is known what the bytes are; an address is taken on trust.
    #[cfg(feature = "providers")]
    pub(crate) fn has_known_type(&self) -> bool {
        self.media().is_none_or(|media| media.media_type != UNKNOWN)
    }
}

/// The words, or the name of what is none.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.media()) {
            (Self::Text { text }, _) => f.write_str(text),
            (_, Some(media)) => media.fmt(f),
            (_, None) => Ok(()),
        }
    }
}

/// Without the bytes, which nobody wants in a log.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes { media_type, data } => write!(f, "Bytes({media_type}, {} bytes)", data.len()),
            Self::Url { url } => f.debug_tuple("Url").field(url).finish(),
        }
    }
}

/// One or more parts, in order: made of a text, a part or a list of parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(pub Vec<Part>);

impl Content {
    /// The words, one part a line.
    pub fn text(&self) -> String {
        let texts = self.0.iter().filter(|part| part.media().is_none());
        texts.map(Part::to_string).collect::<Vec<_>>().join("\n")
    }

    /// The images and documents, as they can be named.
    pub fn media(&self) -> Vec<Media> {
        self.0.iter().filter_map(Part::media).collect()
    }
}

impl From<Vec<Part>> for Content {
    fn from(parts: Vec<Part>) -> Self {
        Self(parts)
    }
}

impl<const N: usize> From<[Part; N]> for Content {
    fn from(parts: [Part; N]) -> Self {
        Self(parts.into())
    }
}

impl From<Part> for Content {
    fn from(part: Part) -> Self {
        Self(vec![part])
    }
}

macro_rules! from_texts {
    ($($text:ty),*) => {$(
        impl From<$text> for Content {
            fn from(text: $text) -> Self {
                Part::text(text).into()
            }
        }
    )*};
}

from_texts!(&str, &String, String, std::borrow::Cow<'_, str>);

fn image_type(data: &[u8]) -> &'static str {
    match data {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xFF, 0xD8, 0xFF, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [_, _, _, _, b'f', b't', b'y', b'p', b'h', b'e', b'i', b'c', ..] => "image/heic",
        _ => UNKNOWN,
    }
}

/// The pages that a PDF shows as objects of their own; newer files pack them away, and are estimated by their size.
fn pages(data: &[u8]) -> u64 {
    let is_page = |after: &&[u8]| !after.first().is_some_and(u8::is_ascii_alphanumeric);
    let after = |mark: &'static [u8]| {
        (0..data.len()).filter_map(move |at| data.get(at..).and_then(|rest| rest.strip_prefix(mark)))
    };
    let counted = after(b"/Type /Page").chain(after(b"/Type/Page")).filter(is_page).count();
    match u64::try_from(counted).unwrap_or(u64::MAX) {
        0 => u64::try_from(data.len()).unwrap_or(u64::MAX).div_ceil(PAGE_BYTES).max(1),
        counted => counted,
    }
}

/// Bytes as base64.
pub(crate) fn base64_of(data: &[u8]) -> String {
    BASE64_STANDARD.encode(data)
}

mod as_base64 {
    use std::sync::Arc;

    use base64::{Engine, prelude::BASE64_STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(data: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::base64_of(data))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64_STANDARD.decode(text).map(Into::into).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_written_as_the_server_reads_them_and_read_back() {
        let parts = [Part::text("hi"), Part::image(*b"\x89PNG"), Part::document_url("https://a.example/b.pdf")];
        let written = serde_json::to_value(&parts).unwrap();
        let expected = json!([
            {"type": "text", "text": "hi"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
            {"type": "document", "source": {"type": "url", "url": "https://a.example/b.pdf"}},
        ]);
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_value::<Vec<Part>>(written).unwrap(), parts);
    }

    #[test]
    fn kinds_are_known_by_their_first_bytes() {
        let known = |part: Part| part.media().unwrap().media_type;
        assert_eq!(known(Part::image(*b"\xFF\xD8\xFF\xE0")), "image/jpeg");
        assert_eq!(known(Part::image(*b"RIFF1234WEBPVP8 ")), "image/webp");
        assert_eq!(known(Part::image(*b"<svg/>")), UNKNOWN);
        assert_eq!(known(Part::document(*b"PK\x03\x04")), UNKNOWN);
    }

    #[test]
    fn tokens_are_estimated_by_kind() {
        let pdf = |text: &str| Part::document(format!("%PDF-1.4 {text}").into_bytes()).estimated_tokens();
        assert_eq!(Part::text("12345").estimated_tokens(), 2);
        assert_eq!(Part::image(*b"x").estimated_tokens(), 1_600);
        assert_eq!(pdf("<</Type /Pages>> <</Type /Page /Parent>> <</Type/Page>>"), 4_000);
        assert_eq!(pdf(&"packed".repeat(10_000)), 4_000);
        assert_eq!(Part::document_url("https://a.example").estimated_tokens(), 20_000);
    }

    #[test]
    fn words_and_the_rest_are_told_apart() {
        let content = Content::from([Part::text("a"), Part::image(*b"\x89PNG"), Part::text("b")]);
        assert_eq!((content.text().as_str(), content.media().len()), ("a\nb", 1));
    }

    #[test]
    fn bytes_are_not_printed() {
        assert_eq!(format!("{:?}", Part::image(*b"\x89PNG")), "Image { source: Bytes(image/png, 4 bytes) }");
    }
}
