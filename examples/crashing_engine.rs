//! An engine that ends its process, or never answers, on certain modules: what a supervised campaign must survive.
//!
//! It is wasmi, but for modules in which one of these instructions stands:
//!
//! | instruction | what the engine does |
//! |---|---|
//! | `i32.rotl` | dies of SIGSEGV |
//! | `i32.rotr` | aborts |
//! | `i32.clz` | overflows its stack |
//! | `i32.ctz` | ends the process with exit code 7 |
//! | `i64.rotl` | computes for ever |
//! | `i64.rotr` | takes memory for ever |
//! | `f32.nearest` | kills the process only the first time, so that no test can be blamed |
//! | `f32.trunc` | writes over the memory in which its process notes tests, and aborts |
//! | `f32.floor` | ends the process with exit code 0 |
//! | `f32.ceil` | sleeps for ever |
//! | `f64.ceil` | aborts the first four times that it is asked about this module, and then works |
//! | `f64.floor` | dies of SIGSEGV, in functions that nobody knows, if there is a file `unknown` |
//! | `i64.clz` | the same, for another reason |
//! | `f32.sqrt` | writes 80 MiB without a line break to standard output, and 4 MiB to the other, and then works |
//!
//! Before the first six, and before `f64.ceil`, wasmi works on a small module, so that functions of the target are known.
//!
//! A second engine, `leaking`, is wasmi, but keeps 1 MiB for every instance that it ever made. A third one, `stuck`, computes
//! for ever in a worker before it is asked anything.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use mutagen_oracles::{
    Engine, EngineEntry, HostPlan, Instance, Instantiation, Registry, Settings, Validity, Wasmi,
};
use mutagen_wasm_ast::Module;
use signal_hook::consts::SIGSEGV;
use signal_hook::low_level::emulate_default_handler;

/// wasmi, but for some modules.
struct Crashing(Wasmi);

/// The instructions before whose consequences wasmi works on a small module.
const IN_FUNCTIONS: [&str; 7] =
    ["i32.rotl", "i32.rotr", "i32.clz", "i32.ctz", "i64.rotl", "i64.rotr", "f64.ceil"];

/// A module with one function, which does nothing.
const NEARLY_EMPTY: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x04\x01\x02\0\x0b";

/// Ends the process, or never returns, if the module has one of the instructions.
fn die_of(wasmi: &Wasmi, bytes: &[u8]) {
    let text = Module::decode(bytes).ok().and_then(|module| module.to_text().ok()).unwrap_or_default();
    let has = |instruction: &str| text.split_whitespace().any(|word| word == instruction);
    if IN_FUNCTIONS.into_iter().any(has) {
        drop(wasmi.instantiate(NEARLY_EMPTY));
    }
    if has("i32.rotl") {
        let _ = emulate_default_handler(SIGSEGV);
    } else if has("i32.rotr") {
        std::process::abort();
    } else if has("i32.clz") {
        overflow(0);
    } else if has("i32.ctz") {
        std::process::exit(7);
    } else if has("i64.rotl") {
        while std::hint::black_box(true) {}
    } else if has("i64.rotr") {
        let mut taken = Vec::new();
        while std::hint::black_box(true) {
            taken.push(vec![1_u8; 1 << 20]);
        }
    } else if has("f32.floor") {
        std::process::exit(0);
    } else if has("f32.ceil") {
        while std::hint::black_box(true) {
            std::thread::park();
        }
    } else if has("f64.ceil") && times_asked(bytes).is_ok_and(|times| times <= 4) {
        std::process::abort();
    } else if is_unknown(bytes) {
        let _ = emulate_default_handler(SIGSEGV);
    } else if has("f32.sqrt") {
        let much = vec![b'x'; 4 << 20];
        let _ = io::stderr().write_all(&much);
        for _ in 0..20 {
            let _ = io::stdout().write_all(&much);
        }
    } else if has("f32.nearest") && std::env::args().any(|word| word == "--output") {
        // Only workers of a campaign have an output directory, so it does not show again when it is judged apart.
        std::process::abort();
    } else if has("f32.trunc") {
        let _ = write_over_notes();
        std::process::abort();
    }
}

