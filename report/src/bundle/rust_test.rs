//! The stand-alone Rust test, which uses the engine's public crate.

use mutagen_campaign::ModuleFinding;
use mutagen_oracles::{Ending, Feature, Limits, TrapKind, Value};

use super::expected::{Asked, Expected, Left};

/// A package with one test.
pub struct Package {
    /// `Cargo.toml`.
    pub manifest: String,
    /// `tests/finding.rs`.
    pub test: String,
}

/// The features with which this program compiles wasmi.
pub const WASMI_FEATURES: [&str; 7] =
    ["std", "stable", "validate", "memory64", "simd", "deterministic", "portable-dispatch"];

/// The package for a finding. `None` if the target is an engine whose crate this program does not know, or if what should
/// happen cannot be said.
pub fn package(name: &str, version: &str, finding: &ModuleFinding, expected: &Expected) -> Option<Package> {
    let mode = match finding.target_engine.as_str() {
        "wasmi" => "Eager",
        "wasmi-lazy" => "Lazy",
        _ => return None,
    };
    let body = body(expected)?;
    // Validity is asked of an engine that translates nothing: a translator may stumble over what a broken validator accepts.
    let runs = !matches!(expected, Expected::Valid | Expected::Invalid(_));
    let mode = if runs { mode } else { "LazyTranslation" };
    let helpers = if runs { HELPERS } else { "" };
    let test = format!(
        "//! {}: the target, {}, says {}.\n//! What is right: {}.\n\n\
         const MODULE: &[u8] = include_bytes!(\"../module.wasm\");\n\n\
         {}\n#[test]\nfn {}() {{\n    let engine = engine();\n{body}}}\n{helpers}",
        one_line(&finding.part),
        finding.target_engine,
        one_line(&finding.target),
        one_line(&finding.reference),
        configuration(finding, mode, runs),
        test_name(expected),
    );
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
         [dependencies]\nwasmi = {{ version = \"={version}\", default-features = false, features = [{}] }}\n\n\
         # A project of its own, wherever it lies.\n[workspace]\n",
        WASMI_FEATURES.map(|feature| format!("\"{feature}\"")).join(", ")
    );
    Some(Package { manifest, test })
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn test_name(expected: &Expected) -> &'static str {
    match expected {
        Expected::Invalid(_) => "the_module_is_rejected",
        Expected::Valid => "the_module_is_accepted",
        Expected::NotInstantiated(_) => "instantiating_the_module_fails_in_the_right_way",
        _ => "the_calls_do_what_they_should",
    }
}

/// The engine in the configuration in which the difference was found.
fn configuration(finding: &ModuleFinding, mode: &str, runs: bool) -> String {
    let switch = |(name, feature): &(&str, Feature)| {
        format!("    config.{name}({});\n", finding.features.contains(*feature))
    };
    let switches: String = SWITCHES.iter().map(switch).collect();
    let limits = Limits::default();
    let running = if runs {
        format!(
            "    config.consume_fuel(true);\n    config.set_max_recursion_depth({});\n    config.set_max_stack_height(16 * 1024 * 1024);\n",
            limits.recursion
        )
    } else {
        String::new()
    };
    format!(
        "fn engine() -> wasmi::Engine {{\n    let mut config = wasmi::Config::default();\n{switches}    \
         config.wasm_custom_page_sizes(false);\n    config.compilation_mode(wasmi::CompilationMode::{mode});\n{running}    \
         wasmi::Engine::new(&config)\n}}\n"
    )
}

/// The switches of wasmi's configuration.
const SWITCHES: [(&str, Feature); 13] = [
    ("wasm_mutable_global", Feature::MutableGlobal),
    ("wasm_saturating_float_to_int", Feature::SaturatingFloatToInt),
    ("wasm_sign_extension", Feature::SignExtension),
    ("wasm_multi_value", Feature::MultiValue),
    ("wasm_bulk_memory", Feature::BulkMemory),
    ("wasm_reference_types", Feature::ReferenceTypes),
    ("wasm_simd", Feature::Simd),
    ("wasm_relaxed_simd", Feature::RelaxedSimd),
    ("wasm_tail_call", Feature::TailCall),
    ("wasm_extended_const", Feature::ExtendedConst),
    ("wasm_multi_memory", Feature::MultiMemory),
    ("wasm_memory64", Feature::Memory64),
    ("wasm_wide_arithmetic", Feature::WideArithmetic),
];

/// What the test does after it has made the engine.
fn body(expected: &Expected) -> Option<String> {
    let start = format!(
        "    let module = wasmi::Module::new(&engine, MODULE).expect(\"the module is valid\");\n    \
         let mut store = wasmi::Store::new(&engine, ());\n    store.set_fuel({}).expect(\"fuel is counted\");\n    \
         let started = wasmi::Instance::new(&mut store, &module, &[]);\n",
        Limits::default().fuel
    );
    Some(match expected {
        Expected::Valid => {
            "    wasmi::Module::new(&engine, MODULE).expect(\"the module is valid\");\n".to_owned()
        }
        Expected::Invalid(_) => {
            "    assert!(wasmi::Module::new(&engine, MODULE).is_err(), \"the module is invalid\");\n"
                .to_owned()
        }
        Expected::NotInstantiated(Ending::Trapped(_)) => {
            start + "    assert!(started.is_err(), \"instantiating it traps\");\n"
        }
        Expected::Run { calls, left } => {
            let calls: Option<String> = calls.iter().map(call).collect();
            let left = left.as_ref().map(look).unwrap_or_default();
            start + "    let instance = started.expect(\"it can be instantiated\");\n" + &calls? + &left
        }
        Expected::NotInstantiated(_) | Expected::Unsaid(_) => return None,
    })
}

fn call(Asked { export, arguments, ending }: &Asked) -> Option<String> {
    let arguments: Option<Vec<String>> = arguments.iter().map(argument).collect();
    let expected = match ending {
        Ending::Returned(values) => {
            let values: Vec<String> =
                values.iter().map(|value| format!("{:?}.to_string()", shown(value))).collect();
            format!("Ok(vec![{}])", values.join(", "))
        }
        Ending::Trapped(kind) => format!("Err(Some(wasmi::TrapCode::{}))", trap_code(*kind)?),
        _ => return None,
    };
    Some(format!(
        "    assert_eq!(\n        call(&mut store, &instance, {export:?}, &[{}]),\n        {expected}\n    );\n",
        arguments?.join(", ")
    ))
}

/// A value in Rust. `None` for references to objects, which only their store knows.
fn argument(value: &Value) -> Option<String> {
    Some(match *value {
        Value::I32(bits) => format!("wasmi::Val::I32({})", bits as i32),
        Value::I64(bits) => format!("wasmi::Val::I64({})", bits as i64),
        Value::F32(bits) => format!("wasmi::Val::F32(wasmi::F32::from_bits({bits:#010x}))"),
        Value::F64(bits) => format!("wasmi::Val::F64(wasmi::F64::from_bits({bits:#018x}))"),
        Value::V128(bits) => format!("wasmi::Val::V128(wasmi::V128::from({bits:#x}_u128))"),
        Value::FuncRef(None) => "wasmi::Val::FuncRef(wasmi::Nullable::Null)".to_owned(),
        Value::ExternRef(None) => "wasmi::Val::ExternRef(wasmi::Nullable::Null)".to_owned(),
        Value::FuncRef(Some(_)) | Value::ExternRef(Some(_)) => return None,
    })
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

fn trap_code(kind: TrapKind) -> Option<&'static str> {
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
        TrapKind::OutOfFuel | TrapKind::Host => return None,
    })
}

/// Looks at a part of the state.
fn look(left: &Left) -> String {
    match left {
        Left::Byte { export, address, byte, .. } => format!(
            "    let memory = instance.get_memory(&store, {export:?}).expect(\"it is exported\");\n    \
             assert_eq!(memory.data(&store).get({address}).copied(), {byte:?});\n"
        ),
        Left::Global { export, value } => format!(
            "    let global = instance.get_global(&store, {export:?}).expect(\"it is exported\");\n    \
             assert_eq!(shown(&global.get(&store)), {:?});\n",
            shown(value)
        ),
        Left::Element { export, index, element, .. } => format!(
            "    let table = instance.get_table(&store, {export:?}).expect(\"it is exported\");\n    \
             let element = table.get(&store, {index}).map(|element| shown(&wasmi::Val::from(element)));\n    \
             assert_eq!(element.as_deref(), {:?});\n",
            element.as_ref().map(shown)
        ),
    }
}

/// What the calls of a test need.
const HELPERS: &str = include_str!("helpers.rs.txt");
