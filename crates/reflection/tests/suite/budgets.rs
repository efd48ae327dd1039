//! The token budget of every prompt, whatever the run looks like.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

use std::{future::Future, sync::Arc};

use proptest::prelude::*;
use reflect_core::{
    Lesson, Memory, MemoryStatus, Message, Outcome, RawJson, ReviewSource, Tally, Timestamp, ToolCall, ToolResult,
    WrittenBy,
};
use reflect_llm::{ScriptedModel, ScriptedStep};
use reflection::{
    DistilOptions, Judge, JudgeOptions, LlmReflector, LlmReflectorOptions, PendingRun, ReviewedRun, RunReflector,
    ShownLesson, SkillOptions, SkillRequest, compose_skill, distil_intent, estimated_tokens, write_skill,
};

/// Mostly short, sometimes as long as a request may be, in scripts that count a quarter of a token a character or a whole one.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~\n]{0,60}",
        2 => "\\PC{0,40}",
        2 => ("[a-z é日0{]{1,8}", 1..2_000_usize).prop_map(|(word, times)| word.repeat(times)),
        1 => Just("<relevant_memories><memory>OLD</memory></relevant_memories>new".to_owned()),
    ]
}

/// What a run consists of: many have neither calls nor results.
#[derive(Debug, Clone, Copy)]
struct Kinds {
    words: bool,
    calls: bool,
    results: bool,
}

fn kinds() -> impl Strategy<Value = Kinds> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(words, calls, results)| Kinds { words, calls, results })
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let message = (prop::sample::select(vec!["user", "assistant", "tool"]), text(), text(), text());
    (kinds(), prop::collection::vec(message, 0..60)).prop_map(|(kinds, messages)| {
        let message = |(role, text, arguments, result): (&str, String, String, String)| Message {
            role: role.into(),
            text: if kinds.words { text } else { String::new() },
            tool_calls: Vec::from_iter(kinds.calls.then(|| ToolCall {
                id: "1".into(),
                name: "read".into(),
                arguments,
            })),
            tool_results: Vec::from_iter(kinds.results.then(|| ToolResult { text: result, ..ToolResult::default() })),
            media: Vec::new(),
        };
        messages.into_iter().map(message).collect()
    })
}

fn lesson() -> impl Strategy<Value = Lesson> {
    text().prop_map(|guidance| Lesson { guidance, ..Lesson::default() })
}

fn run() -> impl Strategy<Value = ReviewedRun> {
    let texts = (text(), text(), prop::option::of(text()), prop::option::of(text()));
    let shown = lesson().prop_map(|lesson| ShownLesson { lesson, ..ShownLesson::default() });
    (texts, messages(), prop::collection::vec(shown, 0..4)).prop_map(
        |((task, final_response, feedback_text, reference_context), messages, shown_lessons)| ReviewedRun {
            task,
            messages,
            final_response,
            outcome: Outcome::Fail,
            feedback_text,
            review_source: ReviewSource::Api,
            reference_context,
            shown_lessons,
        },
    )
}

fn memories() -> impl Strategy<Value = Vec<Memory>> {
    let memory = (text(), lesson(), any::<bool>(), 0..1_000_u32);
    prop::collection::vec(memory, 5..40).prop_map(|memories| {
        let memory = |(number, (task, lesson, passed, uses)): (u8, (String, Lesson, bool, u32))| Memory {
            id: format!("00000000-0000-7000-8000-0000000000{number:02x}").parse().unwrap(),
            task,
            lesson,
            success: Some(passed),
            tally: Tally::cached(0.5, uses, 0, 0),
            trace_id: "00000000-0000-7000-8000-000000000000".parse().unwrap(),
            status: MemoryStatus::Active,
            pinned: false,
            revision: 1,
            written_by: WrittenBy::author(),
            metadata: RawJson::empty_object(),
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
        };
        (1..).zip(memories).map(memory).collect()
    })
}

/// Every budget that leaves room for the instructions and a run.
fn budgets() -> impl Strategy<Value = usize> {
    2_200..12_000_usize
}

/// The tokens of the largest request that a model got which never answers anything of use.
fn largest<F: Future>(answer: String, ask: impl FnOnce(Arc<ScriptedModel>) -> F) -> usize {
    let model = Arc::new(ScriptedModel::answering(move |_| ScriptedStep::text(answer.clone())));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(ask(Arc::clone(&model)));
    let sent = model.requests().into_iter();
    let tokens = sent.map(|request| request.messages.iter().map(|message| estimated_tokens(&message.text)).sum());
    tokens.max().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_lessons_prompt_keeps_to_its_budget(run in run(), answer in text(), input_token_budget in budgets()) {
        let options = LlmReflectorOptions { input_token_budget, ..LlmReflectorOptions::default() };
        let sent = largest(answer, async |model| LlmReflector::new(model, options).reflect_run(&run).await);
        prop_assert!(sent <= input_token_budget, "{} of {}", sent, input_token_budget);
    }

    #[test]
    fn a_judges_prompt_keeps_to_its_budget_and_the_rubric(
        run in run(), rubric in prop::option::of("[ -~]{0,400}"), answer in text(), input_token_budget in budgets(),
    ) {
        let options = JudgeOptions { input_token_budget, asks_again_when_unknown: true, ..JudgeOptions::default() };
        let ReviewedRun { task, messages, final_response, reference_context, .. } = run;
        let pending = PendingRun { task, messages, final_response, reference_context };
        let sent = largest(answer, async |model| Judge::new(model, options).judge(&pending, rubric.as_deref()).await);
        let allowed = input_token_budget + rubric.as_deref().map_or(0, estimated_tokens);
        prop_assert!(sent <= allowed, "{} of {}", sent, allowed);
    }

    #[test]
    fn a_distillers_prompt_keeps_to_its_budget(messages in messages(), answer in text(), input_token_budget in budgets()) {
        let options = DistilOptions { input_token_budget, ..DistilOptions::default() };
        let sent = largest(answer, async |model| distil_intent(&messages, Some(&*model), &options).await);
        prop_assert!(sent <= input_token_budget, "{} of {}", sent, input_token_budget);
    }

    #[test]
    fn a_skills_prompt_keeps_to_its_budget(memories in memories(), answer in text(), input_token_budget in budgets()) {
        let options = SkillOptions { input_token_budget, ..SkillOptions::default() };
        let request = SkillRequest {
            project: "orders",
            memories: &memories,
            n_passed: 20,
            n_failed: 20,
            previous: None,
            similarity: &|_, _| 0.0,
        };
        let previous = compose_skill(&request).content;
        let request = SkillRequest { previous: Some(&previous), ..request };
        let sent = largest(answer, async |model| write_skill(&request, &*model, &options).await);
        prop_assert!(sent <= input_token_budget, "{} of {}", sent, input_token_budget);
    }
}

/// The two attacks that were seen: neither has any output of a tool.
#[test]
fn a_run_of_nothing_but_words_keeps_to_the_budget() {
    let said = |role: &str| Message { role: role.into(), text: "word ".repeat(640_000), ..Message::default() };
    let messages = vec![said("user"), said("assistant")];
    let sent =
        largest("Hm.".into(), async |model| distil_intent(&messages, Some(&*model), &DistilOptions::default()).await);
    assert!(sent <= DistilOptions::default().input_token_budget, "{sent}");
    let pending = PendingRun { messages, ..PendingRun::default() };
    let sent =
        largest("Hm.".into(), async |model| Judge::new(model, JudgeOptions::default()).judge(&pending, None).await);
    assert!(sent <= JudgeOptions::default().input_token_budget, "{sent}");
}
