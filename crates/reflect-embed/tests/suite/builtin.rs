//! The model in the binary, whatever the text.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

use std::{collections::HashMap, sync::LazyLock};

use proptest::prelude::*;
use reflect_core::cosine;
use reflect_embed::{Embedder, Model, ModelEmbedder};
use safetensors::{SafeTensors, serialize, tensor::TensorView};

fn model() -> &'static Model {
    static MODEL: LazyLock<Model> = LazyLock::new(|| Model::read(ModelEmbedder::BUILTIN).unwrap());
    &MODEL
}

#[test]
fn meaning_brings_texts_together_without_a_shared_word() {
    let texts = [
        "Give the shopper her money back for the broken earphones",
        "Refund a customer whose headphones arrived damaged",
        "Rotate the expired TLS certificate of the cluster",
    ];
    let vectors = model().embed(&texts);
    let (near, far) = (cosine(&vectors[0], &vectors[1]), cosine(&vectors[0], &vectors[2]));
    assert!(near > far + 0.3, "{near} and {far}");
}

#[test]
fn the_end_of_a_text_beyond_the_window_counts() {
    let model = model();
    let beginning =
        "The queue of orders grew because a worker held its lock while it waited for the mail server. ".repeat(40);
    let end = "Bake an apple cake with cinnamon for the children's birthday. ".repeat(40);
    let long = format!("{beginning}{end}");
    assert!(model.tokens(&long).len() > 1_000);
    let vectors = model.embed(&[&long, &beginning, &end]);
    assert!(cosine(&vectors[0], &vectors[1]) < 0.95, "the end was cut off");
    assert!(cosine(&vectors[0], &vectors[2]) > 0.3, "the end was cut off");
}

#[test]
fn a_text_of_a_million_characters_is_embedded() {
    let vector = model().embed(&[&"word ".repeat(200_000)]).remove(0);
    assert_eq!(vector.len(), 384);
}

#[tokio::test]
async fn the_embedder_answers_in_order_and_names_its_vectors() {
    let embedder = ModelEmbedder::builtin().unwrap();
    let texts = ["one", "two", ""];
    assert_eq!(embedder.embed(&texts).await.unwrap(), embedder.model().embed(&texts));
    assert_eq!(embedder.id().as_str(), "reflect-mini-4");
    assert!(embedder.default_floor().is_some_and(|floor| (0.1..0.6).contains(&floor)));
    assert!(embedder.embed(&[]).await.unwrap().is_empty());
}

#[test]
fn a_file_that_is_no_model_is_refused() {
    let bytes = ModelEmbedder::BUILTIN;
    for broken in [&bytes[..0], &bytes[..100], &bytes[..bytes.len() - 1], b"not a model at all, by any measure"] {
        assert!(Model::read(broken).is_err());
    }
}

/// What the file notes beside its tensors.
fn notes() -> HashMap<String, String> {
    let (_, header) = SafeTensors::read_metadata(ModelEmbedder::BUILTIN).unwrap();
    header.metadata().clone().unwrap().into_iter().collect()
}

#[test]
fn shared_weights_give_what_copies_of_them_give() {
    let tensors = SafeTensors::deserialize(ModelEmbedder::BUILTIN).unwrap();
    let is_weight_of =
        |name: &str, layer: &str| name.starts_with(layer) && name.ends_with(".weight") && !name.contains("norm");
    let owned = tensors.tensors().into_iter().map(|(name, tensor)| {
        let owner = name.replace("layers.2.", "layers.1.");
        let is_copied = is_weight_of(&name, "layers.2.");
        (name, if is_copied { tensors.tensor(&owner).unwrap() } else { tensor })
    });
    let copied = serialize(owned, Some(notes().into_iter().collect())).unwrap();
    let shared = tensors.tensors().into_iter().filter(|(name, _)| !is_weight_of(name, "layers.2."));
    let shared = with_shares("0,1,1,3", shared.collect());
    assert!(shared.len() < copied.len(), "no weights were left out");
    let texts = ["Move the meeting to Thursday", "Übertrage die Datei vom Server", "数据库"];
    assert_eq!(Model::read(&shared).unwrap().embed(&texts), Model::read(&copied).unwrap().embed(&texts));
}

#[test]
fn weights_can_only_be_shared_with_a_layer_before() {
    for wrong in ["0,2,1,3", "0,1,1", "0,1,1,3,4", "0,1,1,-1", ""] {
        let file = with_shares(wrong, SafeTensors::deserialize(ModelEmbedder::BUILTIN).unwrap().tensors());
        let error = Model::read(&file).map(|model| model.name().to_owned()).unwrap_err();
        assert!(error.to_string().contains("shares"), "{error}");
    }
}

/// The built-in model with these tensors, whose layers share weights like this.
fn with_shares(shares: &str, tensors: Vec<(String, TensorView<'_>)>) -> Vec<u8> {
    let mut notes = notes();
    notes.insert("shares".into(), shares.into());
    serialize(tensors, Some(notes.into_iter().collect())).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_text_has_a_vector_of_length_one(texts in prop::collection::vec(".{0,300}", 1..4)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for vector in model().embed(&texts) {
            let length: f32 = vector.iter().map(|value| value * value).sum();
            prop_assert!((length - 1.0).abs() < 1e-3, "{}", length);
        }
    }
}
