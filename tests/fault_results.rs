//! Faults of output directories and of what is in them: other owners, full disks, other versions, cut or edited files. One clear
//! answer, the documented exit code, no panic.

#[path = "common/faults.rs"]
mod faults;
#[path = "common/program.rs"]
mod program;

use std::fs::{self, File};
use std::path::PathBuf;

use faults::{assert_refused, directory, json, shell, start, wait_until, write};
use program::{command, end, run_at};

/// C1: the directories above are made; another's directory is refused before any test.
#[test]
fn an_output_directory_of_somebody_else_is_refused_and_missing_parents_are_made() {
    let here = directory();
    assert_eq!(run_at(here.path(), "validate --fixes --tests 10 -q -o not/there/yet").code, 0);
    assert!(here.path().join("not/there/yet/stats.json").exists());
    let program = PathBuf::from(command(here.path(), &[]).get_program());
    fs::copy(program, here.path().join("program")).expect("there is space");
    if shell(here.path(), "chmod 755 . && mkdir mine && setpriv --reuid 65534 --clear-groups true").code != 0
    {
        eprintln!("not tested: only root can become another user");
        return;
    }
    let line = "setpriv --reuid 65534 --clear-groups ./program validate --fixes --tests 10 -q -o mine";
    let run = shell(here.path(), line);
    assert_refused(&run, 2, &["output directory mine", "Permission denied"]);
    assert_eq!(run.out, "");
}

/// C2 and C4: a file system of its own that is full at different moments, in space or in number of files.
#[test]
fn a_file_system_without_space_or_without_files_left_ends_the_campaign_and_leaves_whole_files() {
    for limit in ["size=20k", "size=100k", "size=300k", "nr_inodes=3", "nr_inodes=12", "nr_inodes=40"] {
        let here = directory();
        let mounted = format!("mkdir full && mount -t tmpfs -o {limit} none full");
        let line = format!(
            "{mounted} || exit 99; $P validate --bug wasm-6 -q -o full/out; code=$?; cp -r full left; exit $code"
        );
        let run = shell(here.path(), &format!("unshare -rm sh -c '{line}'"));
        if run.code == 99 || run.err.contains("unshare") {
            eprintln!("not tested: no file system can be mounted here");
            return;
        }
        let code = if limit == "nr_inodes=3" { 2 } else { 5 };
        assert_refused(&run, code, &["full/out", "No space left"]);
        for name in ["run.json", "stats.json"] {
            if let Ok(text) = fs::read_to_string(here.path().join("left/out").join(name)) {
                json(&text);
            }
        }
    }
}

/// C5: with strace, where it is there. Without it, `store_faults` has the same steps.
#[test]
fn an_interrupted_write_is_repeated_and_a_disk_that_does_not_confirm_is_said() {
    let here = directory();
    let with = |fault: &str| {
        let line = format!(
            "exec strace -f -qq -o /dev/null -e inject={fault} $P ifc stack --bug stack-7 -q --fresh -o out"
        );
        shell(here.path(), &line)
    };
    if shell(here.path(), "strace -qq -o /dev/null true").code != 0 {
        eprintln!("not tested: there is no strace");
        return;
    }
    assert_refused(&with("fsync:error=EIO:when=1"), 5, &["cannot store out/run.json", "Input/output error"]);
    let late = with("fsync:error=EIO:when=3");
    assert_refused(&late, 5, &["cannot store out/findings/", "Input/output error"]);
    assert!(late.out.contains("1 failed"), "the finding is shown all the same: {}", late.out);
    let interrupted = with("write:error=EINTR:when=3+3");
    assert_eq!((interrupted.code, interrupted.err.as_str()), (1, ""), "{}", interrupted.out);
}

/// C7: a directory in the place of a file that is about to be written.
#[test]
fn a_result_whose_place_is_taken_by_a_directory_is_not_stored_and_that_is_said() {
    let here = directory();
    let child = start(here.path(), &["validate"]);
    let statistics = here.path().join("out/stats.json");
    wait_until(|| {
        let _ = fs::remove_file(&statistics);
        fs::create_dir(&statistics).is_ok()
    });
    let mut child = child;
    wait_until(|| {
        // It notices with the next statistics.
        child.try_wait().expect("it can be asked").is_some()
    });
    assert_refused(&end(child), 5, &["cannot store out/stats.json"]);
    assert!(statistics.is_dir());
}

