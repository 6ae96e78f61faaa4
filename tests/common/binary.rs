//! Binary modules, byte by byte.

/// A number in as few bytes as it needs.
pub fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The largest number of 32 bits.
pub const HUGE: &[u8] = b"\xff\xff\xff\xff\x0f";

/// With what a binary module begins.
pub const HEADER: &[u8] = b"\0asm\x01\0\0\0";

/// A section.
pub fn section(id: u8, content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    [&[id], &leb(content.len() as u32)[..], &content].concat()
}

/// A section of `count` equal items.
pub fn items(id: u8, count: u32, item: &[u8]) -> Vec<u8> {
    section(id, &[&leb(count), &item.repeat(count as usize)])
}

/// A module of these sections.
pub fn module(sections: &[Vec<u8>]) -> Vec<u8> {
    [HEADER, &sections.concat()].concat()
}

/// A module that exports one function `f` without parameters and results. The body begins with its locals.
pub fn function(body: &[&[u8]]) -> Vec<u8> {
    with_function(body, &[])
}

/// Such a module with more sections behind.
pub fn with_function(body: &[&[u8]], behind: &[Vec<u8>]) -> Vec<u8> {
    let body = body.concat();
    let sections = [
        section(1, &[b"\x01\x60\0\0"]),
        section(3, &[b"\x01\0"]),
        section(7, &[b"\x01\x01f\0\0"]),
        section(10, &[b"\x01", &leb(body.len() as u32), &body]),
    ];
    module(&[&sections[..], behind].concat())
}

/// A module with one function whose section of code is as given.
pub fn with_section_of_code(content: &[&[u8]]) -> Vec<u8> {
    module(&[section(1, &[b"\x01\x60\0\0"]), section(3, &[b"\x01\0"]), section(10, content)])
}
