//! A small transformer on the CPU: text in, vectors out, in int8, without any library.
//!
//! One family of models is read: BERT-like encoders with WordPiece, whose vector is the mean of their tokens. The model in
//! the binary is one, all-MiniLM-L6-v2 another. [`words`] and [`tokenizer`] turn text into tokens, [`encoder`] turns tokens
//! into a vector with the help of [`attention`], [`math`] (floats) and [`kernels`] (bytes), [`file`] reads the weights,
//! and [`convert`] makes such a file from a published model.

mod attention;
mod convert;
mod encoder;
mod file;
mod kernels;
mod linear;
pub(crate) mod math;
mod tokenizer;
mod words;

use encoder::Encoder;
use file::ModelFile;
use tokenizer::Tokenizer;

pub use convert::{PublishedModel, convert};
pub use file::ModelFileError;
pub use kernels::Kernel;

/// A text is read in at most this many windows: about 16,000 tokens, fifty pages. Of a longer one, as many windows are
/// read, spread evenly over all of it.
const MAX_WINDOWS: usize = 64;

/// Tokens that go through the encoder together. More of them share the cost of fetching the weights; many more would no
/// longer fit the caches.
const TOKENS_A_BATCH: usize = 512;

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
    /// Reads a model from the bytes of its file, for the best kernel of this machine.
    pub fn read(bytes: &[u8]) -> Result<Self, ModelFileError> {
        let ModelFile { name, floor, window, tokenizer, encoder } = ModelFile::read(bytes)?;
        Ok(Self { name, floor, window, tokenizer, encoder, kernel: Kernel::best() })
    }

    /// The same model with another kernel. All give the same vectors; for tests and measurements.
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
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
            let encoded = self.encoder.encode(batch, self.kernel);
            for ((tokens, part), owner) in batch.iter().zip(encoded).zip(owners.by_ref()) {
                if let Some(vector) = vectors.get_mut(owner) {
                    let length = tokens.len() as f32;
                    vector.iter_mut().zip(part).for_each(|(value, part)| *value += length * part);
                }
            }
        }
        vectors.iter_mut().for_each(|vector| math::normalise(vector));
        vectors
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
        let spread = parts.len().min(MAX_WINDOWS);
        let kept = (0..spread).filter_map(|number| parts.get(number * parts.len() / spread));
        let framed = |part: &&[u32]| {
            let start = std::iter::once(self.tokenizer.start);
            start.chain(part.iter().copied()).chain([self.tokenizer.end]).collect()
        };
        kept.map(framed).collect()
    }
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
