//! Properties that hang or end their process, and findings that are known.

use crate::place::Place;

const ENDS: &str = "
#[cfg(test)]
mod tests {
    use std::hint::black_box;

    #[mutagen_engine::test]
    fn loops(list: &Vec<u8>) -> bool {
        while black_box(list.len()) > 2 {}
        true
    }

    #[mutagen_engine::test]
    fn aborts(list: &Vec<u8>) -> bool {
        if list.len() > 2 { std::process::abort() } else { true }
    }

    fn depth(list: &[u8], at: u64) -> u64 {
        if list.len() > 2 { depth(list, black_box(at + 1)) + 1 } else { at }
    }

    #[mutagen_engine::test]
    fn overflows(list: &Vec<u8>) -> bool {
        depth(list, 0) == 0
    }

    #[mutagen_engine::test]
    fn holds(_: u8) -> bool {
        true
    }
}
";

/// The stored values of a property, each without comments and space.
fn stored(place: &Place, folder: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(place.path().join(folder).join("findings")).expect("something is stored");
    let value = |text: String| text.lines().filter(|line| !line.starts_with('#')).map(str::trim).collect();
    files
        .flatten()
        .map(|file| {
            let text = std::fs::read_to_string(file.path()).expect("it is text");
            (file.file_name().to_string_lossy().into_owned(), value(text))
        })
        .collect()
}

/// How many numbers a stored list has.
fn length(list: &str) -> usize {
    list.split(',').filter(|part| part.chars().any(|letter| letter.is_ascii_digit())).count()
}

#[test]
fn values_that_hang_or_end_the_process_are_named_and_stored() {
    let place = Place::without(&["endings"]);
    place.library("endings", ENDS);
    let cases = [
        ("loops", "hang-", "a test did not end within 1 s"),
        ("aborts", "died-", "a test ended the process (signal: 6"),
        ("overflows", "died-", "a test ended the process (signal: 6"),
    ];
    for command in ["fuzz {} --time 20s", "test"] {
        let _ = std::fs::remove_dir_all(place.path().join("endings/mutagen"));
        let run = |name: &str| {
            let command = command.replace("{}", name);
            place.shell("endings", &format!("cargo mutagen {command} --hang-limit 1s"))
        };
        // `test` says it of all of them at once.
        let all = (command == "test").then(|| run(""));
        for (name, kind, how) in cases {
            let text = all.as_ref().map_or_else(|| run(name).text, |all| all.text.clone());
            for part in
                [&format!("property `endings::tests::{name}` does not hold"), how, "counterexample: ["]
            {
                assert!(text.contains(part), "{command}: `{part}` is not in: {text}");
            }
            let stored = stored(&place, &format!("endings/mutagen/tests/{name}"));
            let [(file, value)] = &stored[..] else { panic!("{command} {name}: {stored:?}") };
            assert!(file.starts_with(kind) && length(value) > 2, "{file}: {value}");
        }
    }
    // The values are regression tests like others.
    place
        .shell("endings", "cargo test aborts")
        .expect(101, &["tests::aborts`: tests ", "which ended the process"]);
    // And an open one does not keep `fuzz` from searching on.
    place
        .shell("endings", "cargo mutagen fuzz aborts --time 20s")
        .expect(1, &["a test ended the process", "counterexample: ["]);
}

#[test]
fn bugs_that_hang_are_caught_and_bugs_that_nobody_reaches_are_told() {
    let place = Place::without(&["loopy"]);
    let source = "pub fn sum(list: &[u8]) -> u32 {\n    if list.is_empty() { 0 } else { list.iter().map(|n| u32::from(*n)).sum() }\n}\n\n\
                  pub fn unused() -> u8 {\n    7\n}\n\n#[cfg(test)]\n#[mutagen_engine::test]\n\
                  fn sums_are_small(list: &Vec<u8>) -> bool {\n    sum(list) <= 255 * list.len() as u32\n}\n";
    place.library("loopy", source);
    let bug = |id: &str, anchor: &str, text: &str| {
        let entry = format!(
            "id = \"{id}\"\ntitle = \"a title\"\n\n[[edit]]\nfile = \"src/lib.rs\"\nanchor = \"{anchor}\"\nmatches = 1\n\
             where = \"after\"\ntext = \"{text}\"\n"
        );
        place.write(&format!("loopy/mutagen/bugs/{id}.toml"), &entry);
    };
    bug("spins", "-> u32 {", "while $bug && list.len() > 1 {}");
    bug("unreached", "-> u8 {", "if $bug { return 8; }");
    place.shell("loopy", "cargo mutagen bugs --tests 1000 --hang-limit 1s").expect(
        1,
        &[
            "spins: caught by sums_are_small, a test did not end within 1 s: [",
            "unreached: NOT CAUGHT: a title (no test came to the place that it changes)",
        ],
    );
    // It was the bug's, not the code's.
    assert!(!place.path().join("loopy/mutagen/sums_are_small").exists());
}

#[test]
fn fuzz_goes_past_what_is_known() {
    let place = Place::without(&["known"]);
    let source = "#[cfg(test)]\n#[mutagen_engine::test]\nfn stays_small(list: &Vec<u8>) {\n    \
                  assert!(list.len() != 2, \"a pair of {}\", list[0]);\n    assert!(list.len() != 4, \"four\");\n}\n";
    place.library("known", source);
    let fuzz = |time: &str| place.shell("known", &format!("cargo mutagen fuzz stays --time {time}"));
    let mut messages = [fuzz("20s"), fuzz("20s")].map(|run| {
        let run = run.expect(1, &["does not hold", "stored in: "]);
        ["a pair of", "four"].map(|message| run.text.contains(message))
    });
    messages.sort();
    assert_eq!(messages, [[false, true], [true, false]], "each run finds what the other does not");
    fuzz("1s").expect(1, &["still does not hold; nothing else was found", "findings/panic-"]);
}

#[test]
fn a_finding_that_cannot_be_stored_is_shown() {
    let place = Place::without(&["textless"]);
    let source = "#[cfg(test)]\nmod tests {\n    use mutagen_engine::{Count, Generate, Mutable, Scope, Source, no_child};\n\n    \
                  #[derive(Clone, Debug, PartialEq)]\n    struct Odd(u8);\n\n    impl Generate for Odd {\n        \
                  fn generate(source: &mut Source, _: usize) -> Self {\n            Odd(source.below(256) as u8)\n        }\n        \
                  fn smallest() -> Self {\n            Odd(0)\n        }\n    }\n\n    impl Mutable for Odd {\n        \
                  fn children(&self) -> usize {\n            0\n        }\n        \
                  fn child(&self, index: usize) -> &dyn Mutable {\n            no_child(index, 0)\n        }\n        \
                  fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {\n            no_child(index, 0)\n        }\n        \
                  fn count(&self, _: &Scope) -> Count {\n            Count::NONE\n        }\n        \
                  fn mutate(&mut self, _: usize, _: &mut Source) -> bool {\n            false\n        }\n    }\n\n    \
                  #[mutagen_engine::test]\n    fn is_small(odd: &Odd) -> bool {\n        odd.0 < 200\n    }\n}\n";
    place.library("textless", source);
    let run = place.shell("textless", "cargo mutagen fuzz is_small --time 20s");
    let run = run.expect(1, &["does not hold", "counterexample: Odd(", "not stored: "]);
    assert!(!run.text.contains("ended its process"), "{}", run.text);
}
