//! The code of `Mutable`.

use crate::generate::bounded;
use crate::model::{Container, Field, Variant};
use crate::swap::{Swap, inner, inner_mut, placeholder};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Result;

pub fn implementation(container: &Container) -> TokenStream {
    root_mutants(container)
        .map(|root| with_root(container, root))
        .unwrap_or_else(|error| error.into_compile_error())
}

/// The bodies of `count` and `mutate`.
struct Root {
    count: TokenStream,
    mutate: TokenStream,
}

fn with_root(container: &Container, Root { count, mutate }: Root) -> TokenStream {
    let name = &container.ident;
    let bound = quote!(::mutagen_engine::Mutable + ::core::clone::Clone + ::core::cmp::PartialEq);
    let generics = bounded(container, bound);
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let children = children(container);
    let child = choose_child(container, inner);
    let child_mut = choose_child(container, inner_mut);
    let magnitude = magnitude(container);
    quote! {
        #[automatically_derived]
        #[allow(clippy::all, irrefutable_let_patterns, unused_variables, unused_assignments)]
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
        }
    }
}

fn match_self(container: &Container, arm: impl Fn(&Variant) -> TokenStream) -> TokenStream {
    let arms = container.variants.iter().map(arm);
    quote!(match self { #(#arms)* })
}

fn children(container: &Container) -> TokenStream {
    match_self(container, |variant| {
        let (pattern, children) = (variant.pattern([]), variant.children().count());
        quote!(#pattern => #children,)
    })
}

fn choose_child(container: &Container, reference: fn(&Field) -> TokenStream) -> TokenStream {
    match_self(container, |variant| {
        let pattern = variant.pattern(variant.children());
        let children = variant.children().count();
        let arms = variant.children().enumerate().map(|(index, field)| {
            let reference = reference(field);
            quote!(#index => #reference,)
        });
        quote!(#pattern => match index { #(#arms)* _ => ::mutagen_engine::no_child(index, #children) },)
    })
}

/// The smallest variant is 0, the others count in the order of declaration.
fn magnitude(container: &Container) -> TokenStream {
    let smallest = if container.attributes.smallest.is_none() { container.smallest() } else { None };
    let mut next = 0..;
    let arms = container.variants.iter().map(|variant| {
        let is_smallest = smallest.is_some_and(|smallest| std::ptr::eq(smallest, variant));
        let magnitude =
            if is_smallest { 0 } else { next.next().unwrap_or(0u64) + u64::from(smallest.is_some()) };
        let pattern = variant.pattern([]);
        quote!(#pattern => #magnitude,)
    });
    quote!(match self { #(#arms)* })
}

fn root_mutants(container: &Container) -> Result<Root> {
    if let Some(mutants) = &container.attributes.mutants {
        return Ok(Root {
            count: quote!(<#mutants as ::mutagen_engine::RootMutants<Self>>::count(self, scope)),
            mutate: quote!(<#mutants as ::mutagen_engine::RootMutants<Self>>::mutate(self, number, source)),
        });
    }
    let origins: Vec<Origin> =
        container.variants.iter().map(|variant| Origin::new(variant, container)).collect::<Result<_>>()?;
    let counts = origins.iter().map(Origin::count);
    let placeholder = placeholder(container);
    let mutates = origins.iter().map(|origin| origin.mutate(&placeholder));
    Ok(Root { count: quote!(match self { #(#counts)* }), mutate: quote!(match self { #(#mutates)* }) })
}

/// The constructor that a value has, and all that it can turn into.
struct Origin<'a> {
    variant: &'a Variant,
    /// The fields that the value can become.
    returned: Vec<&'a Field>,
    swaps: Vec<(usize, Swap<'a>)>,
}

impl<'a> Origin<'a> {
    fn new(variant: &'a Variant, container: &'a Container) -> Result<Self> {
        let returned = variant.fields.iter().filter(|field| field.is_self && !field.attributes.skip);
        let swaps = container.generated().map(|target| Swap::new(variant, target));
        let swaps = swaps.map(|swap| Ok((swap.count()?, swap))).collect::<Result<Vec<_>>>()?;
        let swaps = swaps.into_iter().filter(|(count, _)| *count > 0);
        Ok(Self { variant, returned: returned.collect(), swaps: swaps.collect() })
    }

    /// The arm of `count`: known numbers, except where a scope or a custom field has a say.
    fn count(&self) -> TokenStream {
        let pattern = self.variant.pattern(self.variant.custom().map(|(field, _)| field));
        let conditional = self.swaps.iter().filter_map(|(count, swap)| {
            let when = swap.target.attributes.when.as_ref()?;
            Some(quote!(if (#when)(scope) { fixed += #count; }))
        });
        let always = self.swaps.iter().filter(|(_, swap)| swap.target.attributes.when.is_none());
        let fixed = self.returned.len() + always.map(|(count, _)| *count).sum::<usize>();
        let custom =
            self.variant.custom().map(|(field, mutants)| custom_count(field, mutants, quote!(scope)));
        quote! {
            #pattern => {
                #[allow(unused_mut)]
                let mut fixed: usize = #fixed;
                #(#conditional)*
                ::mutagen_engine::Count::fixed(fixed) #(+ #custom)*
            }
        }
    }

    /// The arm of `mutate`: each block takes the numbers that are its own, or steps over them.
    fn mutate(&self, placeholder: &TokenStream) -> TokenStream {
        let pattern = self.variant.pattern([]);
        let returned = self.return_field(placeholder);
        let swaps = self.swaps.iter().map(|(count, swap)| {
            let code = swap.code(placeholder);
            let block = take_numbers(*count, code);
            match &swap.target.attributes.when {
                Some(when) => quote!(if (#when)(source.scope()) { #block }),
                None => block,
            }
        });
        let custom = self.custom();
        quote! {
            #pattern => {
                #[allow(unused_mut)]
                let mut number = number;
                #returned
                #(#swaps)*
                #custom
                false
            }
        }
    }

    fn return_field(&self, placeholder: &TokenStream) -> TokenStream {
        let Some((last, others)) = self.returned.split_last() else { return quote!() };
        let pattern = self.variant.pattern(self.returned.iter().copied());
        let arms = others.iter().enumerate().map(|(index, field)| {
            let value = unbox(field);
            quote!(#index => #value,)
        });
        let last = unbox(last);
        take_numbers(
            self.returned.len(),
            quote! {
                if let #pattern = ::core::mem::replace(self, #placeholder) {
                    *self = match number { #(#arms)* _ => #last };
                }
                true
            },
        )
    }

    /// Fields with mutants of their own: all fixed ones, then all samplers.
    fn custom(&self) -> TokenStream {
        let fields = || self.variant.custom();
        if fields().next().is_none() {
            return quote!();
        }
        let pattern = self.variant.pattern(fields().map(|(field, _)| field));
        let fixed = fields().map(|(field, mutants)| custom_block(field, mutants, quote!(fixed), quote!(0)));
        let sampled = fields()
            .map(|(field, mutants)| custom_block(field, mutants, quote!(sampled), quote!(count.fixed)));
        quote!(if let #pattern = self { #(#fixed)* #(#sampled)* })
    }
}

/// A block for the next `count` numbers; the code sees them as `0..count`.
fn take_numbers(count: usize, code: TokenStream) -> TokenStream {
    quote! {
        if number < #count {
            return { #code };
        }
        number -= #count;
    }
}

fn custom_count(field: &Field, mutants: &syn::Type, scope: TokenStream) -> TokenStream {
    let (ty, binding) = (&field.ty, &field.binding);
    quote!(<#mutants as ::mutagen_engine::RootMutants<#ty>>::count(#binding, #scope))
}

fn custom_block(field: &Field, mutants: &syn::Type, kind: TokenStream, first: TokenStream) -> TokenStream {
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

fn unbox(field: &Field) -> TokenStream {
    let binding = &field.binding;
    if field.boxed { quote!(*#binding) } else { quote!(#binding) }
}
