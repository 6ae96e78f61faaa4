//! `coverage`, `cmin`, `seeds` and `show`: what modules reach, and collections of them.

#[path = "common/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use program::{Run, run_at};

/// A directory with the results of a short campaign.
fn campaign(words: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let Run { code, err, .. } = run_at(directory.path(), &format!("{words} -q -o out"));
    assert_eq!((code, err.as_str()), (0, ""));
    directory
}

/// The number after `name` in a JSON text.
fn number(json: &str, name: &str) -> u64 {
    let after = json.split(&format!("\"{name}\":")).nth(1).unwrap_or_else(|| panic!("no {name} in {json}"));
    let digits: String = after.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{name} is no number in {json}"))
}

/// The shares of `lines` and `functions` of everything, as the table shows them.
fn totals(table: &str) -> Vec<u64> {
    let row = table.lines().find(|line| line.starts_with("everything")).expect("the table has totals");
    let words: Vec<&str> = row.split_whitespace().collect();
    [1, 3, 6, 8].map(|place| words[place].parse().unwrap_or_else(|_| panic!("{row}"))).to_vec()
}

fn modules_below(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(directory).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        match path.is_dir() {
            true => found.extend(modules_below(&path)),
            false => drop(found.insert(path.display().to_string())),
        }
    }
    found
}

#[test]
fn the_figure_of_a_campaign_is_that_of_replaying_its_corpus() {
    for words in [
        "interpret --tests 300 --fixes",
        "interpret --tests 300 --property interpreter-i32 --features wasm1 --fixes",
        "validate --tests 300 --fixes",
        "interpret --tests 300 --fixes -j 2 --keep-going",
        "interpret --tests 300 --fixes --no-supervisor",
    ] {
        let directory = campaign(words);
        let stats = fs::read_to_string(directory.path().join("out/stats.json")).expect("it is stored");
        let Run { code, out, .. } = run_at(directory.path(), "coverage out --json");
        assert_eq!(code, 0, "{out}");
        let probes = out.split("\"probes\":").nth(1).expect("the object has probes");
        assert_eq!(number(&stats, "probes_reached"), number(probes, "reached"), "{words}");
        assert!(number(&stats, "probes_reached") > 500, "{words}");
        // The page says the same, in percent.
        let percent = |share: &str, all: u64| 100.0 * number(share, "reached") as f64 / all as f64;
        let tile = format!("<dd>{:.1} %</dd>", percent(probes, number(probes, "all")));
        let page = fs::read_to_string(directory.path().join("out/report.html")).expect("it is stored");
        assert!(page.contains(&tile), "{words}: no {tile}");
    }
}

#[test]
fn an_interrupted_campaign_tells_what_its_corpus_reaches() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let words = ["interpret", "--fixes", "--time", "1h", "-q", "-o", "out"];
    let child = program::command(directory.path(), &words).spawn().expect("the program can be run");
    let plot = directory.path().join("out/plot.csv");
    let has_two_rows = || fs::read_to_string(&plot).is_ok_and(|text| text.lines().count() > 2);
    while !has_two_rows() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let stopped = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(stopped.expect("there is `kill`").success());
    let Run { code, err, .. } = program::end(child);
    assert_eq!(code, 143, "{err}");
    let stats = fs::read_to_string(directory.path().join("out/stats.json")).expect("it is stored");
    assert!(number(&stats, "probes_reached") > 1_000, "{stats}");
    let page = fs::read_to_string(directory.path().join("out/report.html")).expect("it is stored");
    assert!(page.contains("<figure id=\"files\">") && !page.contains("when the campaign ends"), "{page}");
}

/// The annotation of the line on which a function of wasmi's translator begins: how many modules reached it, and its source.
fn annotated<'a>(page: &'a str, function: &str) -> (&'a str, &'a str) {
    let file = page.split("<pre id=\"wasmi-2.0.0/src/engine/translator/func/visit.rs\">").nth(1);
    let lines = file.and_then(|rest| rest.split("</pre>").next()).expect("the file is there").split("<span");
    let begin = format!("    fn {function}(");
    let (head, source) = lines
        .filter_map(|line| line.split_once("</i>"))
        .find(|(_, source)| source.starts_with(&begin))
        .unwrap_or_else(|| panic!("no {function}"));
    (head.split_whitespace().last().expect("there is a number"), source)
}

