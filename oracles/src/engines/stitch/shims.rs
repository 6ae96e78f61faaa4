//! Host functions of any type.
//!
//! makepad-stitch takes closures whose types are known when we are compiled. So there is one closure for each type of a parameter,
//! one for each type of a result, and one that serves. A small module has a function of each imported type, which hands its arguments
//! to the first, calls the one that serves, and takes the results from the others.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use ::makepad_stitch::{
    Engine, Error, ExternRef, Func, FuncError, FuncRef, FuncType, Linker, MemError, Module, Store, Val,
    ValType,
};
use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection, TypeSection,
};

use super::{
    access::{Reach, StitchHost},
    values::{from_stitch, to_stitch_or_null, value_type},
};
use crate::{
    answer::{Ending, TrapKind},
    host::{Stop, serve},
    value::{Value, ValueType},
};

/// What the closures of an instance share.
pub(super) struct Serving {
    pub host: StitchHost,
    /// The types of the results of imported functions.
    results: Vec<Vec<ValueType>>,
    /// The arguments of the call under way.
    arguments: Vec<Val>,
    /// The results of the call that was served last, which are not yet taken.
    returned: VecDeque<Val>,
    /// Why a host function stopped.
    pub stopped: Option<Ending>,
}

pub(super) type Shared = Rc<RefCell<Serving>>;

