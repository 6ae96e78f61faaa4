//! The stand-alone Rust test, which uses the engine's public crate.
//!
//! The test is the same for all engines but for what stands behind it: a configuration and helpers, in which the engines'
//! crates differ. An engine that is a crate has a file here.

mod wasmi;
mod wasmtime;

use mutagen_campaign::ModuleFinding;
use mutagen_oracles::{Ending, Limits, NanMode, Signature, TrapKind, Value, ValueType};

use super::expected::{Asked, Expected, Left};
use super::host::{Deed, Host, HostedCall, Item, Place};

/// A package with one test.
pub struct Package {
    /// `Cargo.toml`.
    pub manifest: String,
    /// `tests/finding.rs`.
    pub test: String,
}

/// The public crate of an engine.
pub struct PublicCrate {
    /// Its name.
    pub name: &'static str,
    /// The features with which this program compiles it.
    pub features: &'static [&'static str],
    /// The function `engine`, which makes the engine as it was when the engines differed.
    configuration: fn(&ModuleFinding, bool) -> String,
    /// The functions that a test calls.
    helpers: &'static str,
}

/// The public crate of an engine of the registry, if it is one that this program knows.
pub fn public_crate(engine: &str) -> Option<PublicCrate> {
    match plain_name(engine) {
        "wasmi" | "wasmi-lazy" => Some(wasmi::public_crate()),
        "wasmtime" | "wasmtime-speed" => Some(wasmtime::public_crate()),
        _ => None,
    }
}

/// The name of an engine without the word that says that it has a process of its own.
pub fn plain_name(engine: &str) -> &str {
    engine.strip_prefix("isolated:").unwrap_or(engine)
}

/// The package for a finding. `None` if the target is an engine whose crate this program does not know, or if what should
/// happen cannot be said.
pub fn package(name: &str, version: &str, finding: &ModuleFinding, expected: &Expected) -> Option<Package> {
    let PublicCrate { name: krate, features, configuration, helpers } = public_crate(&finding.target_engine)?;
    let runs = !matches!(expected, Expected::Valid | Expected::Invalid(_));
    let any_nan = finding.nans == NanMode::Raw;
    let alike = any_nan.then(|| with_one_nan(expected));
    let expected = alike.as_ref().unwrap_or(expected);
    let untold = match expected {
        Expected::Run { untold: Some(untold), .. } => format!("// Not asserted: {}.\n", one_line(untold)),
        _ => String::new(),
    };
    let test = format!(
        "//! {}: the target, {}, says {}.\n//! What is right: {}.\n\n\
         #![allow(unused)] // The part from `engine` on is nearly the same for every finding.\n\n\
         const MODULE: &[u8] = include_bytes!(\"../module.wasm\");\n/// The fuel of each call.\nconst FUEL: u64 = {};\n\
         /// Whether one NaN is as good as another.\nconst ANY_NAN: bool = {any_nan};\n\n\
         {untold}#[test]\nfn {}() {{\n{}}}\n\n{}\n{HELPERS}\n{helpers}",
        one_line(&finding.part),
        finding.target_engine,
        one_line(&finding.target),
        one_line(&finding.reference),
        Limits::default().fuel,
        test_name(expected),
        body(expected)?,
        configuration(finding, runs),
    );
    let features: Vec<String> = features.iter().map(|feature| format!("\"{feature}\"")).collect();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
         [dependencies]\n{krate} = {{ version = \"={version}\", default-features = false, features = [{}] }}\n\n\
         # A project of its own, wherever it lies.\n[workspace]\n",
        features.join(", ")
    );
    Some(Package { manifest, test })
}

/// The same, with every NaN that comes out of the engine shown as the canonical one, as the helpers show it.
fn with_one_nan(expected: &Expected) -> Expected {
    let one = |value: &mut Value| match value {
        Value::F32(bits) if f32::from_bits(*bits).is_nan() => *bits = 0x7fc0_0000,
        Value::F64(bits) if f64::from_bits(*bits).is_nan() => *bits = 0x7ff8 << 48,
        _ => {}
    };
    let mut expected = expected.clone();
    if let Expected::Run { host, calls, left, .. } = &mut expected {
        for asked in calls {
            if let Ending::Returned(values) = &mut asked.ending {
                values.iter_mut().for_each(one);
            }
        }
        host.calls.iter_mut().flat_map(|call| &mut call.arguments).for_each(one);
        if let Some(Left::Global { value, .. }) = left {
            one(value);
        }
    }
    expected
}

/// The helpers that need no engine.
const HELPERS: &str = include_str!("rust_test/helpers.rs.txt");

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn test_name(expected: &Expected) -> &'static str {
    match expected {
        Expected::Invalid(_) => "the_module_is_rejected",
        Expected::Valid => "the_module_is_accepted",
        Expected::NotInstantiated { .. } => "instantiating_the_module_fails_in_the_right_way",
        _ => "the_calls_do_what_they_should",
    }
}

