//! The encoder itself: tokens in, one vector a text out.

use super::{
    attention::{self, attend},
    kernels::Kernel,
    linear::{Linear, Rows},
    math::{add, gelu, layer_norm, normalise},
};

/// The weights of a BERT-like encoder with the norm after each part.
pub(super) struct Encoder {
    /// The width of a token on its way through the layers.
    pub(super) hidden: usize,
    /// The width of a token in the table.
    pub(super) embed: usize,
    pub(super) epsilon: f32,
    /// One row of `embed` bytes for each token, and what its bytes are worth.
    pub(super) tokens: Vec<i8>,
    pub(super) token_scales: Vec<f32>,
    /// Widens a token from the table, where the table is narrower.
    pub(super) embed_up: Option<Linear>,
    /// One row of `hidden` for each position in the window.
    pub(super) positions: Vec<f32>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
    /// Takes the mean of a text into the space of the vectors, where that is another.
    pub(super) project: Option<Linear>,
}

pub(super) struct Layer {
    pub(super) qkv: Linear,
    pub(super) attention_out: Linear,
    pub(super) attention_norm: Norm,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) output_norm: Norm,
}

pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// Everything that is needed on the way, kept from one layer to the next.
#[derive(Default)]
struct Scratch {
    rows: Rows,
    wide: Vec<f32>,
    narrow: Vec<f32>,
    attention: attention::Scratch,
}

impl Encoder {
    /// How many tokens the table has.
    pub(super) fn token_count(&self) -> usize {
        self.token_scales.len()
    }

    /// The width of a vector.
    pub(super) fn dimension(&self) -> usize {
        self.project.as_ref().map_or(self.hidden, |project| project.outputs)
    }

