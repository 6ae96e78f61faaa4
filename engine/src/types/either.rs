//! `Option` and `Result`: the other case, with the smallest value inside.

use crate::{Count, Generate, Mutable, NoText, Scope, Source, Text, TextError, no_child};

impl<T: Generate> Generate for Option<T> {
    /// Size 0 gives `None`: an optional part is often the way back into a recursive type.
    fn generate(source: &mut Source, size: usize) -> Self {
        (size > 0 && source.chance(1, 2)).then(|| T::generate(source, size))
    }

    fn smallest() -> Self {
        None
    }

    fn to_text(&self) -> Result<Text, NoText> {
        Ok(match self {
            None => Text::word("None"),
            Some(value) => Text::constructor("Some", vec![(None, value.to_text()?)]),
        })
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        let mut parts = text.fields();
        let value = match parts.name() {
            "None" => None,
            "Some" => Some(T::from_text(parts.take(None)?)?),
            _ => return Err(parts.unknown(&["None", "Some"])),
        };
        parts.end()?;
        Ok(value)
    }
}

impl<T: Mutable + Clone + PartialEq> Mutable for Option<T> {
    fn children(&self) -> usize {
        usize::from(self.is_some())
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        match self {
            Some(value) if index == 0 => value,
            _ => no_child(index, self.children()),
        }
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        let children = self.children();
        match self {
            Some(value) if index == 0 => value,
            _ => no_child(index, children),
        }
    }

    fn count(&self, _scope: &Scope) -> Count {
        Count::fixed(1)
    }

    fn mutate(&mut self, number: usize, _source: &mut Source) -> bool {
        if number == 0 {
            *self = if self.is_some() { None } else { Some(T::smallest()) };
        }
        number == 0
    }

    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        match self {
            Some(_) if source.chance(1, 2) => *self = None,
            Some(value) => value.mutate_randomly(source, size),
            None => *self = Option::generate(source, size),
        }
    }
}

impl<T: Generate, E: Generate> Generate for Result<T, E> {
    fn generate(source: &mut Source, size: usize) -> Self {
        if source.chance(1, 2) { Err(E::generate(source, size)) } else { Ok(T::generate(source, size)) }
    }

    fn smallest() -> Self {
        Ok(T::smallest())
    }

    fn to_text(&self) -> Result<Text, NoText> {
        Ok(match self {
            Ok(value) => Text::constructor("Ok", vec![(None, value.to_text()?)]),
            Err(error) => Text::constructor("Err", vec![(None, error.to_text()?)]),
        })
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        let mut parts = text.fields();
        let value = match parts.name() {
            "Ok" => Ok(T::from_text(parts.take(None)?)?),
            "Err" => Err(E::from_text(parts.take(None)?)?),
            _ => return Err(parts.unknown(&["Ok", "Err"])),
        };
        parts.end()?;
        Ok(value)
    }
}

impl<T, E> Mutable for Result<T, E>
where
    T: Mutable + Clone + PartialEq,
    E: Mutable + Clone + PartialEq,
{
    fn children(&self) -> usize {
        1
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        match self {
            _ if index > 0 => no_child(index, 1),
            Ok(value) => value,
            Err(error) => error,
        }
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        match self {
            _ if index > 0 => no_child(index, 1),
            Ok(value) => value,
            Err(error) => error,
        }
    }

    fn count(&self, _scope: &Scope) -> Count {
        Count::fixed(1)
    }

    fn mutate(&mut self, number: usize, _source: &mut Source) -> bool {
        if number == 0 {
            *self = if self.is_ok() { Err(E::smallest()) } else { Ok(T::smallest()) };
        }
        number == 0
    }

    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        match self {
            _ if source.chance(1, 2) => {
                *self =
                    if self.is_ok() { Err(E::generate(source, size)) } else { Ok(T::generate(source, size)) }
            }
            Ok(value) => value.mutate_randomly(source, size),
            Err(error) => error.mutate_randomly(source, size),
        }
    }

    fn magnitude(&self) -> u64 {
        u64::from(self.is_err())
    }
}
