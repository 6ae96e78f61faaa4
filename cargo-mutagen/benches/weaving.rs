//! What weaving costs in a project outside of this one: `cargo bench -p cargo-mutagen --bench weaving`
//!
//! Two packages have the same properties: one is woven as `cargo mutagen` does it, the other is an ordinary dependency. One
//! program runs the same campaigns of both in turns. The woven ones record what their tests do; the plain ones are told
//! it, so both run the same tests and differ in nothing but weaving. The goal, a loss of less than 25 % of the tests per second, is not met by all.

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> std::io::Result<ExitCode> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("weaving");
    let engine = here.join("../engine").canonicalize()?;
    let write = |file: &str, text: &str| {
        let path = place.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&place))?;
        std::fs::write(path, text)
    };
    let manifest = |name: &str, more: &str| {
        format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
             mutagen-engine = {{ path = {engine:?} }}\n{more}"
        )
    };
    write("subjects.rs", include_str!("weaving/subjects.rs"))?;
    write("plain/Cargo.toml", &manifest("plain", ""))?;
    write("plain/src/lib.rs", "#[path = \"../../subjects.rs\"]\npub mod subjects;\n")?;
    write("woven/Cargo.toml", &manifest("woven", "plain = { path = \"../plain\" }\n"))?;
    write("woven/src/lib.rs", include_str!("weaving/measure.rs"))?;
    // Benchmarks lie one level below the programs.
    let this = std::env::current_exe()?;
    let programs = this.ancestors().nth(2).unwrap_or(here);
    let status = Command::new(programs.join("cargo-mutagen"))
        .args(["mutagen", "test", "--tests", "1", "--offline"])
        .current_dir(place.join("woven"))
        // This project's own wrapper is no part of it.
        .env("RUSTC_WRAPPER", "")
        .status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
