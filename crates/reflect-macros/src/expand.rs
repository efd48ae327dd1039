//! The code.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Error, ItemFn, Result, parse_quote, spanned::Spanned};

use crate::{
    arguments::Arguments,
    function::{hidden, return_type, take_context, task},
};

/// The function with its body in a scope.
pub(crate) fn expand(arguments: &Arguments, mut function: ItemFn) -> Result<TokenStream> {
    let signature = &mut function.sig;
    if let Some(constness) = signature.constness {
        return Err(Error::new(constness.span, "a `const` function cannot be traced"));
    }
    if signature.asyncness.is_none() && !cfg!(feature = "blocking") {
        let message = "a function that is not async needs the feature `blocking` of `reflect-client`";
        return Err(Error::new(signature.fn_token.span, message));
    }
    let returned = return_type(signature)?.clone();
    let context = take_context(signature, arguments.inject_context.as_ref())?;
    let context = context.map_or_else(|| quote!(_: ::reflect_client::TraceContext), |context| quote!(#context));
    let task = task(signature, arguments.task.as_ref())?;
    let output = quote_spanned!(returned.span()=> <#returned as ::reflect_client::Traceable>::Output);
    signature.output = parse_quote!(-> #output);

    let (scope, client_name, body_name) = (hidden("scope"), hidden("client"), hidden("body"));
    let client = &arguments.client;
    let options = arguments.options.iter().map(|(name, value)| quote_spanned!(name.span()=> .#name(#value)));
    let options: TokenStream = options.collect();
    let body = &function.block;
    let body: syn::Block = if signature.asyncness.is_some() {
        let as_client =
            quote_spanned!(client.span()=> let #client_name: &::reflect_client::ReflectClient = &(#client););
        // An async block takes its type from its first `return`. One that is never reached says it before the body can say
        // another, so that a wrong one is shown where it stands in the body.
        let never = hidden("never");
        let typed = quote! {
            if let ::std::option::Option::Some(#never) = ::reflect_client::__private::none_of::<#returned>() {
                return #never;
            }
        };
        parse_quote!({
            let #scope = {
                #as_client
                ::reflect_client::ReflectClient::trace(#client_name, #task) #options
            };
            let #body_name = move |#context| async move { #typed #body };
            ::reflect_client::__private::traced::<#returned, _, _>(#scope, #body_name).await
        })
    } else {
        let traced = quote_spanned!(client.span()=> (#client).blocking_trace);
        parse_quote!({
            let #scope = {
                use ::reflect_client::__private::BlockingSource as _;
                #traced(#task) #options
            };
            ::reflect_client::__private::traced_blocking::<#returned>(#scope, move |#context| -> #returned #body)
        })
    };
    *function.block = body;
    Ok(quote!(#function))
}
