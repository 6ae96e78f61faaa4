//! The commands of `cargo mutagen` on the template project.

use crate::place::Place;

/// The template with its bug repaired.
fn repaired(place: &Place, name: &str) {
    place.template(name);
    let file = place.path().join(name).join("src/lib.rs");
    let source = std::fs::read_to_string(&file).expect("it is there");
    std::fs::write(file, source.replace("c.join(*b)", "b.join(*c)")).expect("it can be written");
}

#[test]
fn fuzzing_keeps_a_corpus_that_the_next_run_and_coverage_begin_with() {
    let place = Place::without(&["fuzzed"]);
    repaired(&place, "fuzzed");
    let corpus = place.path().join("fuzzed/mutagen/removal_keeps_the_order/corpus");
    let size = || std::fs::read_dir(&corpus).map_or(0, Iterator::count);

    let nothing = place.shell("fuzzed", "cargo mutagen coverage removal_keeps_the_order");
    nothing.expect(
        3,
        &["the corpus of `removal_keeps_the_order` is empty", "cargo mutagen fuzz removal_keeps_the_order"],
    );

    place.shell("fuzzed", "cargo mutagen fuzz removal --time 1s -j 2").expect(0, &["held; its corpus is in"]);
    let first = size();
    assert!(first >= 5, "{first} files");
    place.shell("fuzzed", "cargo mutagen fuzz removal --time 1s").expect(0, &[]);
    assert!(size() < 2 * first, "{first} files, then {}: the corpus was not resumed", size());

    place.shell("fuzzed", "cargo mutagen coverage removal -o report").expect(0, &["lines are reached"]);
    let report = |file: &str| {
        std::fs::read_to_string(place.path().join("fuzzed/report").join(file)).expect("it was written")
    };
    let lcov = report("lcov.info");
    assert!(lcov.contains("fuzzed/src/lib.rs") && lcov.contains("join") && lcov.contains("\nDA:"), "{lcov}");
    let page = report("index.html");
    for part in ["What the corpus of fuzzed::removal_keeps_the_order reaches", "fn join(self, larger: Tree)"]
    {
        assert!(page.contains(part), "`{part}` is not in: {page}");
    }
}

#[test]
fn hand_made_bugs_are_caught_or_named() {
    let place = Place::without(&["mutated"]);
    repaired(&place, "mutated");
    let harmless = "id = \"harmless\"\ntitle = \"nothing changes\"\n\n[[edit]]\nfile = \"src/lib.rs\"\n\
                    anchor = \"Leaf => Leaf,\"\nmatches = 1\nwhere = \"before\"\ntext = \"Leaf if $bug => Leaf,\"\n";
    place.write("mutated/mutagen/bugs/harmless.toml", harmless);
    let caught = "forgets-the-left: caught by removal_keeps_the_order after ";
    place
        .shell("mutated", "cargo mutagen bugs --tests 20000")
        .expect(1, &[caught, "harmless: NOT CAUGHT: nothing changes", "1 of 2 bugs caught"]);
    // Which properties are enough is told by the whole matrix.
    place.shell("mutated", "cargo mutagen bugs --refine --tests 20000").expect(
        1,
        &[
            "  #  forgets-the-left: ",
            "  .  harmless: nothing changes",
            "Apparent minimal but incomplete",
            "{1}",
        ],
    );
    place.shell("mutated", "cargo mutagen bugs forgets --refine").expect(0, &["complete and minimal"]);
    place.shell("mutated", "cargo mutagen bugs forgets").expect(0, &[caught, "1 of 1 bugs caught"]);
    // A changed source is noticed, although a copy of it was compiled.
    place.write("mutated/mutagen/bugs/harmless.toml", &harmless.replace("Leaf => Leaf,", "Twig => Twig,"));
    place
        .shell("mutated", "cargo mutagen bugs")
        .expect(3, &["harmless", "the anchor stands 0 times in mutated/src/lib.rs, expected 1"]);
}

