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

/// Traces a function. Described where it is used, at `reflect_client::reflect_trace`: examples here would need the client, and a
/// macro's tests are built for the compiler, so that the client and all that it stands on would be built a second time.
#[proc_macro_attribute]
pub fn reflect_trace(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as Arguments);
    let function = parse_macro_input!(function as ItemFn);
    expand::expand(&arguments, function).unwrap_or_else(syn::Error::into_compile_error).into()
}
