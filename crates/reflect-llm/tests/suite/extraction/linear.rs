//! The extraction takes a number of steps that grows with the reply and no faster, whatever the reply holds.

use reflect_llm::{extract_json, extract_json_counting};

use crate::extraction::reader::shape;

/// A look at a byte is a step. Every byte is passed at most twice, with a few looks around it each time, once in the reply as it is
/// and once with its backslashes taken away.
const MOST_STEPS_A_BYTE: u64 = 24;

fn steps(reply: &str) -> u64 {
    extract_json_counting(reply, &shape("lesson")).1
}

/// Repeats a piece to `bytes` and asks for the steps.
fn steps_of(piece: &str, bytes: usize) -> u64 {
    steps(&piece.repeat(bytes / piece.len()))
}

#[test]
fn ten_thousand_unmatched_braces_take_linear_steps() {
    let braces = steps_of("{", 10_000);
    assert!(braces <= 10_000 * 8, "{braces} steps");
    for (bytes, twice) in [(10_000, 20_000), (20_000, 40_000), (40_000, 80_000)] {
        let (one, two) = (steps_of("{", bytes), steps_of("{", twice));
        assert!(two <= one * 2 + 64, "{bytes} braces: {one} steps, twice as many: {two}");
    }
}

#[test]
fn nothing_repeated_takes_more_than_linear_steps() {
    let pieces = [
        "[THINK]</think>",
        "<think></reasoning>",
        "<Thought>◁/think▷",
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        "[{",
        "{[",
        "{\"",
        "{'",
        "\"",
        "'",
        "\"\"\"",
        "{\"\"\"",
        "{\"a",
        "{\"a\"",
        "{\"a\":",
        "{\"a\": ",
        "{\"a\":{",
        "{\"a\":[",
        "{\"a\":\"",
        "{\"a\":\"b",
        "{\"a\":\"b\"",
        "{\"a\":\"b\",",
        "{\"a\":\"b\" ",
        "{a:",
        "{a:b",
        "{a:b,",
        "{a ",
        "{\"{'",
        "{'{\"",
        "{\"{“",
        "“",
        "{“",
        "{“a”：",
        "«",
        "{«",
        "\\",
        "\\\"",
        "{\\\"",
        "\\\\\"",
        "{\"a\":\"\\",
        "{\"a\":\"\\u",
        "{\"a\":\"\\ud83d",
        "\\ud83d",
        "\n",
        "{\n",
        "{\"a\":\"\n",
        "\n\"a\":",
        "{\"a\":\"\n\"a",
        "{\"a\":\"x\",\"",
        "\",\"",
        "\",",
        "\", \"a",
        "```",
        "```json\n",
        "```json\n{",
        "```\n{\"a\":1}\n",
        "~~~",
        "`{",
        "<",
        "<think>",
        "</think>",
        "<think>{",
        "<think></think>",
        "<think ",
        "<thinking>",
        "<think><reasoning>",
        "<|channel|>analysis<|message|>",
        "[THINK]",
        "◁think▷",
        "<think>{\"summary\":1}",
        "//",
        "{//",
        "{/*",
        "/*",
        "{/* */",
        "{#",
        "#",
        "...",
        "{...",
        "…",
        "{…",
        ",",
        "{,",
        ";",
        ":",
        "{:",
        "-",
        "{\"a\":-",
        "{\"a\":1",
        "{\"a\":1e",
        "1",
        "a",
        " ",
        "{ ",
        "{\"a\" ",
        "{\"a\": \"b\" }",
        "{\"summary\":{}}",
        "{\"summary\":\"{\\\"a\\\":1}\"}",
        "{\"x\":\"{",
        "é",
        "{é",
        "\u{a0}",
        "{\u{a0}",
        "\u{feff}",
        "：",
        "，",
        "{\"a\":\"b\"，",
        "summary: a\n",
        "# summary\n",
        "- a\n",
        "\"summary\": ",
        "{\"a\":\"b\"   ",
    ];
    for piece in pieces {
        for prefix in ["", "{\"summary\": \"", "{\"a\": [", "{\"", "<think>", "```json\n", "\""] {
            let reply = format!("{prefix}{}", piece.repeat(1_024 / piece.len()));
            let twice = format!("{prefix}{}", piece.repeat(2_048 / piece.len()));
            let (one, two) = (steps(&reply), steps(&twice));
            let most = MOST_STEPS_A_BYTE * twice.len() as u64;
            assert!(two <= most, "`{prefix}` and then `{piece}`: {two} steps for {} bytes", twice.len());
            assert!(two <= one * 5 / 2 + 1_000, "`{prefix}` and then `{piece}`: {one} steps, twice as long: {two}");
        }
    }
}

#[test]
fn depth_needs_no_stack() {
    let deep = "{\"a\":[".repeat(200_000);
    assert!(extract_json(&deep, &shape("lesson")).value.is_none());
    let closed = format!("{deep}{}", "]}".repeat(200_000));
    assert!(extract_json(&closed, &shape("any")).value.is_some());
}
