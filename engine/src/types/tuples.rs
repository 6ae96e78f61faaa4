//! Tuples: the components are children, and there are no root mutants. Derive a pair type where its parts should mix.

use crate::{Count, Generate, Mutable, NoText, Scope, Source, Text, TextError, no_child};

macro_rules! tuple {
    ($($type:ident $index:tt),+; $length:expr) => {
        impl<$($type: Generate),+> Generate for ($($type,)+) {
            fn generate(source: &mut Source, size: usize) -> Self {
                ($($type::generate(source, size),)+)
            }

            fn smallest() -> Self {
                ($($type::smallest(),)+)
            }

            fn to_text(&self) -> Result<Text, NoText> {
                Ok(Text::tuple([$(self.$index.to_text()?),+]))
            }

            fn from_text(text: &Text) -> Result<Self, TextError> {
                let mut parts = text.fields();
                let value = ($($type::from_text(parts.take(None)?)?,)+);
                parts.end()?;
                Ok(value)
            }
        }

        impl<$($type: Mutable + Clone + PartialEq),+> Mutable for ($($type,)+) {
            fn children(&self) -> usize {
                $length
            }

            fn child(&self, index: usize) -> &dyn Mutable {
                match index {
                    $($index => &self.$index,)+
                    _ => no_child(index, $length),
                }
            }

            fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
                match index {
                    $($index => &mut self.$index,)+
                    _ => no_child(index, $length),
                }
            }

            fn count(&self, _scope: &Scope) -> Count {
                Count::NONE
            }

            fn mutate(&mut self, _number: usize, _source: &mut Source) -> bool {
                false
            }
        }
    };
}

tuple!(A 0; 1);
tuple!(A 0, B 1; 2);
tuple!(A 0, B 1, C 2; 3);
tuple!(A 0, B 1, C 2, D 3; 4);
tuple!(A 0, B 1, C 2, D 3, E 4; 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5; 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6; 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7; 8);
