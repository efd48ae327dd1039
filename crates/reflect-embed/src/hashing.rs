//! Hashed words and character trigrams: similarity of spelling, not of meaning.

use async_trait::async_trait;
use reflect_core::EmbedderId;

use crate::{EmbedError, Embedder};

const DIMENSION: usize = 256;

/// The share of a word's weight that its trigrams carry together, so that `parsing` is near `parse`.
const TRIGRAM_WEIGHT: f32 = 0.6;

/// Counts words and trigrams into 256 signed buckets ("feature hashing", Weinberger et al., 2009). Needs no model and
/// knows no meaning: texts are near when they share spelling.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashingEmbedder;

#[async_trait]
impl Embedder for HashingEmbedder {
    fn id(&self) -> EmbedderId {
        EmbedderId(format!("hashing-v1-{DIMENSION}"))
    }

    /// None: a paraphrase can share no spelling at all, so no cosine is too small to be of use.
    fn default_floor(&self) -> Option<f64> {
        None
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| embed(text)).collect())
    }
}

fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; DIMENSION];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        add_word(&mut vector, &word.to_lowercase());
    }
    normalise(&mut vector);
    vector
}

fn add_word(vector: &mut [f32], word: &str) {
    add(vector, &[word], 1.0);
    let padded: Vec<char> = std::iter::once('^').chain(word.chars()).chain(std::iter::once('$')).collect();
    let trigrams = padded.windows(3);
    let weight = TRIGRAM_WEIGHT / (trigrams.len() as f32).sqrt();
    for trigram in trigrams {
        let trigram: String = trigram.iter().collect();
        add(vector, &["3", &trigram], weight);
    }
}

fn add(vector: &mut [f32], feature: &[&str], weight: f32) {
    let hash = fnv1a(feature);
    let bucket = hash as usize % vector.len();
    if let Some(value) = vector.get_mut(bucket) {
        *value += if hash >> 63 == 0 { weight } else { -weight };
    }
}

/// FNV-1a over the parts with a separator between them, with its bits mixed once more: the low bits pick the bucket and
/// the top bit the sign, and both must depend on every byte.
fn fnv1a(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xFF]));
    let hash = bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Scales to length one. A text without any word points along the first axis: it has to point somewhere.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    } else if let Some(first) = vector.first_mut() {
        *first = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reflect_core::cosine;

    use super::*;

    #[test]
    fn shared_words_bring_texts_together() {
        let query = embed("Parse the CSV file and return the top 5 rows");
        let near = embed("parsing a csv file: top rows");
        let far = embed("Cancel a customer's subscription");
        assert!(cosine(&query, &near) > cosine(&query, &far) + 0.2);
        assert!((cosine(&query, &query) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn vectors_do_not_change_between_releases() {
        let vector = embed("reflect");
        let nonzero = vector.iter().filter(|value| **value != 0.0).count();
        assert_eq!(vector.len(), DIMENSION);
        assert_eq!(nonzero, 8, "one word and its seven trigrams");
    }

    proptest! {
        #[test]
        fn every_text_has_a_vector_of_length_one(text in any::<String>()) {
            let length: f32 = embed(&text).iter().map(|value| value * value).sum();
            prop_assert!((length - 1.0).abs() < 1e-4, "{}", length);
        }
    }
}
