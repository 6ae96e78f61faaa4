//! Faults of files, disks, processes, settings and engines that no other file of tests has: one clear answer, the documented exit
//! code, no panic, and no campaign that waits for ever.

#[path = "common/program.rs"]
mod program;

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::{Run, command, end, run_at, run_in};
use serde_json::Value;
use tempfile::TempDir;

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::write(path, content).expect("it can be written");
}

/// Runs a line of a shell in which `$P` is the program.
fn shell(directory: &Path, line: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("P", command(directory, &[]).get_program()).current_dir(directory);
    shell.env_remove("MUTAGEN_TESTS").env_remove("MUTAGEN_TIME");
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end(shell.spawn().expect("there is a shell"))
}

/// The code, and a last line on standard error that is an error with all these words, but no internal one.
#[track_caller]
fn assert_refused(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
    let last = run.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: ") && !last.contains("internal error"), "{}", run.err);
    for word in words {
        assert!(last.contains(word), "`{word}` is not in: {last}");
    }
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().expect("there is `kill`");
    assert!(sent.success());
}

/// Waits until something is so, but not for ever.
#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let longest = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < longest, "a minute passed");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a campaign that would run for an hour, and waits until it works.
fn start(directory: &Path) -> Child {
    let words = ["validate", "--fixes", "--time", "1h", "-q", "-o", "out", "--json"];
    let child = command(directory, &words).spawn().expect("the program can be run");
    wait_until(|| directory.join("out/stats.json").exists());
    child
}

/// B1: a directory in the place of a file, and a file in the place of a directory.
#[test]
fn files_and_directories_in_the_place_of_one_another_are_named() {
    let here = directory();
    fs::create_dir(here.path().join("d")).expect("it can be made");
    fs::create_dir(here.path().join("d.json")).expect("it can be made");
    write(&here.path().join("file"), "(module)");
    for (line, code) in [
        ("show d", 3),
        ("shrink d", 3),
        ("replay d.json", 3),
        ("run --spec d", 3),
        ("report file", 3),
        ("cmin file", 3),
        ("bench report file", 3),
        ("seeds file -o file", 2),
        ("validate --tests 5 -o file", 2),
    ] {
        let word = if line.contains("file") { "file" } else { "d" };
        assert_refused(&run_at(here.path(), line), code, &[word]);
    }
}

/// B2: what is no regular file is refused by every command that reads files, and nobody waits for it.
#[test]
fn pipes_sockets_and_devices_are_refused_and_not_waited_for() {
    let here = directory();
    for name in ["p.wat", "p.json"] {
        let made = Command::new("mkfifo").arg(here.path().join(name)).status().expect("there is mkfifo");
        assert!(made.success());
    }
    let _sockets =
        ["s.wat", "s.json"].map(|name| UnixListener::bind(here.path().join(name)).expect("it is made"));
    for name in ["p", "s"] {
        for line in [
            "validate F.wat",
            "interpret F.wat",
            "show F.wat",
            "shrink F.wat",
            "replay F.json",
            "run --spec F.json",
        ] {
            let line = line.replace('F', name);
            assert_refused(&run_at(here.path(), &line), 3, &[&format!("{name}.")]);
        }
        let seeds = run_at(here.path(), &format!("seeds {name}.wat -o seeds"));
        assert_eq!(seeds.code, 3, "{}", seeds.err);
        assert!(seeds.err.contains("not a regular file"), "{}", seeds.err);
    }
    for device in ["/dev/zero", "/dev/full"] {
        for command in ["validate", "show", "shrink"] {
            assert_refused(&run_at(here.path(), &format!("{command} {device}")), 3, &["not a regular file"]);
        }
    }
}

