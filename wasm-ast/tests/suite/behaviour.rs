//! A module that was decoded and encoded does what it did before.

use std::thread;

use mutagen_wasm_ast::{Features, FuncType, Module, Op, Stub, ValType};
use wasmi::{Config, Engine, Linker, Store, Val};

use crate::corpus::{closed_modules, validate};

const FUEL: u64 = 10_000;

/// Plenty: a wasmi that was built with coverage probes keeps some native stack for every instruction that it executes.
const STACK: usize = 64 << 20;

/// What every exported function does, one after the other, and what the memories hold in the end.
fn run(bytes: &[u8]) -> Vec<String> {
    let mut config = Config::default();
    config.consume_fuel(true).wasm_memory64(true).wasm_multi_memory(true).wasm_wide_arithmetic(true);
    let engine = Engine::new(&config);
    let module = wasmi::Module::new(&engine, bytes).unwrap_or_else(|error| panic!("{error}"));
    let mut store = Store::new(&engine, ());
    store.set_fuel(FUEL).expect("fuel is on");
    let instance = match Linker::new(&engine).instantiate_and_start(&mut store, &module) {
        Ok(instance) => instance,
        Err(error) => return vec![reason(&error)],
    };
    let mut seen = vec![];
    let exports: Vec<_> = module.exports().map(|export| export.name().to_owned()).collect();
    for name in &exports {
        if let Some(function) = instance.get_func(&store, name) {
            store.set_fuel(FUEL).expect("fuel is on");
            let ty = function.ty(&store);
            let params: Vec<_> = ty.params().iter().map(|ty| Val::default_for_ty(*ty)).collect();
            let mut results: Vec<_> = ty.results().iter().map(|ty| Val::default_for_ty(*ty)).collect();
            let outcome = function.call(&mut store, &params, &mut results).map_err(|error| reason(&error));
            seen.push(format!("{name}: {outcome:?} {results:?}"));
        }
    }
    let memories = exports.iter().filter_map(|name| instance.get_memory(&store, name));
    seen.extend(
        memories.map(|memory| {
            format!("{:?}", memory.data(&store).iter().map(|byte| u64::from(*byte)).sum::<u64>())
        }),
    );
    seen
}

/// The kind of an error: its text may name the store, which is new in every run.
fn reason(error: &wasmi::Error) -> String {
    let text = error.to_string();
    error
        .as_trap_code()
        .map_or_else(|| text.split(':').next().unwrap_or_default().to_owned(), |code| format!("{code:?}"))
}

#[test]
fn encoded_modules_run_as_the_originals_do() {
    let thread = thread::Builder::new().stack_size(STACK).spawn(compare).expect("threads can be started");
    let calls = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    assert!(calls > 1_000, "only {calls} outcomes were compared");
}

/// Compares and counts outcomes.
fn compare() -> usize {
    let mut calls = 0;
    for bytes in closed_modules(Features::WASMI, 1_000) {
        let before = run(&bytes);
        calls += before.len();
        assert_eq!(run(&Module::decode(&bytes).expect("valid modules decode").encode()), before);
    }
    calls
}

#[test]
fn the_stub_is_a_valid_module_that_runs_its_body() {
    let stub = Stub { locals: vec![], body: vec![Op::I32Const(7).into()] };
    let bytes = stub.to_module(&FuncType::new([ValType::I32, ValType::F32], [ValType::I32])).encode();
    assert_eq!(validate(&bytes, Features::NONE), Ok(()));
    assert_eq!(run(&bytes), ["f: Ok(()) [I32(7)]", "0"]);
}
