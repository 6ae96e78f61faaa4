//! The code of `Mutable`.

use crate::constructors;
use crate::generate::bounded;
use crate::model::{Container, Field, Variant};
use crate::swap::{Exchange, inner, inner_mut};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, Result, Type};

pub fn implementation(container: &Container) -> TokenStream {
    let bound = quote!(::mutagen_engine::Mutable + ::core::clone::Clone + ::core::cmp::PartialEq);
    let generics = bounded(container, bound);
    root_mutants(container, &generics)
        .map(|root| with_root(container, &generics, root))
        .unwrap_or_else(|error| error.into_compile_error())
}

/// The bodies of `count` and `mutate`, and items that they need.
struct Root {
    count: TokenStream,
    mutate: TokenStream,
    items: TokenStream,
}

fn with_root(container: &Container, generics: &Generics, root: Root) -> TokenStream {
    let name = &container.ident;
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let children = children(container);
    let child = choose_child(container, inner);
    let child_mut = choose_child(container, inner_mut);
    let magnitude = magnitude(container);
    let Root { count, mutate, items } = root;
    let mutate_randomly = crate::randomly::method(container);
    quote! {
        #[automatically_derived]
        #[allow(clippy::all, unreachable_patterns, unused_variables, unused_mut, unused_assignments)]
        impl #parameters ::mutagen_engine::Mutable for #name #arguments #conditions {
            fn children(&self) -> usize {
                #children
            }

            fn child(&self, index: usize) -> &dyn ::mutagen_engine::Mutable {
                #child
            }

            fn child_mut(&mut self, index: usize) -> &mut dyn ::mutagen_engine::Mutable {
                #child_mut
            }

            fn count(&self, scope: &::mutagen_engine::Scope) -> ::mutagen_engine::Count {
                #count
            }

            fn mutate(&mut self, number: usize, source: &mut ::mutagen_engine::Source) -> bool {
                #mutate
            }

            fn magnitude(&self) -> u64 {
                #magnitude
            }

            #mutate_randomly
        }

        #items
    }
}

