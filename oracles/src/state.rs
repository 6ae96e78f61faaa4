//! What can be seen of an instance from outside, in a form that is cheap to take and to compare.

use std::{hash::Hasher, sync::Arc};

use rustc_hash::FxHasher;

use crate::{host::HostLog, value::Value};

/// Everything that can be seen of an instance from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Memories that are imported or exported.
    pub memories: Vec<Extent>,
    /// Globals that are imported or exported.
    pub globals: Vec<NamedValue>,
    /// Tables that are imported or exported.
    pub tables: Vec<Extent>,
    /// The calls that went out to imported functions.
    pub host: HostLog,
}

/// A global and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// Name of the export, or `import N` for the N-th import of its kind.
    pub name: Arc<str>,
    /// The value.
    pub value: Value,
}

/// Length and digest of a memory or a table. The contents are fetched only when two of them differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Name of the export, or `import N` for the N-th import of its kind.
    pub name: Arc<str>,
    /// Length in bytes or elements.
    pub length: u64,
    /// Digest of the contents.
    pub digest: u64,
}

impl Extent {
    /// The extent of a memory.
    pub fn of_memory(name: impl Into<Arc<str>>, bytes: &[u8]) -> Self {
        Self { name: name.into(), length: bytes.len() as u64, digest: digest_bytes(bytes) }
    }

    /// The extent of a memory that is zero but for some blocks, whose numbers come in order: `read` fills a buffer from an address
    /// on.
    pub(crate) fn of_blocks(
        name: impl Into<Arc<str>>,
        length: usize,
        blocks: impl IntoIterator<Item = usize>,
        mut read: impl FnMut(usize, &mut [u8]),
    ) -> Self {
        let (mut digest, mut buffer) = (MemoryDigest::default(), [0; BLOCK]);
        for block in blocks.into_iter().take_while(|block| block * BLOCK < length) {
            let piece = &mut buffer[..BLOCK.min(length - block * BLOCK)];
            read(block * BLOCK, piece);
            digest.blocks = block;
            digest.add(piece);
        }
        Self { name: name.into(), length: length as u64, digest: digest.hasher.finish() }
    }

    /// The extent of a table.
    pub fn of_table(name: impl Into<Arc<str>>, elements: &[Value]) -> Self {
        Self { name: name.into(), length: elements.len() as u64, digest: digest_values(elements) }
    }
}

/// The size of a block of bytes. Most memories are nearly all zero, and checking that a block is zero is much faster than
/// mixing it into a digest.
pub(crate) const BLOCK: usize = 1024;

/// The digest of the blocks of a memory so far.
#[derive(Default)]
struct MemoryDigest {
    hasher: FxHasher,
    blocks: usize,
}

impl MemoryDigest {
    /// Adds whole blocks. Only the last one of a memory may be shorter.
    fn add(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(BLOCK) {
            if !is_zero(block) {
                self.hasher.write_usize(self.blocks);
                self.hasher.write(block);
            }
            self.blocks += 1;
        }
    }
}

fn digest_bytes(bytes: &[u8]) -> u64 {
    let mut digest = MemoryDigest::default();
    digest.add(bytes);
    digest.hasher.finish()
}

/// The compiler unrolls the check of a part of fixed length, so its speed does not depend on where the loop is placed.
fn is_zero(block: &[u8]) -> bool {
    let all_zero = |bytes: &[u8]| bytes.iter().fold(0, |seen, byte| seen | byte) == 0;
    let (parts, rest) = block.as_chunks::<128>();
    parts.iter().all(|part| all_zero(part)) && all_zero(rest)
}

/// The digest of a sequence of values.
pub(crate) fn digest_values(values: &[Value]) -> u64 {
    let mut hasher = FxHasher::default();
    for value in values {
        write_value(&mut hasher, value);
    }
    hasher.finish()
}

/// Mixes a value with its type into a digest.
pub(crate) fn write_value(hasher: &mut FxHasher, value: &Value) {
    hasher.write_u8(value.ty() as u8);
    match *value {
        Value::I32(bits) | Value::F32(bits) => hasher.write_u32(bits),
        Value::I64(bits) | Value::F64(bits) => hasher.write_u64(bits),
        Value::V128(bits) => hasher.write_u128(bits),
        Value::FuncRef(id) | Value::ExternRef(id) => hasher.write_u64(id.map_or(0, |id| u64::from(id) + 1)),
    }
}
