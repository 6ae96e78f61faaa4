//! Faults of files that are given: what they are, who may read them, what they are called, how large and how many they
//! are. One clear answer, the documented exit code, no panic.

#[path = "common/faults.rs"]
mod faults;
#[path = "common/program.rs"]
mod program;

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;

use faults::{assert_refused, directory, json, shell, wait_until, write};
use program::{command, run_at, run_in};

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
fn what_is_written_to_a_pipe_or_a_device_leaves_it_in_its_place() {
    let here = directory();
    fs::write(here.path().join("m.wat"), "(module (func (export \"f\")))").expect("it can be written");
    let line = "mkfifo p; cat p >got & $P coverage m.wat --lcov p; wait; test -p p";
    let written = shell(here.path(), line);
    assert_eq!(written.code, 0, "{}{}", written.out, written.err);
    let got = fs::read_to_string(here.path().join("got")).expect("it is there");
    assert!(got.contains("end_of_record"), "{got}");
    let written = shell(here.path(), "$P coverage m.wat --lcov /dev/stdout; test -L /dev/stdout");
    assert!(written.code == 0 && written.out.contains("end_of_record"), "{}{}", written.out, written.err);
}

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
