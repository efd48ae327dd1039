//! What a model thought aloud is not what it said.

use reflect_llm::without_thinking;

#[test]
fn thinking_is_left_out_wherever_it_stands() {
    assert_eq!(without_thinking("a<think>b</think>c<think>d</think>e"), "ace");
    assert_eq!(without_thinking("still thinking</think>done"), "done");
    assert_eq!(without_thinking("x<thinking>never closed"), "x");
    assert_eq!(without_thinking("plain"), "plain");
    assert_eq!(without_thinking(""), "");
}

#[test]
fn every_kind_of_mark_is_known() {
    for (open, close) in [
        ("<thought>", "</thought>"),
        ("<Think>", "</Think>"),
        ("<scratchpad>", "</scratchpad>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ] {
        assert_eq!(without_thinking(&format!("{open}Verdict: pass{close}unknown")), "unknown", "{open}");
    }
}
