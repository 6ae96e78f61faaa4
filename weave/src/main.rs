//! The weaver of this project, as a program: `weave/rustc` compiles this file and calls it in place of rustc.

#[path = "lib.rs"]
#[allow(dead_code, reason = "a part of the library is for `cargo mutagen`")]
mod weaver;

fn main() -> std::process::ExitCode {
    weaver::project::main()
}
