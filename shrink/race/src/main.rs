//! Twenty modules on which an engine behaves differently with an injected bug, shrunk by mutagen-shrink and by wasm-shrink, which
//! `wasm-tools shrink` runs. Both are asked the same question in the same process, with their usual settings.
//!
//! `cargo run --release` prints the table. `--first N` takes the first N modules.

mod difference;
mod modules;

use std::cell::Cell;
use std::time::Instant;

use mutagen_shrink::Limits;
use wasm_shrink::WasmShrink;

/// What came of shrinking one module.
struct Outcome {
    bytes: usize,
    tests: usize,
    seconds: f64,
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let first = match &words[..] {
        [] => usize::MAX,
        [flag, number] if flag == "--first" => number.parse()?,
        _ => anyhow::bail!("usage: mutagen-shrink-race [--first N]"),
    };
    println!("{:<12} {:>8}   {:^26}   {:^26}", "module", "bytes", "mutagen-shrink", "wasm-shrink");
    let (mut larger, mut faster, mut all) = (0, 0, 0);
    for (name, wasm) in modules::all().take(first) {
        let [ours, theirs] = [ours(&wasm)?, theirs(&wasm)?];
        let shown = |outcome: &Outcome| {
            format!("{:>6} B {:>6} tests {:>6.2} s", outcome.bytes, outcome.tests, outcome.seconds)
        };
        println!("{name:<12} {:>8}   {}   {}", wasm.len(), shown(&ours), shown(&theirs));
        all += 1;
        larger += usize::from(ours.bytes > theirs.bytes);
        faster += usize::from(ours.seconds < theirs.seconds);
    }
    println!("mutagen-shrink: larger on {larger} of {all} modules, faster on {faster}");
    Ok(())
}

fn ours(wasm: &[u8]) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let shrunk = mutagen_shrink::shrink(wasm, Limits::default(), difference::shows, |_| ())?;
    let seconds = started.elapsed().as_secs_f64();
    anyhow::ensure!(difference::shows(&shrunk.wasm), "the smaller module shows no difference");
    Ok(Outcome { bytes: shrunk.wasm.len(), tests: shrunk.tests, seconds })
}

fn theirs(wasm: &[u8]) -> anyhow::Result<Outcome> {
    let tests = Cell::new(0);
    let started = Instant::now();
    let shrunk = WasmShrink::default().run(wasm.to_vec(), |wasm: &[u8]| {
        tests.set(tests.get() + 1);
        Ok(difference::shows(wasm))
    })?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(Outcome { bytes: shrunk.output.len(), tests: tests.get(), seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_modules_of_both_kinds_become_no_larger_than_by_wasm_shrink() {
        for kind in ["smith-1k", "stacky-1k"] {
            let (_, wasm) = modules::all().find(|(name, _)| name == kind).expect("it is there");
            let [ours, theirs] =
                [ours(&wasm), theirs(&wasm)].map(|outcome| outcome.expect("it shrinks").bytes);
            assert!(ours <= theirs && ours < wasm.len(), "{kind}: {ours} bytes, {theirs} by wasm-shrink");
        }
    }
}
