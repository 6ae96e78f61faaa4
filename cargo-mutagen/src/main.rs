//! `cargo mutagen`: coverage-guided property testing of any cargo project.
//!
//! The program has two faces. People call it as `cargo mutagen`; it then calls cargo to build the project's tests, and names
//! itself as the wrapper of rustc. Cargo calls it in place of rustc; it then weaves.

mod arguments;
mod bugs;
mod build;
mod child;
mod config;
mod coverage;
mod ended;
mod error;
mod exit;
mod fuzz;
mod project;
mod properties;
mod test;
mod toolchain;

use arguments::{Cargo, Command};
use clap::Parser;
use error::Error;
use exit::Code;
use mutagen_weaver::outside;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os(outside::ACTIVE).is_some() {
        return outside::main(env!("CARGO_PKG_VERSION"), std::env::args_os().skip(1));
    }
    let Cargo::Mutagen(arguments) = Cargo::parse();
    run(arguments.command)
        .unwrap_or_else(|error| {
            eprintln!("error: {error}");
            error.code()
        })
        .into()
}

fn run(command: Command) -> Result<Code, Error> {
    match command {
        Command::Test(arguments) => test::run(&arguments),
        Command::Fuzz(arguments) => fuzz::run(&arguments),
        Command::Coverage(arguments) => coverage::run(&arguments),
        Command::Bugs(arguments) => bugs::run(&arguments),
    }
}