#[test]
fn ten_lines_of_the_annotated_source_have_the_modules_with_their_instruction() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (name, body) in [
        ("a", "(drop (i32.popcnt (local.get 0))) (drop (i64.extend8_s (i64.const 5)))"),
        ("b", "(drop (i32.popcnt (local.get 0))) (block (br_table 0 0 (local.get 0)))"),
        (
            "c",
            "(drop (i32.popcnt (local.get 0))) (drop (i32.popcnt (local.get 0))) (drop (memory.grow (i32.const 0)))",
        ),
        ("d", "(drop (f64.copysign (f64.const 1) (f64.const 2))) (block (br_table 0 0 (local.get 0)))"),
    ] {
        let text = format!("(module (memory 1) (func (export \"f\") (param i32) {body}))");
        fs::write(directory.path().join(name).with_extension("wat"), text).expect("it can be written");
    }
    let Run { code, err, .. } = run_at(directory.path(), "coverage . --html page.html");
    assert_eq!((code, err.as_str()), (0, ""));
    let page = fs::read_to_string(directory.path().join("page.html")).expect("it was written");
    if !page.contains("fn visit_i32_popcnt(") {
        eprintln!("SKIPPED: the source of the target is not in cargo's registry");
        return;
    }
    for (function, modules) in [
        ("visit_i32_popcnt", "3"),
        ("visit_br_table", "2"),
        ("visit_i64_extend8_s", "1"),
        ("visit_memory_grow", "1"),
        ("visit_f64_copysign", "1"),
        ("visit_i32_clz", "0"),
        ("visit_i64_extend16_s", "0"),
        ("visit_table_grow", "0"),
        ("visit_i64_store32", "0"),
        ("visit_return_call_indirect", "0"),
    ] {
        let (tests, source) = annotated(&page, function);
        assert_eq!(tests, modules, "{source}");
    }
}

#[test]
fn genhtml_takes_the_lcov_file_and_has_the_totals_of_the_table() {
    if Command::new("genhtml").arg("--version").output().is_err() {
        eprintln!("SKIPPED: genhtml is not installed (Debian package lcov)");
        return;
    }
    let directory = campaign("interpret --tests 300 --fixes");
    let Run { code, out, err } = run_at(directory.path(), "coverage out --lcov c.info");
    assert_eq!((code, err.as_str()), (0, ""));
    let lcov = fs::read_to_string(directory.path().join("c.info")).expect("it was written");
    if lcov.lines().filter_map(|line| line.strip_prefix("SF:")).any(|file| !Path::new(file).exists()) {
        eprintln!("SKIPPED: the source of the target is not in cargo's registry");
        return;
    }
    let made = Command::new("genhtml").args(["c.info", "-o", "pages"]).current_dir(&directory).output();
    let made = made.expect("genhtml can be run");
    let said = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success(), "{said}{}", String::from_utf8_lossy(&made.stderr));
    let [lines, all_lines, functions, all_functions] = totals(&out)[..] else { panic!("{out}") };
    assert!(said.contains(&format!("({lines} of {all_lines} lines)")), "{lines} of {all_lines}: {said}");
    assert!(said.contains(&format!("({functions} of {all_functions} functions)")), "{functions}: {said}");
}

#[test]
fn a_page_shows_the_source_of_what_was_reached_and_lists_functions_that_never_were() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    fs::write(directory.path().join("a.wat"), "(module (func (export \"f\") (result i32) i32.const 1))")
        .expect("ok");
    let Run { code, err, .. } = run_at(directory.path(), "coverage a.wat --html pages");
    assert_eq!((code, err.as_str()), (0, ""));
    let page = fs::read_to_string(directory.path().join("pages/index.html")).expect("it was written");
    assert!(
        page.contains("Functions that were never reached") && page.contains("wasmi-2.0.0/src/engine/mod.rs")
    );
    let Run { out, .. } = run_at(directory.path(), "coverage a.wat --unreached");
    assert!(out.contains("wasmi-2.0.0/src/engine/translator/func/simd/visit.rs\n"), "{out}");
    let Run { out: with_memory, .. } = run_at(directory.path(), "coverage a.wat --validate-only");
    let Run { out, .. } = run_at(directory.path(), "coverage a.wat");
    let lines = |table: &str| totals(table)[0];
    assert!(lines(&with_memory) < lines(&out), "running reaches more than validating");
}

