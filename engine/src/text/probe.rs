//! Texts of fields whose type may not be `Generate`, because a function generates them. Derived code finds out by which of
//! two traits the compiler finds a method: that of a plain receiver comes before that of a reference to it.

use super::{NoText, Text, TextError};
use crate::Generate;
use std::marker::PhantomData;

/// A field to be written.
pub struct Writing<'a, T>(pub &'a T);

/// A field to be read.
pub struct Reading<T>(pub PhantomData<T>);

/// Writes fields of types that are `Generate`.
pub trait WriteKnown {
    /// Its text.
    fn write(&self) -> Result<Text, NoText>;
}

impl<T: Generate> WriteKnown for Writing<'_, T> {
    fn write(&self) -> Result<Text, NoText> {
        self.0.to_text()
    }
}

/// Refuses to write all others.
pub trait WriteUnknown {
    /// There is none.
    fn write(&self) -> Result<Text, NoText>;
}

impl<T> WriteUnknown for &Writing<'_, T> {
    fn write(&self) -> Result<Text, NoText> {
        Err(NoText::of::<T>())
    }
}

/// Reads fields of types that are `Generate`.
pub trait ReadKnown<T> {
    /// The value of a text.
    fn read(&self, text: &Text) -> Result<T, TextError>;
}

impl<T: Generate> ReadKnown<T> for Reading<T> {
    fn read(&self, text: &Text) -> Result<T, TextError> {
        T::from_text(text)
    }
}

/// Refuses to read all others.
pub trait ReadUnknown<T> {
    /// There is none.
    fn read(&self, text: &Text) -> Result<T, TextError>;
}

impl<T> ReadUnknown<T> for &Reading<T> {
    fn read(&self, text: &Text) -> Result<T, TextError> {
        Err(text.error(NoText::of::<T>().to_string()))
    }
}
