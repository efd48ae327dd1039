//! Held against float vectors of 500 texts in many scripts, the original all-MiniLM-L6-v2 with its tokens too, kept in
//! `fixtures/` by `tools/embedder/fixture.py`.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

use reflect_core::Kernel;
use reflect_embed::{Model, ModelEmbedder, PublishedModel, convert};

/// Tokens that a text may have in the original's window, start and end not counted.
const ROOM: usize = 254;

/// The original takes these for its own marks wherever they stand in a text. To us they are text: a task cannot mark its end.
fn holds_marks(text: &str) -> bool {
    ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"].iter().any(|mark| text.contains(mark))
}

/// Of so many texts one is read: of all of them, unless the environment says otherwise. On an emulator each takes tens of times as long.
fn texts_apart() -> usize {
    std::env::var("REFLECT_TEXTS_APART").map_or(1, |number| number.parse().unwrap())
}

fn texts() -> Vec<String> {
    let lines = include_str!("../fixtures/texts.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Values of 16 bits, one row of 384 for each text.
fn vectors(bytes: &[u8]) -> Vec<Vec<f32>> {
    let value = |bytes: &[u8; 2]| {
        let bits = u32::from(u16::from_le_bytes(*bytes));
        let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 0x1F, bits & 0x3FF);
        let size = match exponent {
            0 => fraction as f32 / (1 << 24) as f32,
            _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
        };
        if sign == 1 { -size } else { size }
    };
    bytes.as_chunks().0.iter().map(value).collect::<Vec<f32>>().chunks(384).map(<[f32]>::to_vec).collect()
}

/// The mean and the lowest cosine between what `model` gives for `texts` and what it should give, and for how many. Texts
/// beyond the window are left out: the original cuts them off, and we read all of them.
fn closeness(model: &Model, texts: impl Iterator<Item = String>, right: &[Vec<f32>]) -> (f32, f32, usize) {
    let (mut sum, mut lowest, mut count) = (0.0, 1.0_f32, 0);
    for (text, right) in texts.zip(right).step_by(texts_apart()) {
        if holds_marks(&text) || model.tokens(&text).len() > ROOM {
            continue;
        }
        let vector = model.embed(&[&text]).remove(0);
        let length = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let dot: f32 = vector.iter().zip(right).map(|(left, right)| left * right).sum();
        let cosine = dot / length(&vector) / length(right);
        (sum, lowest, count) = (sum + cosine, lowest.min(cosine), count + 1);
    }
    (sum / count as f32, lowest, count)
}

/// The vectors here come from the same weights before they were rounded, by `tools/embedder/fixture_builtin.py`.
#[test]
fn the_builtin_model_in_bytes_stays_close_to_its_floats() {
    let embedder = ModelEmbedder::builtin().unwrap();
    let right = vectors(include_bytes!("../fixtures/builtin.f16"));
    let (mean, lowest, count) = closeness(embedder.model(), texts().into_iter().step_by(2), &right);
    println!("cosine of int8 with float over {count} texts: {mean:.5} on average, {lowest:.5} at worst");
    assert!(count >= 200 / texts_apart(), "only {count} texts fit the window");
    assert!(mean >= 0.998 && lowest >= 0.99, "{mean} on average, {lowest} at worst");
}

#[test]
fn every_kernel_gives_the_same_vectors() {
    let texts = texts();
    let few: Vec<&str> = texts.iter().map(String::as_str).step_by(29 * texts_apart()).collect();
    let best = ModelEmbedder::builtin().unwrap().model().embed(&few);
    for kernel in Kernel::available() {
        let model = Model::read_for(kernel, ModelEmbedder::BUILTIN).unwrap();
        assert_eq!(model.embed(&few), best, "{kernel:?}");
    }
}

#[test]
fn the_company_a_text_is_embedded_in_does_not_matter() {
    let texts = texts();
    let few: Vec<&str> = texts.iter().map(String::as_str).step_by(17 * texts_apart()).collect();
    let embedder = ModelEmbedder::builtin().unwrap();
    for (text, together) in few.iter().zip(embedder.model().embed(&few)) {
        assert_eq!(embedder.model().embed(&[text]), [together], "{text:?}");
    }
}

/// The published model through our converter.
fn full_model() -> Model {
    let folder = std::path::PathBuf::from(std::env::var("REFLECT_PUBLISHED_MODEL").unwrap());
    let vocabulary = std::fs::read_to_string(folder.join("vocab.txt")).unwrap();
    let published = PublishedModel {
        name: "all-MiniLM-L6-v2",
        vocabulary: &vocabulary,
        layers: 6,
        heads: 12,
        window: 256,
        floor: 0.2,
    };
    let weights = std::fs::read(folder.join("model.safetensors")).unwrap();
    Model::read(&convert(&weights, &published).unwrap()).unwrap()
}

#[test]
#[ignore = "needs the published weights: `cargo xtask test embedder` fetches them and says where"]
fn the_full_model_has_the_originals_tokens() {
    let model = full_model();
    for (text, line) in texts().iter().zip(include_str!("../fixtures/tokens.jsonl").lines()) {
        if holds_marks(text) {
            continue;
        }
        let right: Vec<u32> = serde_json::from_str(line).unwrap();
        let mut ours = model.tokens(text);
        ours.truncate(ROOM);
        assert_eq!(ours, right[1..right.len() - 1], "{text:?}");
    }
}

#[test]
#[ignore = "needs the published weights: `cargo xtask test embedder` fetches them and says where"]
fn the_full_model_gives_the_originals_vectors() {
    let right = vectors(include_bytes!("../fixtures/original.f16"));
    let (mean, lowest, count) = closeness(&full_model(), texts().into_iter(), &right);
    assert!(count >= 450 / texts_apart(), "only {count} texts fit the window");
    println!("cosine with the original: {mean:.5} on average, {lowest:.5} at worst");
    assert!(mean >= 0.998 && lowest >= 0.99, "{mean} on average, {lowest} at worst");
}