#[test]
fn cmin_keeps_what_all_modules_reach_and_removes_the_others() {
    let directory = campaign("interpret --tests 400 --fixes");
    let corpus = directory.path().join("out/corpus");
    let before = modules_below(&corpus);
    let reached =
        || run_at(directory.path(), "coverage out --json").out.split("\"probes\"").nth(1).map(str::to_owned);
    let all = reached();
    // Copies stay apart from the corpus.
    let Run { code, out, .. } = run_at(directory.path(), "cmin out -o small");
    assert_eq!(code, 0, "{out}");
    assert_eq!(modules_below(&corpus), before);
    let small = modules_below(&directory.path().join("small"));
    assert!(small.len() < before.len(), "{out}");
    // In place, the others go.
    let Run { code, out: again, .. } = run_at(directory.path(), "cmin out");
    assert_eq!((code, &again), (0, &out));
    assert_eq!(modules_below(&corpus).len(), small.len());
    assert!(modules_below(&corpus).is_subset(&before));
    assert_eq!(reached(), all);
    // What was made smaller cannot be made smaller.
    let Run { out: third, .. } = run_at(directory.path(), "cmin out --dry-run");
    assert!(third.starts_with(&format!("{0} of {0} modules", small.len())), "{third}");
    assert_eq!(third.split("take all").nth(1), out.split("take all").nth(1));
    // An earlier result is not overwritten.
    let Run { code, err, .. } = run_at(directory.path(), "cmin out -o small");
    assert_eq!(code, 4, "{err}");
    assert!(err.contains("small is not empty"), "{err}");
}

#[test]
fn cmin_leaves_files_alone_that_are_no_modules() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = |name: &str| directory.path().join("d").join(name);
    fs::create_dir(directory.path().join("d")).expect("ok");
    let text = "(module (func (export \"f\") (result i32) i32.const 1))";
    for name in ["a.wat", "b.wat", "c.wat"] {
        fs::write(path(name), text).expect("ok");
    }
    fs::write(path("README"), "mine").expect("ok");
    fs::write(path("broken.wasm"), "no module").expect("ok");
    let Run { code, out, err } = run_at(directory.path(), "cmin d");
    assert_eq!(code, 3, "a file cannot be used");
    assert!(err.contains("broken.wasm") && out.starts_with("1 of 3 modules"), "{out}{err}");
    assert!(path("a.wat").exists() && !path("b.wat").exists() && !path("c.wat").exists());
    assert!(path("README").exists() && path("broken.wasm").exists());
}

#[test]
fn cmin_removes_no_module_of_a_finding() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    assert_eq!(run_at(directory.path(), "validate --bug wasm-6 -q -o out").code, 1);
    let findings = directory.path().join("out/findings");
    let found =
        modules_below(&findings).into_iter().find(|file| file.ends_with(".wasm")).expect("it is stored");
    // The same module, with a name that comes first.
    fs::copy(&found, findings.join("a.wasm")).expect("it can be copied");
    fs::copy(&found, findings.join("b.wasm")).expect("it can be copied");
    let Run { code, out, err } = run_at(directory.path(), "cmin out/findings");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("1 of 3 modules"), "{out}");
    assert!(
        findings.join("a.wasm").exists() && !findings.join("b.wasm").exists() && Path::new(&found).exists()
    );
}

#[test]
fn targets_without_probes_are_refused_and_no_module_is_removed() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    fs::create_dir(directory.path().join("d")).expect("ok");
    for (name, text) in [("a.wat", "(module (func))"), ("b.wat", "(module (func))")] {
        fs::write(directory.path().join("d").join(name), text).expect("ok");
    }
    for target in ["tinywasm", "dlr", "wasmtime", "isolated:wasmi"] {
        for command in ["cmin d", "coverage d", "coverage d --unreached"] {
            let Run { code, out, err } = run_at(directory.path(), &format!("{command} --target {target}"));
            assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{command} {target}: {err}");
            assert!(err.contains(&format!("{target} has no probes in this program")), "{command}: {err}");
        }
    }
    assert_eq!(modules_below(&directory.path().join("d")).len(), 2);
    // What the engines say is shown all the same.
    let Run { code, out, err } = run_at(directory.path(), "show d/b.wat --target tinywasm");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("engines:    equal") && out.contains("reached:    tinywasm has no probes"), "{out}");
    let Run { code, out, .. } = run_at(directory.path(), "cmin d --target wasmi-lazy --dry-run");
    assert!(code == 0 && out.starts_with("1 of 2 modules"), "{out}");
}

#[test]
fn a_campaign_on_a_target_without_probes_claims_no_coverage() {
    let directory = campaign(
        "interpret --tests 50 --target tinywasm --nans raw --property interpreter-i32 --features wasm1",
    );
    let stats = fs::read_to_string(directory.path().join("out/stats.json")).expect("it is stored");
    assert!(!stats.contains("wasmi-2.0.0/"), "{stats}");
    let page = fs::read_to_string(directory.path().join("out/report.html")).expect("it is stored");
    assert!(!page.contains("wasmi-2.0.0/") && page.contains("tinywasm has no probes"), "{page}");
}

