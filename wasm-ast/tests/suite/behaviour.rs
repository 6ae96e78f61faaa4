//! Decoding and encoding a module does not change its behaviour.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;

use mutagen_oracles::{Ending, Instantiation, Limits, Registry, Settings, TrapKind, Value};
use mutagen_wasm_ast::{Features, FuncType, Module, Op, Stub, ValType};
use wasmi::{Config, Engine, Extern, ExternType, Func, Global, Instance, Memory, Ref, Store, Table, Val};

use crate::corpus::{closed_modules, validate};

const FUEL: u64 = 10_000;

/// Size of the stack. It is large because a wasmi with coverage probes uses native stack for every
/// instruction that it executes.
const STACK: usize = 64 << 20;

/// The outcomes of calling every exported function in turn, and the contents of the memories at the end.
fn run(bytes: &[u8]) -> Vec<String> {
    let mut config = Config::default();
    config.consume_fuel(true).wasm_memory64(true).wasm_multi_memory(true).wasm_wide_arithmetic(true);
    let engine = Engine::new(&config);
    let module = wasmi::Module::new(&engine, bytes).unwrap_or_else(|error| panic!("{error}"));
    let mut store = Store::new(&engine, ());
    let instance = match instantiate(&mut store, &module) {
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
    seen.extend(memories.map(|memory| contents(memory.data(&store))));
    seen
}

fn instantiate(store: &mut Store<()>, module: &wasmi::Module) -> Result<Instance, wasmi::Error> {
    store.set_fuel(FUEL)?;
    let imports: Result<Vec<_>, _> = module.imports().map(|import| stand_in(store, import.ty())).collect();
    Instance::new(store, module, &imports?)
}

/// A value of this type to import. Functions do nothing, all other values are zero.
fn stand_in(store: &mut Store<()>, ty: &ExternType) -> Result<Extern, wasmi::Error> {
    Ok(match ty {
        ExternType::Func(ty) => Func::new(store, ty.clone(), |_, _, _| Ok(())).into(),
        ExternType::Memory(ty) => Memory::new(store, *ty)?.into(),
        ExternType::Table(ty) => Table::new(store, *ty, Ref::default_for_ty(ty.element()))?.into(),
        ExternType::Global(ty) => {
            Global::new(store, Val::default_for_ty(ty.content()), ty.mutability()).into()
        }
    })
}

/// The number of bytes, and a digest of them.
fn contents(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{} bytes, {:x}", bytes.len(), hasher.finish())
}

/// The kind of an error. Its text is not used, because it may name the store, which is new in every run.
fn reason(error: &wasmi::Error) -> String {
    let text = error.to_string();
    error
        .as_trap_code()
        .map_or_else(|| text.split(':').next().unwrap_or_default().to_owned(), |code| format!("{code:?}"))
}

/// Asserts that all modules behave the same after decoding and encoding. Returns the number of outcomes.
pub fn assert_unchanged<B: AsRef<[u8]>>(modules: impl Iterator<Item = B> + Send + 'static) -> usize {
    let compare = |bytes: B| {
        let before = run(bytes.as_ref());
        let encoded = Module::decode(bytes.as_ref()).expect("valid modules decode").encode();
        assert_eq!(run(&encoded), before);
        before.len()
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || modules.map(compare).sum());
    let outcomes = thread.expect("threads can be started").join();
    outcomes.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Calls every exported function of all modules with zeros and asserts that the fuel is never used up. Returns the number of
/// calls, and how many of them returned. The reference runs them: the target has bugs that typed modules meet.
pub fn fuel_is_enough(modules: impl Iterator<Item = Vec<u8>>, fuel: u64) -> (usize, usize) {
    let limits = Limits { fuel, ..Limits::default() };
    let settings = Settings { features: Features::WASMI, limits, ..Settings::default() };
    let registry = Registry::default();
    let engine = registry.find("wasmtime").expect("it is built in").make(&settings).expect("it takes these");
    let (mut calls, mut returned) = (0, 0);
    for bytes in modules {
        let mut instance = match engine.instantiate(&bytes) {
            Ok(instance) => instance,
            Err(Instantiation::Rejected(reason)) => panic!("{}", reason.0),
            Err(Instantiation::Ended { ending, .. }) => {
                assert!(!is_endless(&ending), "a start function does not end");
                continue;
            }
        };
        for function in instance.exports() {
            let arguments: Vec<Value> =
                function.signature.parameters.iter().map(|ty| Value::zero(*ty)).collect();
            let ending = instance.call(&function.name, &arguments);
            assert!(!is_endless(&ending), "{} does not end", function.name);
            calls += 1;
            returned += usize::from(matches!(ending, Ending::Returned(_)));
        }
    }
    (calls, returned)
}

fn is_endless(ending: &Ending) -> bool {
    matches!(ending, Ending::Trapped(TrapKind::OutOfFuel))
}

#[test]
fn encoded_modules_run_as_the_originals_do() {
    let outcomes = assert_unchanged(closed_modules(Features::WASMI, 1_000));
    assert!(outcomes > 1_000, "only {outcomes} outcomes were compared");
}

#[test]
fn the_stub_is_a_valid_module_that_runs_its_body() {
    let stub = Stub { locals: vec![], body: vec![Op::I32Const(7).into()] };
    let bytes = stub.to_module(&FuncType::new([ValType::I32, ValType::F32], [ValType::I32])).encode();
    assert_eq!(validate(&bytes, Features::NONE), Ok(()));
    let mut memory = [0; 1 << 16];
    memory[..8].copy_from_slice(&[0x80, 0xff, 0x7f, 0x01, 0xfe, 0x00, 0xc0, 0x3f]);
    assert_eq!(run(&bytes), ["f: Ok(()) [I32(7)]".to_owned(), contents(&memory)]);
}
