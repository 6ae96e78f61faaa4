//! The words of a module: which kinds of instructions and types it has.

use std::collections::BTreeSet;

use mutagen_wasm_ast::Module;

/// The words of a module's text that are neither numbers nor names, such as `i32.rotl` and `funcref`. `None` if it has no text.
pub(crate) fn words(wasm: &[u8]) -> Option<BTreeSet<String>> {
    let text = Module::decode(wasm).ok()?.to_text().ok()?;
    let words = text.split(|letter: char| letter.is_whitespace() || "()".contains(letter));
    let is_word =
        |word: &&str| word.starts_with(|letter: char| letter.is_ascii_lowercase()) && !word.contains('=');
    Some(words.filter(is_word).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kinds_of_instructions_and_types_without_numbers_and_names() {
        let of = |text: &str| {
            words(&Module::from_text(text).expect("it is a module").encode()).expect("it has a text")
        };
        let one =
            of("(module (memory 1) (func (param $x i32) (i32.store offset=8 (local.get $x) (i32.const 7))))");
        for word in ["i32.store", "i32.const", "local.get", "memory"] {
            assert!(one.contains(word), "{one:?}");
        }
        let more =
            of("(module (memory 2) (func (param i32 i64) (i32.store (local.get 0) (i32.const 9)) (nop)))");
        assert!(one.is_subset(&more) && !more.is_subset(&one), "{one:?} {more:?}");
    }
}