#[test]
fn seeds_of_scripts_and_modules_start_a_campaign() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let suite = directory.path().join("suite/core");
    fs::create_dir_all(&suite).expect("ok");
    let script = r#"
        (module (func (export "f") (param i32) (result i32) local.get 0))
        (assert_return (invoke "f" (i32.const 1)) (i32.const 1))
        (module (memory 1))
        (module binary "\00asm" "\01\00\00\00")
        (module quote "(func (result i64) i64.const 3)")
        (assert_invalid (module (func (result i32))) "type mismatch")
        (assert_malformed (module quote "(func i32.nothing)") "unknown operator")
        (assert_unlinkable (module (import "a" "b" (func))) "unknown import")
        (assert_trap (module (func unreachable) (start 0)) "unreachable")
        (module (tag))
        (module (memory 1))"#;
    fs::write(suite.join("some.wast"), script).expect("ok");
    fs::write(suite.join("broken.wast"), "(module\n(func").expect("ok");
    let threads = r#"(module $Mem (memory 1 1))
        (thread $T1 (shared (module $Mem))
          (register "mem" $Mem)
          (module (memory 7)))
        (wait $T1)
        (assert_malformed (module binary "\00asm\0d\00\00\00") "unknown binary version")
        (assert_malformed (module binary "") "unexpected end")"#;
    fs::create_dir_all(directory.path().join("suite/proposals/threads")).expect("ok");
    fs::write(directory.path().join("suite/proposals/threads/wait.wast"), threads).expect("ok");
    fs::write(suite.join("one.wat"), "(module (global i32 (i32.const 5)))").expect("ok");
    fs::write(suite.join("notes.txt"), "no module").expect("ok");
    std::os::unix::fs::symlink(directory.path(), suite.join("round")).expect("ok");
    let Run { code, out, err } = run_at(directory.path(), "seeds suite -o seeds -v");
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.starts_with("10 seeds in seeds; 1 modules were the same as others, 5 left out"),
        "{out}{err}"
    );
    assert!(err.contains("some.wast:8: malformed on purpose"), "{err}");
    assert!(
        err.contains("wait.wast:6: malformed on purpose: malformed module: unknown binary version"),
        "{err}"
    );
    assert!(err.contains("some.wast:11: ") && err.contains("broken.wast:2: "), "{err}");
    let found = modules_below(&directory.path().join("seeds"));
    assert_eq!(found.len(), 10);
    assert!(found.iter().any(|file| file.contains("/wait-4-")), "a module in a thread: {found:?}");
    assert!(found.iter().any(|file| file.contains("/some-2-")), "{found:?}");
    // A second time adds nothing, and all of them are taken.
    run_at(directory.path(), "seeds suite -o seeds");
    assert_eq!(modules_below(&directory.path().join("seeds")), found);
    let Run { out, err, .. } =
        run_at(directory.path(), "interpret --guidance repro --input seeds -q --fixes");
    assert_eq!(err, "");
    assert_eq!(out.lines().filter(|line| line.starts_with("seeds/")).count(), 10, "{out}");
    // Malformed modules are told of together, whatever is wrong with them.
    let Run { err, .. } = run_at(directory.path(), "seeds suite -o seeds");
    assert_eq!(err.matches("malformed on purpose").count(), 1, "{err}");
    assert!(err.contains("left out, and 2 more like it: "), "{err}");
}

#[test]
fn without_a_single_seed_the_code_says_so() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let Run { code, err, .. } = run_at(directory.path(), "seeds nowhere.wat -o seeds");
    assert_eq!(code, 3);
    assert!(err.contains("nowhere.wat: No such file"), "{err}");
}

#[test]
fn show_tells_text_sizes_features_answers_and_what_is_reached() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let text = "(module (func (export \"f\") (param i32) (result i32) local.get 0 i32.extend8_s))";
    fs::write(directory.path().join("a.wat"), text).expect("ok");
    let Run { code, out, err } = run_at(directory.path(), "show a.wat --functions 3");
    assert_eq!((code, err.as_str()), (0, ""));
    for part in [
        "i32.extend8_s\n",
        "size:       ",
        "sections: type 6, function 2, export 5, code ",
        "contents:   1 functions, 2 instructions, blocks 0 deep, 0 imports, 1 exports",
        "needs:      sign-extension",
        "engines:    equal",
        "call \"f\" with [i32:0]: both returned [i32:0]",
        " in wasmparser-0.228.0/src/",
        "more functions: --functions shows more",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let Run { code, out, .. } = run_at(directory.path(), "show a.wat --no-text --features wasm1");
    assert_eq!(code, 0);
    assert!(!out.contains("(module") && out.contains("validate: both rejected: sign extension"), "{out}");
}
