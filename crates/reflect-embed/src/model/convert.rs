//! Making our kind of model file out of a published BERT's float weights.

use std::collections::BTreeMap;

use safetensors::{Dtype, SafeTensors, serialize, tensor::TensorView};

use super::file::{FORMAT, ModelFileError};

/// What a published model does not say in its weights.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedModel<'a> {
    /// What the model is called.
    pub name: &'a str,
    /// Its vocabulary, one piece a line.
    pub vocabulary: &'a str,
    /// How many layers it has.
    pub layers: usize,
    /// How many heads a layer has.
    pub heads: usize,
    /// How many tokens it was made for, start and end included.
    pub window: usize,
    /// The calibrated floor on similarity.
    pub floor: f64,
}

/// Quantises the weights (safetensors with the usual names of BERT) to int8, one scale for each row, and answers the bytes
/// of a file that [`super::Model::read`] takes.
pub fn convert(weights: &[u8], published: &PublishedModel<'_>) -> Result<Vec<u8>, ModelFileError> {
    let tensors = SafeTensors::deserialize(weights).map_err(|error| ModelFileError(error.to_string()))?;
    let mut writer = Writer { tensors, out: BTreeMap::new() };
    let embeddings = |part: &str| format!("embeddings.{part}");
    let (embed, _) = writer.matrix("tokens", &[&embeddings("word_embeddings.weight")])?;
    writer.positions(published.window)?;
    writer.norm("norm", &embeddings("LayerNorm"))?;
    let mut inner = 0;
    for number in 0..published.layers {
        let to = |part: &str| format!("layers.{number}.{part}");
        let from = |part: &str| format!("encoder.layer.{number}.{part}");
        let qkv = [from("attention.self.query"), from("attention.self.key"), from("attention.self.value")];
        writer.linear(&to("qkv"), &qkv)?;
        writer.linear(&to("attention_out"), &[from("attention.output.dense")])?;
        writer.norm(&to("attention_norm"), &from("attention.output.LayerNorm"))?;
        inner = writer.linear(&to("up"), &[from("intermediate.dense")])?;
        writer.linear(&to("down"), &[from("output.dense")])?;
        writer.norm(&to("output_norm"), &from("output.LayerNorm"))?;
    }
    let vocabulary = published.vocabulary.as_bytes().to_vec();
    writer
        .out
        .insert("vocabulary".into(), Tensor { dtype: Dtype::U8, shape: vec![vocabulary.len()], bytes: vocabulary });
    let notes = [
        ("format", FORMAT.to_owned()),
        ("name", published.name.to_owned()),
        ("layers", published.layers.to_string()),
        ("heads", published.heads.to_string()),
        ("hidden", embed.to_string()),
        ("embed", embed.to_string()),
        ("inner", inner.to_string()),
        ("dimension", embed.to_string()),
        ("window", published.window.to_string()),
        ("epsilon", "1e-12".to_owned()),
        ("floor", published.floor.to_string()),
    ];
    let notes = notes.into_iter().map(|(name, note)| (name.to_owned(), note)).collect();
    let views = writer.out.iter().map(|(name, Tensor { dtype, shape, bytes })| {
        TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name, view))
    });
    let views = views.collect::<Result<Vec<_>, _>>();
    views.and_then(|views| serialize(views, Some(notes))).map_err(|error| ModelFileError(error.to_string()))
}

struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

struct Writer<'a> {
    tensors: SafeTensors<'a>,
    out: BTreeMap<String, Tensor>,
}

impl Writer<'_> {
    /// Writes a linear layer that is made of several below each other, and answers how many outputs it has.
    fn linear(&mut self, to: &str, from: &[String]) -> Result<usize, ModelFileError> {
        let names: Vec<String> = from.iter().map(|part| format!("{part}.weight")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (_, outputs) = self.matrix(to, &names)?;
        let mut biases = Vec::new();
        for part in from {
            biases.extend(self.floats(&format!("{part}.bias"))?.1);
        }
        self.put_floats(&format!("{to}.bias"), vec![biases.len()], &biases);
        Ok(outputs)
    }

    /// Writes matrices below each other in int8, and answers width and height.
    fn matrix(&mut self, to: &str, from: &[&str]) -> Result<(usize, usize), ModelFileError> {
        let (mut bytes, mut scales, mut width) = (Vec::new(), Vec::new(), 0);
        for name in from {
            let (shape, floats) = self.floats(name)?;
            let [_, columns] = shape.as_slice() else {
                return Err(ModelFileError(format!("`{name}` is not a matrix")));
            };
            width = *columns;
            for row in floats.chunks_exact(width.max(1)) {
                let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
                let scale = (largest / 127.0).max(f32::MIN_POSITIVE);
                bytes.extend(row.iter().map(|value| ((value / scale).round() as i8).cast_unsigned()));
                scales.push(scale);
            }
        }
        let shape = vec![scales.len(), width];
        self.out.insert(format!("{to}.weight"), Tensor { dtype: Dtype::I8, shape, bytes });
        self.put_floats(&format!("{to}.scale"), vec![scales.len()], &scales);
        Ok((width, scales.len()))
    }

    /// Writes the positions of the window, with the one kind of text that there is added in.
    fn positions(&mut self, window: usize) -> Result<(), ModelFileError> {
        let (shape, positions) = self.floats("embeddings.position_embeddings.weight")?;
        let (_, kinds) = self.floats("embeddings.token_type_embeddings.weight")?;
        let width = shape.last().copied().unwrap_or_default();
        let mut floats = Vec::new();
        for row in positions.chunks_exact(width.max(1)).take(window) {
            floats.extend(row.iter().zip(&kinds).map(|(position, kind)| position + kind));
        }
        if floats.len() != window * width {
            return Err(ModelFileError(format!("it has fewer than {window} positions")));
        }
        self.put_floats("positions", vec![window, width], &floats);
        Ok(())
    }

    fn norm(&mut self, to: &str, from: &str) -> Result<(), ModelFileError> {
        for part in ["weight", "bias"] {
            let (shape, floats) = self.floats(&format!("{from}.{part}"))?;
            self.put_floats(&format!("{to}.{part}"), shape, &floats);
        }
        Ok(())
    }

    fn put_floats(&mut self, name: &str, shape: Vec<usize>, floats: &[f32]) {
        let bytes = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.out.insert(name.to_owned(), Tensor { dtype: Dtype::F32, shape, bytes });
    }

    fn floats(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), ModelFileError> {
        let tensor: TensorView<'_> =
            self.tensors.tensor(name).map_err(|_| ModelFileError(format!("`{name}` is missing")))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(ModelFileError(format!("`{name}` is {:?} and not F32", tensor.dtype())));
        }
        let floats = tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Ok((tensor.shape().to_vec(), floats))
    }
}
