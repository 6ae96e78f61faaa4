//! Bytes and names: content that engines carry around and do not look into. For mutation each is one position, however long.

use std::fmt;

use mutagen_engine::{Count, Generate, Mutable, Scope, Source};

use crate::leaf::no_children;

/// The content of a data segment or of a custom section.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes(\"{}\")", self.0.escape_ascii())
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Generate for Bytes {
    fn generate(source: &mut Source, size: usize) -> Self {
        let length = source.below(size + 1);
        Self((0..length).map(|_| source.bits() as u8).collect())
    }

    fn smallest() -> Self {
        Self::default()
    }
}

/// Edits of bytes: shorter ones first.
const EDITS: [fn(&mut Vec<u8>); 5] = [
    Vec::clear,
    |bytes| bytes.truncate(bytes.len() / 2),
    |bytes| bytes.truncate(bytes.len().saturating_sub(1)),
    |bytes| bytes.push(0),
    |bytes| bytes.push(0xff),
];

impl Mutable for Bytes {
    no_children!();

    fn count(&self, _: &Scope) -> Count {
        Count { fixed: EDITS.len(), sampled: usize::from(!self.0.is_empty()) }
    }

    /// Besides the edits, a random byte at a random place.
    fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
        let length = self.0.len();
        if let Some(edit) = EDITS.get(number) {
            edit(&mut self.0);
            return self.0.len() != length;
        }
        if length == 0 {
            return false;
        }
        let (place, byte) = (source.below(length), source.bits() as u8);
        std::mem::replace(&mut self.0[place], byte) != byte
    }

    fn magnitude(&self) -> u64 {
        self.0.len() as u64
    }
}

/// A name of an import, export or custom section.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Name(pub String);

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// Few, because all that matters is whether names are equal.
const NAMES: [&str; 4] = ["", "a", "b", "\u{e9}"];

impl Generate for Name {
    fn generate(source: &mut Source, _: usize) -> Self {
        Self::from(NAMES[source.below(NAMES.len())])
    }

    fn smallest() -> Self {
        Self::default()
    }
}

impl Name {
    fn others(&self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().filter(|name| *name != self.0)
    }
}

impl Mutable for Name {
    no_children!();

    fn count(&self, _: &Scope) -> Count {
        Count::fixed(self.others().count())
    }

    fn mutate(&mut self, number: usize, _: &mut Source) -> bool {
        let mutant = self.others().nth(number);
        mutant.inspect(|mutant| *self = Self::from(*mutant)).is_some()
    }

    fn magnitude(&self) -> u64 {
        self.0.bytes().map(u64::from).sum()
    }
}
