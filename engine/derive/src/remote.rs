//! Conversions between a type and the foreign type that it mirrors.

use crate::model::{Container, Variant};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, Path, PathArguments, Type};

/// `From` both ways. The compiler checks that every constructor and every field is there.
pub fn conversions(container: &Container) -> TokenStream {
    let Some(remote) = &container.attributes.remote else { return TokenStream::new() };
    let mirror = &container.ident;
    let (parameters, arguments, conditions) = container.generics.split_for_impl();
    let name = |variant: &Variant| if container.is_enum { Some(variant.name.clone()) } else { None };
    let arms = |from: &TokenStream, to: &TokenStream| -> Vec<TokenStream> {
        let arm = |variant: &Variant| {
            let path = name(variant).map(|name| quote!(:: #name));
            let members: Vec<_> = variant.fields.iter().map(|field| &field.member).collect();
            let bindings: Vec<_> = variant.fields.iter().map(|field| &field.binding).collect();
            let values = variant.fields.iter().map(|field| convert(&field.ty, &field.binding));
            quote!(#from #path { #(#members: #bindings,)* } => #to #path { #(#members: #values,)* },)
        };
        container.variants.iter().map(arm).collect()
    };
    let (own, foreign) = (quote!(#mirror), foreign_path(remote));
    let (out, back) = (arms(&own, &foreign), arms(&foreign, &own));
    quote! {
        #[automatically_derived]
        #[allow(clippy::all)]
        impl #parameters ::core::convert::From<#mirror #arguments> for #remote #conditions {
            fn from(value: #mirror #arguments) -> Self {
                match value { #(#out)* }
            }
        }

        #[automatically_derived]
        #[allow(clippy::all)]
        impl #parameters ::core::convert::From<#remote> for #mirror #arguments #conditions {
            fn from(value: #remote) -> Self {
                match value { #(#back)* }
            }
        }
    }
}

/// The path of the foreign type as it stands in expressions and patterns: without the arguments of generics.
fn foreign_path(remote: &Path) -> TokenStream {
    let mut path = remote.clone();
    for segment in &mut path.segments {
        segment.arguments = PathArguments::None;
    }
    quote!(#path)
}

/// The value of a field, converted: containers part by part, everything else by `From`, which leaves equal types as they are.
fn convert(ty: &Type, value: &syn::Ident) -> TokenStream {
    match container_of(ty) {
        Some(("Box", inner)) => {
            let inside = convert(inner, value);
            quote!(::std::boxed::Box::new({ let #value = *#value; #inside }))
        }
        Some(("Vec", inner)) => {
            let inside = convert(inner, value);
            quote!(#value.into_iter().map(|#value| #inside).collect())
        }
        Some((_, inner)) => {
            let inside = convert(inner, value);
            quote!(#value.map(|#value| #inside))
        }
        None => quote!(::core::convert::From::from(#value)),
    }
}

/// The container that a type is, if conversions look into it, and what it contains.
fn container_of(ty: &Type) -> Option<(&'static str, &Type)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let name = ["Box", "Vec", "Option"].into_iter().find(|name| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => Some((name, inner)),
        _ => None,
    })
}
