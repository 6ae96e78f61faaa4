//! The last probes of a process that died, and the functions that they stand in.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use mutagen_properties::Notes;
use mutagen_weave::probes::names;

/// How many bytes of probes a process that judges one test leaves behind its notes. What is not used takes no space.
const BYTES: u64 = 64 << 20;
/// How many of the last probes are looked at.
const PROBES: u64 = 256;
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

/// The last probes, in order. None if there were more than fit: then nobody knows the last ones.
fn last_probes(file: &File) -> io::Result<Vec<u32>> {
    let at = |place: u64| {
        let mut number = [0; 4];
        file.read_exact_at(&mut number, PART.start + 4 * place).map(|()| u32::from_le_bytes(number))
    };
    // The first 0 ends the probes.
    let (mut low, mut high) = (0, BYTES / 4);
    while low < high {
        let middle = low.midpoint(high);
        if at(middle)? == 0 { high = middle } else { low = middle + 1 }
    }
    if low == BYTES / 4 {
        return Ok(Vec::new());
    }
    (low.saturating_sub(PROBES)..low).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_probes_end_before_the_first_zero() {
        let file = tempfile::tempfile().expect("there is a temporary directory");
        file.set_len(FILE_BYTES).expect("there is space");
        assert!(last_probes(&file).expect("it can be read").is_empty());
        let numbers: Vec<u8> = (1..=1000_u32).flat_map(u32::to_le_bytes).collect();
        file.write_all_at(&numbers, PART.start).expect("there is space");
        let expected: Vec<u32> = (745..=1000).collect();
        assert_eq!(last_probes(&file).expect("it can be read"), expected);
    }
}
