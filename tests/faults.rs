//! What a running campaign must survive: signals, limits of the system, odd paths, tampered files.

#[path = "common/faults.rs"]
mod faults;
#[path = "common/program.rs"]
mod program;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use faults::{directory, json, shell, signal, start};
use program::{command, end, run_at};
use serde_json::Value;

/// Whether this process, and with it all that it starts, ignores a signal.
fn is_ignored(signal: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}

#[test]
fn signals_end_a_campaign_with_codes_of_their_own_and_its_report() {
    for (name, number, code) in [("-INT", 2, 130), ("-TERM", 15, 143), ("-HUP", 1, 129)] {
        if is_ignored(number) {
            eprintln!("not tested: {name} is ignored here, and so it is in the program");
            continue;
        }
        let directory = directory();
        let child = start(directory.path(), &["validate"]);
        signal(name, child.id());
        let run = end(child);
        assert_eq!(run.code, code, "{name}: {}", run.err);
        assert_eq!(json(&run.out)["outcome"], "interrupted");
        let stored = fs::read_to_string(directory.path().join("out/stats.json")).expect("it is there");
        assert_eq!(json(&stored)["outcome"], "interrupted");
    }
}

#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    let directory = directory();
    let line = "trap '' HUP; $P validate --fixes --time 3s -q -o out --json & p=$!; \
        while ! test -e out/stats.json; do sleep 0.05; done; kill -HUP $p; wait $p; echo \"code $?\"";
    let run = shell(directory.path(), line);
    assert!(
        run.out.contains("\"stop_reason\":\"time is up\"") && run.out.ends_with("code 0\n"),
        "{}{}",
        run.out,
        run.err
    );
}

#[test]
fn a_limit_of_file_sizes_is_like_a_full_disk() {
    let directory = directory();
    let run = shell(directory.path(), "ulimit -f 1; exec $P validate --bug wasm-6 -q -o out");
    assert_eq!(run.code, 5, "{}{}", run.out, run.err);
    assert!(run.err.contains("cannot store"), "{}", run.err);
}

#[test]
fn an_output_directory_that_vanishes_ends_the_campaign_and_does_not_come_back() {
    let directory = directory();
    let child = start(directory.path(), &["validate"]);
    fs::rename(directory.path().join("out"), directory.path().join("gone")).expect("it can be moved");
    let run = end(child);
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(run.err.contains("cannot store out/"), "{}", run.err);
    assert!(!directory.path().join("out").exists());
}

#[test]
fn odd_limits_and_environments_change_nothing() {
    let directory = directory();
    for setting in [
        "ulimit -s 256",
        "ulimit -s unlimited",
        "ulimit -n 16",
        "unset HOME TMPDIR",
        "export LANG=C TMPDIR=/nowhere",
    ] {
        let run = shell(
            directory.path(),
            &format!("{setting}; exec $P validate --bug wasm-6 -q --json --fresh -o out"),
        );
        assert_eq!(run.code, 1, "{setting}: {}", run.err);
        assert_eq!(json(&run.out)["finding"]["kind"], "validity", "{setting}");
    }
}

#[test]
fn a_shortage_of_memory_is_never_a_finding() {
    let directory = directory();
    for limit in ["-d 30000", "-d 42000", "-d 54000", "-d 60000", "-d 80000", "-v 300000", "-v 1000000"] {
        let line = format!("ulimit {limit}; exec $P interpret --fixes --tests 3000 --json -q");
        let run = shell(directory.path(), &line);
        assert_ne!(run.code, 1, "{limit}: {}", run.out);
    }
}

#[test]
fn absurd_sizes_are_refused_and_large_ones_keep_the_time_limit() {
    let directory = directory();
    for size in ["18446744073709551615", "4294967296", "1001", "-1", "x"] {
        let run = run_at(directory.path(), &format!("interpret --switch max-size={size} --tests 10"));
        assert_eq!(run.code, 2, "{size}: {}", run.err);
        assert!(run.err.contains("max-size") && run.err.contains("1000"), "{size}: {}", run.err);
    }
    for line in ["interpret --fixes", "validate --fixes", "ifc stack", "ifc stack --guidance smallcheck"] {
        let run = run_at(directory.path(), &format!("{line} --switch max-size=1000 --time 1s --json -q"));
        assert_eq!(json(&run.out)["stop_reason"], "time is up", "{line}: {}", run.err);
        assert!(
            json(&run.out)["seconds"].as_f64().is_some_and(|seconds| seconds < 30.0),
            "{line}: {}",
            run.out
        );
    }
}

