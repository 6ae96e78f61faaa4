//! Arrays: like tuples, they have children and no root mutants.

use crate::{Count, Generate, Mutable, NoText, Scope, Source, Text, TextError};

impl<T: Generate, const N: usize> Generate for [T; N] {
    fn generate(source: &mut Source, size: usize) -> Self {
        std::array::from_fn(|_| T::generate(source, size))
    }

    fn smallest() -> Self {
        std::array::from_fn(|_| T::smallest())
    }

    fn to_text(&self) -> Result<Text, NoText> {
        Ok(Text::list(self.iter().map(T::to_text).collect::<Result<Vec<_>, _>>()?))
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        let items: Vec<T> = Vec::from_text(text)?;
        let length = items.len();
        items.try_into().map_err(|_| text.error(format!("{N} items should stand here, not {length}")))
    }
}

impl<T: Mutable + Clone + PartialEq, const N: usize> Mutable for [T; N] {
    fn children(&self) -> usize {
        N
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        &self[index]
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        &mut self[index]
    }

    fn count(&self, _scope: &Scope) -> Count {
        Count::NONE
    }

    fn mutate(&mut self, _number: usize, _source: &mut Source) -> bool {
        false
    }
}
