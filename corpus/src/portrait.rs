//! One module, described.

use mutagen_wasm_ast::{DecodeError, Features, Module};

/// What can be said of a module without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portrait {
    /// Its size in bytes.
    pub bytes: usize,
    /// The sections in their order, each with its name and its size in bytes.
    pub sections: Vec<(&'static str, usize)>,
    /// What is in it, if the syntax tree can express it.
    pub contents: Result<Contents, DecodeError>,
}

/// What is in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The features that it needs.
    pub features: Features,
    /// How many functions it has, imported ones not counted.
    pub functions: usize,
    /// How many instructions they have.
    pub instructions: usize,
    /// How deep blocks are nested.
    pub depth: usize,
    /// How many imports and exports it has.
    pub borders: [usize; 2],
}

impl Portrait {
    /// The portrait of a binary module.
    ///
    /// ```
    /// use mutagen_corpus::Portrait;
    ///
    /// let portrait = Portrait::of(b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0");
    /// assert_eq!((portrait.bytes, portrait.sections), (14, vec![("type", 4)]));
    /// ```
    pub fn of(wasm: &[u8]) -> Self {
        let contents = Module::decode(wasm).map(|module| Contents {
            features: module.features(),
            functions: module.functions.len(),
            instructions: module.instructions(),
            depth: module.depth(),
            borders: [module.imports.len(), module.exports.len()],
        });
        Portrait { bytes: wasm.len(), sections: sections(wasm), contents }
    }
}

/// The sections as far as their heads can be read.
fn sections(wasm: &[u8]) -> Vec<(&'static str, usize)> {
    let mut rest = wasm.get(8..).unwrap_or_default();
    let mut sections = Vec::new();
    while let [id, after @ ..] = rest {
        let Some((size, content)) = number(after) else { break };
        sections.push((name(*id), size));
        let Some(next) = content.get(size..) else { break };
        rest = next;
    }
    sections
}

/// A number in LEB128, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let length = 1 + bytes.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    let (own, rest) = bytes.split_at(length);
    let number = own.iter().rev().fold(0_u64, |number, byte| number << 7 | u64::from(byte & 0x7f));
    Some((usize::try_from(number).ok()?, rest))
}

fn name(id: u8) -> &'static str {
    let names = [
        "custom",
        "type",
        "import",
        "function",
        "table",
        "memory",
        "global",
        "export",
        "start",
        "element",
        "code",
        "data",
        "data count",
        "tag",
    ];
    names.get(usize::from(id)).copied().unwrap_or("unknown")
}