/// C8: whoever comes second is told so; a lock of a process that was killed is none.
#[test]
fn a_second_campaign_in_the_same_directory_is_refused_until_the_first_is_dead() {
    let here = directory();
    let mut first = start(here.path(), &["validate"]);
    let again = "validate --fixes --tests 300 -q -o out --resume";
    assert_refused(&run_at(here.path(), again), 4, &["another run is writing to out"]);
    assert!(first.try_wait().expect("it can be asked").is_none(), "the first goes on");
    first.kill().expect("it is running");
    first.wait().expect("it ends");
    assert!(here.path().join("out/lock").exists());
    assert_eq!(run_at(here.path(), again).code, 0);
}

/// C9, C10 and E2: results of another version or campaign, and results that nobody said to go on with.
#[test]
fn results_of_another_version_or_campaign_are_refused_and_moved_aside_only_when_asked() {
    let here = directory();
    let line = "validate --fixes --tests 50 -q -o out";
    assert_eq!(run_at(here.path(), line).code, 0);
    assert_refused(&run_at(here.path(), line), 4, &["out holds earlier results", "--resume", "--fresh"]);
    for other in [
        "interpret --fixes --tests 5 -q -o out --resume",
        "validate --bug wasm-6 --tests 5 -q -o out --resume",
        "validate --fixes --tests 5 -q -o out --resume --features wasm1",
        "validate --fixes --tests 5 -q -o out --resume --target wasmi-lazy",
    ] {
        let words =
            ["another campaign: validate of validator with bug none", "on wasmi, compared with wasmtime"];
        assert_refused(&run_at(here.path(), other), 2, &words);
    }
    // Another seed continues the same campaign.
    assert_eq!(run_at(here.path(), &format!("{line} --resume --seed 9")).code, 0);
    let manifest = here.path().join("out/run.json");
    let text = fs::read_to_string(&manifest).expect("it is there");
    let newer = text.replacen("\"format\": 2", "\"format\": 99", 1);
    assert_ne!(text, newer);
    write(&manifest, &newer);
    for newer in [format!("{line} --resume"), "report out".to_owned()] {
        assert_refused(&run_at(here.path(), &newer), 3, &["out/run.json: ", "format 99", "format 2"]);
    }
    assert_eq!(run_at(here.path(), &format!("{line} --fresh")).code, 0);
    assert_eq!(fs::read_to_string(here.path().join("out.old-1/run.json")).expect("it is kept"), newer);
}

/// C11: nobody listens, or the disk behind it is full.
#[test]
fn closed_and_full_outputs_cost_neither_the_finding_nor_a_panic() {
    let here = directory();
    for (number, redirected) in ["2>&-", ">&-", ">&- 2>&-", "2>/dev/full"].into_iter().enumerate() {
        let run =
            shell(here.path(), &format!("exec $P ifc stack --bug stack-7 -o out-{number} {redirected}"));
        assert_eq!(run.code, 1, "{redirected}: {}", run.err);
        let findings = fs::read_dir(here.path().join(format!("out-{number}/findings"))).expect("it is there");
        assert_eq!(findings.count(), 3, "text and JSON, and what they are: {redirected}");
    }
    assert_refused(
        &shell(here.path(), "exec $P bugs list >/dev/full"),
        5,
        &["standard output", "No space left"],
    );
}

