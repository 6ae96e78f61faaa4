//! Bytes and names: content that engines store without interpreting it. Mutation treats each as one position,
//! whatever its length.

use std::fmt;

use mutagen_engine::{Count, Generate, Mutable, RootMutants, Scope, Source};

/// The content of a data segment or of a custom section.
#[derive(Clone, PartialEq, Eq, Hash, Default, Generate, Mutable)]
#[mutagen(mutants = Edits, generate = any_bytes)]
pub struct Bytes(#[mutagen(skip)] pub Vec<u8>);

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

fn any_bytes(source: &mut Source, size: usize) -> Bytes {
    let length = source.below(size + 1);
    Bytes((0..length).map(|_| source.bits() as u8).collect())
}

/// The edits of bytes, in order: those that shorten come first.
const EDITS: [fn(&mut Vec<u8>); 5] = [
    Vec::clear,
    |bytes| bytes.truncate(bytes.len() / 2),
    |bytes| bytes.truncate(bytes.len().saturating_sub(1)),
    |bytes| bytes.push(0),
    |bytes| bytes.push(0xff),
];

/// The mutants of [`Bytes`].
struct Edits;

impl RootMutants<Bytes> for Edits {
    fn count(bytes: &Bytes, _: &Scope) -> Count {
        Count { fixed: EDITS.len(), sampled: usize::from(!bytes.0.is_empty()) }
    }

    /// Numbers beyond the edits put a random byte at a random place.
    fn mutate(Bytes(bytes): &mut Bytes, number: usize, source: &mut Source) -> bool {
        let length = bytes.len();
        if let Some(edit) = EDITS.get(number) {
            edit(bytes);
            return bytes.len() != length;
        }
        if length == 0 {
            return false;
        }
        let (place, byte) = (source.below(length), source.bits() as u8);
        std::mem::replace(&mut bytes[place], byte) != byte
    }

    fn magnitude(bytes: &Bytes) -> u64 {
        bytes.0.len() as u64
    }
}

/// The name of an import, export or custom section.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
#[mutagen(mutants = OtherNames, generate = any_name)]
pub struct Name(#[mutagen(skip)] pub String);

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// The names to choose from. There are few, because only their equality matters.
const NAMES: [&str; 4] = ["", "a", "b", "\u{e9}"];

fn any_name(source: &mut Source, _: usize) -> Name {
    Name::from(NAMES[source.below(NAMES.len())])
}

/// The mutants of a [`Name`].
struct OtherNames;

impl OtherNames {
    fn than(name: &Name) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().filter(|other| *other != name.0)
    }
}

impl RootMutants<Name> for OtherNames {
    fn count(name: &Name, _: &Scope) -> Count {
        Count::fixed(Self::than(name).count())
    }

    fn mutate(name: &mut Name, number: usize, _: &mut Source) -> bool {
        let mutant = Self::than(name).nth(number);
        mutant.inspect(|mutant| *name = Name::from(*mutant)).is_some()
    }

    fn magnitude(name: &Name) -> u64 {
        name.0.bytes().map(u64::from).sum()
    }
}
