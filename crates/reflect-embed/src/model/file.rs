//! Reading a model from its file: safetensors with int8 matrices, the vocabulary and the shape in one piece.
//!
//! `tools/embedder/export.py` writes such files; `model_file.py` beside it says what is in them.

use std::{collections::HashMap, str::FromStr};

use reflect_core::Kernel;
use safetensors::{Dtype, SafeTensors};

use super::{
    buffers::Spare,
    encoder::{Encoder, Layer},
    kernels::packing,
    lanes::LANES,
    linear::{Linear, Packing},
    math::Norm,
    tokenizer::Tokenizer,
};

/// The version of the layout that this reads.
pub(super) const FORMAT: &str = "reflect-embedder-1";

/// The width of an attention head, in every model of this family.
const HEAD: usize = super::attention::HEAD;

/// Why a file is not a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model file cannot be used: {0}")]
pub struct ModelFileError(pub(super) String);

/// What a file says.
pub(super) struct ModelFile {
    pub(super) name: String,
    pub(super) floor: f64,
    pub(super) window: usize,
    pub(super) tokenizer: Tokenizer,
    pub(super) encoder: Encoder,
}

impl ModelFile {
    pub(super) fn read(bytes: &[u8], kernel: Kernel) -> Result<Self, ModelFileError> {
        let wrong = |error: safetensors::SafeTensorError| ModelFileError(error.to_string());
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(wrong)?;
        let notes = header.metadata().clone().unwrap_or_default().into_iter().collect();
        let reader =
            Reader { tensors: SafeTensors::deserialize(bytes).map_err(wrong)?, notes, packing: packing(kernel) };
        reader.model()
    }
}

/// Both, the first on a thread of its own if there can be one: each takes about half of a cold start.
fn beside<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    std::thread::scope(|scope| {
        let helper = std::thread::Builder::new().spawn_scoped(scope, &first);
        let second = second();
        let first = match helper {
            Ok(helper) => helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => first(),
        };
        (first, second)
    })
}

struct Reader<'a> {
    tensors: SafeTensors<'a>,
    notes: HashMap<String, String>,
    packing: Packing,
}

