//! The command line.

use clap::{Args, Parser, Subcommand};
use mutagen_engine::request::Request;
use std::path::PathBuf;
use std::time::Duration;

/// Cargo calls `cargo-mutagen mutagen ...`.
#[derive(Parser)]
#[command(name = "cargo", bin_name = "cargo", version)]
pub enum Cargo {
    /// Coverage-guided property testing with mutagen-engine
    Mutagen(Arguments),
}

#[derive(Args)]
#[command(
    version,
    after_help = "Exit status:\n  0  nothing found\n  1  a property does not hold, or a bug was not caught\n  \
                  2  the command line makes no sense\n  3  the project cannot be tested\n  \
                  5  results could not be stored\n  130  interrupted"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run every `#[mutagen_engine::test]`, guided by coverage
    #[command(after_help = "Examples:\n  cargo mutagen test\n  cargo mutagen test insertion --tests 1000000")]
    Test(TestArguments),
    /// Test one property for long; keep its corpus and its counterexamples in mutagen/NAME/
    #[command(after_help = "Examples:\n  cargo mutagen fuzz insertion_keeps_the_order --time 10m -j 4\n  \
        cargo mutagen fuzz insertion_keeps_the_order --engine afl")]
    Fuzz(FuzzArguments),
    /// Show what the corpus of a property reaches, as lcov and as a page
    #[command(after_help = "Examples:\n  cargo mutagen coverage insertion_keeps_the_order")]
    Coverage(CoverageArguments),
    /// Inject the bugs of mutagen/bugs/*.toml one by one, and see which of them the properties catch
    #[command(after_help = "Examples:\n  cargo mutagen bugs\n  cargo mutagen bugs forgets-the-rest\n  \
        cargo mutagen bugs --refine")]
    Bugs(BugsArguments),
}

/// What all commands have: how the project is built.
#[derive(Args, Clone, Default)]
pub struct BuildArguments {
    /// Weave this dependency as well, besides the packages of the workspace
    #[arg(long = "package", value_name = "NAME", help_heading = "Build")]
    pub packages: Vec<String>,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH", help_heading = "Build")]
    pub manifest_path: Option<PathBuf>,
    /// Features to activate
    #[arg(long, value_name = "FEATURES", help_heading = "Build")]
    pub features: Vec<String>,
    /// Activate all features
    #[arg(long, help_heading = "Build")]
    pub all_features: bool,
    /// Do not activate the default features
    #[arg(long, help_heading = "Build")]
    pub no_default_features: bool,
    /// Do not use the network
    #[arg(long, help_heading = "Build")]
    pub offline: bool,
    /// Do not change Cargo.lock
    #[arg(long, help_heading = "Build")]
    pub locked: bool,
}

/// What all commands that test have.
#[derive(Args, Clone)]
pub struct RunArguments {
    /// How long a test may take until it is a finding
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = humantime::parse_duration)]
    pub hang_limit: Duration,
}

impl RunArguments {
    /// The request with what these say.
    pub fn of(&self, request: Request) -> Request {
        Request { hang: Some(self.hang_limit.as_millis() as u64), ..request }
    }
}

#[derive(Args)]
pub struct TestArguments {
    /// Run the properties with this in their path
    pub filter: Option<String>,
    /// How many tests each property gets, in place of thirty times what `cargo test` gives it
    #[arg(long, value_name = "N")]
    pub tests: Option<u64>,
    /// The seed, in place of the property's own
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub build: BuildArguments,
}

#[derive(Args)]
pub struct FuzzArguments {
    /// The property: its name, or a part of its path that no other property has
    pub name: String,
    /// For how long
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = humantime::parse_duration)]
    pub time: Duration,
    /// How many processes
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub jobs: u64,
    /// The seed of the first process; the others count up. Without it, it follows from what the corpus holds, so that each
    /// run searches elsewhere
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Who chooses the tests
    #[arg(long, value_name = "NAME", default_value = "mutagen", value_parser = mutagen_engine::GUIDANCES)]
    pub engine: String,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub build: BuildArguments,
}

#[derive(Args)]
pub struct CoverageArguments {
    /// The property: its name, or a part of its path that no other property has
    pub name: String,
    /// Where the report goes, in place of target/mutagen/coverage/NAME
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub build: BuildArguments,
}

#[derive(Args)]
pub struct BugsArguments {
    /// Hunt only the bugs with this in their id
    pub filter: Option<String>,
    /// How many tests each property gets for each bug, in place of thirty times what `cargo test` gives it
    #[arg(long, value_name = "N")]
    pub tests: Option<u64>,
    /// The seed, in place of the property's own
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Let every property hunt every bug, and show which properties are enough
    #[arg(long)]
    pub refine: bool,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub build: BuildArguments,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed_and_every_command_has_examples() {
        let command = Cargo::command();
        command.clone().debug_assert();
        let mutagen = command.get_subcommands().next().expect("there is one").clone();
        for command in mutagen.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Examples:\n"), "{} has none", command.get_name());
        }
    }
}
