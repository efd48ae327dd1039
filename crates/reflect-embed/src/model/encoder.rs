//! The encoder itself: tokens in, one vector a text out.

use reflect_core::Kernel;

use super::{
    attention::Qkv,
    buffers::{Buffers, Spare},
    kernels::multiply,
    lanes::{Lanes, Plain},
    linear::Linear,
    math::{Math, Norm, normalise},
};

/// The weights of a BERT-like encoder with the norm after each part.
pub(super) struct Encoder {
    /// The width of a token on its way through the layers.
    pub(super) hidden: usize,
    /// The width of a token in the table.
    pub(super) embed: usize,
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
    pub(super) spare: Spare,
}

pub(super) struct Layer {
    pub(super) qkv: Linear,
    pub(super) attention_out: Linear,
    pub(super) attention_norm: Norm,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) output_norm: Norm,
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
            Kernel::Avx512Vnni | Kernel::Avx512 => compiled::avx512(self, texts, kernel),
            #[cfg(target_arch = "x86_64")]
            Kernel::AvxVnni | Kernel::Avx2 => compiled::avx2(self, texts, kernel),
            #[cfg(target_arch = "aarch64")]
            Kernel::NeonI8mm | Kernel::NeonDotprod | Kernel::Neon => {
                Run::new(self, kernel, super::lanes::Neon).vectors(texts)
            }
            _ => Run::new(self, kernel, Plain).vectors(texts),
        }
    }
}

/// Some texts on their way through an encoder.
struct Run<'a, L> {
    encoder: &'a Encoder,
    kernel: Kernel,
    math: Math<L>,
    buffers: Buffers,
}

impl<'a, L: Lanes> Run<'a, L> {
    #[inline(always)]
    fn new(encoder: &'a Encoder, kernel: Kernel, lanes: L) -> Self {
        Self { encoder, kernel, math: Math(lanes), buffers: encoder.spare.take() }
    }

    #[inline(always)]
    fn vectors(mut self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        self.look_up(texts);
        for layer in &self.encoder.layers {
            self.attend(layer, texts);
            self.feed_forward(layer);
        }
        let mut means = self.means(texts);
        if let Some(project) = &self.encoder.project {
            self.buffers.rows.fill(self.math, &means, self.encoder.hidden);
            multiply(self.kernel, &mut self.buffers.rows, project, &mut means);
        }
        let mut vectors: Vec<Vec<f32>> = means.chunks_exact(self.encoder.dimension()).map(<[f32]>::to_vec).collect();
        vectors.iter_mut().for_each(|vector| normalise(vector));
        self.encoder.spare.give_back(self.buffers);
        vectors
    }

    /// The tokens' rows of the table, widened, with their positions added. A token that the table lacks counts as its first.
    #[inline(always)]
    fn look_up(&mut self, texts: &[Vec<u32>]) {
        let Encoder { hidden, embed, tokens, token_scales, embed_up, positions, norm, .. } = self.encoder;
        self.buffers.rows.clear(*embed);
        self.buffers.states.clear();
        for token in texts.iter().flatten() {
            let token = *token as usize;
            let start = token * embed;
            let row = tokens.get(start..start + embed).or_else(|| tokens.get(..*embed)).unwrap_or_default();
            let scale = token_scales.get(token).copied().unwrap_or_default();
            match embed_up {
                Some(_) => self.buffers.rows.push(row, scale),
                None => self.buffers.states.extend(row.iter().map(|byte| f32::from(*byte) * scale)),
            }
        }
        if let Some(embed_up) = embed_up {
            multiply(self.kernel, &mut self.buffers.rows, embed_up, &mut self.buffers.states);
        }
        let positions = texts.iter().flat_map(|tokens| positions.chunks_exact(*hidden).take(tokens.len()));
        for (state, position) in self.buffers.states.chunks_exact_mut(*hidden).zip(positions) {
            self.math.add_and_norm(state, position, norm);
        }
    }

