//! The script of assertions that any engine's runner takes: a `.wast` file.

mod host;

use mutagen_campaign::ModuleFinding;
use mutagen_oracles::{Ending, TrapKind, Value};
use mutagen_wasm_ast::Module;

use super::expected::{Asked, Expected, Left};
use super::host::{Host, Place};

/// The script.
pub fn script(finding: &ModuleFinding, expected: &Expected) -> String {
    let commands = commands(finding, expected).unwrap_or_else(|why| unsaid(finding, &why));
    let head = comment(&format!(
        "{}: {} says {}, {} says {}",
        finding.part, finding.target_engine, finding.target, finding.reference_engine, finding.reference
    ));
    format!("{head}\n{}\n", commands.join("\n"))
}

/// The commands.
///
/// # Errors
///
/// What a script cannot say.
fn commands(finding: &ModuleFinding, expected: &Expected) -> Result<Vec<String>, String> {
    let module = module(finding);
    Ok(match expected {
        Expected::Valid => vec![module],
        Expected::Invalid(reason) => {
            let assertion =
                if Module::decode(&finding.wasm).is_ok() { "assert_invalid" } else { "assert_malformed" };
            vec![format!("({assertion}\n{module}\n  {})", string(short(reason).as_bytes()))]
        }
        Expected::NotInstantiated { host, ending } => {
            let (mut commands, host, module) = around(finding, host)?;
            match ending {
                Ending::Trapped(kind) => commands
                    .push(format!("(assert_trap\n{module}\n  {})", string(trap_words(*kind).as_bytes()))),
                other => {
                    commands.extend([comment(&format!("instantiating it should end so: {other}")), module])
                }
            }
            commands.extend(host::last(&host));
            commands
        }
        Expected::Run { host, calls, left } => {
            let (mut commands, host, module) = around(finding, host)?;
            commands.push(module);
            commands.extend(calls.iter().map(assertion));
            commands.extend(left.iter().map(|left| look(left, &host)));
            commands.extend(host::last(&host));
            commands
        }
        Expected::Unsaid(why) => unsaid(finding, why),
    })
}

/// The module alone, with the reason why nothing is asserted.
fn unsaid(finding: &ModuleFinding, why: &str) -> Vec<String> {
    vec![comment(&format!("there is no assertion: {why}")), module(finding)]
}

/// What comes before the module, its imports, and the module itself. Names of imports are changed where the script needs it.
fn around(finding: &ModuleFinding, host: &Host) -> Result<(Vec<String>, Host, String), String> {
    let Some(renamed) = host::with_own_names(host) else {
        return Ok((host::commands(host)?, host.clone(), module(finding)));
    };
    let mut subject = Module::decode(&finding.wasm).map_err(|error| error.to_string())?;
    for (import, own) in subject.imports.iter_mut().zip(&renamed.imports) {
        import.name = own.name.as_str().into();
    }
    let text = subject.to_text().map_err(|error| error.to_string())?;
    let mut commands = host::commands(&renamed)?;
    commands.push(comment("the imports have other names here: some of them had the same one"));
    Ok((commands, renamed, text.trim_end().to_owned()))
}

/// The module: as text where that gives the same bytes, otherwise as bytes.
fn module(finding: &ModuleFinding) -> String {
    let same = Module::assemble(finding.wat.as_bytes()).is_ok_and(|bytes| bytes == finding.wasm);
    if same {
        finding.wat.trim_end().to_owned()
    } else {
        format!("(module binary\n  {})", string_of_bytes(&finding.wasm))
    }
}

fn assertion(Asked { export, arguments, ending }: &Asked) -> String {
    let arguments: Option<Vec<String>> = arguments.iter().map(|value| constant(value, false)).collect();
    let Some(arguments) = arguments else {
        return comment(&format!("a call of {export:?} with a reference to a function cannot be said here"));
    };
    let words: Vec<String> = std::iter::once(string(export.as_bytes())).chain(arguments).collect();
    let invoke = format!("(invoke {})", words.join(" "));
    match ending {
        Ending::Returned(values) => {
            let results: Option<Vec<String>> = values.iter().map(|value| constant(value, true)).collect();
            let words: Vec<String> = std::iter::once(invoke).chain(results.unwrap_or_default()).collect();
            format!("(assert_return {})", words.join(" "))
        }
        Ending::Trapped(TrapKind::StackExhausted) => {
            format!("(assert_exhaustion {invoke} \"call stack exhausted\")")
        }
        Ending::Trapped(kind) => format!("(assert_trap {invoke} {})", string(trap_words(*kind).as_bytes())),
        other => comment(&format!("{export:?} should end so: {other}")),
    }
}

