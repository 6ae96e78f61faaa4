//! Workspaces, dependencies that are woven, and where properties keep their values.

use crate::place::Place;

/// A member of a workspace with one property, which holds.
fn member(place: &Place, directory: &str, name: &str) {
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dev-dependencies]\n\
         mutagen-engine = {{ path = \"../../mutagen-wasm/engine\" }}\n"
    );
    place.write(&format!("{directory}/{name}/Cargo.toml"), &manifest);
    let source = format!(
        "pub fn half(number: u8) -> u8 {{\n    number / 2\n}}\n\n#[cfg(test)]\n#[mutagen_engine::test]\n\
         fn {name}_halves(number: u8) -> bool {{\n    half(number) <= 127\n}}\n"
    );
    place.write(&format!("{directory}/{name}/src/lib.rs"), &source);
    let bug = format!(
        "id = \"{name}-halves-nothing\"\ntitle = \"large numbers stay as they are\"\n\n[[edit]]\nfile = \"src/lib.rs\"\n\
         anchor = \"number / 2\"\nmatches = 1\nwhere = \"before\"\ntext = \"if $bug {{ return number; }}\"\n"
    );
    place.write(&format!("{directory}/{name}/mutagen/bugs/halves.toml"), &bug);
}

#[test]
fn all_members_of_a_workspace_are_tested_with_a_package_at_its_root_and_without() {
    let place = Place::without(&["virtual", "rooted"]);
    for name in ["left", "right"] {
        member(&place, "virtual", name);
        member(&place, "rooted", name);
    }
    let members = "[workspace]\nmembers = [\"left\", \"right\"]\nresolver = \"3\"\n";
    place.write("virtual/Cargo.toml", members);
    let root = "\n[package]\nname = \"rooted\"\nedition = \"2024\"\n";
    place.write("rooted/Cargo.toml", &format!("{members}{root}"));
    place.write("rooted/src/lib.rs", "");
    let caught =
        ["left-halves-nothing: caught by left_halves", "right-halves-nothing: caught by right_halves"];
    for (project, inside) in [("virtual", ""), ("rooted", ""), ("rooted", "/left")] {
        let directory = format!("{project}{inside}");
        place.shell(&directory, "cargo mutagen test").expect(0, &["2 properties held"]);
    }
    place.shell("rooted", "cargo mutagen bugs").expect(0, &caught);
}

#[test]
fn a_dependency_is_woven_when_the_command_line_or_the_manifest_says_so() {
    let place = Place::without(&["user", "codec"]);
    place.write("codec/Cargo.toml", "[package]\nname = \"codec\"\nedition = \"2024\"\n");
    // Opaque numbers, or the compiler would compare all of them at once, without a branch.
    let sparse = "#[inline(never)]\npub fn is_known(bytes: &[u8]) -> bool {\n    for (place, key) in [3, 1, 4, 1, 5, 9].into_iter().enumerate() {\n        \
                  if bytes.get(place) != Some(&std::hint::black_box(key)) {\n            return false;\n        }\n    }\n    \
                  true\n}\n";
    place.write("codec/src/lib.rs", sparse);
    let property = "#[mutagen_engine::test]\nfn nothing_is_known(bytes: &Vec<u8>) -> bool {\n    !codec::is_known(bytes)\n}\n";
    place.library("user", property);
    let manifest = std::fs::read_to_string(place.path().join("user/Cargo.toml")).expect("it is there");
    let manifest = format!("{manifest}\n[dependencies]\ncodec = {{ path = \"../codec\" }}\n");
    place.write("user/Cargo.toml", &manifest);

    place.shell("user", "cargo mutagen test").expect(0, &["1 property held"]);
    let lcov = |flags: &str| {
        place.shell("user", &format!("cargo mutagen fuzz nothing --time 1s {flags}"));
        place.shell("user", &format!("cargo mutagen coverage nothing -o report {flags}")).expect(0, &[]);
        std::fs::read_to_string(place.path().join("user/report/lcov.info")).expect("it was written")
    };
    let found =
        ["property `user::nothing_is_known` does not hold", "3,\n    1,\n    4,\n    1,\n    5,\n    9,\n"];
    let forget = || std::fs::remove_dir_all(place.path().join("user/mutagen")).expect("it is there");
    place.shell("user", "cargo mutagen test --package codec").expect(1, &found);
    assert!(lcov("--package codec").contains("codec/src/lib.rs"));
    forget();
    assert!(!lcov("").contains("codec/src/lib.rs"));
    forget();
    place.write("user/Cargo.toml", &format!("{manifest}\n[package.metadata.mutagen]\nweave = [\"codec\"]\n"));
    place.shell("user", "cargo mutagen test").expect(1, &found);
    assert!(lcov("").contains("codec/src/lib.rs"));
}

#[test]
fn properties_of_one_name_keep_their_values_apart() {
    let place = Place::without(&["names"]);
    let property = |values: &str| {
        format!("#[cfg(test)]\n#[mutagen_engine::test]\nfn fails(_: {values}) -> bool {{\n    false\n}}\n")
    };
    let [top, one, two] = [property("u8"), property("Vec<bool>"), property("String")];
    place.library("names", &format!("{top}mod one {{\n{one}}}\nmod two {{\n{two}}}\n"));
    place.write("names/tests/api.rs", &property("(u8, bool)"));
    for _ in 0..2 {
        // The second time, each reads its own value.
        let run = place.shell("names", "cargo mutagen test").expect(1, &["some do not hold"]);
        assert!(!run.text.contains("cannot be read"), "{}", run.text);
    }
    for folder in ["fails", "one/fails", "two/fails", "api/fails"] {
        let findings = place.path().join("names/mutagen").join(folder).join("findings");
        assert_eq!(std::fs::read_dir(&findings).expect("it is there").count(), 1, "{}", findings.display());
    }
    // A program of the package's name is one crate more of that name.
    place.write("names/src/main.rs", &format!("fn main() {{}}\n{}", property("u8")));
    place
        .shell("names", "cargo mutagen test")
        .expect(3, &["two test programs of a package have a property `names::fails`", "rename one of them"]);
}
