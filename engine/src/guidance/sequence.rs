//! Values and the bytes that they are made of.

use super::Generator;
use crate::{Scope, Source};

/// Makes values out of byte strings, the choices of their generator, and remembers the bytes behind the last one.
///
/// The first choice is the size, so that the bytes alone decide what the value is.
pub(super) struct Sequences<T> {
    generator: Box<dyn Generator<T>>,
    scope: Scope,
    max_size: usize,
    last: Option<Vec<u8>>,
}

impl<T> Sequences<T> {
    pub(super) fn new(generator: impl Generator<T> + 'static, max_size: usize) -> Self {
        Sequences { generator: Box::new(generator), scope: Scope::new(), max_size, last: None }
    }

    pub(super) fn set_scope(&mut self, scope: Scope) {
        self.scope = scope;
    }

    /// The value that is made of `bytes`; when they run out, all choices are the smallest.
    pub(super) fn value(&mut self, bytes: Vec<u8>) -> T {
        self.generate(Source::from_bytes(bytes))
    }

    /// The value that is made of `bytes`; when they run out, random ones are appended.
    pub(super) fn extended(&mut self, bytes: Vec<u8>, source: &mut Source) -> T {
        self.generate(Source::from_bytes_then_random(bytes, source.bits()))
    }

    /// The bytes that the last value was really made of. They are given once, so that a value that was not made here has
    /// none.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        self.last.take()
    }

    fn generate(&mut self, source: Source) -> T {
        let mut source = source.with_scope(self.scope.clone());
        let size = source.below(self.max_size + 1);
        let value = self.generator.generate(&mut source, size);
        self.last = Some(source.consumed().to_vec());
        value
    }
}
