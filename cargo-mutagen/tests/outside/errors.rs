//! Errors say what is wrong and what to do.

use crate::place::Place;

const PROPERTY: &str = "#[cfg(test)]\n#[mutagen_engine::test]\nfn holds(_: u8) -> bool {\n    true\n}\n";

#[test]
fn a_project_without_the_engine_is_told_how_to_add_it() {
    let place = Place::without(&["plain"]);
    place.write("plain/Cargo.toml", "[package]\nname = \"plain\"\nedition = \"2024\"\n\n[workspace]\n");
    place.write("plain/src/lib.rs", "");
    place
        .shell("plain", "cargo mutagen test")
        .expect(3, &["does not depend on mutagen-engine", "`cargo add --dev --path CHECKOUT/engine`"]);
}

#[test]
fn a_directory_without_a_project_is_cargos_error() {
    let place = Place::without(&[]);
    place.shell("", "cargo mutagen test").expect(3, &["could not find `Cargo.toml`"]);
}

#[test]
fn an_old_compiler_is_refused_before_anything_is_built() {
    let place = Place::without(&["old"]);
    place.library("old", PROPERTY);
    place.write(
        "old-rustc",
        "#!/bin/sh\ncase $1 in -vV) rustc -vV | sed 's/^release: .*/release: 1.70.0/';; *) exec rustc \"$@\";; esac\n",
    );
    place.shell("old", "chmod +x ../old-rustc").expect(0, &[]);
    place
        .shell("old", "RUSTC=$PWD/../old-rustc cargo mutagen test")
        .expect(3, &["rustc 1.70.0 is too old: weaving needs ", "`rustup update`"]);
}

#[test]
fn packages_that_cannot_be_woven_are_refused_with_the_reason() {
    let place = Place::without(&["woven"]);
    place.library("woven", PROPERTY);
    let cases = [
        ("mutagen-engine", "it is a part of the engine"),
        ("serde_derive", "it is a macro"),
        ("serd", "did you mean serde or serde_core or serde_derive?"),
        ("nowhere", "there is no package `nowhere` in the dependency graph"),
    ];
    for (package, message) in cases {
        place.shell("woven", &format!("cargo mutagen test --package {package}")).expect(3, &[message]);
    }
    place.write(
        "woven/Cargo.toml",
        "[package]\nname = \"woven\"\nedition = \"2024\"\n\n[workspace]\n\n[package.metadata.mutagen]\nweaves = [\"x\"]\n\n\
         [dev-dependencies]\nmutagen-engine = { path = \"../mutagen-wasm/engine\" }\n",
    );
    place.shell("woven", "cargo mutagen test").expect(3, &["may only have `weave = [\"NAME\", ...]`"]);
}

#[test]
fn missing_and_ambiguous_properties_are_named() {
    let place = Place::without(&["bare", "two"]);
    place.library("bare", "#[test]\nfn ordinary() {}\n");
    place
        .shell("bare", "cargo mutagen test")
        .expect(3, &["no property was found", "`#[mutagen_engine::test]`"]);
    place
        .shell("bare", "cargo mutagen bugs")
        .expect(3, &["there is no bug to inject", "mutagen/bugs/NAME.toml"]);

    let two = format!("{PROPERTY}\n{}", PROPERTY.replace("holds", "holds_too"));
    place.library("two", &two);
    place.shell("two", "cargo mutagen test nothing").expect(3, &["there are two::holds, two::holds_too"]);
    place
        .shell("two", "cargo mutagen fuzz hold --time 1s")
        .expect(3, &["several properties: two::holds, two::holds_too"]);
    // A whole name is enough, although it is a part of another.
    place.shell("two", "cargo mutagen fuzz holds --time 1s").expect(0, &["`two::holds` held"]);
    place.shell("two", "cargo mutagen test").expect(0, &["2 properties held"]);

    place.library("two", "fn broken( {}\n");
    place.shell("two", "cargo mutagen test").expect(3, &["the tests do not build woven"]);
}

#[test]
fn a_counterexample_that_the_type_can_no_longer_read_fails_its_test() {
    let place = Place::without(&["stale"]);
    place.library("stale", PROPERTY);
    let stored = |value: &str| {
        place.write(
            "stale/mutagen/holds/findings/x.txt",
            &format!("# mutagen value, format 1\n# property: x\n{value}\n"),
        );
    };
    stored("7");
    place.shell("stale", "cargo mutagen test").expect(0, &["1 property held"]);
    let write = |text: &str| place.write("stale/mutagen/holds/findings/x.txt", text);
    write("# mutagen value, format 9\n7\n");
    place.shell("stale", "cargo test").expect(
        101,
        &["x.txt cannot be read any more: line 1: the first line should be `# mutagen value, format 1`"],
    );
    stored("Gone(7)");
    place
        .shell("stale", "cargo mutagen test")
        .expect(1, &["holds/findings/x.txt cannot be read any more: line 3: ", "delete the file"]);
}
