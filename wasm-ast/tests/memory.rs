//! Decoding takes memory in proportion to the number of bytes, whatever counts they contain. These tests are
//! a separate program and run one at a time, because they measure the memory of the whole program.

use std::sync::Mutex;

use mutagen_engine::Source;
use mutagen_wasm_ast::{Features, Module};
use peak_alloc::PeakAlloc;

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "suite/corpus.rs"]
mod corpus;

#[path = "suite/large_module.rs"]
mod large_module;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The lock that a test holds while it measures.
static TURN: Mutex<()> = Mutex::new(());

/// The peak of memory use, without the memory that was in use before.
fn peak<R>(run: impl FnOnce() -> R) -> usize {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    drop(run());
    MEMORY.peak_usage() - before
}

/// The memory that decoding may take per byte. A byte of the function section announces a function of 56
/// bytes, and a growing list may take three times the memory of its items.
const PER_BYTE: usize = 200;

/// The memory that decoding may take in any case.
const ALWAYS: usize = 16 << 10;

fn assert_in_proportion(bytes: &[u8]) {
    let taken = peak(|| Module::decode(bytes));
    assert!(taken <= ALWAYS + PER_BYTE * bytes.len(), "{taken} bytes for {}: {bytes:02x?}", bytes.len());
}

/// The largest number that five bytes can encode.
const HUGE: &[u8] = b"\xff\xff\xff\xff\x0f";

fn section(id: u8, content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    [&[id, content.len() as u8], &content[..]].concat()
}

fn module(sections: &[Vec<u8>]) -> Vec<u8> {
    [b"\0asm\x01\0\0\0", &sections.concat()[..]].concat()
}

/// A module with one function, from the bytes of its locals and body.
fn code(body: &[&[u8]]) -> Vec<u8> {
    let body = body.concat();
    let sized = [&[1, body.len() as u8], &body[..]].concat();
    module(&[section(1, &[b"\x01\x60\0\0"]), section(3, &[b"\x01\0"]), section(10, &[&sized])])
}

/// Modules with a huge count that no items follow, one for each place where the format has a count.
fn bombs() -> Vec<Vec<u8>> {
    let sections = (1..=12).map(|id| module(&[section(id, &[HUGE])]));
    let million = b"\xc0\x84\x3d";
    let inside = [
        module(&[section(1, &[b"\x01\x4e", million])]),
        module(&[section(1, &[b"\x01\x60", HUGE])]),
        module(&[section(2, &[b"\x01", HUGE])]),
        module(&[section(2, &[b"\x01\x01a\0\x7f", HUGE])]),
        module(&[section(7, &[b"\x01", HUGE])]),
        module(&[section(9, &[b"\x01\0\x41\0\x0b", HUGE])]),
        module(&[section(9, &[b"\x01\x04\x41\0\x0b", HUGE])]),
        module(&[section(11, &[b"\x01\x01", HUGE])]),
        module(&[section(0, &[b"\x04name\x01", HUGE])]),
        code(&[HUGE]),
        code(&[b"\x01", HUGE, b"\x7f\x0b"]),
        code(&[b"\0\x0e", HUGE, b"\0\x0b"]),
        code(&[b"\0\x0e\xb0\x95\xd3\x03\0\x0b"]),
        code(&[b"\0\x1c", HUGE, b"\0\x0b"]),
    ];
    sections.chain(inside).collect()
}

/// Modules with a huge number inserted at a random place, where it may be taken for a count.
fn inserted_counts() -> impl Iterator<Item = Vec<u8>> {
    let mut source = Source::seeded(11);
    corpus::valid_modules(Features::WASMI, 2_000).map(move |mut bytes| {
        let place = source.below(bytes.len());
        bytes.splice(place..place, HUGE.iter().copied());
        bytes
    })
}

#[test]
fn decoding_takes_memory_in_proportion_to_the_bytes() {
    let _turn = TURN.lock();
    let modules = bombs().into_iter().chain(inserted_counts()).chain(corpus::damaged_modules(200_000));
    modules.for_each(|bytes| assert_in_proportion(&bytes));
}

#[test]
fn a_large_module_takes_at_most_ten_times_its_size_while_it_is_decoded_and_encoded() {
    let _turn = TURN.lock();
    let bytes = large_module::bytes();
    assert!(bytes.len() > 4 << 20, "{} bytes are not large", bytes.len());
    let taken = peak(|| {
        let module = Module::decode(&bytes).expect("the module is well-formed");
        (module.encode(), module)
    });
    assert!(taken <= 10 * bytes.len(), "{taken} bytes for {}", bytes.len());
}
