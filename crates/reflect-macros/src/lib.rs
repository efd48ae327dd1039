//! The attribute of the Rust SDK. Use it through `reflect_client::reflect_trace`; what its code calls stands there, and this
//! crate only writes the code: `arguments` reads what the attribute was given, `function` what it stands on, and
//! `expand` puts the two together.

mod arguments;
mod expand;
mod function;
#[cfg(test)]
mod message_tests;

use proc_macro::TokenStream;
use syn::{ItemFn, parse_macro_input};

use crate::arguments::Arguments;

/// Traces a function: memories are fetched before it runs, and what it returns is submitted with their ids.
///
/// | argument | default | |
/// |---|---|---|
/// | `client` | – | the client: an expression, read at every call; a `static` with a `LazyLock`, a function's answer, `self.client` |
/// | `task` | the first argument | the task: an expression over the arguments, or a closure that is given references to them |
/// | `limit`, `lambda`, `mmr_lambda`, `match_by`, `similarity_threshold` | the server's | as on a query |
/// | `blocking` | `false` | whether to wait until the lesson is there |
/// | `wait_timeout` | 60 s | how long |
/// | `auto_fail` | `true` | whether a run that breaks off after `set_output` is submitted as a fail, with what broke it as feedback |
/// | `inject_context` | by type | whether the first argument is the context; callers do not pass it. Unsaid, it is if its type is `TraceContext` |
///
/// The function returns a `TraceResult<T>`, of which callers get the `T`; or a text, which is the trajectory and the final response
/// both; or a `Result` of one of them. A `Result`'s error type needs `From<reflect_client::Error>`: if the memories cannot be
/// fetched, the function does not run and that is its answer. Without a `Result` it runs without memories then, and a warning is
/// logged. A submission that fails takes nothing from what the caller gets; it is logged as a warning.
///
/// ```no_run
/// use std::sync::LazyLock;
/// use reflect_client::{Message, ReflectClient, TraceContext, TraceResult, reflect_trace};
///
/// static CLIENT: LazyLock<ReflectClient> = LazyLock::new(|| ReflectClient::from_env().expect("REFLECT_API_KEY is set"));
/// # async fn ask_a_model(prompt: &str) -> anyhow::Result<String> { Ok(prompt.to_owned()) }
///
/// #[reflect_trace(client = CLIENT, limit = 5)]
/// async fn answer(ctx: TraceContext, question: &str) -> anyhow::Result<TraceResult<String>> {
///     let response = ask_a_model(ctx.augmented_task()).await?;
///     let trajectory = [Message::user(ctx.augmented_task()), Message::assistant(&response)];
///     Ok(TraceResult::new(response, trajectory).passed().model("gpt-5.4-mini"))
/// }
///
/// # async fn example() -> anyhow::Result<()> {
/// let response: String = answer("Parse the CSV and return the top 5 rows").await?;
/// # Ok(()) }
/// ```
///
/// Functions that are not async need the feature `blocking` of `reflect-client`; their client is of either kind. The calls to
/// Reflect run on threads of their own, so such a function works inside an async runtime and outside. Inside, it holds up its
/// thread: from async code, call it with `spawn_blocking`.
///
/// ```no_run
/// use reflect_client::{blocking::ReflectClient, reflect_trace};
///
/// struct Shop {
///     client: ReflectClient,
/// }
///
/// impl Shop {
///     #[reflect_trace(client = self.client, task = |order, _| format!("Refund order {order}"), blocking = true)]
///     fn refund(&self, order: u32, reason: &str) -> String {
///         format!("Order {order} is refunded: {reason}.")
///     }
/// }
/// ```
///
/// What is wrong is said where it is wrong:
///
/// ```compile_fail
/// #[reflect_client::reflect_trace(limit = 5)] // which client?
/// async fn answer(question: &str) -> String {
///     question.to_owned()
/// }
/// ```
///
/// ```compile_fail
/// # fn client() -> reflect_client::ReflectClient { reflect_client::ReflectClient::from_env().unwrap() }
/// #[reflect_client::reflect_trace(client = client(), limits = 5)] // no such argument
/// async fn answer(question: &str) -> String {
///     question.to_owned()
/// }
/// ```
///
/// ```compile_fail
/// # fn client() -> reflect_client::ReflectClient { reflect_client::ReflectClient::from_env().unwrap() }
/// #[reflect_client::reflect_trace(client = client())] // no argument to take the task from
/// async fn answer() -> String {
///     "42".to_owned()
/// }
/// ```
///
/// ```compile_fail,E0277
/// # fn client() -> reflect_client::ReflectClient { reflect_client::ReflectClient::from_env().unwrap() }
/// #[reflect_client::reflect_trace(client = client())] // a number is no trajectory: return a `TraceResult<u32>`
/// async fn answer(question: &str) -> u32 {
///     42
/// }
/// ```
///
/// ```compile_fail
/// # fn client() -> reflect_client::ReflectClient { reflect_client::ReflectClient::from_env().unwrap() }
/// #[reflect_client::reflect_trace(client = client())] // nothing comes back that a trace could be made of
/// async fn answer(question: &str) {}
/// ```
///
/// ```compile_fail
/// #[reflect_client::reflect_trace(client = 17)] // not a client
/// async fn answer(question: &str) -> String {
///     question.to_owned()
/// }
/// ```
#[proc_macro_attribute]
pub fn reflect_trace(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as Arguments);
    let function = parse_macro_input!(function as ItemFn);
    expand::expand(&arguments, function).unwrap_or_else(syn::Error::into_compile_error).into()
}
