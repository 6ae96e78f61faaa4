//! Are these laws enough for a crate of yours? Bugs that are woven into it are mutants like any other.
//!
//! The crate is `wasmi_core`, and the bugs are two of the catalogue. A catalogue for your own crate works alike.

#[path = "../tests/common/mod.rs"]
mod common;

use common::arithmetic::{SWITCHES, laws};

fn main() -> Result<(), mutagen_refine::Error> {
    println!("{:#}", laws().mutants(500).tests(1000).mutants_by_switch(SWITCHES).run()?);
    println!("With a law about ctz of 0:\n");
    let more = laws().property("ctz of 0", |(_, ctz), ()| ctz(0) == 32);
    println!("{}", more.mutants(500).tests(1000).mutants_by_switch(SWITCHES).run()?);
    Ok(())
}
