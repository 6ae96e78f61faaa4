//! A runner of scripts of assertions, with wasmi.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mutagen_weave::switch_on;
use wasmi::{Engine, F32, F64, Instance, Linker, Module, Nullable, Store, V128, Val};
use wast::core::{NanPattern, V128Pattern, WastArgCore, WastRetCore};
use wast::parser::{ParseBuffer, parse};
use wast::token::Id;
use wast::{QuoteWat, Wast, WastArg, WastDirective, WastExecute, WastInvoke, WastRet};

/// Runs a script while these entries of the catalogue are on.
///
/// # Errors
///
/// The first assertion that does not hold.
pub fn run(script: &str, on: &[&'static str]) -> Result<usize, String> {
    let _on = switch_on(on.iter().copied());
    let buffer = ParseBuffer::new(script).map_err(|error| error.to_string())?;
    let Wast { directives, .. } = parse(&buffer).map_err(|error| error.to_string())?;
    let mut config = wasmi::Config::default();
    config.wasm_memory64(true).wasm_multi_memory(true);
    let engine = Engine::new(&config);
    let mut runner = Runner {
        linker: Linker::new(&engine),
        store: Store::new(&engine, ()),
        current: None,
        named: HashMap::new(),
        assertions: 0,
    };
    for directive in directives {
        let attempt = catch_unwind(AssertUnwindSafe(|| runner.step(directive)));
        attempt.unwrap_or_else(|_| Err("the engine panicked".to_owned()))?;
    }
    Ok(runner.assertions)
}

struct Runner {
    linker: Linker<()>,
    store: Store<()>,
    current: Option<Instance>,
    named: HashMap<String, Instance>,
    assertions: usize,
}

impl Runner {
    fn step(&mut self, directive: WastDirective<'_>) -> Result<(), String> {
        match directive {
            WastDirective::Module(mut module) => {
                let name = module.name().map(|id| id.name().to_owned());
                let module = self.module(&mut module)?;
                let instance = self.linker.instantiate_and_start(&mut self.store, &module);
                let instance = instance.map_err(|error| error.to_string())?;
                self.current = Some(instance);
                self.named.extend(name.map(|name| (name, instance)));
            }
            WastDirective::Register { name, module, .. } => {
                let instance = self.instance(module)?;
                let exports: Vec<_> = instance
                    .exports(&self.store)
                    .map(|export| (export.name().to_owned(), export.into_extern()))
                    .collect();
                for (export, item) in exports {
                    self.linker.define(name, &export, item).map_err(|error| error.to_string())?;
                }
            }
            WastDirective::AssertUnlinkable { module, .. } => {
                self.assertions += 1;
                let module = self.module(&mut QuoteWat::Wat(module))?;
                if self.linker.instantiate_and_start(&mut self.store, &module).is_ok() {
                    return Err("a module was linked".to_owned());
                }
            }
            WastDirective::AssertInvalid { mut module, .. }
            | WastDirective::AssertMalformed { mut module, .. } => {
                self.assertions += 1;
                if self.module(&mut module).is_ok() {
                    return Err("an invalid module was accepted".to_owned());
                }
            }
            WastDirective::AssertReturn { exec, results, .. } => {
                self.assertions += 1;
                let values = self.execute(exec)?;
                let agree = values.len() == results.len()
                    && values.iter().zip(&results).all(|(value, ret)| fits(value, ret));
                if !agree {
                    return Err(format!("{values:?} in place of {results:?}"));
                }
            }
            WastDirective::AssertExhaustion { call, .. } => {
                self.assertions += 1;
                if let Ok(values) = self.execute(WastExecute::Invoke(call)) {
                    return Err(format!("{values:?} in place of the end of the stack"));
                }
            }
            WastDirective::AssertTrap { exec, .. } => {
                self.assertions += 1;
                if let Ok(values) = self.execute(exec) {
                    return Err(format!("{values:?} in place of a trap"));
                }
            }
            other => panic!("this runner does not know {other:?}"),
        }
        Ok(())
    }

    fn module(&self, module: &mut QuoteWat<'_>) -> Result<Module, String> {
        let bytes = module.encode().map_err(|error| error.to_string())?;
        Module::new(self.store.engine(), &bytes).map_err(|error| error.to_string())
    }

    /// The module of this name, or the last one.
    fn instance(&self, name: Option<Id<'_>>) -> Result<Instance, String> {
        match name {
            Some(id) => self.named.get(id.name()).copied().ok_or_else(|| format!("no module ${}", id.name())),
            None => self.current.ok_or_else(|| "no module".to_owned()),
        }
    }

    fn execute(&mut self, exec: WastExecute<'_>) -> Result<Vec<Val>, String> {
        match exec {
            WastExecute::Invoke(WastInvoke { name, args, module, .. }) => {
                let instance = self.instance(module)?;
                let function = instance.get_func(&self.store, name).ok_or("no such function")?;
                let arguments: Vec<Val> = args.iter().map(argument).collect();
                let types = function.ty(&self.store).results().to_vec();
                let mut results: Vec<Val> = types.iter().map(|ty| Val::default_for_ty(*ty)).collect();
                function
                    .call(&mut self.store, &arguments, &mut results)
                    .map_err(|error| error.to_string())?;
                Ok(results)
            }
            WastExecute::Get { global, module, .. } => {
                let instance = self.instance(module)?;
                let global = instance.get_global(&self.store, global).ok_or("no such global")?;
                Ok(vec![global.get(&self.store)])
            }
            WastExecute::Wat(module) => {
                let module = self.module(&mut QuoteWat::Wat(module))?;
                let instance = self.linker.instantiate_and_start(&mut self.store, &module);
                instance.map(|_| Vec::new()).map_err(|error| error.to_string())
            }
        }
    }
}

fn argument(argument: &WastArg<'_>) -> Val {
    let WastArg::Core(core) = argument else { panic!("core modules only: {argument:?}") };
    match core {
        WastArgCore::I32(value) => Val::I32(*value),
        WastArgCore::I64(value) => Val::I64(*value),
        WastArgCore::F32(value) => Val::F32(F32::from_bits(value.bits)),
        WastArgCore::F64(value) => Val::F64(F64::from_bits(value.bits)),
        WastArgCore::V128(value) => Val::V128(V128::from(u128::from_le_bytes(value.to_le_bytes()))),
        WastArgCore::RefNull(_) => Val::FuncRef(Nullable::Null),
        other => panic!("this runner does not know {other:?}"),
    }
}

fn fits(value: &Val, expected: &WastRet<'_>) -> bool {
    let WastRet::Core(core) = expected else { panic!("core modules only: {expected:?}") };
    match (value, core) {
        (Val::I32(value), WastRetCore::I32(expected)) => value == expected,
        (Val::I64(value), WastRetCore::I64(expected)) => value == expected,
        (Val::F32(value), WastRetCore::F32(NanPattern::Value(expected))) => value.to_bits() == expected.bits,
        (Val::F64(value), WastRetCore::F64(NanPattern::Value(expected))) => value.to_bits() == expected.bits,
        (Val::F32(value), WastRetCore::F32(NanPattern::CanonicalNan)) => {
            value.to_bits() & 0x7fff_ffff == 0x7fc0_0000
        }
        (Val::F64(value), WastRetCore::F64(NanPattern::CanonicalNan)) => {
            value.to_bits() & (u64::MAX >> 1) == 0x7ff8 << 48
        }
        (Val::F32(value), WastRetCore::F32(NanPattern::ArithmeticNan)) => {
            value.to_bits() & 0x7fc0_0000 == 0x7fc0_0000
        }
        (Val::F64(value), WastRetCore::F64(NanPattern::ArithmeticNan)) => {
            value.to_bits() >> 51 & 0xfff == 0xfff
        }
        (Val::FuncRef(value), WastRetCore::RefFunc(_)) => !value.is_null(),
        (Val::FuncRef(value), WastRetCore::RefNull(_)) => value.is_null(),
        (Val::ExternRef(value), WastRetCore::RefNull(_)) => value.is_null(),
        (Val::V128(value), WastRetCore::V128(V128Pattern::I64x2([low, high]))) => {
            value.as_u128() == u128::from(*low as u64) | u128::from(*high as u64) << 64
        }
        _ => false,
    }
}
