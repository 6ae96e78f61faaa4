//! The code of `#[mutagen_engine::test]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, ItemFn, Result, parse2};

pub fn implementation(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !arguments.is_empty() {
        let why =
            "this attribute has no arguments: set MUTAGEN_SEED and MUTAGEN_TESTS when running the tests";
        return Err(Error::new_spanned(arguments, why));
    }
    let property: ItemFn = parse2(item)?;
    if property.sig.inputs.len() != 1 {
        let why =
            "a property takes one argument, a reference to the value under test: put several into a tuple";
        return Err(Error::new_spanned(&property.sig, why));
    }
    let (name, attributes, visibility) = (&property.sig.ident, &property.attrs, &property.vis);
    let inner = ItemFn { attrs: Vec::new(), ..property.clone() };
    Ok(quote! {
        #[::core::prelude::v1::test]
        #(#attributes)*
        #visibility fn #name() {
            #inner
            ::mutagen_engine::check(::core::stringify!(#name), #name)
        }
    })
}