#[test]
fn a_campaign_that_discarded_everything_gave_up() {
    let directory = directory();
    let codes: Vec<(i32, Value)> = (0..20)
        .map(|seed| run_at(directory.path(), &format!("validate --fixes --tests 1 --seed {seed} --json -q")))
        .map(|run| (run.code, json(&run.out)["discarded"].clone()))
        .collect();
    for (code, discarded) in &codes {
        assert_eq!(*code, if *discarded == 1 { 3 } else { 0 }, "{codes:?}");
    }
    assert!(
        codes.iter().any(|(code, _)| *code == 3) && codes.iter().any(|(code, _)| *code == 0),
        "{codes:?}"
    );
}

#[test]
fn files_with_flags_of_campaigns_are_refused() {
    let directory = directory();
    fs::write(directory.path().join("m.wat"), "(module)").expect("it can be written");
    for command in ["validate", "interpret"] {
        for (flag, name) in [("--json", "--json"), ("-o out", "--output"), ("--input m.wat", "--input")] {
            let run = run_at(directory.path(), &format!("{command} m.wat {flag}"));
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{command} {flag}: {}", run.err);
            assert!(run.err.contains(name) && run.err.contains("repro"), "{}", run.err);
            assert!(!directory.path().join("out").exists());
        }
    }
}

#[test]
fn paths_that_are_no_text_are_paths_like_others() {
    let directory = directory();
    let odd = |name: &[u8]| OsStr::from_bytes(name).to_owned();
    let run = |words: &[OsString]| {
        let mut command = command(directory.path(), &[]);
        end(command.args(words).spawn().expect("the program can be run"))
    };
    let words = |line: &str, path: &OsStr| -> Vec<OsString> {
        line.split(' ').map(|word| if word == "PATH" { path.to_owned() } else { word.into() }).collect()
    };
    let output = odd(b"out\xff\x1b[31m");
    for line in ["validate --bug wasm-6 -q -o PATH", "ifc stack --bug stack-7 -q --fresh -o PATH"] {
        let ended = run(&words(line, &output));
        assert_eq!(ended.code, 1, "{line}: {}", ended.err);
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
    }
    let slow =
        run(&words("interpret --fixes --guidance perffuzz --tests 300 --json -q --fresh -o PATH", &output));
    assert_eq!((slow.code, json(&slow.out)["outcome"].as_str()), (0, Some("passed")), "{}", slow.err);
    let module = odd(b"m\xfe.wat");
    fs::write(directory.path().join(&module), "(module)").expect("it can be written");
    for line in ["validate PATH", "interpret --guidance repro --input PATH --json"] {
        let ended = run(&words(line, &module));
        assert_eq!(ended.code, 0, "{line}: {}", ended.err);
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
    }
}

#[test]
fn links_of_a_directory_to_itself_do_not_go_round_in_circles() {
    let directory = directory();
    let input = directory.path().join("in");
    fs::create_dir_all(input.join("sub")).expect("it can be made");
    fs::write(input.join("sub/m.wat"), "(module)").expect("it can be written");
    symlink("m.wat", input.join("sub/n.wat")).expect("it can be made");
    for name in ["a", "b", "sub/c"] {
        symlink(&input, input.join(name)).expect("it can be made");
    }
    let run = run_at(directory.path(), "validate --guidance repro --input in --json -q");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(json(&run.out)["replayed"].as_array().map(Vec::len), Some(2), "each file once: {}", run.out);
}

#[test]
fn a_resumed_run_names_state_that_is_broken() {
    let directory = directory();
    let line = "validate --fixes --tests 100 -q -o out";
    assert_eq!(run_at(directory.path(), line).code, 0);
    for name in ["run.json", "stats.json"] {
        let file = directory.path().join("out").join(name);
        let whole = fs::read(&file).expect("it is there");
        let deep = vec![b'['; 1_000_000];
        let cases: [&[u8]; 6] = [b"", &whole[..whole.len() / 2], b"[]", b"null", b"\xff{}", &deep];
        for text in cases {
            fs::write(&file, text).expect("it can be written");
            let run = run_at(directory.path(), &format!("{line} --resume"));
            assert_eq!(run.code, 3, "{name} {:?}: {}", &text[..text.len().min(20)], run.err);
            assert!(run.err.contains(name) && run.err.lines().count() == 1, "{}", run.err);
        }
        fs::remove_file(&file).expect("it is there");
        fs::create_dir(&file).expect("it can be made");
        assert_eq!(run_at(directory.path(), &format!("{line} --resume")).code, 3, "a directory is no {name}");
        fs::remove_dir(&file).expect("it is there");
        fs::write(&file, whole).expect("it can be written");
    }
    assert_eq!(run_at(directory.path(), &format!("{line} --resume")).code, 0);
}

