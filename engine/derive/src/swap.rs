//! Swaps: how the fields of a constructor change places, and how they are taken in and out of boxes.

use crate::model::{Container, Field, Variant};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Result};

/// All ways to build a constructor from its own fields. Those that keep it as it is are not mutants.
pub struct Exchange<'a> {
    variant: &'a Variant,
    /// The fields that have others of the same type.
    slots: Vec<Slot<'a>>,
}

/// A field with a choice.
struct Slot<'a> {
    field: &'a Field,
    /// The variable with the chosen candidate's index.
    digit: Ident,
    /// The fields of its type, itself among them.
    candidates: Vec<&'a Field>,
}

impl<'a> Exchange<'a> {
    pub fn of(variant: &'a Variant) -> Self {
        let slots = variant.reusable().enumerate().map(|(index, field)| Slot {
            field,
            digit: format_ident!("digit_{index}"),
            candidates: variant.reusable().filter(|candidate| candidate.key == field.key).collect(),
        });
        Self { variant, slots: slots.filter(|slot| slot.candidates.len() > 1).collect() }
    }

    /// How many mutants there are: all combinations, without the value itself.
    pub fn count(&self) -> Result<usize> {
        let combinations = combinations(self.slots.iter().map(|slot| slot.candidates.len()));
        combinations.map(|count| count - 1).ok_or_else(|| too_many(self.variant))
    }

    /// The arm of a `match` on the value that turns it into mutant `number`, and says whether it differs. It copies nothing
    /// unless something changes. `None` if there are no mutants.
    pub fn arm(&self) -> Option<TokenStream> {
        self.slots.first()?;
        let pattern = self.variant.pattern(self.slots.iter().map(|slot| slot.field));
        let identity = self.identity();
        let digits = self.digits();
        let choices = self.slots.iter().map(Slot::choice);
        let digit: Vec<_> = self.slots.iter().map(|slot| &slot.digit).collect();
        let places = self.slots.iter().map(|slot| inner_mut(slot.field));
        Some(quote! {
            #pattern => {
                let number = if number < #identity { number } else { number + 1 };
                #digits
                #(let #digit = #choices;)*
                let changed = #(#digit.is_some())||*;
                #(let #digit = #digit.cloned();)*
                #(if let ::core::option::Option::Some(new) = #digit { *#places = new; })*
                changed
            }
        })
    }

    /// The number of the combination that is the value itself.
    fn identity(&self) -> usize {
        self.slots.iter().fold(0, |number, slot| number * slot.candidates.len() + slot.own_digit())
    }

    /// Splits `number` into the digits of the slots, the last one varying fastest.
    fn digits(&self) -> TokenStream {
        let digits = self.slots.iter().rev().map(|slot| &slot.digit);
        let radices = self.slots.iter().rev().map(|slot| slot.candidates.len());
        quote! { #(let (number, #digits) = (number / #radices, number % #radices);)* }
    }
}

impl Slot<'_> {
    /// The digit that leaves the field as it is.
    fn own_digit(&self) -> usize {
        self.candidates.iter().position(|candidate| std::ptr::eq(*candidate, self.field)).unwrap_or(0)
    }

    /// The new value, if it is not the old one.
    fn choice(&self) -> TokenStream {
        let (own, digit, identity) = (inner(self.field), &self.digit, self.own_digit());
        let last = self.candidates.len() - 1;
        let arms = self.candidates.iter().enumerate().map(|(index, candidate)| {
            let pattern = if index == last { quote!(_) } else { quote!(#index) };
            let value = inner(candidate);
            quote!(#pattern => #value,)
        });
        quote!({
            let new = match #digit { #(#arms)* };
            if #digit == #identity || *new == *#own {
                ::core::option::Option::None
            } else {
                ::core::option::Option::Some(new)
            }
        })
    }
}

/// In how many ways fields can be filled that have so many parts each to choose from. `None` if the number is too large.
pub fn combinations(mut parts: impl Iterator<Item = usize>) -> Option<usize> {
    let combinations = parts.try_fold(1usize, |count, parts| count.checked_mul(parts.max(1)));
    combinations.filter(|count| *count < usize::MAX / 2)
}

pub fn too_many(target: &Variant) -> Error {
    let why = "these fields have too many combinations to number them: mark some with `#[mutagen(skip)]`, give \
               them types of their own, or write the type's mutants by hand with `#[mutagen(mutants = Type)]`";
    Error::new_spanned(&target.name, why)
}

/// A reference to the field's value, out of its box, from a binding that is a reference. Errors point at the field.
pub fn inner(field: &Field) -> TokenStream {
    let binding = &field.binding;
    let span = field.ty.span();
    if field.boxed { quote_spanned!(span=> &**#binding) } else { quote_spanned!(span=> &*#binding) }
}

/// Like [`inner`], to be changed.
pub fn inner_mut(field: &Field) -> TokenStream {
    let binding = &field.binding;
    let span = field.ty.span();
    if field.boxed { quote_spanned!(span=> &mut **#binding) } else { quote_spanned!(span=> &mut *#binding) }
}

/// A value that stands in for the old one while its fields are moved: a variant without fields costs nothing.
pub fn placeholder(container: &Container) -> TokenStream {
    match container.variants.iter().find(|variant| variant.fields.is_empty()) {
        Some(unit) => unit.build(Field::filler),
        None => quote!(<Self as ::mutagen_engine::Generate>::smallest()),
    }
}