/// B3 and B8: links in a directory of modules, hidden files, names that differ in case, and others' files.
#[test]
fn a_directory_with_links_and_other_peoples_files_gives_its_modules_and_names_the_rest() {
    let here = directory();
    let input = here.path().join("in");
    fs::create_dir(&input).expect("it can be made");
    for name in ["a.wat", "A.wat", ".hidden.wat", "README", "notes.txt"] {
        write(&input.join(name), "(module)");
    }
    for (name, to) in [
        ("link.wat", "a.wat"),
        ("dangling.wat", "nowhere"),
        ("loop.wat", "loop.wat"),
        ("zero.wasm", "/dev/zero"),
    ] {
        symlink(to, input.join(name)).expect("it can be made");
    }
    let run = run_at(here.path(), "validate --guidance repro --input in -q");
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    for used in ["in/a.wat", "in/A.wat", "in/link.wat"] {
        assert!(run.out.contains(&format!("{used}: passed")), "{used}: {}", run.out);
    }
    let named: Vec<&str> = run.err.lines().collect();
    assert_eq!(named.len(), 3, "{}", run.err);
    for (line, name) in named.iter().zip(["dangling.wat", "loop.wat", "zero.wasm"]) {
        assert!(line.starts_with(&format!("error: in/{name}: ")), "{line}");
    }
    assert!(!(run.out + &run.err).contains("README"));
    // The same content is one seed.
    let seeds = run_at(here.path(), "seeds in/a.wat in/A.wat in/.hidden.wat -o seeds");
    assert_eq!(seeds.code, 0, "{}", seeds.err);
    assert!(seeds.out.contains("1 seeds in seeds; 2 modules were the same"), "{}", seeds.out);
}

/// B4: only another user can show what may not be read, since root reads everything.
#[test]
fn files_and_directories_that_may_not_be_read_are_named_and_the_others_are_used() {
    let here = directory();
    let line = "chmod 755 . && mkdir -p in/closed && for f in m secret closed/n; do echo '(module)' > in/$f.wat; done && \
        chmod 0 in/secret.wat in/closed && setpriv --reuid 65534 --clear-groups true";
    if shell(here.path(), line).code != 0 || File::open("/root").is_err() {
        eprintln!("not tested: only root can become another user");
        return;
    }
    let program = PathBuf::from(command(here.path(), &[]).get_program());
    // The other user may not come near the program itself.
    fs::copy(program, here.path().join("program")).expect("there is space");
    let other = "setpriv --reuid 65534 --clear-groups ./program validate --guidance repro -q --input";
    let some = shell(here.path(), &format!("{other} in"));
    assert_eq!((some.code, some.err.lines().count()), (3, 2), "{}{}", some.out, some.err);
    for name in ["in/closed: ", "in/secret.wat: "] {
        assert!(some.err.contains(&format!("error: {name}Permission denied")), "{}", some.err);
    }
    assert!(some.out.contains("in/m.wat: passed"), "{}", some.out);
    assert_refused(&shell(here.path(), &format!("{other} in/closed")), 3, &["none of the modules"]);
}

/// B5: what a terminal would obey is shown, not sent.
#[test]
fn control_characters_in_names_do_not_reach_the_terminal_and_errors_stay_one_line() {
    let here = directory();
    let input = here.path().join("in");
    fs::create_dir(&input).expect("it can be made");
    write(&input.join("a\nb\x1b[31m.wat"), "(module)");
    write(&input.join("c\n\x1b[32md.wat"), "(module (func");
    let lines = [
        ["validate", "in/a\nb\x1b[31m.wat"],
        ["interpret", "in/a\nb\x1b[31m.wat"],
        ["validate", "in/c\n\x1b[32md.wat"],
        ["report", "no\x1b\nwhere"],
        ["show", "no\x1b\nwhere"],
        ["bugs", "\x1b[31m\n"],
    ];
    let repro = ["validate", "--guidance", "repro", "-q", "--input", "in"];
    for words in lines.iter().map(|words| &words[..]).chain([&repro[..]]) {
        let run = run_in(here.path(), words, b"");
        assert!(!(run.out.clone() + &run.err).contains('\x1b'), "{words:?}: {}{}", run.out, run.err);
        assert!(run.err.lines().count() <= 1 && run.code != 70, "{words:?}: {}", run.err);
    }
    let shown = run_in(here.path(), &lines[0], b"");
    assert!(shown.out.starts_with("in/a\\nb\\u{1b}[31m.wat: wasmi: accepted"), "{}", shown.out);
    let odd = std::ffi::OsStr::from_bytes(b"in/\xff.wat");
    write(&here.path().join(odd), "(module)");
    assert_eq!(run_at(here.path(), "validate --guidance repro -q --input in/ --json").code, 3);
}

