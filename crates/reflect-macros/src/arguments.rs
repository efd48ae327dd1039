//! What the attribute was given.

use proc_macro2::Span;
use syn::{
    Error, Expr, Ident, LitBool, Result, Token,
    parse::{Parse, ParseStream},
};

/// The arguments that are options of a scope by the same name.
const OPTIONS: &[&str] =
    &["limit", "lambda", "mmr_lambda", "match_by", "similarity_threshold", "blocking", "wait_timeout", "auto_fail"];

/// What the attribute was given.
pub(crate) struct Arguments {
    /// Which client.
    pub(crate) client: Expr,
    /// What the task is; the first argument of the function when unset.
    pub(crate) task: Option<Expr>,
    /// Options of the scope, by their names there.
    pub(crate) options: Vec<(Ident, Expr)>,
    /// Whether the function's first argument is the context; by its type when unset.
    pub(crate) inject_context: Option<LitBool>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (mut client, mut task, mut inject_context) = (None, None, None);
        let mut options: Vec<(Ident, Expr)> = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            let again = match name.to_string().as_str() {
                "client" => client.replace(input.parse::<Expr>()?).is_some(),
                "task" => task.replace(input.parse::<Expr>()?).is_some(),
                "inject_context" => inject_context.replace(input.parse::<LitBool>()?).is_some(),
                option if OPTIONS.contains(&option) => {
                    let again = options.iter().any(|(known, _)| *known == name);
                    options.push((name.clone(), input.parse()?));
                    again
                }
                _ => return Err(unknown(&name)),
            };
            if again {
                return Err(Error::new(name.span(), format!("`{name}` is said twice")));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let Some(client) = client else {
            return Err(Error::new(
                Span::call_site(),
                "which client? say `client = …`, as in `#[reflect_trace(client = CLIENT)]`",
            ));
        };
        Ok(Self { client, task, options, inject_context })
    }
}

fn unknown(name: &Ident) -> Error {
    let known = OPTIONS.iter().map(|option| format!("`{option}`")).collect::<Vec<_>>().join(", ");
    Error::new(
        name.span(),
        format!("there is no argument `{name}`; there are `client`, `task`, {known} and `inject_context`"),
    )
}
