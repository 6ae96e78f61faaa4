//! The benchmark, with real child processes on small tasks: resuming, shards, repeatability, and files that
//! are not results.

#[path = "common/program.rs"]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use program::{Run, command, end, run_in};
use serde_json::Value;

const DOCUMENTATION: &str = include_str!("../docs/benchmarks.md");

/// Two bugs that are found at once.
const PLAN: &str =
    "--task stack-1 --task stack-7 --strategy mutagen --strategy random:1 --trials 2 --time 1s";

fn bench(directory: &Path, line: &str) -> Run {
    let words: Vec<&str> = ["bench"].into_iter().chain(line.split_whitespace()).collect();
    run_in(directory, &words, b"")
}

#[track_caller]
fn bench_fine(directory: &Path, line: &str) -> Run {
    let run = bench(directory, line);
    assert_eq!(run.code, 0, "`bench {line}`: {}{}", run.out, run.err);
    run
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn cell_files(results: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(results.join("cells")).into_iter().flatten();
    let mut files: Vec<PathBuf> = listed.map(|file| file.expect("it can be listed").path()).collect();
    files.retain(|file| file.is_file() && file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

/// Starts `bench` without waiting for it.
fn start(directory: &Path, line: &str) -> Child {
    let words: Vec<&str> = ["bench"].into_iter().chain(line.split_whitespace()).collect();
    command(directory, &words).spawn().expect("it can be run")
}

/// Every result by the name of its cell.
fn results(results: &Path) -> BTreeMap<String, Value> {
    let read = |file: &PathBuf| {
        let name = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(file).expect("it can be read");
        (name, serde_json::from_str(&text).expect("it is JSON"))
    };
    cell_files(results).iter().map(read).collect()
}

/// The parts of a result that must be the same whenever a cell is run: the seed, and the test that found the
/// bug.
fn essence(results: &BTreeMap<String, Value>) -> BTreeMap<&str, (&Value, &Value, Option<&Value>)> {
    let of = |result: &'_ Value| result["outcome"] == "found";
    results
        .iter()
        .map(|(name, result)| {
            (name.as_str(), (&result["seed"], &result["outcome"], of(result).then_some(&result["tests"])))
        })
        .collect()
}

#[test]
fn a_run_stores_one_result_per_cell_and_two_runs_find_the_same() {
    let here = temporary();
    bench_fine(here.path(), &format!("run {PLAN} -o a"));
    bench_fine(here.path(), &format!("run {PLAN} -o b -j 1"));
    let [a, b] = ["a", "b"].map(|name| results(&here.path().join(name)));
    assert_eq!(a.len(), 6);
    assert_eq!(essence(&a), essence(&b));
    assert_eq!(a["stack-7@mutagen@0"]["outcome"], "found");
    assert_eq!(a["stack-7@random@0"]["outcome"], "timeout");
    for field in [
        "tests",
        "passed",
        "discarded",
        "seconds",
        "seed",
        "version",
        "strategy",
        "discrepancies",
        "host",
        "build",
    ] {
        assert!(!a["stack-1@mutagen@0"][field].is_null(), "{field}");
    }
}

#[test]
fn strategies_with_a_generator_are_run_stored_and_reported() {
    let here = temporary();
    let generators = ["copy", "independent", "smart", "derived", "typed"];
    let strategies = generators.map(|name| format!("--strategy random,generator={name}")).join(" ");
    let plan =
        format!("--task stack-1 --task register-1 --task wasm-14 {strategies} --trials 1 --time 500ms");
    bench_fine(here.path(), &format!("plan {plan} -o a"));
    bench_fine(here.path(), "run -o a -q");
    let results = results(&here.path().join("a"));
    assert_eq!(results.len(), 8, "{:?}", results.keys());
    for (name, result) in &results {
        assert!(["found", "timeout"].iter().any(|outcome| result["outcome"] == *outcome), "{name}: {result}");
    }
    assert_eq!(results["stack-1@random,generator=smart@0"]["outcome"], "found");
    let report = bench_fine(here.path(), "report a --baseline random,generator=smart");
    assert!(!report.err.contains("skipped"), "{}", report.err);
    assert!(report.out.contains("random,generator=typed"), "{}", report.out);
}

#[test]
fn trials_of_a_cell_are_not_copies_of_one_another() {
    let here = temporary();
    bench_fine(here.path(), "run --task stack-1 --strategy mutagen:4 --time 2s -o a");
    let tests: Vec<Value> =
        results(&here.path().join("a")).into_values().map(|result| result["tests"].clone()).collect();
    let distinct: std::collections::BTreeSet<String> = tests.iter().map(Value::to_string).collect();
    assert!(distinct.len() >= 3, "{tests:?}");
}

#[test]
fn shards_that_run_at_the_same_time_in_one_directory_are_together_the_whole_run() {
    let here = temporary();
    bench_fine(here.path(), &format!("run {PLAN} -o whole"));
    let shard = |index: usize| start(here.path(), &format!("run {PLAN} -o parts -j 1 --shard {index}/3"));
    for running in [0, 1, 2].map(shard) {
        let ended = end(running);
        assert!(ended.code == 0 && ended.err.contains("cells are done"), "{}", ended.err);
    }
    let [whole, parts] = ["whole", "parts"].map(|name| results(&here.path().join(name)));
    assert_eq!(essence(&whole), essence(&parts));
}

#[test]
fn a_plan_of_a_shard_has_the_cells_that_a_run_of_it_runs() {
    let here = temporary();
    let planned = bench_fine(here.path(), &format!("plan {PLAN} --shard 1/3 --json")).out;
    let planned: Value = serde_json::from_str(&planned).expect("it is JSON");
    bench_fine(here.path(), &format!("run {PLAN} --shard 1/3 -o part"));
    let run = results(&here.path().join("part"));
    let name =
        |cell: &Value| format!("{}@{}@{}", cell["task"], cell["strategy"], cell["trial"]).replace('"', "");
    let planned: Vec<String> = planned["cells"].as_array().into_iter().flatten().map(name).collect();
    assert!(!planned.is_empty());
    assert_eq!(planned.len(), run.len());
    assert!(planned.iter().all(|cell| run.contains_key(cell)), "{planned:?} and {:?}", run.keys());
}

#[test]
fn the_recipe_for_several_processes_does_what_the_documentation_says() {
    let mut recipes = vec!["seq 0 1 | xargs"];
    let parallel = Command::new("parallel").arg("--version").output();
    if parallel.is_ok_and(|output| output.stdout.starts_with(b"GNU parallel")) {
        recipes.push("parallel mutagen-wasm");
    }
    for start in recipes {
        let recipe = DOCUMENTATION.lines().find(|line| line.starts_with(start)).expect("it is there");
        let here = temporary();
        let program = command(here.path(), &[]).get_program().to_string_lossy().into_owned();
        let script = recipe.replace("mutagen-wasm", &program).replace("--suite smoke", PLAN);
        assert!(script.contains(PLAN) && script.contains(&program), "{script}");
        let shell = Command::new("sh").args(["-c", &script]).current_dir(here.path()).output();
        let output = shell.expect("there is a shell");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(results(&here.path().join("results")).len(), 6, "{script}");
    }
}

#[test]
fn the_plans_of_the_documentation_exist() {
    let here = temporary();
    let commands: Vec<&str> = DOCUMENTATION.split("mutagen-wasm bench run ").skip(1).collect();
    assert!(commands.len() >= 12, "{}", commands.len());
    for rest in commands {
        let line = rest.split(['`', '\n', '#']).next().unwrap_or_default();
        // The flags that belong to the plan, with their values, without the quotes that a shell removes.
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('\'')).collect();
        let flags = ["--suite", "--task", "--strategy", "--trials", "--time"];
        let plan: Vec<&str> =
            words.windows(2).filter(|pair| flags.contains(&pair[0])).flatten().copied().collect();
        assert!(!plan.is_empty(), "{line}");
        bench_fine(here.path(), &format!("plan {}", plan.join(" ")));
    }
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let here = temporary();
    bench_fine(here.path(), &format!("run {PLAN} -o whole"));
    let mut killed = start(here.path(), &format!("run {PLAN} -o resumed -j 1"));
    while cell_files(&here.path().join("resumed")).len() < 2 {
        std::thread::sleep(Duration::from_millis(2));
    }
    killed.kill().expect("it can be killed");
    killed.wait().expect("it ends");
    let modified =
        |file: &PathBuf| fs::metadata(file).and_then(|facts| facts.modified()).expect("it is there");
    let kept = cell_files(&here.path().join("resumed"));
    let before: Vec<_> = kept.iter().map(modified).collect();
    assert!(kept.len() < 6, "it was killed too late to show anything");
    let resumed = bench_fine(here.path(), "run -o resumed");
    assert!(resumed.err.contains("of 6 cells are done already"), "{}", resumed.err);
    let [whole, resumed] = ["whole", "resumed"].map(|name| results(&here.path().join(name)));
    assert_eq!(essence(&whole), essence(&resumed));
    for (file, before) in kept.iter().zip(before) {
        assert_eq!(modified(file), before, "{} was run again", file.display());
    }
}

#[test]
fn files_that_are_no_results_are_named_skipped_and_run_again() {
    let here = temporary();
    bench_fine(here.path(), &format!("run {PLAN} -o a"));
    let cells = here.path().join("a/cells");
    let whole = fs::read_to_string(cells.join("stack-1@mutagen@0.json")).expect("it is there");
    let write = |name: &str, text: &[u8]| fs::write(cells.join(name), text).expect("it can be written");
    write("stack-1@mutagen@0.json", &whole.as_bytes()[..whole.len() / 2]);
    write("stack-1@mutagen@1.json", b"");
    write("stack-7@mutagen@0.json", whole.as_bytes());
    write("stack-7@mutagen@1.json", b"\xff\xfe\x00");
    write("notes.txt", b"mine");
    fs::create_dir(cells.join("stack-1@random@9.json")).expect("it can be made");
    let bad = [
        "stack-1@mutagen@0",
        "stack-1@mutagen@1",
        "stack-7@mutagen@0",
        "stack-7@mutagen@1",
        "notes.txt",
        "stack-1@random@9",
    ];
    let report = bench_fine(here.path(), "report a");
    for name in bad {
        assert!(
            report.err.lines().any(|line| line.starts_with("skipped ") && line.contains(name)),
            "{name}: {}",
            report.err
        );
    }
    assert!(report.err.contains("2 of 6 cells are done"), "{}", report.err);
    let again = bench_fine(here.path(), "run -o a");
    assert!(bad.iter().all(|name| again.err.contains(name)), "{}", again.err);
    let report = bench_fine(here.path(), "report a");
    assert!(report.err.contains("notes.txt") && !report.err.contains("cells are done"), "{}", report.err);
    assert_eq!(fs::read(cells.join("notes.txt")).expect("it is left alone"), b"mine");
}

/// The process that another one started, once it exists. Between fork and exec it still has its parent's
/// command line, and the parent waits for it: a process that is stopped there would stop the parent, too.
fn child_of(parent: u32) -> String {
    let command_line = |process: &Path| fs::read(process.join("cmdline")).unwrap_or_default();
    let own = command_line(&Path::new("/proc").join(parent.to_string()));
    let is_child = |process: &fs::DirEntry| {
        let facts = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // The name, in parentheses, may hold anything; the state and the parent follow it.
        let parent_of =
            facts.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1).map(str::to_owned));
        let begun = command_line(&process.path());
        parent_of == Some(parent.to_string()) && !begun.is_empty() && begun != own
    };
    loop {
        let processes = fs::read_dir("/proc").expect("the system shows its processes").flatten();
        if let Some(child) = processes.into_iter().find(is_child) {
            return child.file_name().to_string_lossy().into_owned();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[track_caller]
fn signal(name: &str, process: &str) {
    let sent = Command::new("kill").args([name, process]).status().expect("there is a shell");
    assert!(sent.success());
}

#[test]
fn cells_that_crash_or_hang_are_results_and_not_the_end_of_the_run() {
    let here = temporary();
    // Random testing finds nothing here and uses its whole time limit.
    let running =
        start(here.path(), "run --task stack-7 --strategy random:3 --time 1s --grace 300ms -j 1 -o a");
    let first = child_of(running.id());
    signal("-ABRT", &first);
    let second = loop {
        let child = child_of(running.id());
        if child != first {
            break child;
        }
    };
    signal("-STOP", &second);
    let ended = end(running);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let results = results(&here.path().join("a"));
    let outcomes: Vec<&Value> = results.values().map(|result| &result["outcome"]).collect();
    assert_eq!(outcomes, ["crashed", "hung", "timeout"]);
    assert!(results["stack-7@random@0"]["note"].as_str().is_some_and(|note| note.contains("signal 6")));
    assert!(ended.err.contains("stack-7@random@0: crashed"), "{}", ended.err);
}

#[test]
fn an_interrupted_run_stops_its_cells_and_keeps_what_is_done() {
    let here = temporary();
    let running = start(
        here.path(),
        "run --task stack-7 --strategy mutagen:1 --strategy random:1 --time 60s -j 1 -o a",
    );
    while cell_files(&here.path().join("a")).is_empty() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child_of(running.id());
    signal("-TERM", &running.id().to_string());
    assert_eq!(end(running).code, 143);
    assert_eq!(results(&here.path().join("a")).len(), 1);
}

#[test]
fn a_cell_that_somebody_killed_is_run_again() {
    let here = temporary();
    let running = start(here.path(), "run --task stack-7 --strategy random:1 --time 1s -j 1 -o a");
    signal("-KILL", &child_of(running.id()));
    let ended = end(running);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let results = results(&here.path().join("a"));
    assert_eq!(results["stack-7@random@0"]["outcome"], "timeout", "{results:?}");
}

#[test]
fn a_killed_run_leaves_no_file_and_no_process() {
    let here = temporary();
    let scratch = here.path().join("scratch");
    fs::create_dir(&scratch).expect("it can be made");
    let words = "bench run --task stack-7 --strategy random:1 --time 60s -j 1 -o a";
    let mut command = command(here.path(), &words.split(' ').collect::<Vec<_>>());
    let mut running = command.env("TMPDIR", &scratch).spawn().expect("the program can be run");
    let child = child_of(running.id());
    signal("-KILL", &running.id().to_string());
    running.wait().expect("it ends");
    assert_eq!(fs::read_dir(&scratch).expect("it is there").count(), 0);
    let process = Path::new("/proc").join(child);
    // A process that has ended and that nobody waits for has no command line.
    while fs::read(process.join("cmdline")).is_ok_and(|line| !line.is_empty()) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_directory_with_another_plan_is_left_alone() {
    let here = temporary();
    bench_fine(here.path(), &format!("plan {PLAN} -o a"));
    for line in ["run --suite smoke -o a", "plan --suite smoke -o a"] {
        let other = bench(here.path(), line);
        assert_eq!(other.code, 4, "{}", other.err);
        assert!(other.err.contains("another plan"), "{}", other.err);
    }
    fs::write(here.path().join("a/plan.json"), "{").expect("it can be written");
    let broken = bench(here.path(), "run -o a");
    assert_eq!(broken.code, 3, "{}", broken.err);
    assert!(broken.err.contains("plan.json"), "{}", broken.err);
}

#[test]
fn what_does_not_exist_is_a_usage_error_with_the_nearest_that_does() {
    let here = temporary();
    for (line, word) in [
        ("plan --task stak-2", "did you mean `stack-2`"),
        ("run --task register-3* --task wasm-r16", "did you mean `wasm-r1`"),
        ("run --strategy mutagne/paper", "did you mean `mutagen/paper`"),
        ("run --strategy random,generator=typd", "did you mean `random,generator=typed`"),
        ("plan --suite smok", "did you mean `smoke`"),
        ("run --shard 3/3", "0/3"),
        ("run --time 0s", "time"),
        ("run --trials 0", "trials"),
    ] {
        let run = bench(here.path(), line);
        assert_eq!(run.code, 2, "`{line}`: {}", run.err);
        assert!(run.err.contains(word), "`{line}`: {}", run.err);
        assert_eq!(run.out, "", "`{line}`");
    }
    assert_eq!(fs::read_dir(here.path()).expect("it is there").count(), 0, "nothing was stored");
}

#[test]
fn a_report_is_shown_and_stored() {
    let here = temporary();
    bench_fine(here.path(), &format!("run {PLAN} -o a -q"));
    let report = bench_fine(here.path(), "report a --baseline random -o out");
    for part in ["IFC stack machine", "stack-7", "A12 against random"] {
        assert!(report.out.contains(part), "{part}: {}", report.out);
    }
    for file in ["cells.csv", "summaries.csv", "totals.csv", "curves.csv", "report.json", "report.html"] {
        assert!(
            fs::metadata(here.path().join("out").join(file)).is_ok_and(|facts| facts.len() > 100),
            "{file}"
        );
    }
    let refused = bench(here.path(), "report a --baseline randon");
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("did you mean `random`"), "{}", refused.err);
    fs::create_dir(here.path().join("planned")).expect("it can be made");
    fs::copy(here.path().join("a/plan.json"), here.path().join("planned/plan.json"))
        .expect("it can be copied");
    let nothing = bench(here.path(), "report planned");
    assert_eq!(nothing.code, 3, "{}", nothing.err);
    assert!(!here.path().join("planned/report.html").exists(), "no report about nothing");
    let empty = bench(here.path(), "report nowhere");
    assert_eq!(empty.code, 3, "{}", empty.err);
}

/// Rewrites the results of a run as if everything had taken this many times as long.
fn slowed(results: &Path, into: &Path, factor: f64) {
    fs::create_dir_all(into.join("cells")).expect("it can be made");
    fs::copy(results.join("plan.json"), into.join("plan.json")).expect("it can be copied");
    for file in cell_files(results) {
        let mut result: Value =
            serde_json::from_str(&fs::read_to_string(&file).expect("it is there")).expect("it is JSON");
        result["seconds"] = (result["seconds"].as_f64().expect("it is a number") * factor).into();
        fs::write(into.join("cells").join(file.file_name().expect("it has a name")), result.to_string())
            .expect("it can be written");
    }
}

#[test]
fn a_comparison_ends_with_1_if_something_got_significantly_worse() {
    let here = temporary();
    let at = |name: &str| here.path().join(name);
    bench_fine(here.path(), "run --task stack-1 --task stack-7 --strategy mutagen:6 --time 1s -o a -q");
    slowed(&at("a"), &at("b"), 1000.0);
    let worse = bench(here.path(), "compare a b");
    assert_eq!(worse.code, 1, "{}{}", worse.out, worse.err);
    assert!(worse.out.contains("worse"), "{}", worse.out);
    assert_eq!(bench(here.path(), "compare b a").code, 0);
    let same = bench_fine(here.path(), "compare a a --by tests --all");
    assert!(same.out.contains("0 better, 0 worse, 2 same"), "{}", same.out);
}
