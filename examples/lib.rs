//! Programs to start from. Each is one file beside this one and runs with one command, such as
//! `cargo run --example interactive_review -- --task "Explain transformer attention in one sentence"`.
//!
//! | example | what it shows |
//! |---|---|
//! | `interactive_review` | the whole loop by explicit calls, with a person who reviews |
//! | `three_patterns` | scope, attribute and explicit calls, each twice |
//! | `deferred_review` | reviews that come later, one by one and in bulk |
//! | `reflexion` | try, evaluate, reflect, try again; offline, or with `--llm URL` |
//! | `reflexion_tools`, `_hooks`, `_events`, `_evaluator`, `_streaming`, `_cancelling`, `_budgets`, `_project`, `_inputs` | one thing each, with a model on loopback |
//! | `coming_from_gollem` | the examples of gollem's `strategy/reflexion` |
//! | `coming_from_orbiter` | reflecting by a judge, as orbiter's documentation shows it; a test compares what both print |
//! | `contract_calls` | every call that the published Python client knows; a test compares the requests |

pub mod loopback;
