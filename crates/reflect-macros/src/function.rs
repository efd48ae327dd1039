//! The function that the attribute stands on.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Error, Expr, ExprClosure, FnArg, Ident, LitBool, Pat, PatType, Result, ReturnType, Signature, Type,
    spanned::Spanned,
};

/// What it returns, or why that cannot be.
pub(crate) fn return_type(signature: &Signature) -> Result<&Type> {
    const WANTED: &str = "return a `TraceResult<T>`, a `String`, or a `Result` of one of them";
    match &signature.output {
        ReturnType::Default => Err(Error::new(
            signature.ident.span(),
            format!("a traced function says what happened by what it returns: {WANTED}"),
        )),
        ReturnType::Type(_, returned) if matches!(**returned, Type::ImplTrait(_)) => {
            Err(Error::new(returned.span(), format!("a traced function cannot return an `impl …`: {WANTED}")))
        }
        ReturnType::Type(_, returned) => Ok(returned),
    }
}

/// Takes the argument for the context out of the signature, if there is one.
pub(crate) fn take_context(signature: &mut Signature, inject: Option<&LitBool>) -> Result<Option<PatType>> {
    let position = signature.inputs.iter().position(|input| matches!(input, FnArg::Typed(_)));
    let first = position.and_then(|position| signature.inputs.iter().nth(position));
    let is_context = matches!(first, Some(FnArg::Typed(typed)) if is_trace_context(&typed.ty));
    let wanted = match inject {
        Some(inject) if inject.value && first.is_none() => {
            let message = "there is no argument for the context; write `ctx: TraceContext` as the first one";
            return Err(Error::new(inject.span, message));
        }
        Some(inject) => inject.value,
        None => is_context,
    };
    if !wanted {
        return Ok(None);
    }
    let mut context = None;
    let inputs = std::mem::take(&mut signature.inputs);
    for (index, input) in inputs.into_iter().enumerate() {
        match input {
            FnArg::Typed(typed) if Some(index) == position => context = Some(typed),
            input => signature.inputs.push(input),
        }
    }
    Ok(context)
}

fn is_trace_context(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "TraceContext"))
}

/// An expression for the task, as a `String`.
pub(crate) fn task(signature: &Signature, given: Option<&Expr>) -> Result<TokenStream> {
    let arguments: Vec<&Pat> = signature
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Typed(typed) => Some(&*typed.pat),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let (span, expression) = match given {
        Some(Expr::Closure(closure)) => (closure.body.span(), inlined(closure, &arguments)?),
        Some(expression) => (expression.span(), quote!(#expression)),
        None => {
            let Some(first) = arguments.first() else {
                let message = "there is no argument to take the task from; say `task = …`";
                return Err(Error::new(signature.ident.span(), message));
            };
            let name = name_of(first)?;
            (name.span(), quote!(#name))
        }
    };
    Ok(quote_spanned!(span=> ::std::string::ToString::to_string(&(#expression))))
}

/// The closure's body behind a `let` for each of its parameters. A closure that is called on the spot would have to name its
/// types, since its body is checked before the arguments of the call are.
fn inlined(closure: &ExprClosure, arguments: &[&Pat]) -> Result<TokenStream> {
    if let Some(asyncness) = closure.asyncness {
        return Err(Error::new(
            asyncness.span,
            "the task is found before the function runs: this closure cannot be async",
        ));
    }
    if closure.inputs.len() > arguments.len() {
        let message = format!("the function has {} arguments that the task can be made of", arguments.len());
        return Err(Error::new(closure.inputs.span(), message));
    }
    let mut bindings = TokenStream::new();
    for (parameter, argument) in closure.inputs.iter().zip(arguments) {
        if matches!(parameter, Pat::Wild(_)) {
            continue;
        }
        let name = name_of(argument)?;
        bindings.extend(quote!(let #parameter = &#name;));
    }
    let body = &closure.body;
    Ok(quote!({ #bindings #body }))
}

fn name_of(argument: &Pat) -> Result<&Ident> {
    match argument {
        Pat::Ident(name) => Ok(&name.ident),
        pattern => {
            Err(Error::new(pattern.span(), "the task is made of this argument: give it a name, or say `task = …`"))
        }
    }
}

/// A name that the function's own code cannot mean.
pub(crate) fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