/// What the test does.
fn body(expected: &Expected) -> Option<String> {
    Some(match expected {
        Expected::Valid => "    assert!(is_valid(), \"the module is valid\");\n".to_owned(),
        Expected::Invalid(_) => "    assert!(!is_valid(), \"the module is invalid\");\n".to_owned(),
        Expected::NotInstantiated { host, ending: Ending::Trapped(kind) } => {
            let started = "    let started = start(&mut store, &imports);\n";
            let trap = format!("    assert_eq!(started.err(), Some({:?}.to_string()));\n", trap_name(*kind)?);
            before(host)? + started + &trap + &after(host)
        }
        Expected::Run { host, calls, left, .. } => {
            let started =
                "    let instance = start(&mut store, &imports).expect(\"it can be instantiated\");\n";
            let calls: Option<String> = calls.iter().map(call).collect();
            let left = left.as_ref().map(look).unwrap_or_default();
            before(host)? + started + &calls? + &left + &after(host)
        }
        Expected::NotInstantiated { .. } | Expected::Unsaid(_) => return None,
    })
}

/// A store and the imports, in order. What functions change must be there before them.
fn before(host: &Host) -> Option<String> {
    let mut text = "    let mut store = store(FUEL);\n".to_owned();
    let is_function = |place: &usize| matches!(host.imports[*place].item, Item::Function(_));
    let (functions, others): (Vec<usize>, Vec<usize>) = (0..host.imports.len()).partition(is_function);
    for place in others.into_iter().chain(functions) {
        text += &format!("    let import{place} = {};\n", import(host, place)?);
    }
    let names: Vec<String> = (0..host.imports.len()).map(|place| format!("import{place}.clone()")).collect();
    Some(text + &format!("    let imports: Vec<Extern> = vec![{}];\n", names.join(", ")))
}

/// The number of calls of imported functions, if it matters.
fn after(host: &Host) -> String {
    let calls = host.calls.len();
    if host.is_strict {
        format!("    assert_eq!(*store.data(), {calls}, \"calls of imports\");\n")
    } else {
        String::new()
    }
}

fn import(host: &Host, place: usize) -> Option<String> {
    Some(match &host.imports[place].item {
        Item::Memory(limits) => {
            format!(
                "memory(&mut store, {}, {:?}, {})",
                limits.min.0,
                limits.max.map(|max| max.0),
                is_wide(limits)
            )
        }
        Item::Table(ty) => {
            let holds_functions = ty.element == mutagen_wasm_ast::RefType::FuncRef;
            let (min, max) = (ty.limits.min.0, ty.limits.max.map(|max| max.0));
            format!("table(&mut store, {holds_functions}, {min}, {max:?}, {})", is_wide(&ty.limits))
        }
        Item::Global(ty, first) => {
            format!("global(&mut store, {}, {}, {})", type_name(ty.value), ty.mutable, value(first)?)
        }
        Item::Function(ty) => {
            let list = |types: &[mutagen_wasm_ast::ValType]| {
                types.iter().map(|ty| type_name(*ty)).collect::<Vec<_>>().join(", ")
            };
            let (parameters, results) = (list(&ty.params), list(&ty.results));
            format!("function(&mut store, &[{parameters}], &[{results}], {})", closure(host, place)?)
        }
    })
}