/// B6: names as long as they may be, longer ones, and many files.
#[test]
fn long_names_and_many_files_are_taken_or_refused() {
    let here = directory();
    let longest = "n".repeat(251) + ".wat";
    write(&here.path().join(&longest), "(module)");
    assert_eq!(run_in(here.path(), &["validate", &longest], b"").code, 0);
    let seeds = run_in(here.path(), &["seeds", &longest, "-o", "seeds"], b"");
    assert_eq!(seeds.code, 0, "{}", seeds.err);
    for path in ["n".repeat(300), "d/".repeat(3000) + "m.wat"] {
        assert_refused(&run_in(here.path(), &["validate", &path], b""), 3, &[&path, "too long"]);
        let output = run_in(here.path(), &["validate", "--tests", "5", "-o", &path], b"");
        assert_refused(&output, 2, &["output directory", "too long"]);
    }
    let many = here.path().join("many");
    fs::create_dir(&many).expect("it can be made");
    (0..5_000).for_each(|number| write(&many.join(format!("{number}.txt")), ""));
    (0..200).for_each(|number| write(&many.join(format!("{number}.wat")), "(module)"));
    let run = run_at(here.path(), "validate --guidance repro -q --json --input many");
    assert_eq!(json(&run.out)["replayed"].as_array().map(Vec::len), Some(200), "{}", run.err);
}

/// B7: the size counts, not what the file says or how far it has been written.
#[test]
fn a_huge_sparse_file_is_refused_by_every_command_and_never_read() {
    let here = directory();
    for name in ["huge.wasm", "huge.json"] {
        let file = File::create(here.path().join(name)).expect("it can be made");
        file.set_len(10 << 30).expect("it takes no space");
    }
    for line in ["validate huge.wasm", "interpret huge.wasm", "show huge.wasm", "shrink huge.wasm"] {
        assert_refused(&run_at(here.path(), line), 3, &["huge.wasm: larger than 16 MiB"]);
    }
    for line in ["replay huge.json", "run --spec huge.json"] {
        assert_refused(&run_at(here.path(), line), 3, &["huge.json: larger than 64 MiB"]);
    }
    let given = run_at(here.path(), "validate --guidance repro -q --input huge.wasm");
    assert_refused(&given, 3, &["none of the modules"]);
}

/// B9: campaigns generate, and what lives on modules says that there are none.
#[test]
fn an_empty_directory_of_modules_stops_only_what_cannot_do_without() {
    let here = directory();
    fs::create_dir(here.path().join("empty")).expect("it can be made");
    assert_eq!(run_at(here.path(), "validate --fixes --input empty --tests 10 -q").code, 0);
    for line in ["validate --guidance repro -q --input empty", "coverage empty", "cmin empty"] {
        assert_refused(&run_at(here.path(), line), 3, &["modul"]);
    }
    assert_eq!(run_at(here.path(), "seeds empty -o seeds").code, 3);
}