/// A match on `self` with an arm for each variant that has children; `other` is for those without.
fn match_parents(
    container: &Container,
    arm: impl Fn(&Variant, usize) -> TokenStream,
    other: TokenStream,
) -> TokenStream {
    let arms = container.variants.iter().filter_map(|variant| {
        let children = variant.children().count();
        (children > 0).then(|| arm(variant, children))
    });
    quote!(match self { #(#arms)* _ => #other })
}

fn children(container: &Container) -> TokenStream {
    let arm = |variant: &Variant, children| {
        let pattern = variant.pattern([]);
        quote!(#pattern => #children,)
    };
    match_parents(container, arm, quote!(0))
}

fn choose_child(container: &Container, reference: fn(&Field) -> TokenStream) -> TokenStream {
    let arm = |variant: &Variant, children| {
        let pattern = variant.pattern(variant.children());
        let arms = variant.children().enumerate().map(|(index, field)| {
            let reference = reference(field);
            quote!(#index => #reference,)
        });
        quote!(#pattern => match index { #(#arms)* _ => ::mutagen_engine::no_child(index, #children) },)
    };
    match_parents(container, arm, quote!(::mutagen_engine::no_child(index, 0)))
}

/// The magnitude: 0 for the smallest variant, then in the order of declaration, plus the magnitudes of fields that are not
/// positions.
fn magnitude(container: &Container) -> TokenStream {
    if let Some(mutants) = &container.attributes.mutants {
        return quote!(<#mutants as ::mutagen_engine::RootMutants<Self>>::magnitude(self));
    }
    let smallest = if container.attributes.smallest.is_none() { container.smallest() } else { None };
    let mut next = u64::from(smallest.is_some())..;
    let arms = container.variants.iter().map(|variant| {
        let is_smallest = smallest.is_some_and(|smallest| std::ptr::eq(smallest, variant));
        let magnitude = if is_smallest { 0 } else { next.next().unwrap_or_default() };
        let pattern = variant.pattern(variant.custom().map(|(field, _)| field));
        let custom = variant.custom().map(|(field, mutants)| {
            let (ty, binding) = (&field.ty, &field.binding);
            quote!(.saturating_add(<#mutants as ::mutagen_engine::RootMutants<#ty>>::magnitude(#binding)))
        });
        quote!(#pattern => #magnitude #(#custom)*,)
    });
    quote!(match self { #(#arms)* })
}

fn root_mutants(container: &Container, generics: &Generics) -> Result<Root> {
    if let Some(mutants) = &container.attributes.mutants {
        return Ok(Root {
            count: quote!(<#mutants as ::mutagen_engine::RootMutants<Self>>::count(self, scope)),
            mutate: quote!(<#mutants as ::mutagen_engine::RootMutants<Self>>::mutate(self, number, source)),
            items: quote!(),
        });
    }
    let root = match &container.variants[..] {
        [only] => exchanges(only)?,
        _ => swaps(container, generics)?,
    };
    Ok(with_custom_fields(container, root))
}

/// For types with one constructor: its fields change places. The code of `mutate` gives whether the value changed, or how far
/// the number is beyond these mutants.
fn exchanges(variant: &Variant) -> Result<Root> {
    let exchange = Exchange::of(variant);
    let count = exchange.count()?;
    let mutate = match exchange.arm() {
        None => quote!(::core::result::Result::<bool, usize>::Err(number)),
        Some(arm) => quote!(match number.checked_sub(#count) {
            ::core::option::Option::Some(beyond) => ::core::result::Result::Err(beyond),
            ::core::option::Option::None => ::core::result::Result::Ok(match self { #arm }),
        }),
    };
    Ok(Root { count: quote!(#count), mutate, items: quote!() })
}

/// The same for types with several constructors.
fn swaps(container: &Container, generics: &Generics) -> Result<Root> {
    Ok(Root {
        count: quote!(::mutagen_engine::constructors::count(self, scope)),
        mutate: quote!(::mutagen_engine::constructors::mutate(self, number, source.scope())),
        items: constructors::implementation(container, generics)?,
    })
}

/// Adds the mutants of fields with hand-written ones, after all others.
fn with_custom_fields(container: &Container, Root { count, mutate, items }: Root) -> Root {
    let custom: Vec<&Variant> =
        container.variants.iter().filter(|variant| variant.custom().next().is_some()).collect();
    let (counts, mutates) = (custom.iter().map(custom_counts), custom.iter().map(custom_mutates));
    Root {
        count: quote! {
            ::mutagen_engine::Count::fixed(#count) + match self {
                #(#counts)*
                _ => ::mutagen_engine::Count::NONE,
            }
        },
        mutate: quote! {
            let mut number = match #mutate {
                ::core::result::Result::Ok(changed) => return changed,
                ::core::result::Result::Err(beyond) => beyond,
            };
            match self {
                #(#mutates)*
                _ => false,
            }
        },
        items,
    }
}

fn custom_counts(variant: &&Variant) -> TokenStream {
    let pattern = variant.pattern(variant.custom().map(|(field, _)| field));
    let counts = variant.custom().map(|(field, mutants)| custom_count(field, mutants, quote!(scope)));
    quote!(#pattern => #(#counts)+*,)
}

/// Numbers all fixed mutants of the fields before all samplers.
fn custom_mutates(variant: &&Variant) -> TokenStream {
    let pattern = variant.pattern(variant.custom().map(|(field, _)| field));
    let block = |kind: TokenStream, first: TokenStream| {
        let blocks = variant.custom().map(|(field, mutants)| custom_block(field, mutants, &kind, &first));
        blocks.collect::<TokenStream>()
    };
    let fixed = block(quote!(fixed), quote!(0));
    let sampled = block(quote!(sampled), quote!(count.fixed));
    quote!(#pattern => { #fixed #sampled false })
}

fn custom_count(field: &Field, mutants: &Type, scope: TokenStream) -> TokenStream {
    let (ty, binding) = (&field.ty, &field.binding);
    quote!(<#mutants as ::mutagen_engine::RootMutants<#ty>>::count(#binding, #scope))
}

/// Takes the numbers that are the field's own, or steps over them.
fn custom_block(field: &Field, mutants: &Type, kind: &TokenStream, first: &TokenStream) -> TokenStream {
    let (ty, binding) = (&field.ty, &field.binding);
    let count = custom_count(field, mutants, quote!(source.scope()));
    quote! {
        let count = #count;
        if number < count.#kind {
            return <#mutants as ::mutagen_engine::RootMutants<#ty>>::mutate(#binding, #first + number, source);
        }
        number -= count.#kind;
    }
}
