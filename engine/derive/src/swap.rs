//! Building a constructor from the fields of another one, in all combinations.

use crate::model::{Container, Field, Variant};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Result};

/// All ways to build `target` from the fields of `origin`.
pub struct Swap<'a> {
    origin: &'a Variant,
    pub target: &'a Variant,
    slots: Vec<Slot<'a>>,
}

/// A field of the target.
struct Slot<'a> {
    field: &'a Field,
    /// The variable with the chosen candidate's index, if there is a choice.
    digit: Ident,
    /// The fields of the origin that fit.
    candidates: Vec<&'a Field>,
}

impl<'a> Swap<'a> {
    pub fn new(origin: &'a Variant, target: &'a Variant) -> Self {
        let slots = target.fields.iter().enumerate().map(|(index, field)| Slot {
            field,
            digit: format_ident!("digit_{index}"),
            candidates: origin.fields.iter().filter(|candidate| fits(candidate, field)).collect(),
        });
        Self { origin, target, slots: slots.collect() }
    }

    fn is_own(&self) -> bool {
        std::ptr::eq(self.origin, self.target)
    }

    /// How many mutants there are: all combinations, without the value itself.
    pub fn count(&self) -> Result<usize> {
        let combinations = self.slots.iter().try_fold(1usize, |count, slot| count.checked_mul(slot.radix()));
        let count = combinations.map(|count| count - usize::from(self.is_own()));
        count.filter(|count| *count < usize::MAX / 2).ok_or_else(|| self.too_many())
    }

    fn too_many(&self) -> Error {
        let why = "these fields have too many combinations to number them: mark some with `#[mutagen(skip)]`, give \
                   them types of their own, or write the type's mutants by hand with `#[mutagen(mutants = Type)]`";
        Error::new_spanned(&self.target.name, why)
    }

    /// The statements that turn `number` into the mutant, and return whether it differs.
    pub fn code(&self, placeholder: &TokenStream) -> TokenStream {
        if self.is_own() { self.exchange() } else { self.rebuild(placeholder) }
    }

    /// Another constructor: the own fields move into it.
    fn rebuild(&self, placeholder: &TokenStream) -> TokenStream {
        let digits = self.digits();
        let used = self.origin.fields.iter().filter(|field| self.last_use(field).is_some());
        let pattern = self.origin.pattern(used);
        let mut slots = self.slots.iter().enumerate();
        let target = self
            .target
            .build(|_| slots.next().map(|(index, slot)| self.fill(index, slot)).unwrap_or_default());
        quote! {
            #digits
            if let #pattern = ::core::mem::replace(self, #placeholder) {
                *self = #target;
            }
            true
        }
    }

    fn fill(&self, index: usize, slot: &Slot) -> TokenStream {
        let take =
            |candidate: &Field| convert(candidate, slot.field, self.last_use(candidate) == Some(index));
        match &slot.candidates[..] {
            [] => slot.field.filler(),
            [only] => take(only),
            many => slot.choose(many.iter().map(|candidate| take(candidate)).collect()),
        }
    }

    /// The last slot that `field` can go to: it moves there, and is cloned for those before.
    fn last_use(&self, field: &Field) -> Option<usize> {
        let uses = |slot: &Slot| slot.candidates.iter().any(|candidate| std::ptr::eq(*candidate, field));
        self.slots.iter().rposition(uses)
    }

    /// The own constructor: fields change places. Nothing is copied before it is clear that something changes.
    fn exchange(&self) -> TokenStream {
        let slots: Vec<&Slot> = self.slots.iter().filter(|slot| slot.radix() > 1).collect();
        let pattern = self.target.pattern(slots.iter().map(|slot| slot.field));
        let identity = self.identity();
        let digits = self.digits();
        let choices = slots.iter().map(|slot| slot.choice());
        let digit: Vec<_> = slots.iter().map(|slot| &slot.digit).collect();
        let places = slots.iter().map(|slot| inner_mut(slot.field));
        quote! {
            let number = if number < #identity { number } else { number + 1 };
            #digits
            let #pattern = self else { return false };
            #(let #digit = #choices;)*
            let changed = #(#digit.is_some())||*;
            #(let #digit = #digit.cloned();)*
            #(if let ::core::option::Option::Some(new) = #digit { *#places = new; })*
            changed
        }
    }

    /// The number of the combination that is the value itself.
    fn identity(&self) -> usize {
        self.slots.iter().fold(0, |number, slot| number * slot.radix() + slot.own_digit())
    }

    /// Splits `number` into the digits of the slots with a choice, the last one varying fastest.
    fn digits(&self) -> TokenStream {
        let choices: Vec<&Slot> = self.slots.iter().rev().filter(|slot| slot.radix() > 1).collect();
        let digits = choices.iter().map(|slot| &slot.digit);
        let radices = choices.iter().map(|slot| slot.radix());
        quote! { #(let (number, #digits) = (number / #radices, number % #radices);)* }
    }
}

impl Slot<'_> {
    fn radix(&self) -> usize {
        self.candidates.len().max(1)
    }

    /// Of the own constructor: the digit that leaves the field as it is.
    fn own_digit(&self) -> usize {
        self.candidates.iter().position(|candidate| std::ptr::eq(*candidate, self.field)).unwrap_or(0)
    }

    fn choose(&self, values: Vec<TokenStream>) -> TokenStream {
        let digit = &self.digit;
        let last = values.len() - 1;
        let arms = values.into_iter().enumerate().map(|(index, value)| {
            let pattern = if index == last { quote!(_) } else { quote!(#index) };
            quote!(#pattern => #value,)
        });
        quote!(match #digit { #(#arms)* })
    }

    /// Of the own constructor: the new value, if it is not the old one.
    fn choice(&self) -> TokenStream {
        let own = inner(self.field);
        let choice = self.choose(self.candidates.iter().map(|candidate| inner(candidate)).collect());
        let identity = self.own_digit();
        let digit = &self.digit;
        quote!({
            let new = #choice;
            if #digit == #identity || *new == *#own {
                ::core::option::Option::None
            } else {
                ::core::option::Option::Some(new)
            }
        })
    }
}

fn fits(candidate: &Field, field: &Field) -> bool {
    !candidate.attributes.skip && !field.attributes.skip && candidate.key == field.key
}

/// The field's value, moved or cloned, in or out of its box.
fn convert(from: &Field, to: &Field, moved: bool) -> TokenStream {
    let binding = &from.binding;
    let value = if moved { quote!(#binding) } else { quote!(::core::clone::Clone::clone(&#binding)) };
    match (from.boxed, to.boxed) {
        (true, false) => quote!(*#value),
        (false, true) => quote!(::std::boxed::Box::new(#value)),
        _ => value,
    }
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
