//! Runs scripts of assertions with the runner that the published wasmi comes with: what a maintainer would do with one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use wasmi_wast::WastRunner;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in std::env::args_os().skip(1).map(PathBuf::from) {
        match run(&file) {
            Ok(()) => println!("{}: passes", file.display()),
            Err(why) => {
                println!("{}: fails: {why}", file.display());
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn run(file: &Path) -> Result<(), String> {
    let script = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut config = wasmi::Config::default();
    config
        .wasm_memory64(true)
        .wasm_multi_memory(true)
        .wasm_tail_call(true)
        .wasm_relaxed_simd(true)
        .wasm_wide_arithmetic(true);
    let mut runner = WastRunner::new(&config);
    let name = file.display().to_string();
    runner.process_directives(&name, &script).map_err(|error| format!("{error:#}"))
}