/// What an imported function does in each call.
fn closure(host: &Host, place: usize) -> Option<String> {
    if !host.is_listed {
        return Some("|_, _, _| Ok(vec![])".to_owned());
    }
    let others =
        (0..host.imports.len()).filter(|other| !matches!(host.imports[*other].item, Item::Function(_)));
    let clones: Vec<String> =
        others.map(|other| format!("let import{other} = import{other}.clone(); ")).collect();
    let mut text = format!("{{ {}move |caller, number, arguments| match number {{\n", clones.concat());
    for (number, call) in host.calls.iter().enumerate().filter(|(_, call)| call.import == place) {
        text += &format!("        {} => {{\n{}        }}\n", number + 1, turn(host, call)?);
    }
    Some(text + "        _ => Err(format!(\"call {number} of an import should not be made\")),\n    } }")
}

/// What an imported function does in one call.
fn turn(host: &Host, call: &HostedCall) -> Option<String> {
    let mut text = String::new();
    if host.is_strict {
        let shown: Vec<String> = call.arguments.iter().map(|value| format!("{:?}", shown(value))).collect();
        text += &format!("            expect(arguments, &[{}])?;\n", shown.join(", "));
    }
    for deed in &call.deeds {
        text += &format!("            {};\n", done(deed)?);
    }
    text += &match &call.results {
        None => format!("            Err({HOST_TRAP:?}.to_string())\n"),
        Some(results) => format!("            Ok(vec![{}])\n", values(results)?),
    };
    Some(text)
}

fn done(deed: &Deed) -> Option<String> {
    let (place, does) = match deed {
        Deed::Write(place, address, bytes) => {
            (place, format!("write(caller, &place, {address}, &{bytes:?})"))
        }
        Deed::GrowMemory(place, pages) => (place, format!("grow_memory(caller, &place, {pages})")),
        Deed::SetGlobal(place, to) => (place, format!("set_global(caller, &place, {})", value(to)?)),
        // What is no reference to an object is null.
        Deed::SetElement(place, index, to) => {
            (place, value(to).map(|_| format!("clear_element(caller, &place, {index})"))?)
        }
        Deed::GrowTable(place, elements, with) => {
            (place, value(with).map(|_| format!("grow_table(caller, &place, {elements})"))?)
        }
        Deed::Call(export, arguments) => {
            return Some(format!("call_back(caller, {export:?}, &[{}])", values(arguments)?));
        }
    };
    let place = match place {
        Place::Import(place) => format!("import{place}.clone()"),
        Place::Export(name) => format!("exported(caller, {name:?})"),
    };
    Some(format!("let place = {place};\n            {does}"))
}

fn call(Asked { export, arguments, ending }: &Asked) -> Option<String> {
    let expected = match ending {
        Ending::Returned(values) => {
            let values: Vec<String> =
                values.iter().map(|value| format!("{:?}.to_string()", shown(value))).collect();
            format!("Ok(vec![{}])", values.join(", "))
        }
        Ending::Trapped(kind) => format!("Err({:?}.to_string())", trap_name(*kind)?),
        _ => return None,
    };
    Some(format!(
        "    assert_eq!(call(&mut store, &instance, {export:?}, &[{}]), {expected});\n",
        values(arguments)?
    ))
}

