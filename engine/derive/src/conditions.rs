//! Conditions of variants on the scope: each distinct one is asked once, however many variants share it.

use crate::model::{Container, Variant};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

/// The distinct conditions of a type's variants.
pub struct Conditions<'a>(Vec<&'a Expr>);

impl<'a> Conditions<'a> {
    pub fn of(container: &'a Container) -> Self {
        let mut distinct: Vec<&Expr> = vec![];
        for when in container.variants.iter().filter_map(|variant| variant.attributes.when.as_ref()) {
            if !distinct.contains(&when) {
                distinct.push(when);
            }
        }
        Self(distinct)
    }

    /// The array that says which of them are true in the scope.
    pub fn values(&self, scope: &TokenStream) -> TokenStream {
        let (conditions, amount) = (&self.0, self.0.len());
        quote!({
            let conditions: [bool; #amount] = [#((#conditions)(#scope)),*];
            conditions
        })
    }

    /// The index of the variant's condition in that array, if it has one.
    pub fn index(&self, variant: &Variant) -> Option<usize> {
        let when = variant.attributes.when.as_ref()?;
        self.0.iter().position(|other| *other == when)
    }
}
