//! Whether a module shows a bug: wasmi computes something else with the bug than without it.

use mutagen_weave::switch_on;
use wasmi::{Config, Engine, Linker, Module, Store, StoreLimitsBuilder, Val, ValType};

/// `i32.sub` adds.
const BUG: &str = "wasm-11";
/// What instantiating a module, and each call, may use.
const FUEL: u64 = 100_000;
/// What memories may grow to.
const MEMORY_BYTES: usize = 1 << 24;

/// Whether a module behaves differently with the bug.
pub fn shows(wasm: &[u8]) -> bool {
    let with_bug = || {
        let _on = switch_on([BUG]);
        behaviour(wasm)
    };
    match behaviour(wasm) {
        None => false,
        Some(without) => with_bug().is_some_and(|with| with != without),
    }
}

/// The results of calling every exported function, as text. `None` if there is no instance.
fn behaviour(wasm: &[u8]) -> Option<Vec<String>> {
    let mut config = Config::default();
    config.consume_fuel(true);
    let engine = Engine::new(&config);
    let module = Module::new(&engine, wasm).ok()?;
    let mut store = Store::new(&engine, StoreLimitsBuilder::new().memory_size(MEMORY_BYTES).build());
    store.limiter(|limits| limits);
    store.set_fuel(FUEL).ok()?;
    let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module).ok()?;
    let functions: Vec<_> = instance
        .exports(&store)
        .filter_map(|export| Some((export.name().to_owned(), export.into_func()?)))
        .collect();
    let mut results = Vec::new();
    for (name, function) in functions {
        for number in [0, 5] {
            let ty = function.ty(&store);
            let arguments: Vec<Val> = ty.params().iter().map(|ty| value(*ty, number)).collect();
            let mut returned: Vec<Val> = ty.results().iter().map(|ty| value(*ty, 0)).collect();
            store.set_fuel(FUEL).ok()?;
            let ended = function.call(&mut store, &arguments, &mut returned);
            results.push(match ended {
                Ok(()) => format!("{name}: {}", returned.iter().map(shown).collect::<Vec<_>>().join(" ")),
                Err(error) => format!("{name}: {error}"),
            });
        }
    }
    Some(results)
}

fn value(ty: ValType, number: i32) -> Val {
    match ty {
        ValType::I32 => Val::I32(number),
        ValType::I64 => Val::I64(number.into()),
        other => Val::default_for_ty(other),
    }
}

/// The bits of a number. References are not compared.
fn shown(value: &Val) -> String {
    match value {
        Val::I32(number) => number.to_string(),
        Val::I64(number) => number.to_string(),
        Val::F32(number) => number.to_bits().to_string(),
        Val::F64(number) => number.to_bits().to_string(),
        Val::V128(number) => number.as_u128().to_string(),
        _ => "reference".to_owned(),
    }
}
