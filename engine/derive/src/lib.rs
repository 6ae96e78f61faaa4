//! Derives of Generate and Mutable, and the test attribute, for mutagen-engine.
//!
//! `model` reads a definition and refuses what cannot be derived; `generate` and `mutable` write the code.

mod attributes;
mod generate;
mod model;
mod mutable;
mod recursion;
mod swap;
mod test_attribute;

use model::Container;
use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives a generator: uniform among constructors, recursive ones only while the size lasts.
///
/// See `mutagen_engine::Generate` for what it does and `mutagen_engine::Mutable` for the attributes.
#[proc_macro_derive(Generate, attributes(mutagen))]
pub fn derive_generate(input: TokenStream) -> TokenStream {
    derive(input, generate::implementation)
}

/// Derives the exhaustive mutants of a type.
///
/// See `mutagen_engine::Mutable` for what they are and for the attributes.
#[proc_macro_derive(Mutable, attributes(mutagen))]
pub fn derive_mutable(input: TokenStream) -> TokenStream {
    derive(input, mutable::implementation)
}

/// Turns a property, a function of one reference, into a test for `cargo test`.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test_attribute::implementation(arguments.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

fn derive(input: TokenStream, implementation: fn(&Container) -> proc_macro2::TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    match Container::read(&input) {
        Ok(container) => implementation(&container).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
