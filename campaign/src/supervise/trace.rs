//! The last probes of a process that died, and the functions that they stand in.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use mutagen_properties::Notes;
use mutagen_weave::last_events;
use mutagen_weave::probes::names;

/// How many bytes of its last probes a process that judges one test leaves behind its notes.
const BYTES: u64 = 1 << 16;
/// How many of the last probes are looked at.
const PROBES: usize = 256;
/// How many functions are told.
const FUNCTIONS: usize = 6;

/// The length of a file with the notes and the probes of a process.
pub(super) const FILE_BYTES: u64 = Notes::BYTES + BYTES;
/// The part of the file in which probes are.
pub(super) const PART: Range<u64> = Notes::BYTES..FILE_BYTES;

/// The last functions of woven code that a process was in, the very last one first.
pub(super) fn last_functions(file: &File) -> Vec<String> {
    let Ok(probes) = last_probes(file) else { return Vec::new() };
    let Ok(names) = names() else { return Vec::new() };
    let mut functions: Vec<String> = Vec::new();
    for probe in probes.iter().rev() {
        let Some(name) = names.get((*probe as usize).wrapping_sub(1)) else { continue };
        if functions.last() != Some(&name.function) {
            functions.push(name.function.clone());
        }
        if functions.len() == FUNCTIONS {
            break;
        }
    }
    functions
}

/// The last probes, in order.
fn last_probes(file: &File) -> io::Result<Vec<u32>> {
    let mut bytes = vec![0; BYTES as usize];
    file.read_exact_at(&mut bytes, PART.start)?;
    Ok(last_events(&bytes, PROBES))
}
