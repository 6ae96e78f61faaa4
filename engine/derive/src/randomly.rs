//! The code of `Mutable::mutate_randomly`, which mutates as FuzzChick does, and what it needs of each constructor.

use crate::model::{Container, Field, Variant};
use crate::swap::inner_mut;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

/// The method. If the type's root mutants are hand-written there is none, and the trait's own applies.
pub fn method(container: &Container) -> TokenStream {
    if container.attributes.mutants.is_some() {
        return quote!();
    }
    let arms = container.variants.iter().map(mutate_fields);
    let mutate = match &container.variants[..] {
        [only] => {
            let fields = only.reusable().count();
            quote!(mutate_field_randomly(self, #fields, source, size, mutate_field))
        }
        _ => quote!(mutate_randomly(self, source, size, mutate_field)),
    };
    quote! {
        fn mutate_randomly(&mut self, source: &mut ::mutagen_engine::Source, size: usize) {
            let mutate_field = |value: &mut Self, field: usize, source: &mut ::mutagen_engine::Source| match value {
                #(#arms)*
            };
            ::mutagen_engine::constructors::#mutate
        }
    }
}

/// The variant made of parts of another one and of random ones.
pub fn renewed(variant: &Variant) -> TokenStream {
    variant.build(|field| {
        let fresh = fresh(field);
        if field.attributes.skip {
            return fresh;
        }
        let ty = &field.inner;
        let wrap = if field.boxed { quote!(boxed) } else { quote!(plain) };
        quote! {
            match renewal.part::<#ty>() {
                ::core::option::Option::Some(part) => part.#wrap(),
                ::core::option::Option::None => #fresh,
            }
        }
    })
}

/// The arm of a variant that mutates one of its fields. The fields are cast as in `child_mut`, so that the compiler
/// complains about a type without mutants only once.
fn mutate_fields(variant: &Variant) -> TokenStream {
    let pattern = variant.pattern(variant.reusable());
    let arms = variant.reusable().enumerate().map(|(index, field)| {
        let mutate = match &field.attributes.mutants {
            Some(mutants) => mutate_custom(field, mutants),
            None => {
                let place = inner_mut(field);
                quote!({
                    let child: &mut dyn ::mutagen_engine::Mutable = #place;
                    child.mutate_randomly(source, size)
                })
            }
        };
        quote!(#index => #mutate,)
    });
    quote!(#pattern => match field { #(#arms)* _ => {} },)
}

/// Mutates a field with hand-written mutants: any of them.
fn mutate_custom(field: &Field, mutants: &Type) -> TokenStream {
    let (ty, binding) = (&field.ty, &field.binding);
    quote! {{
        let draws = <#mutants as ::mutagen_engine::RootMutants<#ty>>::count(#binding, source.scope()).draws(1);
        if draws > 0 {
            let number = source.below(draws);
            <#mutants as ::mutagen_engine::RootMutants<#ty>>::mutate(#binding, number, source);
        }
    }}
}

fn fresh(field: &Field) -> TokenStream {
    let ty = &field.ty;
    match (&field.attributes.generate, &field.attributes.default) {
        (Some(path), _) => quote!((#path)(renewal.source, renewal.size)),
        (None, Some(default)) if field.attributes.skip => quote!(#default),
        _ => quote!(<#ty as ::mutagen_engine::Generate>::generate(renewal.source, renewal.size)),
    }
}