/// How often processes in this directory were asked about a module of this length.
fn times_asked(bytes: &[u8]) -> io::Result<u64> {
    let name = format!("asked-{}", bytes.len());
    let mut file = OpenOptions::new().create(true).append(true).open(name)?;
    file.write_all(b"x")?;
    Ok(file.metadata()?.len())
}

/// Fills the memory in which this process notes its tests with ones.
fn write_over_notes() -> io::Result<()> {
    let Some(notes) = std::env::args().skip_while(|word| word != "--notes").nth(1) else { return Ok(()) };
    OpenOptions::new().write(true).open(notes)?.write_all(&[0xff; 1 << 20])
}

/// Whether a module ends the process in functions that nobody knows.
fn is_unknown(bytes: &[u8]) -> bool {
    let text = Module::decode(bytes).ok().and_then(|module| module.to_text().ok()).unwrap_or_default();
    let is_there = text.split_whitespace().any(|word| word == "f64.floor" || word == "i64.clz");
    is_there && Path::new("unknown").exists()
}

/// Calls itself until the stack is full.
fn overflow(depth: usize) -> usize {
    let frame = std::hint::black_box([depth; 1000]);
    if frame[0] == usize::MAX { 0 } else { overflow(depth + 1) + frame[depth % 1000] }
}

impl Engine for Crashing {
    fn name(&self) -> &str {
        "crashing"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        // wasmi would leave functions that are known.
        if is_unknown(bytes) { Validity::Accepted } else { self.0.validate(bytes) }
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        die_of(&self.0, bytes);
        self.0.instantiate(bytes)
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        die_of(&self.0, bytes);
        self.0.instantiate_with(bytes, hosts)
    }

    fn function_code(&self) -> &'static [&'static str] {
        self.0.function_code()
    }
}

/// wasmi, but it gives no memory back.
struct Leaking(Wasmi);

fn leak() {
    std::mem::forget(std::hint::black_box(vec![1_u8; 1 << 20]));
}

impl Engine for Leaking {
    fn name(&self) -> &str {
        "leaking"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.0.validate(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        leak();
        self.0.instantiate(bytes)
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        leak();
        self.0.instantiate_with(bytes, hosts)
    }

    fn function_code(&self) -> &'static [&'static str] {
        self.0.function_code()
    }
}

/// wasmi, but its workers get nowhere.
struct Stuck(Wasmi);

impl Engine for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.0.validate(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.0.instantiate(bytes)
    }

    /// This is no question about a test: nobody notes it.
    fn function_code(&self) -> &'static [&'static str] {
        let is_worker = std::env::args().nth(1).is_some_and(|word| word == "worker");
        while std::hint::black_box(is_worker) {}
        self.0.function_code()
    }
}

fn main() -> ExitCode {
    let make = |settings: &Settings| Ok(Box::new(Crashing(Wasmi::new(settings))) as Box<dyn Engine>);
    let mine = EngineEntry::new("crashing", "0.1.0", make).about("wasmi, but some modules end the process");
    let mine = mine.may_end_the_process();
    let make = |settings: &Settings| Ok(Box::new(Leaking(Wasmi::new(settings))) as Box<dyn Engine>);
    let leaking = EngineEntry::new("leaking", "0.1.0", make).about("wasmi, but it gives no memory back");
    let make = |settings: &Settings| Ok(Box::new(Stuck(Wasmi::new(settings))) as Box<dyn Engine>);
    let stuck = EngineEntry::new("stuck", "0.1.0", make).about("wasmi, but its workers get nowhere");
    mutagen_wasm::main_with(Registry::default().with(mine).with(leaking).with(stuck))
}
