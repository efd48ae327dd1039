//! A small transformer on the CPU: text in, vectors out, in int8, without any library.
//!
//! One family of models is read: BERT-like encoders with WordPiece, whose vector is the mean of their tokens. The model in
//! the binary is one, all-MiniLM-L6-v2 another. [`words`] and [`tokenizer`] turn text into tokens, [`encoder`] turns tokens
//! into a vector with the help of [`attention`], [`math`] (floats) and [`kernels`] (bytes), [`file`] reads the weights,
//! and [`convert`] makes such a file from a published model.

mod attention;
mod buffers;
mod convert;
mod encoder;
mod file;
mod kernels;
mod lanes;
mod linear;
pub(crate) mod math;
mod seven_bits;
mod tokenizer;
mod words;

use reflect_core::Kernel;

use encoder::Encoder;
use file::ModelFile;
use tokenizer::Tokenizer;

pub use convert::{PublishedModel, convert};
pub use file::ModelFileError;

/// A text is read in at most this many windows: about 2,000 tokens, four pages. Of a longer one the first, the last and others
/// spread evenly between them are read, so that no text costs more than this.
const MAX_WINDOWS: usize = 8;

/// Tokens that go through the encoder together. More of them share the cost of fetching the weights; many more would no
/// longer fit the caches.
pub(crate) const TOKENS_A_BATCH: usize = 512;

/// A model, ready to embed.
pub struct Model {
    name: String,
    floor: f64,
    window: usize,
    tokenizer: Tokenizer,
    encoder: Encoder,
    kernel: Kernel,
}

impl Model {
    /// Reads a model from the bytes of its file.
    pub fn read(bytes: &[u8]) -> Result<Self, ModelFileError> {
        Self::read_for(Kernel::in_use(), bytes)
    }

    /// The same for a kernel that need not be the one in use. All give the same vectors; for tests and measurements.
    pub fn read_for(kernel: Kernel, bytes: &[u8]) -> Result<Self, ModelFileError> {
        let ModelFile { name, floor, window, tokenizer, encoder } = ModelFile::read(bytes, kernel)?;
        Ok(Self { name, floor, window, tokenizer, encoder, kernel })
    }

    /// What the file calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The width of a vector.
    pub fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    /// The calibrated floor on similarity.
    pub fn floor(&self) -> f64 {
        self.floor
    }

    /// The ids of a text's pieces, without start and end.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.tokens(text)
    }

    /// One vector of length one for each text, in order. A text longer than the window is read in windows of equal length,
    /// and its vector is their mean by length.
    pub fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        self.embed_while(texts, || true).unwrap_or_default()
    }

    /// The same, for as long as somebody wants it: that is asked again every few hundred tokens. `None` once nobody does.
    pub(crate) fn embed_while(&self, texts: &[&str], is_wanted: impl Fn() -> bool) -> Option<Vec<Vec<f32>>> {
        let (mut windows, mut owners) = (Vec::new(), Vec::new());
        for (owner, text) in texts.iter().enumerate() {
            for window in self.windows(text) {
                windows.push(window);
                owners.push(owner);
            }
        }
        let mut vectors = vec![vec![0.0_f32; self.dimension()]; texts.len()];
        let mut owners = owners.into_iter();
        for batch in batches(&windows) {
            if !is_wanted() {
                return None;
            }
            let encoded = self.encoder.encode(batch, self.kernel);
            for ((tokens, part), owner) in batch.iter().zip(encoded).zip(owners.by_ref()) {
                if let Some(vector) = vectors.get_mut(owner) {
                    let length = tokens.len() as f32;
                    vector.iter_mut().zip(part).for_each(|(value, part)| *value += length * part);
                }
            }
        }
        vectors.iter_mut().for_each(|vector| math::normalise(vector));
        Some(vectors)
    }

    /// A text's tokens in windows, each with its start and its end.
    fn windows(&self, text: &str) -> Vec<Vec<u32>> {
        let tokens = self.tokens(text);
        let room = self.window - 2;
        let count = tokens.len().div_ceil(room).max(1);
        let length = tokens.len().div_ceil(count).max(1);
        let mut parts: Vec<&[u32]> = tokens.chunks(length).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        let kept = chosen(parts.len()).filter_map(|index| parts.get(index));
        let framed = |part: &&[u32]| {
            let start = std::iter::once(self.tokenizer.start);
            start.chain(part.iter().copied()).chain([self.tokenizer.end]).collect()
        };
        kept.map(framed).collect()
    }
}

/// Which of so many windows are read: all, or the first, the last and others spread evenly between them.
fn chosen(count: usize) -> impl Iterator<Item = usize> {
    let read = count.min(MAX_WINDOWS);
    (0..read).map(move |number| number * (count - 1) / (read - 1).max(1))
}

/// Consecutive windows with at most [`TOKENS_A_BATCH`] tokens together, or a single longer one.
fn batches(windows: &[Vec<u32>]) -> impl Iterator<Item = &[Vec<u32>]> {
    let mut rest = windows;
    std::iter::from_fn(move || {
        let mut tokens = 0;
        let fits = rest.iter().take_while(|window| {
            tokens += window.len();
            tokens <= TOKENS_A_BATCH
        });
        let count = fits.count().max(1).min(rest.len());
        let (batch, others) = rest.split_at_checked(count)?;
        rest = others;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::ModelEmbedder;

    fn model() -> Model {
        Model::read(ModelEmbedder::BUILTIN).unwrap()
    }

    #[test]
    fn no_text_costs_more_than_a_handful_of_windows() {
        let model = model();
        // As many tokens as a task of the largest size can have.
        for text in ["a ".repeat(16_384), "日".repeat(32_768), "word ".repeat(300_000)] {
            let windows = model.windows(&text);
            let tokens: usize = windows.iter().map(Vec::len).sum();
            assert_eq!(windows.len(), MAX_WINDOWS);
            assert!(tokens <= MAX_WINDOWS * model.window, "{tokens} tokens");
        }
    }

    #[test]
    fn the_first_and_the_last_window_are_always_read() {
        let model = model();
        for words in [10, 300, 2_000, 2_100, 30_000] {
            let text = format!("alpha {}omega", "filler ".repeat(words));
            let (tokens, windows) = (model.tokens(&text), model.windows(&text));
            let (first, last) = (windows.first().unwrap(), windows.last().unwrap());
            assert_eq!((first[1], last[last.len() - 2]), (tokens[0], tokens[tokens.len() - 1]));
        }
    }

    #[test]
    fn a_text_that_fits_is_read_whole_and_in_order() {
        let model = model();
        let text = "the quick brown fox jumps over lazy dogs ".repeat(250);
        let windows = model.windows(&text);
        assert!((2..=MAX_WINDOWS).contains(&windows.len()));
        let read: Vec<u32> = windows.iter().flat_map(|window| window[1..window.len() - 1].to_vec()).collect();
        assert_eq!(read, model.tokens(&text));
        assert_eq!(chosen(0).count(), 0);
        assert_eq!(chosen(1).collect::<Vec<_>>(), [0]);
        assert_eq!(chosen(9).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 8]);
    }

    #[test]
    fn work_that_nobody_wants_any_more_ends() {
        let model = model();
        let text = "word ".repeat(2_000);
        let asked = AtomicUsize::new(0);
        let wanted_once = || asked.fetch_add(1, Ordering::Relaxed) == 0;
        assert_eq!(model.embed_while(&[&text], wanted_once), None);
        assert_eq!(asked.load(Ordering::Relaxed), 2, "it went on after the second question");
    }
}