/// E1: what other files of tests do not write into the state of a campaign.
#[test]
fn state_that_is_cut_off_anywhere_or_holds_odd_numbers_is_named() {
    let here = directory();
    let line = "validate --fixes --tests 20 -q -o out";
    assert_eq!(run_at(here.path(), line).code, 0);
    let file = here.path().join("out/run.json");
    let whole = fs::read_to_string(&file).expect("it is there");
    let seed = "\"seed\": 0";
    assert!(whole.contains(seed));
    let odd = ["NaN", "1e999", "-1", "18446744073709551616", "\"0\""];
    let mut texts: Vec<String> =
        odd.iter().map(|odd| whole.replace(seed, &format!("\"seed\": {odd}"))).collect();
    let end = whole.trim_end().len();
    texts.extend((0..end).step_by(end / 12).map(|length| whole[..length].to_owned()));
    for text in texts {
        write(&file, &text);
        let run = run_at(here.path(), &format!("{line} --resume"));
        assert_refused(&run, 3, &["out/run.json: "]);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
    // Of two values for one key the last one counts, as usual in JSON.
    write(&file, whole.replace(seed, "\"seed\": 0, \"seed\": 1"));
    assert_eq!(run_at(here.path(), &format!("{line} --resume")).code, 0);
    let huge = File::create(&file).expect("it can be made");
    huge.set_len(1 << 30).expect("it takes no space");
    assert_refused(&run_at(here.path(), &format!("{line} --resume")), 3, &["out/run.json: ", "larger than"]);
}

/// E3 and E4: modules that are gone, more than there were, and one under a wrong name.
#[test]
fn a_corpus_that_others_changed_is_read_again_as_it_is() {
    let here = directory();
    assert_eq!(run_at(here.path(), "validate --fixes --tests 2000 -q -o out").code, 0);
    let folders = fs::read_dir(here.path().join("out/corpus")).expect("it is there").flatten();
    let mut modules: Vec<PathBuf> = folders
        .filter_map(|folder| fs::read_dir(folder.path()).ok())
        .flat_map(|files| files.flatten().map(|file| file.path()))
        .collect();
    modules.sort();
    assert!(modules.len() > 10, "{modules:?}");
    fs::remove_file(&modules[0]).expect("it is there");
    fs::rename(&modules[1], modules[1].with_file_name("0123456789abcdef.wasm")).expect("it is there");
    let run = run_at(here.path(), "validate --fixes --tests 20 -q -o out --resume");
    assert_eq!(run.code, 0, "{}", run.err);
    let manifest = json(&fs::read_to_string(here.path().join("out/run.json")).expect("it is there"));
    assert_eq!(manifest["resumed_with"], modules.len() - 2);
}

/// E10: results that were edited by hand, written twice into one file, of another version, or with other newlines.
#[test]
fn results_of_a_benchmark_that_were_edited_are_named_and_the_others_count() {
    let here = directory();
    let plan = "bench run --task stack-1 --task stack-7 --strategy mutagen:2 --time 10s -o r";
    let run = run_at(here.path(), plan);
    assert_eq!(run.code, 0, "{}", run.err);
    let cells = here.path().join("r/cells");
    let read = |name: &str| fs::read_to_string(cells.join(name)).expect("it is there");
    let windows = read("stack-1@mutagen@0.json").replace('\n', "\r\n");
    write(&cells.join("stack-1@mutagen@0.json"), windows);
    let twice = read("stack-1@mutagen@1.json").repeat(2);
    write(&cells.join("stack-1@mutagen@1.json"), twice);
    let mut edited = json(&read("stack-7@mutagen@0.json"));
    edited["format"] = 99.into();
    write(&cells.join("stack-7@mutagen@0.json"), edited.to_string());
    let report = run_at(here.path(), "bench report r");
    assert_eq!(report.code, 0, "{}", report.err);
    for bad in ["stack-1@mutagen@1", "stack-7@mutagen@0"] {
        let named = |line: &str| line.starts_with("skipped ") && line.contains(bad);
        assert!(report.err.lines().any(named), "{bad}: {}", report.err);
    }
    assert!(report.err.contains("2 of 4 cells are done"), "newlines do not matter: {}", report.err);
}

/// C9: the lock of a benchmark is no place to write through, and a file of that name keeps its content.
#[test]
fn a_benchmark_writes_neither_through_a_link_nor_into_a_file_of_somebody_else() {
    let here = directory();
    let (lock, precious) = (here.path().join("r/lock-0-of-1"), here.path().join("precious"));
    fs::create_dir(here.path().join("r")).expect("it can be made");
    write(&precious, "precious");
    std::os::unix::fs::symlink(&precious, &lock).expect("it can be made");
    let plan = "bench run --task stack-7 --strategy mutagen:1 --time 10s -o r";
    assert_refused(&run_at(here.path(), plan), 2, &["lock-0-of-1", "link"]);
    assert_eq!(fs::read_to_string(&precious).expect("it is there"), "precious");
    fs::remove_file(&lock).expect("it is there");
    write(&lock, "mine");
    assert_eq!(run_at(here.path(), plan).code, 0);
    assert_eq!(fs::read_to_string(&lock).expect("it is there"), "mine");
}
