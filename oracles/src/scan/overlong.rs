//! Limits of memories and tables that are written with more bytes than 32 bits can need.

use wasmparser::{Parser, Payload, TypeRef};

/// How many bytes a number of 32 bits has at most.
const LONGEST: usize = 5;
/// Marks a memory or table that is indexed with 64 bits.
const IS_64: u8 = 4;
/// Marks limits with a maximum.
const HAS_MAXIMUM: u8 = 1;

/// Whether some 32-bit memory or table has a limit with more bytes than a number of 32 bits has. WebAssembly 2.0 does not allow
/// that; 3.0 does, as there all limits are numbers of 64 bits.
pub(crate) fn has_overlong_limits(bytes: &[u8]) -> bool {
    let sections = Parser::new(0).parse_all(bytes).map_while(Result::ok);
    sections.take_while(|payload| !matches!(payload, Payload::CodeSectionStart { .. })).any(|payload| {
        match payload {
            Payload::MemorySection(section) => {
                let memories = section.into_iter_with_offsets().map_while(Result::ok);
                memories.into_iter().any(|(offset, _)| is_overlong(bytes, offset))
            }
            Payload::TableSection(section) => {
                let tables = section.into_iter_with_offsets().map_while(Result::ok);
                // The type of the elements is one byte.
                tables.into_iter().any(|(offset, _)| is_overlong(bytes, offset + 1))
            }
            Payload::ImportSection(section) => {
                let mut imports = section.into_imports().map_while(Result::ok);
                imports.any(|import| {
                    // What is imported follows the name: a byte for its kind, and its type.
                    let name = import.name.as_bytes();
                    let kind = name.as_ptr_range().end as usize - bytes.as_ptr() as usize;
                    match import.ty {
                        TypeRef::Memory(_) => is_overlong(bytes, kind + 1),
                        TypeRef::Table(_) => is_overlong(bytes, kind + 2),
                        _ => false,
                    }
                })
            }
            _ => false,
        }
    })
}

/// Whether the limits that begin here are for 32 bits and too long for them.
fn is_overlong(bytes: &[u8], offset: usize) -> bool {
    let Some((flags, numbers)) = bytes.get(offset..).and_then(<[u8]>::split_first) else { return false };
    let minimum = length(numbers);
    let maximum = numbers.get(minimum..).filter(|_| flags & HAS_MAXIMUM != 0).map_or(0, length);
    flags & IS_64 == 0 && minimum.max(maximum) > LONGEST
}

/// How many bytes the number has that begins here.
fn length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte & 0x80 != 0).count() + 1
}