    #[inline(always)]
    fn attend(&mut self, layer: &Layer, texts: &[Vec<u32>]) {
        let hidden = self.encoder.hidden;
        self.buffers.rows.fill(self.math, &self.buffers.states, hidden);
        multiply(self.kernel, &mut self.buffers.rows, &layer.qkv, &mut self.buffers.wide);
        self.buffers.narrow.resize(self.buffers.states.len(), 0.0);
        let (mut qkv, mut mixed) = (self.buffers.wide.as_slice(), self.buffers.narrow.as_mut_slice());
        for tokens in texts {
            let (values, others) = qkv.split_at_checked(tokens.len() * 3 * hidden).unwrap_or_default();
            let (to, further) = mixed.split_at_mut_checked(tokens.len() * hidden).unwrap_or_default();
            self.buffers.attention.attend(self.math, Qkv { values, hidden }, to);
            (qkv, mixed) = (others, further);
        }
        self.buffers.rows.fill(self.math, &self.buffers.narrow, hidden);
        multiply(self.kernel, &mut self.buffers.rows, &layer.attention_out, &mut self.buffers.narrow);
        self.add_and_norm(&layer.attention_norm);
    }

    #[inline(always)]
    fn feed_forward(&mut self, layer: &Layer) {
        self.buffers.rows.fill(self.math, &self.buffers.states, self.encoder.hidden);
        multiply(self.kernel, &mut self.buffers.rows, &layer.up, &mut self.buffers.wide);
        // Row by row, so that a row is still at hand when it is put into bytes.
        self.buffers.rows.clear(layer.up.outputs);
        for row in self.buffers.wide.chunks_exact_mut(layer.up.outputs) {
            self.math.gelu(row);
            self.buffers.rows.push_floats(self.math, row);
        }
        multiply(self.kernel, &mut self.buffers.rows, &layer.down, &mut self.buffers.narrow);
        self.add_and_norm(&layer.output_norm);
    }

    #[inline(always)]
    fn add_and_norm(&mut self, norm: &Norm) {
        let hidden = self.encoder.hidden;
        for (state, change) in
            self.buffers.states.chunks_exact_mut(hidden).zip(self.buffers.narrow.chunks_exact(hidden))
        {
            self.math.add_and_norm(state, change, norm);
        }
    }

    /// The mean of each text's tokens.
    #[inline(always)]
    fn means(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let hidden = self.encoder.hidden;
        let mut means = vec![0.0; texts.len() * hidden];
        let mut states = self.buffers.states.chunks_exact(hidden);
        for (mean, tokens) in means.chunks_exact_mut(hidden).zip(texts) {
            for state in states.by_ref().take(tokens.len()) {
                self.math.add(mean, state);
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
    use super::{Encoder, Kernel, Run};
    use crate::model::lanes::{Avx2, Avx512};

    pub(super) fn avx512(encoder: &Encoder, texts: &[Vec<u32>], kernel: Kernel) -> Vec<Vec<f32>> {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn run(run: Run<'_, Avx512>, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
            run.vectors(texts)
        }
        assert!(Kernel::Avx512.is_available(), "the kernel is only picked where it can run");
        // SAFETY: the machine was just found to have all four.
        unsafe { run(Run::new(encoder, kernel, Avx512::new()), texts) }
    }

    pub(super) fn avx2(encoder: &Encoder, texts: &[Vec<u32>], kernel: Kernel) -> Vec<Vec<f32>> {
        #[target_feature(enable = "avx2,fma")]
        fn run(run: Run<'_, Avx2>, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
            run.vectors(texts)
        }
        assert!(Kernel::Avx2.is_available(), "the kernel is only picked where it can run");
        // SAFETY: the machine was just found to have both.
        unsafe { run(Run::new(encoder, kernel, Avx2::new()), texts) }
    }
}
