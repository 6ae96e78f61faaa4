//! Derives of Generate, Mutable and Listable, and the test attribute, for mutagen-engine.
//!
//! `model` reads a definition and refuses what cannot be derived; `generate`, `listable`, `mutable` and `randomly` write the
//! code, with the help of `constructors` and `swap`.

mod attributes;
mod conditions;
mod constructors;
mod generate;
mod listable;
mod model;
mod mutable;
mod randomly;
mod recursion;
mod remote;
mod swap;
mod test_attribute;
mod text;

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

/// Derives the exhaustive mutants of a type, and beside them a random mutator.
///
/// See `mutagen_engine::Mutable` for what they are and for the attributes.
#[proc_macro_derive(Mutable, attributes(mutagen))]
pub fn derive_mutable(input: TokenStream) -> TokenStream {
    derive(input, mutable::implementation)
}

/// Derives the enumeration of a type's values by size.
///
/// See `mutagen_engine::Listable` for sizes and attributes.
#[proc_macro_derive(Listable, attributes(mutagen))]
pub fn derive_listable(input: TokenStream) -> TokenStream {
    derive(input, listable::implementation)
}

/// Turns a property, a function of one value or of a reference to one, into a test for `cargo test`. `tests = 50_000` and
/// `seed = 7` in parentheses set its budget and its seed.
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

#[cfg(test)]
mod tests {
    use super::{Container, generate, mutable};
    use proc_macro2::TokenTree;

    fn tokens(stream: proc_macro2::TokenStream) -> usize {
        let tokens = stream.into_iter().map(|token| match token {
            TokenTree::Group(group) => 2 + tokens(group.stream()),
            _ => 1,
        });
        tokens.sum()
    }

    /// The size of derived code for an enum of so many variants, some with fields, some of them conditional.
    fn size(variants: usize, implementation: fn(&Container) -> proc_macro2::TokenStream) -> usize {
        let variant = |index| match index % 3 {
            0 => format!("Unit{index},"),
            1 => format!("#[mutagen(when = some_condition)] Pair{index}(u8, u8),"),
            _ => format!("Branch{index}(Box<Large>, u8, bool, Box<Large>),"),
        };
        let variants: String = (0..variants).map(variant).collect();
        let input = syn::parse_str(&format!("enum Large {{ {variants} }}")).expect("the text is an enum");
        tokens(implementation(&Container::read(&input).expect("the enum can be derived")))
    }

    #[test]
    fn derived_code_grows_with_the_number_of_variants_and_not_faster() {
        for implementation in [generate::implementation, mutable::implementation] {
            let (some, more, most) =
                (size(30, implementation), size(60, implementation), size(90, implementation));
            assert_eq!(most - more, more - some, "{some}, {more}, {most} tokens");
        }
    }
}