impl Reader<'_> {
    fn model(&self) -> Result<ModelFile, ModelFileError> {
        let format: String = self.note("format")?;
        if format != FORMAT {
            return Err(ModelFileError(format!("its format is `{format}`, and this version reads `{FORMAT}`")));
        }
        let vocabulary = std::str::from_utf8(self.bytes("vocabulary", Dtype::U8)?)
            .map_err(|_| ModelFileError("`vocabulary` is not text".into()))?;
        let (tokenizer, encoder) = beside(|| Tokenizer::new(vocabulary), || self.encoder());
        let tokenizer = tokenizer.ok_or_else(|| ModelFileError("`vocabulary` lacks [CLS], [SEP] or [UNK]".into()))?;
        let encoder = encoder?;
        if encoder.token_count() < vocabulary.lines().count() {
            return Err(ModelFileError("`vocabulary` has more lines than `tokens.weight` has rows".into()));
        }
        let window = encoder.positions.len() / encoder.hidden;
        if window < 3 {
            return Err(ModelFileError(format!("its window is {window} tokens")));
        }
        Ok(ModelFile { name: self.note("name")?, floor: self.note("floor")?, window, tokenizer, encoder })
    }

    fn encoder(&self) -> Result<Encoder, ModelFileError> {
        let (hidden, heads, layer_count): (usize, usize, usize) =
            (self.note("hidden")?, self.note("heads")?, self.note("layers")?);
        if hidden == 0 || hidden != heads * HEAD {
            return Err(ModelFileError(format!("{heads} heads of {HEAD} do not make a width of {hidden}")));
        }
        let inner = self.note("inner")?;
        let embed: usize = self.note("embed")?;
        let mut layers: Vec<Layer> = Vec::new();
        for (number, owner) in self.shares(layer_count)?.into_iter().enumerate() {
            let owner = layers.get(owner);
            let name = |part: &str| format!("layers.{number}.{part}");
            layers.push(Layer {
                qkv: self.layer_linear(&name("qkv"), owner.map(|owner| &owner.qkv), hidden, 3 * hidden)?,
                attention_out: self.layer_linear(
                    &name("attention_out"),
                    owner.map(|owner| &owner.attention_out),
                    hidden,
                    hidden,
                )?,
                attention_norm: self.norm(&name("attention_norm"), hidden)?,
                up: self.layer_linear(&name("up"), owner.map(|owner| &owner.up), hidden, inner)?,
                down: self.layer_linear(&name("down"), owner.map(|owner| &owner.down), inner, hidden)?,
                output_norm: self.norm(&name("output_norm"), hidden)?,
            });
        }
        let token_scales = self.floats("tokens.scale")?;
        let tokens = self.signed_bytes("tokens.weight")?;
        if embed == 0 || !embed.is_multiple_of(LANES) || tokens.len() != token_scales.len() * embed {
            return Err(ModelFileError("`tokens.weight` and `tokens.scale` do not fit together".into()));
        }
        let embed_up = (embed != hidden).then(|| self.linear("embed_up", embed, hidden)).transpose()?;
        let project = self.has("project.weight").then(|| self.linear("project", hidden, self.note("dimension")?));
        let positions = self.floats("positions")?;
        if !positions.len().is_multiple_of(hidden) {
            return Err(ModelFileError("`positions` does not fit the model's width".into()));
        }
        Ok(Encoder {
            hidden,
            embed,
            tokens,
            token_scales,
            embed_up,
            positions,
            norm: self.norm("norm", hidden)?,
            layers,
            project: project.transpose()?,
            spare: Spare::default(),
        })
    }

    fn note<T: FromStr>(&self, name: &str) -> Result<T, ModelFileError> {
        let note = self.notes.get(name).ok_or_else(|| ModelFileError(format!("it does not say its `{name}`")))?;
        note.parse().map_err(|_| ModelFileError(format!("its `{name}` is `{note}`")))
    }

    fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    fn bytes(&self, name: &str, dtype: Dtype) -> Result<&[u8], ModelFileError> {
        let tensor = self.tensors.tensor(name).map_err(|_| ModelFileError(format!("`{name}` is missing")))?;
        if tensor.dtype() != dtype {
            return Err(ModelFileError(format!("`{name}` is {:?} and not {dtype:?}", tensor.dtype())));
        }
        Ok(tensor.data())
    }

    fn signed_bytes(&self, name: &str) -> Result<Vec<i8>, ModelFileError> {
        Ok(self.bytes(name, Dtype::I8)?.iter().map(|byte| byte.cast_signed()).collect())
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, ModelFileError> {
        let (floats, _) = self.bytes(name, Dtype::F32)?.as_chunks();
        let floats: Vec<f32> = floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        match floats.iter().all(|value| value.is_finite()) {
            true => Ok(floats),
            false => Err(ModelFileError(format!("`{name}` holds a value that is not a number"))),
        }
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear, ModelFileError> {
        let part = |part: &str| format!("{name}.{part}");
        let weights = self.signed_bytes(&part("weight"))?;
        let (scales, biases) = (self.floats(&part("scale"))?, self.floats(&part("bias"))?);
        let linear = Linear::pack(&weights, scales, biases, self.packing);
        linear.filter(|linear| linear.inputs == inputs && linear.outputs == outputs).ok_or_else(|| {
            ModelFileError(format!("`{name}` is not a matrix of {outputs} × {inputs}, both multiples of {LANES}"))
        })
    }

    /// For each layer, the layer whose weights it has: itself, or one before it. A file that does not say has no shared ones.
    fn shares(&self, layers: usize) -> Result<Vec<usize>, ModelFileError> {
        let Some(note) = self.notes.get("shares") else {
            return Ok((0..layers).collect());
        };
        let shares: Vec<usize> = note.split(',').filter_map(|owner| owner.parse().ok()).collect();
        let fits = |(number, owner): (usize, &usize)| *owner <= number;
        match shares.len() == layers && shares.iter().enumerate().all(fits) {
            true => Ok(shares),
            false => Err(ModelFileError(format!("its `shares` is `{note}` for {layers} layers"))),
        }
    }

    /// A linear with weights of its own, or with those of `owner`.
    fn layer_linear(
        &self,
        name: &str,
        owner: Option<&Linear>,
        inputs: usize,
        outputs: usize,
    ) -> Result<Linear, ModelFileError> {
        let Some(owner) = owner else {
            return self.linear(name, inputs, outputs);
        };
        let (scales, biases) = (self.floats(&format!("{name}.scale"))?, self.floats(&format!("{name}.bias"))?);
        let rescaled = owner.rescaled(scales, biases);
        rescaled.ok_or_else(|| ModelFileError(format!("`{name}` does not have {outputs} scales and biases")))
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, ModelFileError> {
        let (weight, bias) = (self.floats(&format!("{name}.weight"))?, self.floats(&format!("{name}.bias"))?);
        match weight.len() == width && bias.len() == width {
            true => Ok(Norm { weight, bias, epsilon: self.note("epsilon")? }),
            false => Err(ModelFileError(format!("`{name}` is not {width} wide"))),
        }
    }
}