#[test]
fn a_tampered_finding_decides_neither_what_is_written_nor_how_long_it_takes() {
    let directory = directory();
    let leak = |words: &str| {
        let words: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
        format!("{{ \"command\": \"ifc\", \"arguments\": [{}], \"kind\": \"leak\" }}", words.join(", "))
    };
    let victim = directory.path().join("victim");
    fs::create_dir(&victim).expect("it can be made");
    fs::write(victim.join("run.json"), "{}").expect("it can be written");
    let file = directory.path().join("f.json");
    // Found at once, whatever the file says besides.
    let line = format!(
        "ifc stack --bug stack-7 --fresh -o {} --time 1000years -j 64 --keep-going",
        victim.display()
    );
    fs::write(&file, leak(&line)).expect("it can be written");
    let run = run_at(directory.path(), "replay f.json");
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(fs::read_to_string(victim.join("run.json")).expect("it is there"), "{}");
    assert_eq!(fs::read_dir(directory.path()).expect("it is there").count(), 2, "nothing is written");
    fs::write(&file, leak("validate --bug wasm-3")).expect("it can be written");
    assert_eq!(run_at(directory.path(), "replay f.json").code, 3, "only machines were stored that way");
    let call = r#"{ "export": "f", "arguments": [] }"#;
    let calls = vec![call; 20_000].join(", ");
    let many = format!(
        r#"{{ "format": 1, "version": "0.1.0", "property": "interpreter", "bug": null, "features": "mutable-global",
        "kind": "result", "question": "", "part": "", "target": "", "reference": "", "calls": [{calls}],
        "wasm": "0061736d01000000", "wat": "" }}"#
    );
    fs::write(&file, many).expect("it can be written");
    let run = run_at(directory.path(), "replay f.json");
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("20000 calls"), "{}", run.err);
    let made = Command::new("mkfifo").arg(directory.path().join("p.json")).status().expect("there is mkfifo");
    assert!(made.success());
    let run = run_at(directory.path(), "replay p.json");
    assert_eq!(run.code, 3, "{}", run.err);
}

/// The kinds of the findings that are stored. Every JSON file of the directory must be whole.
fn kinds(output: &Path) -> Vec<String> {
    let listed = |folder: &str| -> Vec<PathBuf> {
        let files =
            fs::read_dir(output.join(folder)).map(|files| files.flatten().map(|file| file.path()).collect());
        files.unwrap_or_default()
    };
    let is_json = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "json");
    let read = |file: &PathBuf| json(&fs::read_to_string(file).expect("it is there"));
    listed("").iter().filter(|file| is_json(file)).for_each(|file| drop(read(file)));
    let findings = listed("findings");
    let mut kinds: Vec<String> =
        findings.iter().filter(|file| is_json(file)).map(|file| read(file)["kind"].to_string()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Kills a campaign, and what resumes it, at moments that look random. `FAULTS_KILLS` says how often.
#[test]
fn kills_at_random_moments_lose_nothing_that_was_found_and_leave_whole_files() {
    let kills: u64 = std::env::var("FAULTS_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let directory = directory();
    let output = directory.path().join("out");
    // Two bugs of wasmi as published, of two kinds.
    let select = r#"(module (func (export "f") (param f64 i32) (result f64) (local i32 f64)
        (i32.add (local.get 1) (i32.const 7)) (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
        (local.set 3) (drop) (local.get 3)))"#;
    let store = r#"(module (memory 2) (func (export "f") (param i32) (local i32)
        (local.set 1 (i32.add (local.get 0) (i32.const 1))) (i32.store offset=70000 (local.get 1) (local.get 1))))"#;
    fs::write(directory.path().join("a.wat"), select).expect("it can be written");
    fs::write(directory.path().join("b.wat"), store).expect("it can be written");
    let line = "interpret --property interpreter --input a.wat --input b.wat --time 1h -q -o out";
    let mut known: Vec<String> = Vec::new();
    let mut number = 88_172_645_463_325_252_u64;
    for kill in 0..kills {
        let resume = if output.join("run.json").exists() { " --resume" } else { "" };
        let words = format!("{line}{resume}");
        let mut child =
            command(directory.path(), &words.split(' ').collect::<Vec<_>>()).spawn().expect("it runs");
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        std::thread::sleep(Duration::from_millis(number % 700));
        child.kill().expect("it is running");
        child.wait().expect("it ends");
        let now = kinds(&output);
        assert!(known.iter().all(|kind| now.contains(kind)), "kill {kill}: {known:?}, now {now:?}");
        known = now;
    }
    let end = run_at(directory.path(), &line.replace("--time 1h", "--tests 50 --resume --json"));
    assert_eq!(end.code, 1, "{}", end.err);
    // The search may meet others meanwhile.
    let groups = json(&end.out)["groups"].as_array().cloned().expect("a list");
    for fix in ["wasm-f1", "wasm-f2"] {
        assert_eq!(groups.iter().filter(|group| group["fix"] == fix).count(), 1, "{fix}: {}", end.out);
    }
    for kind in ["\"panic\"", "\"result\""] {
        assert!(kinds(&output).iter().any(|stored| stored == kind), "{kind} is stored");
    }
}
