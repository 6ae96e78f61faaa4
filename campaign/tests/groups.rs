//! Campaigns that go on after a finding: groups, names, floods, and groups that the user knows.

use std::fs;
use std::path::{Path, PathBuf};

use mutagen_campaign::{
    Budget, CampaignOutcome, CampaignReport, Curb, Earlier, EngineProperty, EngineSpec, Error, Executable,
    Finding, Groups, Known, Ran, Setup, Spec, Stored, SubjectSpec, replay, run,
};
use mutagen_oracles::{Features, NanMode, Registry, on_stack};
use mutagen_properties::ModuleGenerator;
use tempfile::TempDir;

/// A module that shows wasm-f1. Numbers do not change its shape.
fn select(number: u32) -> String {
    format!(
        r#"(module (func (export "f") (param f64 i32) (result f64) (local i32 f64)
            (i32.add (local.get 1) (i32.const {number}))
            (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
            (local.set 3) (drop) (local.get 3)))"#
    )
}

/// A module that shows wasm-f2.
fn store(offset: u32) -> String {
    format!(
        r#"(module (memory 2) (func (export "f") (param i32) (local i32)
            (local.set 1 (i32.add (local.get 0) (i32.const 1)))
            (i32.store offset={offset} (local.get 1) (local.get 1))))"#
    )
}

/// A module that shows wasm-11.
fn subtract(number: u32) -> String {
    format!(
        r#"(module (func (export "f") (param i32) (result i32) (i32.sub (local.get 0) (i32.const {number}))))"#
    )
}

/// A campaign that tests the given modules and nothing else, and goes on after a finding.
fn spec(bug: Option<&str>, modules: usize) -> Spec {
    let property = EngineProperty::Interpreter { generator: ModuleGenerator::Derived };
    Spec {
        keep_going: true,
        bug: bug.map(str::to_owned),
        budget: Budget { tests: Some(modules as u64), ..Budget::default() },
        ..Spec::new(SubjectSpec::Engines(EngineSpec::new(property)))
    }
}

