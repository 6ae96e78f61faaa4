//! What a module imports, as a module of the script: it is registered under the names that the imports have.

use std::collections::BTreeSet;

use mutagen_oracles::Value;
use mutagen_wasm_ast::{AddressType, FuncType, GlobalType, Limits, RefType, TableType, ValType};

use super::super::host::{Deed, Host, HostedCall, Import, Item, Kind, Place};
use super::constant::constant;
use super::{comment, string};

/// The name by which the script calls the module.
pub const NAME: &str = "$host";

/// The same imports with names that tell them apart, since a script can give only one thing under one name. `None` if their
/// names do already.
pub fn with_own_names(host: &Host) -> Option<Host> {
    let names: BTreeSet<&str> = host.imports.iter().map(|import| import.name.as_str()).collect();
    (names.len() < host.imports.len()).then(|| {
        let imports = host.imports.iter().enumerate();
        let renamed = imports.map(|(place, import)| Import { name: place.to_string(), ..import.clone() });
        Host { imports: renamed.collect(), ..host.clone() }
    })
}

/// The module and its registrations, in order. None if nothing is imported.
///
/// # Errors
///
/// What a script cannot say.
pub fn commands(host: &Host) -> Result<Vec<String>, String> {
    if host.imports.is_empty() {
        return Ok(Vec::new());
    }
    let mut fields = Vec::new();
    if host.is_listed {
        fields.push("(global $calls (mut i32) (i32.const 0))".to_owned());
    }
    for (place, import) in host.imports.iter().enumerate() {
        fields.push(field(host, place, import)?);
    }
    if host.is_strict {
        let count =
            format!("(func (export {}) (result i32) (global.get $calls))", string(count(host).as_bytes()));
        fields.push(count);
    }
    let mut commands =
        vec![comment("what the module imports"), format!("(module {NAME}\n  {})", fields.join("\n  "))];
    let modules: BTreeSet<&str> = host.imports.iter().map(|import| import.module.as_str()).collect();
    commands.extend(modules.iter().map(|module| format!("(register {} {NAME})", string(module.as_bytes()))));
    Ok(commands)
}

/// An assertion about the number of calls, if it matters.
pub fn last(host: &Host) -> Option<String> {
    let asked = format!("(invoke {NAME} {})", string(count(host).as_bytes()));
    host.is_strict.then(|| format!("(assert_return {asked} (i32.const {}))", host.calls.len()))
}

/// The name of the function that tells how many calls there were. No import has it.
fn count(host: &Host) -> String {
    let mut name = "calls".to_owned();
    while host.imports.iter().any(|import| import.name == name) {
        name.push('\'');
    }
    name
}

fn field(host: &Host, place: usize, import: &Import) -> Result<String, String> {
    let export = format!("(export {})", string(import.name.as_bytes()));
    Ok(match &import.item {
        Item::Memory(limits) => format!("(memory $import{place} {export} {})", text_of(limits)),
        Item::Table(TableType { element, limits }) => {
            format!("(table $import{place} {export} {} {})", text_of(limits), reference(*element))
        }
        Item::Global(GlobalType { value: ty, mutable }, value) => {
            let ty = if *mutable { format!("(mut {})", name(*ty)) } else { name(*ty).to_owned() };
            format!("(global $import{place} {export} {ty} {})", said(value)?)
        }
        Item::Function(ty) => format!("(func {export}{}{})", signature(ty), body(host, place)?),
    })
}

fn text_of(limits: &Limits) -> String {
    let wide = if limits.address == AddressType::I64 { "i64 " } else { "" };
    let max = limits.max.map(|max| format!(" {}", max.0)).unwrap_or_default();
    format!("{wide}{}{max}", limits.min.0)
}

fn signature(ty: &FuncType) -> String {
    let list = |word: &str, types: &[ValType]| {
        let names: String = types.iter().map(|ty| format!(" {}", name(*ty))).collect();
        if types.is_empty() { String::new() } else { format!(" ({word}{names})") }
    };
    list("param", &ty.params) + &list("result", &ty.results)
}

fn name(ty: ValType) -> &'static str {
    match ty {
        ValType::I32 => "i32",
        ValType::I64 => "i64",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        ValType::V128 => "v128",
        ValType::FuncRef => "funcref",
        ValType::ExternRef => "externref",
    }
}

fn reference(ty: RefType) -> &'static str {
    name(ty.into())
}

/// The body of a function: what it does in each call. A call that a correct engine does not make traps.
fn body(host: &Host, place: usize) -> Result<String, String> {
    if !host.is_listed {
        return Ok(String::new());
    }
    let mut body = "\n    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))".to_owned();
    for (number, call) in host.calls.iter().enumerate().filter(|(_, call)| call.import == place) {
        let steps = steps(host, call)?.join("\n      ");
        let number = number + 1;
        body +=
            &format!("\n    (if (i32.eq (global.get $calls) (i32.const {number})) (then\n      {steps}))");
    }
    Ok(body + "\n    unreachable")
}

