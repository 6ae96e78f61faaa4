//! The code of `Constructed`: what each constructor of a type is made of, one by one. `mutagen_engine::constructors`
//! finds out at run time what can be made of what.

use crate::conditions::Conditions;
use crate::model::{Container, Field, Variant};
use crate::randomly::renewed;
use crate::swap::{Exchange, combinations, placeholder, too_many};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, Result};

pub fn implementation(container: &Container, generics: &Generics) -> Result<TokenStream> {
    let kinds = Kinds::of(container);
    kinds.check(container)?;
    let name = &container.ident;
    let (parameters, arguments, where_clause) = generics.split_for_impl();
    let conditions = Conditions::of(container);
    let constructors = container.variants.iter().map(|variant| constructor(variant, &kinds, &conditions));
    let conditions = conditions.values(&quote!(scope));
    let indices = container.variants.iter().enumerate().map(|(index, variant)| {
        let pattern = variant.pattern([]);
        quote!(#pattern => #index,)
    });
    let placeholder = placeholder(container);
    let rebuild = container.variants.iter().filter_map(|variant| rebuild(variant, &kinds));
    let build = container.variants.iter().enumerate().map(|(index, variant)| {
        let value = build(variant, &kinds);
        quote!(#index => #value,)
    });
    let renew = container.variants.iter().enumerate().map(|(index, variant)| {
        let value = renewed(variant);
        quote!(#index => #value,)
    });
    let exchange = container.variants.iter().filter_map(|variant| Exchange::of(variant).arm());
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, unreachable_patterns, unused_variables)]
        impl #parameters ::mutagen_engine::constructors::Constructed for #name #arguments #where_clause {
            const CONSTRUCTORS: &'static [::mutagen_engine::constructors::Constructor] = &[#(#constructors),*];

            fn constructor(&self) -> usize {
                match self { #(#indices)* }
            }

            fn conditions(scope: &::mutagen_engine::Scope) -> impl ::core::convert::AsRef<[bool]> {
                #conditions
            }

            fn placeholder() -> Self {
                #placeholder
            }

            fn rebuild(
                self,
                make: &mut dyn ::core::ops::FnMut(&mut [::mutagen_engine::constructors::Spare<'_>]) -> Self,
            ) -> Self {
                match self {
                    #(#rebuild)*
                    _ => make(&mut []),
                }
            }

            fn build(constructor: usize, parts: &mut ::mutagen_engine::constructors::Parts<'_, '_>) -> Self {
                match constructor {
                    #(#build)*
                    _ => Self::placeholder(),
                }
            }

            fn renew(constructor: usize, renewal: &mut ::mutagen_engine::constructors::Renewal<'_, '_>) -> Self {
                match constructor {
                    #(#renew)*
                    _ => Self::placeholder(),
                }
            }

            fn exchange(&mut self, number: usize) -> bool {
                match self {
                    #(#exchange)*
                    _ => false,
                }
            }
        }
    })
}

/// The types of fields, numbered from 1 on: the type that they are part of is 0.
struct Kinds<'a>(Vec<&'a str>);

impl<'a> Kinds<'a> {
    fn of(container: &'a Container) -> Self {
        let mut kinds = vec![];
        for field in container.variants.iter().flat_map(Variant::reusable) {
            if !field.is_self && !kinds.contains(&&*field.key) {
                kinds.push(&field.key);
            }
        }
        Self(kinds)
    }

    fn number(&self, field: &Field) -> usize {
        self.0.iter().position(|kind| *kind == field.key).map_or(0, |index| index + 1)
    }

    /// How many reusable fields of each kind the variant has.
    fn amounts(&self, variant: &Variant) -> Vec<usize> {
        let mut amounts = vec![0; self.0.len() + 1];
        variant.reusable().for_each(|field| amounts[self.number(field)] += 1);
        amounts
    }

    /// Refuses a type with more mutants than there are numbers.
    fn check(&self, container: &Container) -> Result<()> {
        let amounts: Vec<Vec<usize>> =
            container.variants.iter().map(|variant| self.amounts(variant)).collect();
        for target in container.generated() {
            let kinds: Vec<usize> = target.reusable().map(|field| self.number(field)).collect();
            for origin in &amounts {
                combinations(kinds.iter().map(|kind| origin[*kind])).ok_or_else(|| too_many(target))?;
            }
        }
        Ok(())
    }
}

fn constructor(variant: &Variant, kinds: &Kinds, conditions: &Conditions) -> TokenStream {
    let numbers = variant.reusable().map(|field| kinds.number(field));
    let target = match conditions.index(variant) {
        _ if variant.attributes.skip => quote!(Never),
        Some(condition) => quote!(When(#condition)),
        None => quote!(Always),
    };
    quote! {
        ::mutagen_engine::constructors::Constructor::new(
            &[#(#numbers),*],
            ::mutagen_engine::constructors::Target::#target,
        )
    }
}

/// The expression that makes the variant of `parts`.
fn build(variant: &Variant, kinds: &Kinds) -> TokenStream {
    variant.build(|field| match field.attributes.skip {
        true => field.filler(),
        false => reuse(field, variant, kinds),
    })
}

/// The next part of the field's kind; it moves if no other field can need it.
fn reuse(field: &Field, variant: &Variant, kinds: &Kinds) -> TokenStream {
    let (kind, ty) = (kinds.number(field), &field.inner);
    let last = variant.reusable().filter(|other| other.key == field.key).last();
    let is_last = last.is_some_and(|last| std::ptr::eq(last, field));
    let method = if is_last { quote!(take) } else { quote!(copy) };
    let wrap = if field.boxed { quote!(boxed) } else { quote!(plain) };
    let filler = field.filler();
    quote! {
        match parts.#method::<#ty>(#kind) {
            ::core::option::Option::Some(part) => part.#wrap(),
            ::core::option::Option::None => #filler,
        }
    }
}

/// The arm that takes a variant apart, if it has parts.
fn rebuild(variant: &Variant, kinds: &Kinds) -> Option<TokenStream> {
    variant.reusable().next()?;
    let pattern = variant.pattern(variant.reusable());
    let bindings: Vec<_> = variant.reusable().map(|field| &field.binding).collect();
    let numbers = variant.reusable().map(|field| kinds.number(field));
    let wraps = variant.reusable().map(|field| if field.boxed { quote!(Boxed) } else { quote!(Plain) });
    Some(quote! {
        #pattern => {
            #(
                let mut #bindings =
                    ::core::option::Option::Some(::mutagen_engine::constructors::Part::#wraps(#bindings));
            )*
            make(&mut [#((#numbers, &mut #bindings)),*])
        }
    })
}
