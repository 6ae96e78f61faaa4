//! Speed and memory: `cargo bench -p mutagen-wasm-ast`. Files given after `--` are measured like the large
//! module. The benchmark fails if something exceeds its limit, which can happen on a busy machine.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mutagen_engine::{Address, Generate, Mutable, Order, Scope, Source, apply, node_at, positions};
use mutagen_wasm_ast::{Features, FuncType, Module, Stub, ValType};
use peak_alloc::PeakAlloc;
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};

#[path = "../tests/suite/large_module.rs"]
mod large_module;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() -> ExitCode {
    let mut good = small();
    println!("\n{:28} {:>10} {:>10} {:>10}  ratio  memory for", "large module", "bytes", "ours", "reencoder");
    println!("{:28} {:>10} {:>10} {:>10}         decoding  both", "", "", "", "");
    println!("{:28} {:>10} {:>10} {:>10}     3x       10x", "limits", "", "", "");
    good &= large("generated", &large_module::bytes());
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match std::fs::read(&path) {
            Ok(bytes) => good &= large(path.rsplit('/').next().unwrap_or(&path), &bytes),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The time of one call.
fn once<R>(call: impl FnOnce() -> R) -> Duration {
    let start = Instant::now();
    drop(black_box(call()));
    start.elapsed()
}

/// The time of one call: the mean of the best of several rounds.
fn time<R>(calls: u32, mut call: impl FnMut() -> R) -> Duration {
    let round = |_| once(|| (0..calls).for_each(|_| drop(black_box(call())))) / calls;
    (0..7).map(round).min().unwrap_or_default()
}

/// Shows a time, and says whether it is below its limit.
fn row(what: &str, time: Duration, limit: Option<Duration>) -> bool {
    let limit_shown = limit.map_or_else(String::new, |limit| format!("limit {}", limit.as_micros()));
    println!("{what:40} {:>9.3} us   {limit_shown}", time.as_secs_f64() * 1e6);
    limit.is_none_or(|limit| time < limit)
}

/// A function of twenty instructions, in blocks, with memory.
const TWENTY: &str = "(module (memory 1) (func (export \"f\") (param i32 f32) (result i32) (local i64 f64)
    (block (loop
        (br_if 1 (i32.eqz (local.get 0)))
        (i32.store offset=8 (local.get 0) (i32.add (local.get 0) (i32.const 4)))
        (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
        (br 0)))
    (i32.add (i32.load (i32.const 8)) (i32.trunc_sat_f32_s (local.get 1)))))";

fn small() -> bool {
    let module = Module::from_text(TWENTY).expect("the text is well-formed");
    let bytes = module.encode();
    let stub = Stub { locals: vec![], body: module.functions[0].body.clone() };
    let ty = FuncType::new([ValType::I32, ValType::F32], [ValType::I32]);
    let mut source = Source::seeded(1);
    let limit = |micros| Some(Duration::from_micros(micros));
    println!("module of {} instructions, {} bytes", module.instructions(), bytes.len());
    let rows = [
        row("encode", time(10_000, || module.encode()), limit(10)),
        row("decode", time(10_000, || Module::decode(&bytes)), None),
        row("clone", time(10_000, || module.clone()), None),
        row("apply one mutant (mean over all)", mutants(&module), limit(2)),
        row("apply one mutant of its body", mutants(&stub), limit(2)),
        row("body to bytes", time(10_000, || stub.to_module(&ty).encode()), None),
        row("generate a module of size 5", time(1_000, || Module::generate(&mut source, 5)), None),
        row("make a typed module of size 5", time(1_000, || Module::typed(&mut source, 5)), None),
        row("clone and repair", time(10_000, || repaired(&module)), None),
    ];
    rows.iter().all(|good| *good)
}

fn repaired(module: &Module) -> Module {
    let mut module = module.clone();
    module.repair(Features::WASMI);
    module
}

fn mutants<T: Mutable + Clone>(value: &T) -> Duration {
    let scope = Scope::new();
    let mut addresses = vec![];
    for position in positions(value, Order::Level) {
        let count = node_at(value, position.path()).map_or(0, |node| node.count(&scope).fixed);
        addresses.extend((0..count).map(|number| Address { position: position.clone(), number }));
    }
    let mut source = Source::seeded(0);
    let all = time(1, || addresses.iter().filter_map(|address| apply(value, address, &mut source)).count());
    all / addresses.len().max(1) as u32
}

/// Shows time and memory, and says whether both are below their limits.
fn large(name: &str, bytes: &[u8]) -> bool {
    // The two alternate, so that noise on the machine affects both alike.
    let times = (0..10).map(|_| (once(|| ours(bytes)), once(|| theirs(bytes))));
    let (ours, theirs) = times.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1))).unwrap_or_default();
    let decoding = memory(bytes, |bytes| drop(black_box(Module::decode(bytes))));
    let both = memory(bytes, |bytes| {
        let module = Module::decode(bytes);
        drop(black_box((module.as_ref().map(Module::encode).ok(), &module)));
    });
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    print!("{name:28} {:>10} {ours:>10.1?} {theirs:>10.1?} ", bytes.len());
    println!("{ratio:>5.2}x {decoding:>8.2}x {both:>6.2}x");
    ratio < 3.0 && both < 10.0
}

fn ours(bytes: &[u8]) -> Option<Vec<u8>> {
    Module::decode(bytes).map(|module| module.encode()).ok()
}

fn theirs(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut module = wasm_encoder::Module::new();
    let done = RoundtripReencoder.parse_core_module(&mut module, wasmparser::Parser::new(0), bytes);
    done.ok().map(|()| module.finish())
}

/// The peak of memory use, without the bytes themselves, as a multiple of their number.
fn memory(bytes: &[u8], run: impl FnOnce(&[u8])) -> f64 {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    run(bytes);
    (MEMORY.peak_usage() - before) as f64 / bytes.len() as f64
}
