//! The same module gives the same trace, whatever ran before, beside it, or in another process.

#[path = "traces/random_modules.rs"]
mod random_modules;

use std::process::Command;

use random_modules::{Digest, random_modules, recorder, switch_unstable_probes_off, trace};

/// The trace of every module, each in a thread of its own: as if nothing else had ever run.
fn alone(modules: &[Vec<u8>]) -> Vec<Vec<u32>> {
    let one = |bytes: &Vec<u8>| {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| trace(&mut recorder(), bytes, None).to_vec());
            thread.join().expect("a test thread does not panic")
        })
    };
    modules.iter().map(one).collect()
}

/// All traces, run in an order in which every module comes after other modules than in the natural order.
fn after_others(modules: &[Vec<u8>], step: usize, bug: Option<&'static str>) -> Vec<Vec<u32>> {
    let mut recorder = recorder();
    let mut traces = vec![Vec::new(); modules.len()];
    for number in 0..modules.len() {
        let at = number * step % modules.len();
        traces[at] = trace(&mut recorder, &modules[at], bug).to_vec();
    }
    traces
}

#[track_caller]
fn assert_same(one: &[Vec<u32>], other: &[Vec<u32>]) {
    let differing: Vec<usize> = (0..one.len()).filter(|&at| one[at] != other[at]).collect();
    assert!(
        differing.is_empty(),
        "{} of {} traces differ, the first is {:?}",
        differing.len(),
        one.len(),
        differing[0]
    );
}

#[test]
fn a_trace_does_not_depend_on_what_ran_before_or_beside() {
    switch_unstable_probes_off();
    let modules = random_modules();
    let alone = alone(&modules);
    // A step that has no divisor in common with the number of modules visits each module once.
    assert_same(&alone, &after_others(&modules, 7, None));
    assert_same(&alone, &after_others(&modules, 1999, None));

    let (plain, broken) = std::thread::scope(|scope| {
        let plain = scope.spawn(|| after_others(&modules, 13, None));
        let broken = scope.spawn(|| after_others(&modules, 17, Some("wasm-2")));
        (plain.join().expect("it does not panic"), broken.join().expect("it does not panic"))
    });
    assert_same(&alone, &plain);
    assert_ne!(alone, broken, "the bug of the other thread shows in that thread's traces");
    assert_same(&broken, &after_others(&modules, 1, Some("wasm-2")));
}

#[test]
fn traces_are_the_same_in_another_process() {
    // The other process runs this same test, which then prints its digest and stops.
    const IN_CHILD: &str = "MUTAGEN_TRACES_CHILD";
    switch_unstable_probes_off();
    let mut digest = Digest::default();
    let mut recorder = recorder();
    for module in &random_modules() {
        digest.add(trace(&mut recorder, module, None));
    }
    if std::env::var_os(IN_CHILD).is_some() {
        println!("child: {digest}");
        return;
    }
    let this = std::env::current_exe().expect("the test knows its own file");
    let arguments = ["--exact", "traces_are_the_same_in_another_process", "--nocapture"];
    let output =
        Command::new(this).args(arguments).env(IN_CHILD, "1").output().expect("the test can be run again");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(&format!("child: {digest}")), "here {digest}; there {said}");
}
