//! Mutation of the bytes behind a value.

use crate::Source;

/// Zest's way: overwrites a few short stretches, with random bytes or, one time in ten, with zeros.
///
/// Nothing is inserted or removed: other choices make the generator read the rest in another way.
pub(super) fn overwrite(bytes: &mut [u8], source: &mut Source) {
    const CHANGES: u32 = 8;
    const LENGTH: u32 = 4;
    if bytes.is_empty() {
        return;
    }
    let zeros = source.chance(1, 10);
    for _ in 0..geometric(source, CHANGES) {
        let start = source.below(bytes.len());
        let end = bytes.len().min(start + geometric(source, LENGTH));
        bytes[start..end].fill_with(|| if zeros { 0 } else { source.below(256) as u8 });
    }
}

/// A number from 1 on, with this mean: the number of tries until one succeeds, where one in `mean` does.
fn geometric(source: &mut Source, mean: u32) -> usize {
    let mut tries = 1;
    while !source.chance(1, mean) {
        tries += 1;
    }
    tries
}

/// AFL's way: makes from 2 to 128 changes of any kind, one after the other. The result has at most
/// [`Source::MAX_REMEMBERED`] bytes.
pub(super) fn stack(bytes: &mut Vec<u8>, source: &mut Source) {
    for _ in 0..2 << source.below(7) {
        CHANGES[source.below(CHANGES.len())](bytes, source);
    }
    bytes.truncate(Source::MAX_REMEMBERED);
}

type Change = fn(&mut Vec<u8>, &mut Source);

/// Removing is listed twice, as in AFL, which prefers short inputs.
const CHANGES: [Change; 13] = [
    |bytes, source| flip_bit(bytes, source),
    |bytes, source| interesting::<1>(bytes, source),
    |bytes, source| interesting::<2>(bytes, source),
    |bytes, source| interesting::<4>(bytes, source),
    |bytes, source| add::<1>(bytes, source),
    |bytes, source| add::<2>(bytes, source),
    |bytes, source| add::<4>(bytes, source),
    |bytes, source| replace_byte(bytes, source),
    remove_block,
    remove_block,
    |bytes, source| copy_block(bytes, source),
    |bytes, source| fill_block(bytes, source),
    insert_block,
];

/// Numbers at which programs tend to behave differently.
const INTERESTING: [i32; 20] = [
    0,
    1,
    -1,
    16,
    32,
    64,
    100,
    127,
    -128,
    128,
    255,
    256,
    512,
    1000,
    1024,
    4096,
    32_767,
    -32_768,
    i32::MAX,
    i32::MIN,
];

/// The largest number that is added or subtracted.
const ARITHMETIC: usize = 35;

fn flip_bit(bytes: &mut [u8], source: &mut Source) {
    change::<1>(bytes, source, |byte, source| byte ^ 1 << source.below(8));
}

fn interesting<const WIDTH: usize>(bytes: &mut [u8], source: &mut Source) {
    change::<WIDTH>(bytes, source, |_, source| INTERESTING[source.below(INTERESTING.len())] as u32);
}

fn add<const WIDTH: usize>(bytes: &mut [u8], source: &mut Source) {
    change::<WIDTH>(bytes, source, |number, source| {
        let difference = 1 + source.below(ARITHMETIC) as u32;
        if source.chance(1, 2) { number.wrapping_add(difference) } else { number.wrapping_sub(difference) }
    });
}

fn replace_byte(bytes: &mut [u8], source: &mut Source) {
    change::<1>(bytes, source, |byte, source| byte ^ (1 + source.below(255) as u32));
}

/// Reads `WIDTH` bytes at a random place as a number, little end first, and changes it.
fn change<const WIDTH: usize>(
    bytes: &mut [u8],
    source: &mut Source,
    change: impl FnOnce(u32, &mut Source) -> u32,
) {
    let Some(places) = (bytes.len() + 1).checked_sub(WIDTH).filter(|places| *places > 0) else { return };
    let place = source.below(places);
    let place = &mut bytes[place..place + WIDTH];
    let number = place.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
    place.copy_from_slice(&change(number, source).to_le_bytes()[..WIDTH]);
}