fn steps(host: &Host, call: &HostedCall) -> Result<Vec<String>, String> {
    let mut steps = Vec::new();
    if host.is_strict {
        steps.extend(call.arguments.iter().enumerate().filter_map(|(place, value)| check(place, value)));
    }
    for deed in &call.deeds {
        steps.extend(done(host, deed)?);
    }
    steps.push(match &call.results {
        None => "unreachable".to_owned(),
        Some(values) => {
            let values: Result<Vec<String>, String> = values.iter().map(said).collect();
            format!("(return {})", values?.join(" ")).replace("(return )", "return")
        }
    });
    Ok(steps)
}

/// Traps if an argument is another one. NaNs may have other bits, and vectors may hold them.
fn check(place: usize, value: &Value) -> Option<String> {
    let local = format!("(local.get {place})");
    let differs = match *value {
        Value::I32(bits) => format!("(i32.ne {local} (i32.const {}))", bits as i32),
        Value::I64(bits) => format!("(i64.ne {local} (i64.const {}))", bits as i64),
        Value::F32(bits) if !f32::from_bits(bits).is_nan() => {
            format!("(i32.ne (i32.reinterpret_f32 {local}) (i32.const {}))", bits as i32)
        }
        Value::F64(bits) if !f64::from_bits(bits).is_nan() => {
            format!("(i64.ne (i64.reinterpret_f64 {local}) (i64.const {}))", bits as i64)
        }
        Value::FuncRef(None) | Value::ExternRef(None) => format!("(i32.eqz (ref.is_null {local}))"),
        Value::FuncRef(Some(_)) | Value::ExternRef(Some(_)) => format!("(ref.is_null {local})"),
        Value::F32(_) | Value::F64(_) | Value::V128(_) => return None,
    };
    Some(format!("(if {differs} (then unreachable))"))
}

/// What a function does, as instructions.
fn done(host: &Host, deed: &Deed) -> Result<Vec<String>, String> {
    Ok(match deed {
        Deed::Write(place, address, bytes) => {
            let (place, memory, wide) = at(host, place, Kind::Memory)?;
            let size = if wide { "i64" } else { "i32" };
            // Where there is one memory, engines need not know that there may be several.
            let memory = if host.places(Kind::Memory) == [place] { String::new() } else { memory + " " };
            let byte = |(number, byte): (u64, &u8)| {
                format!("(i32.store8 {memory}({size}.const {}) (i32.const {byte}))", address + number)
            };
            (0..).zip(bytes).map(byte).collect()
        }
        Deed::GrowMemory(place, pages) => {
            let (place, memory, wide) = at(host, place, Kind::Memory)?;
            let memory = if host.places(Kind::Memory) == [place] { String::new() } else { memory + " " };
            vec![format!("(drop (memory.grow {memory}({}.const {pages})))", if wide { "i64" } else { "i32" })]
        }
        Deed::GrowTable(place, elements, value) => {
            let (_, table, wide) = at(host, place, Kind::Table)?;
            let size = if wide { "i64" } else { "i32" };
            vec![format!("(drop (table.grow {table} {} ({size}.const {elements})))", said(value)?)]
        }
        Deed::SetGlobal(place, value) => {
            let (_, global, _) = at(host, place, Kind::Global)?;
            vec![format!("(global.set {global} {})", said(value)?)]
        }
        Deed::SetElement(place, index, value) => {
            let (_, table, wide) = at(host, place, Kind::Table)?;
            let size = if wide { "i64" } else { "i32" };
            vec![format!("(table.set {table} ({size}.const {index}) {})", said(value)?)]
        }
        Deed::Call(export, _) => {
            return Err(format!(
                "an imported function calls back {export:?}, which a module of a script cannot do"
            ));
        }
    })
}

/// The place of an import, its name in the script, and whether its addresses have 64 bits.
fn at(host: &Host, place: &Place, kind: Kind) -> Result<(usize, String, bool), String> {
    let Place::Import(place) = place else {
        return Err(
            "an imported function changes what the module exports, which a module of a script cannot do"
                .into(),
        );
    };
    let wide = match (&host.imports[*place].item, kind) {
        (Item::Memory(limits) | Item::Table(TableType { limits, .. }), _) => {
            limits.address == AddressType::I64
        }
        _ => false,
    };
    Ok((*place, format!("$import{place}"), wide))
}

/// A value that an instruction can make.
fn said(value: &Value) -> Result<String, String> {
    match value {
        Value::FuncRef(Some(_)) | Value::ExternRef(Some(_)) => {
            Err("an imported function or global has a reference that a module of a script cannot make".into())
        }
        other => constant(other, None).ok_or_else(|| "a value has no word in a script".to_owned()),
    }
}
