//! What people are told who use the attribute wrongly.

use syn::{ItemFn, Result};

use crate::{arguments::Arguments, expand::expand};

fn code(arguments: &str, function: &str) -> Result<String> {
    let arguments: Arguments = syn::parse_str(arguments)?;
    let function: ItemFn = syn::parse_str(function)?;
    expand(&arguments, function).map(|code| code.to_string())
}

#[track_caller]
fn told(arguments: &str, function: &str, message: &str) {
    let error = code(arguments, function).unwrap_err().to_string();
    assert!(error.contains(message), "`{error}` is not about `{message}`");
}

const ANSWER: &str = "async fn answer(question: &str) -> String { question.into() }";

#[test]
fn wrong_arguments_are_named() {
    told("limit = 5", ANSWER, "which client? say `client = …`");
    told("client = c, limits = 5", ANSWER, "there is no argument `limits`; there are `client`, `task`, `limit`");
    told("client = c, limit = 5, limit = 6", ANSWER, "`limit` is said twice");
    told("client = c, client = d", ANSWER, "`client` is said twice");
    told("client = c, inject_context = maybe()", ANSWER, "expected boolean literal");
    told("client = c task = question", ANSWER, "expected `,`");
}

#[test]
fn a_task_must_be_found() {
    told("client = c", "async fn answer() -> String { String::new() }", "no argument to take the task from");
    told("client = c", "async fn answer(ctx: TraceContext) -> String { String::new() }", "say `task = …`");
    told("client = c", "async fn answer((a, b): (u8, u8)) -> String { String::new() }", "give it a name");
    told("client = c, task = |a, b| a", ANSWER, "the function has 1 arguments");
    told("client = c, task = async |a| a", ANSWER, "this closure cannot be async");
}

#[test]
fn a_function_must_be_traceable() {
    told("client = c", "async fn answer(question: &str) {}", "says what happened by what it returns");
    told("client = c", "async fn answer(q: &str) -> impl Display { 1 }", "cannot return an `impl …`");
    told("client = c", "const fn answer(q: &str) -> &str { q }", "a `const` function cannot be traced");
    told("client = c, task = 1, inject_context = true", "async fn f() -> String { 1 }", "no argument for the context");
}

#[test]
fn a_function_that_is_not_async_needs_the_blocking_client() {
    let answer = code("client = c", "fn answer(question: &str) -> String { question.into() }");
    if cfg!(feature = "blocking") {
        assert!(answer.unwrap().contains("traced_blocking"));
    } else {
        assert!(answer.unwrap_err().to_string().contains("needs the feature `blocking`"));
    }
}

#[test]
fn the_context_is_no_argument_for_callers() {
    let with = "async fn answer(ctx: reflect_client::TraceContext, question: &str) -> String { question.into() }";
    assert!(code("client = c", with).unwrap().contains("async fn answer (question : & str)"));
    let unsaid = code("client = c, task = question, inject_context = false", with).unwrap();
    assert!(unsaid.contains("async fn answer (ctx : reflect_client :: TraceContext , question : & str)"));
    let other = "async fn answer(&self, ctx: Context, question: &str) -> String { question.into() }";
    let said = code("client = c, inject_context = true", other).unwrap();
    assert!(said.contains("async fn answer (& self , question : & str)"));
}