/// Looks at a part of the state.
fn look(left: &Left) -> String {
    let of = |place: &Place| match place {
        Place::Import(place) => format!("import{place}"),
        Place::Export(name) => format!("export(&mut store, &instance, {name:?})"),
    };
    match left {
        Left::Byte { place, address, byte, .. } => {
            format!(
                "    let memory = {};\n    assert_eq!(byte(&mut store, &memory, {address}), {byte:?});\n",
                of(place)
            )
        }
        Left::Global { place, value } => format!(
            "    let global = {};\n    assert_eq!(global_value(&mut store, &global), {:?});\n",
            of(place),
            shown(value)
        ),
        Left::Element { place, index, element, .. } => format!(
            "    let table = {};\n    assert_eq!(element(&mut store, &table, {index}).as_deref(), {:?});\n",
            of(place),
            element.as_ref().map(shown)
        ),
        Left::Export { name, signature } => format!(
            "    assert_eq!(exported_type(&mut store, &instance, {name:?}).as_deref(), {:?});\n",
            signature.as_ref().map(signature_text)
        ),
    }
}

/// A type as the test shows it.
fn signature_text(Signature { parameters, results }: &Signature) -> String {
    let list = |types: &[ValueType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    format!("({}) -> ({})", list(parameters), list(results))
}

fn values(values: &[Value]) -> Option<String> {
    let values: Option<Vec<String>> = values.iter().map(value).collect();
    values.map(|values| values.join(", "))
}

/// A value in Rust. `None` for references to objects, which only their store knows.
fn value(value: &Value) -> Option<String> {
    Some(match *value {
        Value::I32(bits) => format!("Val::I32({})", bits as i32),
        Value::I64(bits) => format!("Val::I64({})", bits as i64),
        Value::F32(bits) => format!("f32_of({bits:#010x})"),
        Value::F64(bits) => format!("f64_of({bits:#018x})"),
        Value::V128(bits) => format!("Val::V128(V128::from({bits:#x}_u128))"),
        Value::FuncRef(None) => "no_function()".to_owned(),
        Value::ExternRef(None) => "no_object()".to_owned(),
        Value::FuncRef(Some(_)) | Value::ExternRef(Some(_)) => return None,
    })
}

fn type_name(ty: mutagen_wasm_ast::ValType) -> &'static str {
    use mutagen_wasm_ast::ValType;
    match ty {
        ValType::I32 => "ValType::I32",
        ValType::I64 => "ValType::I64",
        ValType::F32 => "ValType::F32",
        ValType::F64 => "ValType::F64",
        ValType::V128 => "ValType::V128",
        ValType::FuncRef => "FUNCTION",
        ValType::ExternRef => "OBJECT",
    }
}

fn is_wide(limits: &mutagen_wasm_ast::Limits) -> bool {
    limits.address == mutagen_wasm_ast::AddressType::I64
}

/// A value as the test shows it.
fn shown(value: &Value) -> String {
    match *value {
        Value::I32(bits) => format!("i32:{}", bits as i32),
        Value::I64(bits) => format!("i64:{}", bits as i64),
        Value::F32(bits) => format!("f32:{bits:#010x}"),
        Value::F64(bits) => format!("f64:{bits:#018x}"),
        Value::V128(bits) => format!("v128:{bits:#034x}"),
        Value::FuncRef(None) | Value::ExternRef(None) => "null".to_owned(),
        Value::FuncRef(Some(_)) | Value::ExternRef(Some(_)) => "a reference".to_owned(),
    }
}

/// What an imported function says that traps.
const HOST_TRAP: &str = "an imported function traps";

/// What both crates call a trap.
fn trap_name(kind: TrapKind) -> Option<&'static str> {
    Some(match kind {
        TrapKind::Unreachable => "UnreachableCodeReached",
        TrapKind::DivisionByZero => "IntegerDivisionByZero",
        TrapKind::IntegerOverflow => "IntegerOverflow",
        TrapKind::InvalidConversion => "BadConversionToInteger",
        TrapKind::MemoryOutOfBounds => "MemoryOutOfBounds",
        TrapKind::TableOutOfBounds => "TableOutOfBounds",
        TrapKind::IndirectCallNull => "IndirectCallToNull",
        TrapKind::IndirectCallSignature => "BadSignature",
        TrapKind::StackExhausted => "StackOverflow",
        TrapKind::Host => HOST_TRAP,
        // Some engines have one word for two kinds.
        TrapKind::OutOfFuel | TrapKind::Conversion | TrapKind::IndirectCall => return None,
    })
}
