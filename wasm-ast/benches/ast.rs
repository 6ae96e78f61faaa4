//! How fast and how large: `cargo bench -p mutagen-wasm-ast`. Files given behind `--` are measured like the large module.

use std::hint::black_box;
use std::time::{Duration, Instant};

use mutagen_engine::{Address, Generate, Mutable, Order, Scope, Source, apply, node_at, positions};
use mutagen_wasm_ast::{FuncType, Module, Stub, ValType};
use peak_alloc::PeakAlloc;
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() {
    small();
    println!("\n{:28} {:>10} {:>10} {:>10}  ratio  memory for", "large module", "bytes", "ours", "reencoder");
    println!("{:28} {:>10} {:>10} {:>10}         decoding  both", "", "", "", "");
    println!("{:28} {:>10} {:>10} {:>10}     3x       10x", "limits", "", "", "");
    large("generated", &generated());
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match std::fs::read(&path) {
            Ok(bytes) => large(path.rsplit('/').next().unwrap_or(&path), &bytes),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}

/// The time of one call.
fn once<R>(call: impl FnOnce() -> R) -> Duration {
    let start = Instant::now();
    drop(black_box(call()));
    start.elapsed()
}

/// The time of one call, the mean of the best of some rounds.
fn time<R>(calls: u32, mut call: impl FnMut() -> R) -> Duration {
    let round = |_| once(|| (0..calls).for_each(|_| drop(black_box(call())))) / calls;
    (0..7).map(round).min().unwrap_or_default()
}

fn row(what: &str, time: Duration, limit: &str) {
    println!("{what:40} {:>9.3} us   {limit}", time.as_secs_f64() * 1e6);
}

/// A function of twenty instructions, in blocks, with memory.
const TWENTY: &str = "(module (memory 1) (func (export \"f\") (param i32 f32) (result i32) (local i64 f64)
    (block (loop
        (br_if 1 (i32.eqz (local.get 0)))
        (i32.store offset=8 (local.get 0) (i32.add (local.get 0) (i32.const 4)))
        (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
        (br 0)))
    (i32.add (i32.load (i32.const 8)) (i32.trunc_sat_f32_s (local.get 1)))))";

fn small() {
    let module = Module::from_text(TWENTY).expect("the text is well-formed");
    let bytes = module.encode();
    println!("module of {} instructions, {} bytes", module.instructions(), bytes.len());
    row("encode", time(10_000, || module.encode()), "limit 10");
    row("decode", time(10_000, || Module::decode(&bytes)), "");
    row("clone", time(10_000, || module.clone()), "");
    row("apply one mutant (mean over all)", mutants(&module), "limit 2");
    let stub = Stub { locals: vec![], body: module.functions[0].body.clone() };
    row("apply one mutant of its body", mutants(&stub), "limit 2");
    let ty = FuncType::new([ValType::I32, ValType::F32], [ValType::I32]);
    row("body to bytes", time(10_000, || stub.to_module(&ty).encode()), "");
    let mut source = Source::seeded(1);
    row("generate a module of size 5", time(1_000, || Module::generate(&mut source, 5)), "");
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

/// Several megabytes of code such as compilers write, and some data.
fn generated() -> Vec<u8> {
    let functions = 40_000;
    let mut text = String::from("(module (memory 100) (global $sp (mut i32) (i32.const 0))\n");
    for index in 0..functions {
        let (callee, offset) = (index * 7 % functions, index % 200 * 4);
        text += &format!(
            "(func (param i32 i32) (result i32) (local i32 i64) global.get $sp i32.const {offset} i32.sub local.tee 2
            global.set $sp (block (loop local.get 0 i32.load offset={offset} local.tee 2 i32.eqz br_if 1 local.get 2
            local.get 1 i32.add local.set 2 local.get 0 local.get 2 i32.store offset={offset} local.get 0 i32.const 16
            i32.add local.tee 0 local.get 1 i32.lt_u br_if 0 (if (i32.ge_s (local.get 1) (i32.const {index})) (then
            local.get 0 local.get 1 call {callee} local.set 1) (else local.get 3 i64.const {index} i64.xor local.set 3))))
            local.get 2 local.get 3 i32.wrap_i64 i32.add)\n"
        );
    }
    text += &format!("(data (i32.const 0) \"{}\"))", "data".repeat(100_000));
    Module::from_text(&text).expect("the text is well-formed").encode()
}

fn large(name: &str, bytes: &[u8]) {
    // Turn by turn, so that both meet the same noise.
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
}

fn ours(bytes: &[u8]) -> Option<Vec<u8>> {
    Module::decode(bytes).map(|module| module.encode()).ok()
}

fn theirs(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut module = wasm_encoder::Module::new();
    let done = RoundtripReencoder.parse_core_module(&mut module, wasmparser::Parser::new(0), bytes);
    done.ok().map(|()| module.finish())
}

/// The most memory that was in use besides the bytes, in multiples of their number.
fn memory(bytes: &[u8], run: impl FnOnce(&[u8])) -> f64 {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    run(bytes);
    (MEMORY.peak_usage() - before) as f64 / bytes.len() as f64
}