fn remove_block(bytes: &mut Vec<u8>, source: &mut Source) {
    if bytes.len() > 1 {
        let block = block(bytes.len() - 1, source);
        let start = source.below(bytes.len() - block + 1);
        bytes.drain(start..start + block);
    }
}

fn copy_block(bytes: &mut [u8], source: &mut Source) {
    if bytes.len() > 1 {
        let block = block(bytes.len() - 1, source);
        let [from, to] = [(); 2].map(|()| source.below(bytes.len() - block + 1));
        bytes.copy_within(from..from + block, to);
    }
}

fn fill_block(bytes: &mut [u8], source: &mut Source) {
    if bytes.len() > 1 {
        let block = block(bytes.len() - 1, source);
        let start = source.below(bytes.len() - block + 1);
        let byte = source.below(256) as u8;
        bytes[start..start + block].fill(byte);
    }
}

/// Inserts a copy of a block, or, one time in four, one byte many times.
fn insert_block(bytes: &mut Vec<u8>, source: &mut Source) {
    let place = source.below(bytes.len() + 1);
    let new = if bytes.is_empty() || source.chance(1, 4) {
        vec![source.below(256) as u8; block(32, source)]
    } else {
        let block = block(bytes.len(), source);
        let from = source.below(bytes.len() - block + 1);
        bytes[from..from + block].to_vec()
    };
    bytes.splice(place..place, new);
}

/// The length of a block, from 1 to `most`: short ones are likelier.
fn block(most: usize, source: &mut Source) -> usize {
    let longest = [32, 128, 1500][source.below(3)].min(most);
    1 + source.below(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_number_is_at_least_one_and_has_its_mean() {
        let mut source = Source::seeded(1);
        let numbers: Vec<usize> = (0..10_000).map(|_| geometric(&mut source, 8)).collect();
        assert_eq!(numbers.iter().min(), Some(&1));
        assert!((78_000..82_000).contains(&numbers.iter().sum::<usize>()));
    }

    #[test]
    fn overwriting_keeps_the_length_and_changes_stretches() {
        let mut source = Source::seeded(1);
        let (mut changed, mut zeroed) = (0, 0);
        for _ in 0..1000 {
            let mut bytes = vec![7; 1000];
            overwrite(&mut bytes, &mut source);
            assert_eq!(bytes.len(), 1000);
            let different: Vec<&u8> = bytes.iter().filter(|byte| **byte != 7).collect();
            changed += different.len();
            zeroed += usize::from(different.iter().all(|byte| **byte == 0));
        }
        // 8 changes of 4 bytes, less what overlaps or happens to be the same.
        assert!((29_000..33_000).contains(&changed), "{changed}");
        assert!((70..130).contains(&zeroed), "{zeroed}");
    }

    #[test]
    fn stacked_changes_shorten_lengthen_and_edit_within_the_limit() {
        let mut source = Source::seeded(1);
        let lengths: Vec<usize> = (0..1000)
            .map(|_| {
                let mut bytes = vec![7; 100];
                stack(&mut bytes, &mut source);
                bytes.len()
            })
            .collect();
        assert!(lengths.iter().any(|length| *length < 90) && lengths.iter().any(|length| *length > 110));
        let mut full = vec![0; Source::MAX_REMEMBERED];
        for _ in 0..100 {
            stack(&mut full, &mut source);
            assert!(full.len() <= Source::MAX_REMEMBERED);
        }
    }

    #[test]
    fn every_change_leaves_even_the_shortest_bytes_usable() {
        let mut source = Source::seeded(1);
        for change in CHANGES {
            for length in 0..6 {
                for _ in 0..100 {
                    change(&mut vec![1; length], &mut source);
                }
            }
        }
    }

    #[test]
    fn numbers_change_in_place_little_end_first() {
        let mut bytes = vec![0xff, 0x00];
        change::<2>(&mut bytes, &mut Source::seeded(0), |number, _| number + 1);
        assert_eq!(bytes, [0x00, 0x01]);
    }
}
