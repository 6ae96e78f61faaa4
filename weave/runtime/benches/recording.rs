//! What recording costs: the same work with and without it, in one run, interleaved.
//!
//! `cargo bench -p mutagen-weave` prints microseconds per module and the ratio. The goal is a ratio below 1.25.

use std::hint::black_box;
use std::time::Instant;

use mutagen_weave::{Recorder, probes};
use wasmi::{Engine, Linker, Module, Store};

const MODULE: &str = r#"(module
    (memory 1)
    (func (export "f") (param i32 i32) (result i32) (local i32)
        local.get 0
        local.get 1
        i32.add
        local.tee 2
        i32.const 7
        i32.lt_u
        if (result i32)
            local.get 2
            i32.load8_s offset=3
        else
            local.get 2
            i32.const 3
            i32.shr_u
        end))"#;

const ROUNDS: usize = 301;
const REPEATS: usize = 50;

fn main() {
    probes::switch_off_unstable().expect("the benchmark names its probes");
    let bytes = wat::parse_str(MODULE).expect("the module is well-formed");
    println!("{:<10} {:>12} {:>14} {:>7} {:>8}", "work", "plain [us]", "recorded [us]", "ratio", "events");
    compare("validate", || {
        Module::validate(&Engine::default(), &bytes).expect("the module is valid");
    });
    compare("run", || run(&bytes));
}

fn run(bytes: &[u8]) {
    let engine = Engine::default();
    let module = Module::new(&engine, bytes).expect("the module is valid");
    let mut store = Store::new(&engine, ());
    let instance =
        Linker::new(&engine).instantiate_and_start(&mut store, &module).expect("it has no imports");
    let function = instance.get_typed_func::<(i32, i32), i32>(&store, "f").expect("it exports f");
    black_box(function.call(&mut store, (black_box(5), 3)).expect("f does not trap"));
}

/// Medians over rounds that take turns, so that a busy machine disturbs both sides alike.
fn compare(name: &str, work: impl Fn()) {
    let mut recorder = Recorder::new(1 << 16);
    let (mut plain, mut recorded) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        plain.push(time(&work));
        recorded.push(time(|| recorder.record(&work)));
    }
    let (plain, recorded) = (median(plain), median(recorded));
    let events = recorder.events().len();
    println!("{name:<10} {plain:>12.2} {recorded:>14.2} {:>7.3} {events:>8}", recorded / plain);
}

/// Microseconds for one piece of work.
fn time(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..REPEATS {
        work();
    }
    start.elapsed().as_secs_f64() * 1e6 / REPEATS as f64
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