thread_local! {
    /// The instance that runs. Closures must be free to move to other threads, and what they share is not.
    static RUNNING: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

impl Serving {
    pub(super) fn new(host: StitchHost) -> Self {
        let (results, arguments, returned) = (Vec::new(), Vec::new(), VecDeque::new());
        Self { host, results, arguments, returned, stopped: None }
    }
}

/// Runs something of an instance, whose host functions are served meanwhile.
pub(super) fn running<R>(shared: &Shared, run: impl FnOnce() -> R) -> R {
    let before = RUNNING.replace(Some(Rc::clone(shared)));
    let result = run();
    RUNNING.set(before);
    result
}

/// Asks what the closures share. `None` if nothing runs, which cannot be.
fn with<R>(ask: impl FnOnce(&mut Serving) -> R) -> Option<R> {
    let shared = RUNNING.with_borrow(Clone::clone)?;
    let mut serving = shared.try_borrow_mut().ok()?;
    Some(ask(&mut serving))
}

/// Functions of these types that do what imported functions are to do, in their order.
///
/// # Errors
///
/// If the engine does not take the module between them and us.
pub(super) fn host_functions(
    store: &mut Store,
    shared: &Shared,
    types: &[FuncType],
) -> Result<Vec<Func>, Ending> {
    if types.is_empty() {
        return Ok(Vec::new());
    }
    {
        let mut serving = shared.borrow_mut();
        for ty in types {
            serving.host.host.next_function();
            serving.results.push(ty.results().iter().map(|ty| value_type(*ty)).collect());
        }
    }
    let misfit = |error: &dyn std::error::Error| Ending::Infra(format!("its host functions: {error}"));
    let module = Module::new(&Engine::new(), &shims(types)).map_err(|error| misfit(&error))?;
    let mut linker = Linker::new();
    define(store, &mut linker);
    let instance = linker.instantiate(store, &module).map_err(|error| misfit(&error))?;
    let function = |number: usize| instance.exported_func(&number.to_string());
    let functions: Option<Vec<Func>> = (0..types.len()).map(function).collect();
    functions.ok_or_else(|| Ending::Infra("its host functions are gone".to_owned()))
}

/// The types in the order of the closures for them.
const TYPES: [ValType; 6] =
    [ValType::I32, ValType::I64, ValType::F32, ValType::F64, ValType::FuncRef, ValType::ExternRef];
/// The number of the function that serves, after those that take arguments.
const SERVE: u32 = TYPES.len() as u32;

fn define(store: &mut Store, linker: &mut Linker) {
    fn push(value: Val) {
        with(|serving| serving.arguments.push(value));
    }
    fn pop() -> Option<Val> {
        with(|serving| serving.returned.pop_front()).flatten()
    }
    let closures = [
        Func::wrap(store, |value: i32| push(Val::I32(value))),
        Func::wrap(store, |value: i64| push(Val::I64(value))),
        Func::wrap(store, |value: f32| push(Val::F32(value))),
        Func::wrap(store, |value: f64| push(Val::F64(value))),
        Func::wrap(store, |value: FuncRef| push(Val::FuncRef(value))),
        Func::wrap(store, |value: ExternRef| push(Val::ExternRef(value))),
        Func::wrap(store, served),
        Func::wrap(store, || pop().and_then(Val::to_i32).unwrap_or_default()),
        Func::wrap(store, || pop().and_then(Val::to_i64).unwrap_or_default()),
        Func::wrap(store, || pop().and_then(Val::to_f32).unwrap_or_default()),
        Func::wrap(store, || pop().and_then(Val::to_f64).unwrap_or_default()),
        Func::wrap(store, || pop().and_then(Val::to_func_ref).unwrap_or(FuncRef::null())),
        Func::wrap(store, || pop().and_then(Val::to_extern_ref).unwrap_or(ExternRef::null())),
    ];
    for (number, closure) in closures.into_iter().enumerate() {
        linker.define("", &number.to_string(), closure);
    }
}

/// Serves a call of an imported function whose arguments are there.
fn served(store: &mut Store, number: i32) -> Result<(), Error> {
    let done = with(|serving| {
        let inputs = std::mem::take(&mut serving.arguments);
        let types = serving.results.get(number as usize).cloned().unwrap_or_default();
        let mut reach = Reach { store, host: &mut serving.host };
        let arguments: Vec<Value> = inputs.into_iter().map(|value| from_stitch(&mut reach, value)).collect();
        let values = serve(&mut reach, number as u32, &arguments, &types);
        let outputs = values.map(|values| {
            values.iter().map(|value| to_stitch_or_null(&mut reach, value)).collect::<VecDeque<Val>>()
        });
        match outputs {
            Ok(outputs) => serving.returned = outputs,
            Err(Stop::Trap) => serving.stopped = Some(Ending::Trapped(TrapKind::Host)),
            Err(Stop::Error(ending)) => serving.stopped = Some(ending),
        }
        serving.stopped.is_none()
    });
    match done {
        Some(true) => Ok(()),
        // Any error ends the call; why it stopped is noted.
        Some(false) => Err(Error::Memory(MemError::FailedToGrow)),
        None => Err(Error::Func(FuncError::ParamCountMismatch)),
    }
}

/// The module between imports of these types and the closures.
fn shims(types: &[FuncType]) -> Vec<u8> {
    let (mut type_section, mut imports) = (TypeSection::new(), ImportSection::new());
    let (mut functions, mut exports, mut code) =
        (FunctionSection::new(), ExportSection::new(), CodeSection::new());
    let mut closure = |parameters: &[ValType], results: &[ValType]| {
        let ty = type_section.len();
        type_section.ty().function(encoded(parameters), encoded(results));
        imports.import("", &imports.len().to_string(), EntityType::Function(ty));
    };
    TYPES.iter().for_each(|ty| closure(&[*ty], &[]));
    closure(&[ValType::I32], &[]);
    TYPES.iter().for_each(|ty| closure(&[], &[*ty]));
    let first = imports.len();
    for (number, ty) in types.iter().enumerate() {
        functions.function(type_section.len());
        type_section.ty().function(encoded(ty.params()), encoded(ty.results()));
        exports.export(&number.to_string(), ExportKind::Func, first + number as u32);
        code.function(&shim(number as i32, ty));
    }
    let mut module = wasm_encoder::Module::new();
    module.section(&type_section).section(&imports).section(&functions).section(&exports).section(&code);
    module.finish()
}

fn shim(number: i32, ty: &FuncType) -> Function {
    let mut function = Function::new([]);
    let mut code = function.instructions();
    for (place, ty) in ty.params().iter().enumerate() {
        code.local_get(place as u32).call(closure_of(*ty));
    }
    code.i32_const(number).call(SERVE);
    for ty in ty.results() {
        code.call(SERVE + 1 + closure_of(*ty));
    }
    code.end();
    function
}

fn closure_of(ty: ValType) -> u32 {
    TYPES.iter().position(|known| *known == ty).unwrap_or_default() as u32
}

fn encoded(types: &[ValType]) -> Vec<wasm_encoder::ValType> {
    let encoded = |ty: &ValType| match ty {
        ValType::I32 => wasm_encoder::ValType::I32,
        ValType::I64 => wasm_encoder::ValType::I64,
        ValType::F32 => wasm_encoder::ValType::F32,
        ValType::F64 => wasm_encoder::ValType::F64,
        ValType::FuncRef => wasm_encoder::ValType::FUNCREF,
        ValType::ExternRef => wasm_encoder::ValType::EXTERNREF,
    };
    types.iter().map(encoded).collect()
}
