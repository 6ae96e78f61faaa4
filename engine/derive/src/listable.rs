//! The code of `Listable`.

use crate::generate::bounded;
use crate::model::{Container, Field, Variant, refuse};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Result;

pub fn implementation(container: &Container) -> TokenStream {
    checked(container).unwrap_or_else(syn::Error::into_compile_error)
}

fn checked(container: &Container) -> Result<TokenStream> {
    let conditional = container.generated().find(|variant| variant.attributes.when.is_some());
    if let Some(variant) = conditional {
        return Err(refuse(
            &variant.name,
            "a variant under a condition cannot be listed: what there is must not depend on who asks. \
            Leave out `when`, or implement Listable by hand",
        ));
    }
    let name = &container.ident;
    let generics = bounded(container, quote!(::mutagen_engine::Listable));
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let variants = container.generated().map(tiers);
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all)]
        impl #parameters ::mutagen_engine::Listable for #name #arguments #conditions {
            fn tiers() -> ::mutagen_engine::Tiers<Self> {
                ::mutagen_engine::Tiers::empty() #(.or(#variants))*
            }
        }
    })
}

/// A variant with fields is asked for later, and one size larger: it may contain the type itself.
fn tiers(variant: &Variant) -> TokenStream {
    let value = variant.build(|field| {
        let binding = &field.binding;
        quote!(#binding)
    });
    if variant.fields.is_empty() {
        return quote!(::mutagen_engine::Tiers::once(#value));
    }
    let fields = variant.fields.iter().rev();
    let (parts, pattern) =
        fields.fold((quote!(::mutagen_engine::Tiers::once(())), quote!(())), |(parts, pattern), field| {
            let (binding, own) = (&field.binding, field_tiers(field));
            (quote!(#own.and(#parts)), quote!((#binding, #pattern)))
        });
    quote!(::mutagen_engine::Tiers::later(|| #parts.map(|#pattern| #value)).delayed())
}

fn field_tiers(field: &Field) -> TokenStream {
    let ty = &field.ty;
    match &field.attributes.default {
        Some(default) if field.attributes.skip => quote!(::mutagen_engine::Tiers::<#ty>::once(#default)),
        _ => quote!(<#ty as ::mutagen_engine::Listable>::tiers()),
    }
}