/// Looks at a part of the state, through a second module where an assertion cannot.
fn look(left: &Left, host: &Host) -> String {
    let size = |wide: &bool| if *wide { "i64" } else { "i32" };
    match left {
        Left::Global { place, value } => match (place, constant(value, true)) {
            (Place::Export(name), Some(value)) => {
                format!("(assert_return (get {}) {value})", string(name.as_bytes()))
            }
            (Place::Import(place), Some(value)) => {
                let name = string(host.imports[*place].name.as_bytes());
                format!("(assert_return (get {} {name}) {value})", host::NAME)
            }
            (_, None) => comment(&format!("the global should be {value}")),
        },
        Left::Byte { place, wide, address, byte } => {
            let index = size(wide);
            let import = format!("(memory {} {}0)", import(place, host), if *wide { "i64 " } else { "" });
            let load =
                format!("(func (export \"load\") (param {index}) (result i32) (i32.load8_u (local.get 0)))");
            let call = format!("(invoke \"load\" ({index}.const {address}))");
            seen(
                place,
                &import,
                &load,
                &match byte {
                    Some(byte) => format!("(assert_return {call} (i32.const {byte}))"),
                    None => format!("(assert_trap {call} \"out of bounds memory access\")"),
                },
            )
        }
        Left::Element { place, wide, index, element } => {
            let size = size(wide);
            let holds = if matches!(element, Some(Value::ExternRef(_))) { "externref" } else { "funcref" };
            let import =
                format!("(table {} {}0 {holds})", import(place, host), if *wide { "i64 " } else { "" });
            let get = format!(
                "(func (export \"is_null\") (param {size}) (result i32) (ref.is_null (table.get 0 (local.get 0))))"
            );
            let call = format!("(invoke \"is_null\" ({size}.const {index}))");
            seen(
                place,
                &import,
                &get,
                &match element {
                    Some(Value::FuncRef(None) | Value::ExternRef(None)) => {
                        format!("(assert_return {call} (i32.const 1))")
                    }
                    Some(_) => format!("(assert_return {call} (i32.const 0))"),
                    None => format!("(assert_trap {call} \"out of bounds table access\")"),
                },
            )
        }
    }
}

/// What a second module imports to see it.
fn import(place: &Place, host: &Host) -> String {
    let (module, name) = match place {
        Place::Export(name) => (SUBJECT, name),
        Place::Import(place) => (host.imports[*place].module.as_str(), &host.imports[*place].name),
    };
    format!("(import {} {})", string(module.as_bytes()), string(name.as_bytes()))
}

/// The name under which the module is registered for others.
const SUBJECT: &str = "subject";

fn seen(place: &Place, import: &str, function: &str, assertion: &str) -> String {
    let register = match place {
        Place::Export(_) => format!("(register {})\n", string(SUBJECT.as_bytes())),
        Place::Import(_) => String::new(),
    };
    format!("{register}(module\n  {import}\n  {function})\n{assertion}")
}

/// A value as a constant; `None` if a script has no word for it. The result of an operator may be any NaN of the kind that
/// is named, an argument has its bits.
fn constant(value: &Value, is_result: bool) -> Option<String> {
    Some(match *value {
        Value::I32(bits) => format!("(i32.const {})", bits as i32),
        Value::I64(bits) => format!("(i64.const {})", bits as i64),
        Value::F32(bits) => format!(
            "(f32.const {})",
            float(
                f32::from_bits(bits).into(),
                &format!("{:?}", f32::from_bits(bits)),
                u64::from(bits & 0x7f_ffff),
                u64::from(bits >> 31),
                0x40_0000,
                is_result
            )
        ),
        Value::F64(bits) => format!(
            "(f64.const {})",
            float(
                f64::from_bits(bits),
                &format!("{:?}", f64::from_bits(bits)),
                bits & 0xf_ffff_ffff_ffff,
                bits >> 63,
                0x8_0000_0000_0000,
                is_result
            )
        ),
        Value::V128(bits) => format!("(v128.const i64x2 {:#x} {:#x})", bits as u64, (bits >> 64) as u64),
        Value::FuncRef(None) => "(ref.null func)".to_owned(),
        Value::FuncRef(Some(_)) if is_result => "(ref.func)".to_owned(),
        Value::FuncRef(Some(_)) => return None,
        Value::ExternRef(None) => "(ref.null extern)".to_owned(),
        Value::ExternRef(Some(id)) => format!("(ref.extern {id})"),
    })
}

fn float(number: f64, decimal: &str, payload: u64, negative: u64, canonical: u64, is_result: bool) -> String {
    match number.is_nan() {
        true if is_result && payload == canonical => "nan:canonical".to_owned(),
        true => format!("{}nan:{payload:#x}", if negative == 1 { "-" } else { "" }),
        false => decimal.to_owned(),
    }
}

/// The words of the specification's own test suite for a trap.
fn trap_words(kind: TrapKind) -> &'static str {
    match kind {
        TrapKind::Unreachable => "unreachable",
        TrapKind::DivisionByZero => "integer divide by zero",
        TrapKind::IntegerOverflow => "integer overflow",
        TrapKind::InvalidConversion => "invalid conversion to integer",
        // Of two kinds, where the reference does not say which.
        TrapKind::Conversion | TrapKind::IndirectCall => "",
        TrapKind::MemoryOutOfBounds => "out of bounds memory access",
        TrapKind::TableOutOfBounds => "out of bounds table access",
        TrapKind::IndirectCallNull => "uninitialized element",
        TrapKind::IndirectCallSignature => "indirect call type mismatch",
        TrapKind::StackExhausted => "call stack exhausted",
        // In a script, an imported function traps in this way.
        TrapKind::Host => "unreachable",
        TrapKind::OutOfFuel => "",
    }
}

/// The beginning of a message, without what is the reference's own.
fn short(reason: &str) -> &str {
    reason.split([':', '(']).next().unwrap_or_default().trim()
}

/// Text as a comment, line by line.
fn comment(text: &str) -> String {
    text.lines().map(|line| format!(";; {line}")).collect::<Vec<_>>().join("\n")
}

/// A string of the text format.
fn string(bytes: &[u8]) -> String {
    let shown = |byte: &u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        other => format!("\\{other:02x}"),
    };
    format!("\"{}\"", bytes.iter().map(shown).collect::<String>())
}

/// Bytes as strings of the text format, sixteen to a line.
fn string_of_bytes(bytes: &[u8]) -> String {
    let line =
        |line: &[u8]| format!("\"{}\"", line.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>());
    bytes.chunks(16).map(line).collect::<Vec<_>>().join("\n  ")
}
