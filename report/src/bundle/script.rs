//! The script of assertions that any engine's runner takes: a `.wast` file.

mod constant;
mod host;

use mutagen_campaign::ModuleFinding;
use mutagen_oracles::{Ending, Signature, TrapKind, Value, ValueType};
use mutagen_wasm_ast::Module;

use super::expected::{Asked, Expected, Left};
use super::host::{Host, Place};
use super::nans::Nans;
use constant::constant;

/// A script, and what is in it.
pub struct Script {
    /// `finding.wast`.
    pub text: String,
    /// Whether something is asserted.
    pub asserts: bool,
}

/// The script.
pub fn script(finding: &ModuleFinding, expected: &Expected) -> Script {
    let nans = Nans::of(finding);
    let commands = commands(finding, expected, nans).unwrap_or_else(|why| unsaid(finding, &why));
    let head = comment(&format!(
        "{}: {} says {}, {} says {}",
        finding.part, finding.target_engine, finding.target, finding.reference_engine, finding.reference
    ));
    // That a module can be linked is an assertion of its own.
    let links = matches!(expected, Expected::Run { left: Some(Left::Export { .. }), .. });
    let asserts =
        links || commands.iter().flat_map(|command| command.lines()).any(|line| line.starts_with("(assert_"));
    Script { text: format!("{head}\n{}\n", commands.join("\n")), asserts }
}

/// The commands.
///
/// # Errors
///
/// What a script cannot say.
fn commands(finding: &ModuleFinding, expected: &Expected, nans: Nans) -> Result<Vec<String>, String> {
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
        Expected::Run { host, calls, left, untold } => {
            let (mut commands, host, module) = around(finding, host)?;
            commands.extend(untold.iter().map(|untold| comment(&format!("not asserted: {untold}"))));
            commands.push(module);
            commands.extend(calls.iter().map(|asked| assertion(asked, nans)));
            commands.extend(left.iter().map(|left| look(left, &host, nans, &finding.target)));
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

fn assertion(Asked { export, arguments, ending }: &Asked, nans: Nans) -> String {
    let arguments: Option<Vec<String>> = arguments.iter().map(|value| constant(value, None)).collect();
    let Some(arguments) = arguments else {
        return comment(&format!("a call of {export:?} with a reference to a function cannot be said here"));
    };
    let words: Vec<String> = std::iter::once(string(export.as_bytes())).chain(arguments).collect();
    let invoke = format!("(invoke {})", words.join(" "));
    match ending {
        Ending::Returned(values) => {
            let results: Option<Vec<String>> =
                values.iter().map(|value| constant(value, Some(nans))).collect();
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
fn look(left: &Left, host: &Host, nans: Nans, target: &str) -> String {
    let size = |wide: &bool| if *wide { "i64" } else { "i32" };
    match left {
        Left::Global { place, value } => match (place, constant(value, Some(nans))) {
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
            let is_object = matches!(element, Some(Value::ExternRef(_)));
            let holds = if is_object { "externref" } else { "funcref" };
            let import =
                format!("(table {} {}0 {holds})", import(place, host), if *wide { "i64 " } else { "" });
            // Objects can be told apart, functions only from null.
            let (name, result, get) = match is_object {
                true => ("get", "externref", "(table.get 0 (local.get 0))"),
                false => ("is_null", "i32", "(ref.is_null (table.get 0 (local.get 0)))"),
            };
            let get = format!("(func (export \"{name}\") (param {size}) (result {result}) {get})");
            let call = format!("(invoke \"{name}\" ({size}.const {index}))");
            let assertion = match element {
                Some(Value::FuncRef(None)) => format!("(assert_return {call} (i32.const 1))"),
                Some(object @ Value::ExternRef(_)) => {
                    format!("(assert_return {call} {})", constant(object, Some(nans)).unwrap_or_default())
                }
                Some(_) => format!("(assert_return {call} (i32.const 0))"),
                None => format!("(assert_trap {call} \"out of bounds table access\")"),
            };
            seen(place, &import, &get, &assertion)
        }
        Left::Export { name, signature } => {
            let import = |ty: String| {
                format!("(import {} {} (func{ty}))", string(SUBJECT.as_bytes()), string(name.as_bytes()))
            };
            let list = |word: &str, types: &[ValueType]| {
                let names: String = types.iter().map(|ty| format!(" {ty}")).collect();
                if types.is_empty() { String::new() } else { format!(" ({word}{names})") }
            };
            let assertion = match signature {
                Some(Signature { parameters, results }) => {
                    let ty = list("param", parameters) + &list("result", results);
                    comment("the export is there, and has this type") + &format!("\n(module {})", import(ty))
                }
                None => format!(
                    "(assert_unlinkable\n  (module {})\n  \"unknown import\")",
                    import(exported_type(target))
                ),
            };
            format!("(register {})\n{assertion}", string(SUBJECT.as_bytes()))
        }
    }
}

/// The type that an engine says a function has, such as `(i32, f32) -> (i32)`, in the words of a module.
fn exported_type(said: &str) -> String {
    let Some((parameters, results)) = said.split_once(" -> ") else { return String::new() };
    let list = |word: &str, types: &str| {
        let types = types.trim_matches(['(', ')']).replace(',', "");
        if types.is_empty() { String::new() } else { format!(" ({word} {types})") }
    };
    list("param", parameters) + &list("result", results)
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
