//! The code of `Generate`.

use crate::conditions::Conditions;
use crate::model::{Container, Field, Variant};
use crate::recursion::Recursion;
use crate::{remote, text};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Generics;

pub fn implementation(container: &Container) -> TokenStream {
    let name = &container.ident;
    let generics = bounded(container, quote!(::mutagen_engine::Generate + 'static));
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let generate = generate(container);
    let smallest = smallest(container);
    let text = text::methods(container);
    let conversions = remote::conversions(container);
    quote! {
        #[automatically_derived]
        #[allow(clippy::all)]
        impl #parameters ::mutagen_engine::Generate for #name #arguments #conditions {
            fn generate(source: &mut ::mutagen_engine::Source, size: usize) -> Self {
                #generate
            }

            fn smallest() -> Self {
                #smallest
            }

            #text
        }

        #conversions
    }
}

/// The type's generics; each type parameter must be `bound`, and the attribute's conditions must hold.
pub fn bounded(container: &Container, bound: TokenStream) -> Generics {
    let mut generics = container.generics.clone();
    let parameters: Vec<_> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let conditions = &mut generics.make_where_clause().predicates;
    conditions.extend(
        parameters.iter().map(|parameter| -> syn::WherePredicate { syn::parse_quote!(#parameter: #bound) }),
    );
    conditions.extend(container.attributes.bounds.iter().cloned());
    generics
}

fn smallest(container: &Container) -> TokenStream {
    match (&container.attributes.smallest, container.smallest()) {
        (Some(path), _) => quote!((#path)()),
        (None, Some(variant)) => variant.build(Field::filler),
        (None, None) => quote!(),
    }
}

fn generate(container: &Container) -> TokenStream {
    if let Some(path) = &container.attributes.generate {
        return quote!((#path)(source, size));
    }
    let choice = choose_variant(container);
    if container.generated().all(|variant| variant.fields.is_empty()) {
        return choice;
    }
    quote! {
        source.nested::<Self, Self>(size, |source, size| {
            let ::core::option::Option::Some(size) = size else {
                return <Self as ::mutagen_engine::Generate>::smallest();
            };
            #choice
        })
    }
}

/// Terminal variants come first, so that both kinds of choice are one `match`, and choice 0 ends the recursion.
fn choose_variant(container: &Container) -> TokenStream {
    let terminal = container.terminal();
    let is_terminal = |variant: &Variant| terminal.iter().any(|other| std::ptr::eq(*other, variant));
    let recursive = container.generated().filter(|variant| !is_terminal(variant));
    let variants: Vec<&Variant> = terminal.iter().copied().chain(recursive).collect();
    if let [variant] = variants[..] {
        return generate_variant(variant);
    }
    let choice = choose_index(container, &variants, terminal.len());
    let arms = variants.iter().enumerate().map(|(index, variant)| {
        let value = generate_variant(variant);
        let pattern = if index + 1 == variants.len() { quote!(_) } else { quote!(#index) };
        quote!(#pattern => #value,)
    });
    quote!(match #choice { #(#arms)* })
}

fn choose_index(container: &Container, variants: &[&Variant], terminal: usize) -> TokenStream {
    let all = variants.len();
    let amount =
        if terminal == all { quote!(#all) } else { quote!(if size == 0 { #terminal } else { #all }) };
    let uniform =
        |variant: &&Variant| variant.attributes.weight.is_none() && variant.attributes.when.is_none();
    if variants.iter().all(uniform) {
        return quote!(source.below(#amount));
    }
    let conditions = Conditions::of(container);
    let weights = variants.iter().map(|variant| weight(variant, &conditions));
    let conditions = conditions.values(&quote!(source.scope()));
    quote! {{
        let conditions = #conditions;
        let weights: [u32; #all] = [#(#weights),*];
        let weights = &weights[..#amount];
        if weights.iter().all(|weight| *weight == 0) {
            return <Self as ::mutagen_engine::Generate>::smallest();
        }
        source.weighted(weights)
    }}
}

fn weight(variant: &Variant, conditions: &Conditions) -> TokenStream {
    let weight = variant.attributes.weight.unwrap_or(1);
    match conditions.index(variant) {
        Some(condition) => quote!(if conditions[#condition] { #weight } else { 0 }),
        None => quote!(#weight),
    }
}

fn generate_variant(variant: &Variant) -> TokenStream {
    variant.build(|field| {
        let ty = &field.ty;
        let size =
            if field.recursion == Recursion::None { quote!(size) } else { quote!(size.saturating_sub(1)) };
        match (&field.attributes.generate, &field.attributes.default) {
            (Some(path), _) => quote!((#path)(source, #size)),
            (None, Some(default)) if field.attributes.skip => quote!(#default),
            _ => quote!(<#ty as ::mutagen_engine::Generate>::generate(source, #size)),
        }
    })
}
