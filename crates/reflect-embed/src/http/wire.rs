//! What goes over the wire, and what is believed of it.

use serde::{Deserialize, Serialize};

/// How many characters of an endpoint's own words are repeated.
const MAX_SAID: usize = 300;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// The body of a request. An empty text travels as a space, since endpoints refuse it as it is.
pub(super) fn request(model: &str, texts: &[&str], dimensions: Option<usize>) -> Result<String, String> {
    let input = texts.iter().map(|text| if text.is_empty() { " " } else { *text }).collect();
    serde_json::to_string(&Request { model, input, dimensions }).map_err(|error| error.to_string())
}

/// The vectors of an answer in the order of their texts, each of length one. Everything that looks wrong is refused: a
/// vector that is stored is compared for as long as its memory lives.
pub(super) fn vectors(answer: &[u8], texts: usize, dimension: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer =
        serde_json::from_slice(answer).map_err(|error| format!("its answer holds no embeddings: {error}"))?;
    if answer.data.len() != texts {
        return Err(format!("it answered {} vectors to {texts} texts", answer.data.len()));
    }
    let mut vectors = vec![Vec::new(); texts];
    for (position, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(position);
        let mut vector = item.embedding;
        if vector.len() != dimension {
            return Err(format!("its vectors have {} dimensions, and {dimension} are expected", vector.len()));
        }
        normalise(&mut vector)?;
        match vectors.get_mut(index) {
            Some(free) if free.is_empty() => *free = vector,
            Some(_) => return Err(format!("it answered two vectors for text {index}")),
            None => return Err(format!("it answered a vector for text {index} of {texts}")),
        }
    }
    Ok(vectors)
}

/// Scales to length one.
pub(super) fn normalise(vector: &mut [f32]) -> Result<(), String> {
    // In double precision, where the square of no finite number overflows.
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() {
        return Err("a vector has a coordinate that is infinite or not a number".into());
    }
    if length == 0.0 {
        return Err("a vector has length zero".into());
    }
    vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
    Ok(())
}

/// What an endpoint says about an error, in one short line. The usual shapes are `{"error": {"message": …}}`,
/// `{"error": …}`, `{"message": …}` and `{"detail": …}`.
pub(super) fn error_message(body: &[u8]) -> String {
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(body) else {
        return String::new();
    };
    let pointers = ["/error/message", "/error", "/message", "/detail"];
    let said = pointers.iter().find_map(|pointer| json.pointer(pointer)?.as_str()).unwrap_or_default();
    let line: String = said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_SAID).collect();
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(answer: serde_json::Value, texts: usize) -> Result<Vec<Vec<f32>>, String> {
        vectors(answer.to_string().as_bytes(), texts, 2)
    }

    #[test]
    fn vectors_are_put_in_order_and_scaled() {
        let answer = json!({"data": [{"index": 1, "embedding": [0, -7]}, {"index": 0, "embedding": [3.0, 4.0]}]});
        assert_eq!(read(answer, 2).unwrap(), [[0.6, 0.8], [0.0, -1.0]]);
        let without_index = json!({"data": [{"embedding": [3.0, 4.0]}, {"embedding": [1e-30, 0]}]});
        assert_eq!(read(without_index, 2).unwrap(), [[0.6, 0.8], [1.0, 0.0]]);
    }

    #[test]
    fn what_looks_wrong_is_refused() {
        let item = |index: usize, embedding: serde_json::Value| json!({"index": index, "embedding": embedding});
        let good = item(0, json!([1, 0]));
        for (data, says) in [
            (json!([]), "0 vectors to 1 texts"),
            (json!([good, good]), "2 vectors to 1 texts"),
            (json!([item(1, json!([1, 0]))]), "text 1 of 1"),
            (json!([item(0, json!([1, 0, 0]))]), "3 dimensions, and 2 are expected"),
            (json!([item(0, json!([0, 0]))]), "length zero"),
            (json!([item(0, json!([1e300, 0]))]), "out of range"),
            (json!([item(0, json!([null, 0]))]), "no embeddings"),
            (json!([item(0, json!("AAAA"))]), "no embeddings"),
        ] {
            let refused = read(json!({"data": data}), 1).unwrap_err();
            assert!(refused.contains(says), "{refused}");
        }
        let twice = json!({"data": [good, good]});
        assert!(read(twice, 2).unwrap_err().contains("two vectors for text 0"));
        for answer in [&b"{\"data\": [{\"embedding\": [NaN, 1]}]}"[..], b"{\"data\": [{\"embedding\": [1e999, 1]}]}"] {
            assert!(vectors(answer, 1, 2).is_err());
        }
    }

    #[test]
    fn an_error_is_repeated_in_one_short_line() {
        let said = |json: serde_json::Value| error_message(json.to_string().as_bytes());
        assert_eq!(said(json!({"error": {"message": "no such model\n"}})), "no such model");
        assert_eq!(said(json!({"error": "too long", "error_type": "validation"})), "too long");
        assert_eq!(said(json!({"detail": "slow\ndown"})), "slow down");
        assert_eq!(said(json!({"message": "x".repeat(9_999)})).len(), MAX_SAID);
        assert_eq!(error_message(b"<html>Bad gateway</html>"), "");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = vectors(&bytes, 1, 2);
            let _ = error_message(&bytes);
        }

        #[test]
        fn whatever_is_accepted_has_length_one(
            numbers in prop::collection::vec(prop::num::f32::ANY, 1..8),
        ) {
            let mut vector = numbers;
            if normalise(&mut vector).is_ok() {
                let length: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
                prop_assert!((length - 1.0).abs() < 1e-4, "{}", length);
            }
        }
    }
}
