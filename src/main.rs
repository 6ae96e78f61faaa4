//! The program `mutagen-wasm`, with the engines that are built in.

use std::process::ExitCode;

fn main() -> ExitCode {
    mutagen_wasm::main_with(mutagen_oracles::Registry::default())
}