    /// One vector of length one for each text. A text is its tokens, start and end included, no longer than the window.
    pub(super) fn encode(&self, texts: &[Vec<u32>], kernel: Kernel) -> Vec<Vec<f32>> {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => compiled::avx512(self, texts),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => compiled::avx2(self, texts),
            Kernel::Plain => self.run(texts, kernel),
        }
    }

    #[inline(always)]
    fn run(&self, texts: &[Vec<u32>], kernel: Kernel) -> Vec<Vec<f32>> {
        let mut scratch = Scratch::default();
        let mut states = self.look_up(texts, kernel, &mut scratch);
        for layer in &self.layers {
            self.attention(layer, texts, &mut states, kernel, &mut scratch);
            self.feed_forward(layer, &mut states, kernel, &mut scratch);
        }
        let mut means = self.means(texts, &states);
        if let Some(project) = &self.project {
            scratch.rows.fill(&means, self.hidden);
            kernel.multiply(&scratch.rows, project, &mut means);
        }
        let mut vectors: Vec<Vec<f32>> = means.chunks_exact(self.dimension()).map(<[f32]>::to_vec).collect();
        vectors.iter_mut().for_each(|vector| normalise(vector));
        vectors
    }

    /// The tokens' rows of the table, widened, with their positions added. A token that the table lacks counts as its first.
    #[inline(always)]
    fn look_up(&self, texts: &[Vec<u32>], kernel: Kernel, scratch: &mut Scratch) -> Vec<f32> {
        let mut states = Vec::new();
        scratch.rows.clear(self.embed);
        for token in texts.iter().flatten() {
            let token = *token as usize;
            let start = token * self.embed;
            let row = self.tokens.get(start..start + self.embed).or_else(|| self.tokens.get(..self.embed));
            let scale = self.token_scales.get(token).copied().unwrap_or_default();
            let row = row.unwrap_or_default();
            match self.embed_up {
                Some(_) => scratch.rows.push(row, scale),
                None => states.extend(row.iter().map(|byte| f32::from(*byte) * scale)),
            }
        }
        if let Some(embed_up) = &self.embed_up {
            kernel.multiply(&scratch.rows, embed_up, &mut states);
        }
        let positions = texts.iter().flat_map(|tokens| self.positions.chunks_exact(self.hidden).take(tokens.len()));
        for (state, position) in states.chunks_exact_mut(self.hidden).zip(positions) {
            add(state, position);
            layer_norm(state, &self.norm.weight, &self.norm.bias, self.epsilon);
        }
        states
    }

    #[inline(always)]
    fn attention(&self, layer: &Layer, texts: &[Vec<u32>], states: &mut [f32], kernel: Kernel, scratch: &mut Scratch) {
        scratch.rows.fill(states, self.hidden);
        kernel.multiply(&scratch.rows, &layer.qkv, &mut scratch.wide);
        scratch.narrow.resize(states.len(), 0.0);
        let (mut qkv, mut mixed) = (scratch.wide.as_slice(), scratch.narrow.as_mut_slice());
        for tokens in texts {
            let (mine, others) = qkv.split_at_checked(tokens.len() * 3 * self.hidden).unwrap_or_default();
            let (to, further) = mixed.split_at_mut_checked(tokens.len() * self.hidden).unwrap_or_default();
            attend(mine, self.hidden, to, &mut scratch.attention);
            (qkv, mixed) = (others, further);
        }
        scratch.rows.fill(&scratch.narrow, self.hidden);
        kernel.multiply(&scratch.rows, &layer.attention_out, &mut scratch.narrow);
        self.add_and_norm(states, &scratch.narrow, &layer.attention_norm);
    }

    #[inline(always)]
    fn feed_forward(&self, layer: &Layer, states: &mut [f32], kernel: Kernel, scratch: &mut Scratch) {
        scratch.rows.fill(states, self.hidden);
        kernel.multiply(&scratch.rows, &layer.up, &mut scratch.wide);
        gelu(&mut scratch.wide);
        scratch.rows.fill(&scratch.wide, layer.up.outputs);
        kernel.multiply(&scratch.rows, &layer.down, &mut scratch.narrow);
        self.add_and_norm(states, &scratch.narrow, &layer.output_norm);
    }

    #[inline(always)]
    fn add_and_norm(&self, states: &mut [f32], change: &[f32], norm: &Norm) {
        for (state, change) in states.chunks_exact_mut(self.hidden).zip(change.chunks_exact(self.hidden)) {
            add(state, change);
            layer_norm(state, &norm.weight, &norm.bias, self.epsilon);
        }
    }

    /// The mean of each text's tokens.
    #[inline(always)]
    fn means(&self, texts: &[Vec<u32>], states: &[f32]) -> Vec<f32> {
        let mut means = vec![0.0; texts.len() * self.hidden];
        let mut states = states.chunks_exact(self.hidden);
        for (mean, tokens) in means.chunks_exact_mut(self.hidden).zip(texts) {
            for state in states.by_ref().take(tokens.len()) {
                add(mean, state);
            }
            let share = 1.0 / tokens.len().max(1) as f32;
            mean.iter_mut().for_each(|value| *value *= share);
        }
        means
    }
}

/// The same code, compiled for wider registers.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "calling code that was compiled for more than every machine has")]
mod compiled {
    use super::{Encoder, Kernel};

    pub(super) fn avx512(encoder: &Encoder, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn run(encoder: &Encoder, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
            encoder.run(texts, Kernel::Avx512)
        }
        assert!(
            Kernel::available().any(|kernel| kernel == Kernel::Avx512),
            "the kernel is only picked where it can run"
        );
        // SAFETY: the machine was just found to have all four.
        unsafe { run(encoder, texts) }
    }

    pub(super) fn avx2(encoder: &Encoder, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        #[target_feature(enable = "avx2")]
        fn run(encoder: &Encoder, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
            encoder.run(texts, Kernel::Avx2)
        }
        assert!(Kernel::available().any(|kernel| kernel == Kernel::Avx2), "the kernel is only picked where it can run");
        // SAFETY: the machine was just found to have it.
        unsafe { run(encoder, texts) }
    }
}