/// B10: `-` reads what there is, and a campaign never reads at all.
#[test]
fn a_closed_standard_input_is_empty_and_a_campaign_does_not_wait_for_an_open_one() {
    let here = directory();
    assert_refused(&shell(here.path(), "exec $P validate - <&-"), 3, &["-: "]);
    let text = run_in(here.path(), &["validate", "-"], b"(module)");
    assert_eq!((text.code, text.out.as_str()), (0, "-: wasmi: accepted; wasmtime: accepted\n"));
    let words = ["validate", "--fixes", "--tests", "10", "-q"];
    let mut campaign = command(here.path(), &words).spawn().expect("the program can be run");
    // The pipe stays open until the campaign has ended.
    let open = campaign.stdin.take();
    let mut code = None;
    wait_until(|| {
        code = campaign.try_wait().expect("it can be asked");
        code.is_some()
    });
    assert_eq!(code.and_then(|code| code.code()), Some(0));
    drop(open);
}

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
    let child = start(here.path());
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
    let mut first = start(here.path());
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
        assert_eq!(findings.count(), 2, "text and JSON: {redirected}");
    }
    assert_refused(
        &shell(here.path(), "exec $P bugs list >/dev/full"),
        5,
        &["standard output", "No space left"],
    );
}

/// D1: the signals that `faults` leaves out.
#[test]
fn a_stopped_campaign_goes_on_and_a_second_interrupt_does_no_harm() {
    let here = directory();
    let child = start(here.path());
    signal("-STOP", child.id());
    std::thread::sleep(Duration::from_millis(200));
    signal("-CONT", child.id());
    signal("-PIPE", child.id());
    std::thread::sleep(Duration::from_millis(200));
    signal("-TERM", child.id());
    // It may be gone by now.
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
    let run = end(child);
    assert_eq!(run.code, 143, "{}", run.err);
    json(&fs::read_to_string(here.path().join("out/stats.json")).expect("it is there"));
}