fn given(directory: &Path, texts: &[String]) -> Vec<PathBuf> {
    let write = |(number, text): (usize, &String)| {
        let path = directory.join(format!("{number:03}.wat"));
        fs::write(&path, text).expect("it can be written");
        path
    };
    texts.iter().enumerate().map(write).collect()
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn try_run(spec: &Spec, at: &Path, texts: &[String], earlier: Earlier) -> Result<Ran, Error> {
    let engines = Registry::default();
    let output = Some((at.join("out"), earlier));
    let setup = Setup { inputs: given(at, texts), output, ..Setup::new(&engines) };
    on_stack(|| run(spec, setup)).expect("there is a thread")
}

fn report(spec: &Spec, at: &Path, texts: &[String]) -> CampaignReport {
    try_run(spec, at, texts, Earlier::Refuse).expect("it runs").report
}

fn findings(at: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(at.join("out/findings")).expect("it is there");
    let paths = files.map(|file| file.expect("it can be listed").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

#[test]
fn findings_of_one_bug_are_one_group_with_its_name_its_count_and_one_stored_exemplar() {
    let directory = directory();
    let texts = [select(1), store(70_000), select(2), store(80_000), select(3)];
    let report = report(&spec(None, texts.len()), directory.path(), &texts);
    assert_eq!((report.outcome, report.tests), (CampaignOutcome::Finding, 5));
    let told: Vec<_> = report.groups.iter().map(|group| (group.fix.as_deref(), group.count)).collect();
    assert_eq!(told, [(Some("wasm-f1"), 3), (Some("wasm-f2"), 2)]);
    let [select, store] = &report.groups[..] else { panic!("{:?}", report.groups) };
    assert_eq!((select.first.tests, select.last.tests), (1, 5));
    assert_eq!((store.first.tests, store.last.tests, store.kind.as_str()), (2, 4, "panic"));
    // The first finding stays where it was.
    let first = report.finding.expect("there is one");
    assert_eq!((first.tests, &first.file), (1, &select.file));

    let mut stored = findings(directory.path());
    stored.sort();
    let mut expected: Vec<_> = report.groups.into_iter().filter_map(|group| group.file).collect();
    expected.sort();
    assert_eq!(stored, expected, "one exemplar for each group");
    let program = Executable::this().expect("it runs");
    for file in stored {
        let Ok(Stored::Finding(finding)) = Finding::read(&file) else { panic!("{}", file.display()) };
        let replayed =
            on_stack(|| replay(&finding, &Registry::default(), &program)).expect("there is a thread");
        assert!(replayed.expect("it replays").stands(), "{}", file.display());
    }
}

#[test]
fn a_group_that_keeps_coming_has_its_fix_switched_on_and_others_are_still_found() {
    let directory = directory();
    let mut texts: Vec<String> = (0..15).map(select).collect();
    texts.push(store(70_000));
    let report = report(&spec(None, texts.len()), directory.path(), &texts);
    let told: Vec<_> =
        report.groups.iter().map(|group| (group.fix.as_deref(), group.count, group.curbed)).collect();
    assert_eq!(told, [(Some("wasm-f1"), Groups::FLOOD, Some(Curb::Fixed)), (Some("wasm-f2"), 1, None)]);
    assert_eq!(report.passed, 15 - Groups::FLOOD, "with the fix, the rest passes");
    // The second exemplar says that the fix of the first was on.
    let file = report.groups[1].file.as_ref().expect("it is stored");
    let Ok(Stored::Finding(Finding::Module(finding))) = Finding::read(file) else {
        panic!("{}", file.display())
    };
    assert_eq!(finding.late_fixes, ["wasm-f1"]);
}

#[test]
fn without_a_fix_the_shapes_of_a_group_that_keeps_coming_are_skipped_before_they_are_judged() {
    let directory = directory();
    let texts: Vec<String> = (1..20).map(subtract).collect();
    let report = report(&spec(Some("wasm-11"), texts.len()), directory.path(), &texts);
    let [group] = &report.groups[..] else { panic!("{:?}", report.groups) };
    assert_eq!((group.count, group.curbed), (Groups::FLOOD, Some(Curb::Skipped)));
    assert_eq!(group.fix, None, "no fix explains an injected bug");
    assert_eq!(report.labels["skipped: a known group"], texts.len() as u64 - Groups::FLOOD);
    assert_eq!(report.tests, texts.len() as u64);
}

#[test]
fn panics_in_one_place_that_no_fix_explains_are_one_group_whatever_the_modules_look_like() {
    let grow = r#"(module (memory 1) (func (export "f") (result i32) (memory.grow (i32.const -1))))"#;
    let other = r#"(module (memory 2) (func (export "g") (param i32) (drop (memory.grow (i32.const -2)))))"#;
    let SubjectSpec::Engines(engines) = spec(None, 2).subject else { panic!("it is about engines") };
    let engines = EngineSpec {
        target: "dlr".to_owned(),
        nans: NanMode::Raw,
        features: Features::WASM2,
        first_opinion: None,
        ..engines
    };
    let spec = Spec { subject: SubjectSpec::Engines(engines), ..spec(None, 2) };
    let directory = directory();
    let groups = report(&spec, directory.path(), &[grow, other].map(str::to_owned)).groups;
    assert_eq!(groups.iter().map(|group| group.count).collect::<Vec<_>>(), [2], "{groups:#?}");
    assert!(groups[0].site.as_ref().is_some_and(|site| site.starts_with("panic: ")), "{groups:#?}");
}

#[test]
fn known_groups_are_counted_and_are_no_findings() {
    let directory = directory();
    let texts = [select(1), subtract(3), select(2)];
    let shape = |bug, text: &str| {
        let other = tempfile::tempdir().expect("a temporary directory can be made");
        report(&spec(bug, 1), other.path(), &[text.to_owned()]).groups[0].shape.to_string()
    };
    let known =
        |shape: &str| format!("[[known]]\nshape = \"{shape}\"\nreason = \"reported\"\ndate = 2026-11-18\n");
    fs::create_dir(directory.path().join("out")).expect("it can be made");
    let file = directory.path().join("out").join(Known::FILE);
    // By the hash of its shape.
    fs::write(&file, known(&shape(None, &texts[0]))).expect("it can be written");
    let ran = try_run(&spec(None, 3), directory.path(), &texts, Earlier::Refuse).expect("it runs");
    assert_eq!((ran.report.outcome, ran.report.finding), (CampaignOutcome::Passed, None));
    let [group] = &ran.report.groups[..] else { panic!("{:?}", ran.report.groups) };
    assert_eq!((group.count, group.silenced.as_deref()), (2, Some("reported (2026-11-18)")));
    assert_eq!(findings(directory.path()), [] as [PathBuf; 0]);
    // By the name of its fix; the file stays when earlier results are moved aside.
    fs::write(&file, known("wasm-f1")).expect("it can be written");
    let ran = try_run(&spec(None, 3), directory.path(), &texts, Earlier::MoveAside).expect("it runs");
    assert_eq!(ran.report.outcome, CampaignOutcome::Passed);
    // What is not known is found.
    fs::write(&file, known(&shape(Some("wasm-11"), &texts[1]))).expect("it can be written");
    let ran = try_run(&spec(None, 3), directory.path(), &texts, Earlier::MoveAside).expect("it runs");
    assert_eq!(ran.report.outcome, CampaignOutcome::Finding);
}

#[test]
fn a_broken_list_of_known_groups_is_an_error_that_names_file_line_and_reason() {
    let directory = directory();
    fs::create_dir(directory.path().join("out")).expect("it can be made");
    let file = directory.path().join("out").join(Known::FILE);
    let entry = "[[known]]\nshape = \"result-0123456789abcdef\"\nreason = \"x\"\n";
    let cases = [
        ("[[known]\n".to_owned(), "line 1"),
        (format!("{entry}date = 2026-11-18\nbug = 1\n"), "unknown field `bug`"),
        (entry.to_owned(), "missing field `date`"),
        (format!("{entry}date = 10:00:00\n"), "no day"),
        (entry.replace("result-0123456789abcdef", "result-012"), "is no shape"),
        ("known = 3\n".to_owned(), "line 1"),
    ];
    for (text, reason) in cases {
        fs::write(&file, &text).expect("it can be written");
        let error = try_run(&spec(None, 1), directory.path(), &[select(1)], Earlier::Refuse);
        let error = error.map(|_| ()).expect_err("it is broken").to_string();
        assert!(error.contains("known.toml: ") && error.contains(reason), "{text}: {error}");
    }
    // Of a campaign that stops at its first finding, it would silence nothing.
    let engines = Registry::default();
    let setup = Setup { known: Some(file), ..Setup::new(&engines) };
    let stops = Spec { keep_going: false, ..spec(None, 1) };
    let error =
        on_stack(|| run(&stops, setup)).expect("there is a thread").map(|_| ()).expect_err("it is refused");
    assert!(error.to_string().contains("--keep-going"), "{error}");
}

#[test]
fn counts_of_groups_go_on_when_a_run_is_resumed_even_if_its_statistics_are_lost() {
    let directory = directory();
    let (spec, texts) = (spec(None, 2), [select(1), select(2)]);
    let first = report(&spec, directory.path(), &texts);
    let again = || try_run(&spec, directory.path(), &texts, Earlier::Resume).expect("it runs").report;
    let resumed = again();
    let counts = |report: &CampaignReport| {
        report.groups.iter().map(|group| (group.shape.clone(), group.count)).collect::<Vec<_>>()
    };
    assert_eq!(counts(&first).len(), 1);
    assert_eq!(counts(&resumed), [(first.groups[0].shape.clone(), 4)]);
    assert_eq!(resumed.outcome, CampaignOutcome::Finding);
    assert_eq!(resumed.finding.map(|finding| finding.finding), first.finding.map(|finding| finding.finding));
    assert_eq!(findings(directory.path()).len(), 1);
    // The exemplar is known by its file alone.
    fs::remove_file(directory.path().join("out/stats.json")).expect("it is there");
    let resumed = again();
    assert_eq!(counts(&resumed), [(first.groups[0].shape.clone(), 3)]);
    assert_eq!(findings(directory.path()).len(), 1);
}

#[test]
fn a_finding_that_a_killed_run_left_is_gone_once_it_is_counted_in_a_group_with_another_exemplar() {
    let (here, other) = (directory(), directory());
    let texts = [select(1)];
    report(&spec(None, 1), here.path(), &texts);
    // The same bug, seen in memory.
    let stored = r#"(module (memory 1) (func (export "f") (param f64 i32) (local i32 f64)
        (i32.add (local.get 1) (i32.const 7))
        (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
        (local.set 3) (drop) (i32.const 0) (local.get 3) (f64.store)))"#;
    report(&spec(None, 1), other.path(), &[stored.to_owned()]);
    let [left] = &findings(other.path())[..] else { panic!("there is one finding") };
    let place = here.path().join("out/findings").join(left.file_name().expect("it has a name"));
    fs::copy(left, place).expect("there is space");
    fs::remove_file(here.path().join("out/stats.json")).expect("it is there");
    assert_eq!(findings(here.path()).len(), 2);
    let resumed = try_run(&spec(None, 1), here.path(), &texts, Earlier::Resume).expect("it runs").report;
    let told: Vec<_> = resumed.groups.iter().map(|group| (group.fix.as_deref(), group.count)).collect();
    assert_eq!(told, [(Some("wasm-f1"), 3)]);
    assert_eq!(findings(here.path()).len(), 1);
}

#[test]
fn one_job_gives_the_same_groups_each_time() {
    let told = || {
        let directory = directory();
        let texts: Vec<String> = (0..12).map(select).chain((0..12).map(|n| store(70_000 + n))).collect();
        let mut report = report(&spec(None, 400), directory.path(), &texts);
        for group in &mut report.groups {
            (group.first.seconds, group.last.seconds, group.file) = (0.0, 0.0, None);
        }
        (report.groups, report.passed, report.discarded, report.labels)
    };
    assert_eq!(told(), told());
}
