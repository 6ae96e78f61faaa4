//! How the cost grows with the number of mutants: sorting with five properties and 4000 tests of each.

#[path = "../tests/common/mod.rs"]
mod common;

use common::sorting::five;
use mutagen_refine::Word;
use std::time::Instant;

/// Each number of mutants is run so often; the fastest counts.
const RUNS: usize = 3;

fn main() {
    println!("mutants   seconds   microseconds per mutant   survivors");
    for mutants in [1000, 2000, 4000, 8000, 16_000] {
        let run = || {
            let start = Instant::now();
            let report = five::<Word<2>>().mutants(mutants).tests(4000).run().expect("the original passes");
            (start.elapsed(), report.survivors().count())
        };
        let Some((time, survivors)) = (0..RUNS).map(|_| run()).min() else { continue };
        let each = time.as_secs_f64() * 1e6 / mutants as f64;
        println!("{mutants:7} {:9.3} {each:25.1} {survivors:11}", time.as_secs_f64());
    }
}