/// D4, D5, D6 and D9: little memory, stack, files, processes and processors.
#[test]
fn scarce_resources_end_in_the_same_finding_or_in_one_clear_line() {
    let here = directory();
    let mut found = 0;
    for limit in [
        "ulimit -v 8000000",
        "ulimit -v 1000000",
        "ulimit -v 300000",
        "ulimit -s 512",
        "ulimit -n 16",
        "taskset -p -c 0 $$ >/dev/null",
    ] {
        let run = shell(here.path(), &format!("{limit}; exec $P validate --bug wasm-6 -q --json"));
        match run.code {
            1 => {
                assert_eq!(json(&run.out)["finding"]["kind"], "validity", "{limit}");
                found += 1;
            }
            code => assert!(
                (2..=5).contains(&code) && !run.err.is_empty() && !run.err.contains("panicked"),
                "{limit}: {code} {}{}",
                run.out,
                run.err
            ),
        }
    }
    assert!(found >= 4, "{found}");
    let few = shell(here.path(), "ulimit -n 4; exec $P validate --bug wasm-6 -q");
    assert!(few.err.starts_with("error: cannot start a worker: Too many open files"), "{}", few.err);
    assert!(few.err.lines().count() == 1 && few.err.contains("--no-supervisor"), "{}", few.err);
    let many = run_at(here.path(), "validate --bug wasm-6 -q --json -j 64");
    assert_eq!(many.code, 1, "more jobs than processors: {}", many.err);
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

/// E5 to E8: words of the command line.
#[test]
fn odd_words_on_the_command_line_are_refused_before_anything_is_made() {
    let here = directory();
    let cases: [(&str, &[&str]); 17] = [
        ("--seed -1", &["--seed", "from 0 to 18446744073709551615"]),
        ("--seed 18446744073709551616", &["--seed", "from 0 to 18446744073709551615"]),
        ("--seed abc", &["--seed", "from 0"]),
        ("--seed=", &["--seed", "from 0"]),
        ("--seed", &["--seed", "a value is required"]),
        ("--seed 1 --seed 2", &["--seed", "multiple times"]),
        ("--bug=", &["no bug ``", "bugs list"]),
        ("--bug wasm-4 --bug wasm-4", &["--bug", "multiple times"]),
        ("--bug wasm-4,wasm-5", &["did you mean `wasm-4`"]),
        ("--bug stack-1", &["stack machine"]),
        ("--resume --fresh", &["--resume", "--fresh"]),
        ("--nonsense", &["--nonsense"]),
        ("--tests 0", &["--tests", "at least 1"]),
        ("--tests -5", &["--tests", "at least 1"]),
        ("--tests 18446744073709551616", &["--tests"]),
        ("--time 1e308s", &["--time", "30s"]),
        ("--time 10x", &["--time", "30s"]),
    ];
    for (line, words) in cases {
        let run = run_at(here.path(), &format!("validate -o out {line}"));
        assert_refused(&run, 2, words);
        assert_eq!((run.out.as_str(), run.err.lines().count()), ("", 1), "{line}: {}", run.err);
    }
    assert_eq!(fs::read_dir(here.path()).expect("it is there").count(), 0, "nothing was begun");
    // The ends of the range are seeds, and whichever of two budgets is spent first ends a campaign.
    for seed in ["0", "18446744073709551615"] {
        let run =
            run_at(here.path(), &format!("validate --fixes --tests 200 --time 1h -q --json --seed {seed}"));
        assert_eq!((run.code, &json(&run.out)["tests"]), (0, &Value::from(200)), "{}", run.err);
    }
}

/// E9: settings of shells and systems.
#[test]
fn the_environment_changes_neither_what_is_found_nor_where_it_is_stored() {
    let here = directory();
    let other = directory();
    let other = other.path().display();
    for setting in [
        format!("export TMPDIR={other}"),
        "export NO_COLOR=1 RUST_BACKTRACE=full".to_owned(),
        "unset HOME TMPDIR PATH LANG; export LC_ALL=C".to_owned(),
    ] {
        let run =
            shell(here.path(), &format!("{setting}; exec $P ifc stack --bug stack-7 -q --fresh -o out"));
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{setting}");
        assert!(!run.out.contains('\x1b'), "{setting}");
    }
    assert_eq!(fs::read_dir(other.to_string()).expect("it is there").count(), 0, "nothing is left there");
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

/// Runs `examples/crashing_engine.rs`, which cargo compiles together with all tests.
fn misbehaving(directory: &Path, line: &str) -> Run {
    let program = PathBuf::from(command(directory, &[]).get_program());
    let example = program.with_file_name("examples").join("crashing_engine");
    assert!(example.exists(), "a single file of tests needs `cargo build --release --examples` first");
    let mut command = Command::new(example);
    command.args(line.split_whitespace()).current_dir(directory);
    command.env_remove("MUTAGEN_TESTS").env_remove("MUTAGEN_TIME");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end(command.spawn().expect("it is compiled"))
}

/// F6: no test is to blame for what all of them together took.
#[test]
fn an_engine_that_leaks_memory_has_its_workers_replaced_and_no_test_is_blamed() {
    let here = directory();
    let run = misbehaving(
        here.path(),
        "interpret --target leaking --fixes --property interpreter-i32 --features wasm1 --memory-limit 256 \
         --tests 20000 -o out --json -q",
    );
    let report = json(&run.out);
    assert!([0, 3].contains(&run.code), "{}: {report:#} {}", run.code, run.err);
    assert_eq!(report["finding"], Value::Null, "{report:#}");
    assert!(report["deaths"]["unexplained"].as_u64().is_some_and(|deaths| deaths > 0), "{report:#}");
}

/// D2 and F7: a reference that never answers is ended, and is no finding about the target.
#[test]
fn a_reference_that_takes_for_ever_is_ended_and_is_no_finding() {
    let here = directory();
    let text = "(module (func (export \"f\") (param i64) (result i64) local.get 0 local.get 0 i64.rotl))";
    write(&here.path().join("slow.wat"), text);
    let run = misbehaving(
        here.path(),
        "interpret --target wasmi --reference crashing --fixes --hang-limit 200ms --property interpreter \
         --generator derived --features wasm1 --input slow.wat --tests 1 -o out --json -q",
    );
    let report = json(&run.out);
    assert_eq!(report["finding"], Value::Null, "{report:#}");
    assert_eq!(report["deaths"]["reference"], 1, "{report:#}");
    assert_ne!(run.code, 1, "{}", run.err);
}