#[test]
fn a_program_beside_the_woven_library_and_an_outer_wrapper_are_no_obstacle() {
    let place = Place::without(&["wrapped"]);
    place.template("wrapped");
    // The program has no engine that would answer probes.
    place.write(
        "wrapped/src/main.rs",
        "fn main() {\n    println!(\"{:?}\", wrapped::Tree::Leaf.remove(1).keys());\n}\n",
    );
    place.write(
        "wrapped/tests/other.rs",
        "#[test]\nfn it_is_empty() {\n    assert!(wrapped::Tree::Leaf.keys().is_empty());\n}\n",
    );
    place.write("wrap", "#!/bin/sh\necho called >> \"$(dirname \"$0\")/calls\"\nexec \"$@\"\n");
    place.shell("wrapped", "chmod +x ../wrap").expect(0, &[]);
    place
        .shell("wrapped", "RUSTC_WRAPPER=$PWD/../wrap cargo mutagen test")
        .expect(1, &["property `wrapped::removal_keeps_the_order` does not hold"]);
    assert!(place.path().join("calls").exists(), "the wrapper was not called");
    std::fs::remove_file(place.path().join("calls")).expect("it is there");
}

#[test]
fn vendored_crates_are_all_that_is_needed() {
    let place = Place::without(&["vendored", "nothing"]);
    place.template("vendored");
    place.shell("vendored", "cargo vendor --respect-source-config vendor").expect(0, &[]);
    place.write(
        "vendored/.cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = \"vendor\"\n",
    );
    // Without the crates that cargo keeps at home. Their paths differ, so others must not find what is compiled here.
    let alone = "CARGO_HOME=$PWD/../nothing CARGO_TARGET_DIR=$PWD/target cargo mutagen test --offline";
    place
        .shell("vendored", alone)
        .expect(1, &["property `vendored::removal_keeps_the_order` does not hold", "stored in: "]);
}

#[test]
fn types_that_have_only_arbitrary_can_be_tested() {
    let place = Place::without(&["moved"]);
    let source = "#[cfg(test)]\nmod tests {\n    use mutagen_engine::Arbitrarily;\n\n    \
                  #[derive(arbitrary::Arbitrary, Debug)]\n    struct Order { urgent: bool, items: Vec<u8> }\n\n    \
                  #[mutagen_engine::test]\n    fn urgent_orders_are_short(order: Arbitrarily<Order>) -> Option<bool> {\n        \
                  order.urgent.then(|| order.items.len() < 3)\n    }\n}\n";
    place.library("moved", source);
    let manifest = std::fs::read_to_string(place.path().join("moved/Cargo.toml")).expect("it is there");
    let manifest = manifest.replace("engine\" }", "engine\", features = [\"arbitrary\"] }");
    place.write(
        "moved/Cargo.toml",
        &format!("{manifest}arbitrary = {{ version = \"1\", features = [\"derive\"] }}\n"),
    );
    let run = place.shell("moved", "cargo mutagen test").expect(1, &["urgent: true", "stored in: "]);
    let items =
        run.text.split("items: [").nth(1).and_then(|rest| rest.split(']').next()).expect("it is shown");
    assert_eq!(items.matches(',').count(), 3, "it was not shrunk: {items}");
    // The file says what its bytes stand for.
    let findings = place.path().join("moved/mutagen/tests/urgent_orders_are_short/findings");
    let file = std::fs::read_dir(findings).expect("it is there").flatten().next().expect("there is one");
    let text = std::fs::read_to_string(file.path()).expect("it is text");
    assert!(text.contains("\n# value: Order { urgent: true, items: ["), "{text}");
}

#[test]
fn afl_and_libfuzzer_find_what_they_can_reach_or_one_sentence_says_how_to_get_them() {
    let place = Place::without(&["bytes"]);
    let source = "pub fn is_short(list: &[u8]) -> bool {\n    list.len() < 3 || list[0] < 7\n}\n\n#[cfg(test)]\n\
                  #[mutagen_engine::test]\nfn lists_are_short(list: &Vec<u8>) -> bool {\n    is_short(list)\n}\n";
    place.library("bytes", source);
    if place.shell("", "command -v afl-fuzz").code == Some(0) {
        let run = place.shell("bytes", "cargo mutagen fuzz lists --engine afl --time 60s");
        run.expect(1, &["property `bytes::lists_are_short` does not hold", "\n[7, 0, 0]\n", "stored in: "]);
    }
    // clang may be there without its libFuzzer.
    let has_libfuzzer = "echo 'extern \"C\" int LLVMFuzzerTestOneInput(const char *, long) { return 0; }' | \
                         clang++ -fsanitize=fuzzer -x c++ - -o /dev/null";
    if place.shell("", has_libfuzzer).code == Some(0) {
        let _ = std::fs::remove_dir_all(place.path().join("bytes/mutagen"));
        let run = place.shell("bytes", "cargo mutagen fuzz lists --engine libfuzzer --time 60s");
        run.expect(1, &["property `bytes::lists_are_short` does not hold", "\n[7, 0, 0]\n", "stored in: "]);
    }
    let without = "PATH=$(dirname $(command -v cargo)):$(dirname $(command -v cargo-mutagen)) cargo mutagen";
    place
        .shell("bytes", &format!("{without} fuzz lists --engine afl"))
        .expect(3, &["afl-fuzz is not installed"]);
    place
        .shell("bytes", &format!("{without} fuzz lists --engine libfuzzer"))
        .expect(3, &["clang++ is not installed"]);
}

