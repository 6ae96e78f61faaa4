//! The code of `Generate::to_text` and `Generate::from_text`.

use crate::model::{Container, Field, Variant};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Member;

pub fn methods(container: &Container) -> TokenStream {
    let writing = container.variants.iter().map(write);
    let reading = container.variants.iter().map(read);
    let known = container.variants.iter().map(|variant| variant.name.to_string());
    quote! {
        fn to_text(&self) -> ::core::result::Result<::mutagen_engine::Text, ::mutagen_engine::NoText> {
            #[allow(unused_imports)]
            use ::mutagen_engine::text::probe::{WriteKnown as _, WriteUnknown as _};
            ::core::result::Result::Ok(match self { #(#writing)* })
        }

        fn from_text(
            text: &::mutagen_engine::Text,
        ) -> ::core::result::Result<Self, ::mutagen_engine::TextError> {
            #[allow(unused_imports)]
            use ::mutagen_engine::text::probe::{ReadKnown as _, ReadUnknown as _};
            #[allow(unused_mut)]
            let mut fields = text.fields();
            let value = match fields.name() {
                #(#reading)*
                _ => return ::core::result::Result::Err(fields.unknown(&[#(#known),*])),
            };
            fields.end()?;
            ::core::result::Result::Ok(value)
        }
    }
}

fn write(variant: &Variant) -> TokenStream {
    let written = || variant.fields.iter().filter(|field| !is_constant(field));
    let (pattern, name) = (variant.pattern(written()), variant.name.to_string());
    let parts = written().map(|field| {
        let (label, ty, binding) = (label(field), &field.ty, &field.binding);
        if let Some(mirror) = &field.attributes.with {
            return quote!((#label, ::mutagen_engine::Remote::<#mirror>::to_text(#binding)?));
        }
        match may_have_no_text(variant, field) {
            true => quote!((#label, (&::mutagen_engine::text::probe::Writing(#binding)).write()?)),
            false => quote!((#label, <#ty as ::mutagen_engine::Generate>::to_text(#binding)?)),
        }
    });
    quote!(#pattern => ::mutagen_engine::Text::constructor(#name, ::std::vec![#(#parts),*]),)
}

fn read(variant: &Variant) -> TokenStream {
    let name = variant.name.to_string();
    let value = variant.build(|field| {
        if is_constant(field) {
            return field.filler();
        }
        let (label, ty) = (label(field), &field.ty);
        if let Some(mirror) = &field.attributes.with {
            return quote!(::mutagen_engine::Remote::<#mirror>::from_text(fields.take(#label)?)?);
        }
        match may_have_no_text(variant, field) {
            true => {
                let reading =
                    quote!(::mutagen_engine::text::probe::Reading::<#ty>(::core::marker::PhantomData));
                quote!((&#reading).read(fields.take(#label)?)?)
            }
            false => quote!(<#ty as ::mutagen_engine::Generate>::from_text(fields.take(#label)?)?),
        }
    });
    quote!(#name => #value,)
}

/// The name of a field, as an `Option<&str>`.
fn label(field: &Field) -> TokenStream {
    match &field.member {
        Member::Named(name) => {
            let name = name.to_string();
            quote!(::core::option::Option::Some(#name))
        }
        Member::Unnamed(_) => quote!(::core::option::Option::None),
    }
}

/// Whether the field always has its default, so that there is nothing to write.
fn is_constant(field: &Field) -> bool {
    let attributes = &field.attributes;
    attributes.skip && attributes.default.is_some() && attributes.generate.is_none()
}

/// Whether the field's type need not be `Generate`: something else makes its values, or nothing does.
fn may_have_no_text(variant: &Variant, field: &Field) -> bool {
    variant.attributes.skip || field.attributes.generate.is_some()
}