#[test]
fn a_finding_of_fuzz_is_what_cargo_test_tests_first() {
    let place = Place::without(&["hunted"]);
    place.template("hunted");
    let run = place.shell("hunted", "cargo mutagen fuzz removal --time 60s");
    run.expect(1, &["property `hunted::removal_keeps_the_order` does not hold", "stored in: "]);
    let run = place.shell("hunted", "cargo test");
    let run = run.expect(101, &["removal_keeps_the_order` does not hold", "findings/failed-"]);
    assert!(!run.text.contains("found by test"), "it was found anew, not replayed: {}", run.text);
}

#[test]
fn a_resumed_run_goes_on_from_the_values_of_the_corpus() {
    let place = Place::without(&["resumed"]);
    // With a loop, or the compiler would do without a branch, which a probe could see.
    let source = "#[cfg(test)]\n#[mutagen_engine::test]\nfn nothing_is_secret(key: u64, number: u8) -> bool {\n    \
                  let mut sum = 0;\n    if key == 0x1234_5678_9abc_def1 {\n        \
                  for _ in 0..std::hint::black_box(number) {\n            sum += 1;\n        }\n    }\n    \
                  sum != 77\n}\n";
    place.library("resumed", source);
    let fuzz = |time: &str| place.shell("resumed", &format!("cargo mutagen fuzz nothing --time {time}"));
    let ran = fuzz("1s").expect(0, &["held"]);
    // The last line of the display, which says how far it came.
    let line = ran.text.lines().find(|line| line.contains(" tests (")).expect("it is shown");
    for part in ["/s), ", " passed, 0 discarded, ", " edges, corpus ", "(seed 0)"] {
        assert!(line.contains(part), "{line}");
    }
    let planted = "# mutagen value, format 1\n# property: planted\n(1311768467463790321, 0)\n";
    place.write("resumed/mutagen/nothing_is_secret/corpus/planted.txt", planted);
    let ran = fuzz("60s").expect(1, &["1311768467463790321", "77", "stored in: "]);
    assert!(!ran.text.contains("(seed 0)"), "another corpus, another seed: {}", ran.text);
}

#[test]
fn a_terminal_shows_a_live_line() {
    let place = Place::without(&["live"]);
    repaired(&place, "live");
    if place.shell("", "command -v script").code != Some(0) {
        eprintln!("SKIPPED: there is no `script`, which makes a terminal");
        return;
    }
    let command = "script -qec 'cargo mutagen fuzz removal --time 2s' /dev/null";
    let run = place.shell("live", command).expect(0, &["held"]);
    let shown = run.text.matches("\r\u{1b}[2K").count();
    assert!(shown >= 3 && run.text.contains(" s: ") && run.text.contains(" edges, corpus "), "{}", run.text);
}

#[test]
fn ordinary_builds_stay_warm() {
    let place = Place::without(&["warm"]);
    place.template("warm");
    place.shell("warm", "cargo test --no-run").expect(0, &[]);
    place.shell("warm", "cargo mutagen test").expect(1, &["does not hold"]);
    let run =
        place.shell("warm", "cargo test --no-run -v").expect(0, &["Fresh warm ", "Fresh mutagen-engine "]);
    assert!(!run.text.contains("Compiling") && !run.text.contains("Dirty"), "{}", run.text);
}

#[test]
fn the_template_is_built_with_the_lock_file_that_it_has() {
    let place = Place::without(&["locked"]);
    place.shell("", "mkdir locked && cp -r mutagen-wasm/examples/outside/. locked").expect(0, &[]);
    let manifest = std::fs::read_to_string(place.path().join("locked/Cargo.toml")).expect("it is there");
    // It lies elsewhere now. Lock files do not say where packages lie.
    place.write("locked/Cargo.toml", &manifest.replace("../../engine", "../mutagen-wasm/engine"));
    place
        .shell("locked", "rm -rf target && cargo mutagen test --locked")
        .expect(1, &["property `outside::removal_keeps_the_order` does not hold"]);
}
