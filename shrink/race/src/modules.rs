//! Modules of 1 to 100 kB that show the bug: those of wasm-smith with one function more, and stacky ones.

use std::fmt::Write;

use arbitrary::Unstructured;
use mutagen_engine::Source;
use mutagen_wasm_ast::Module;
use wasm_smith::Config;

use crate::difference;

/// The sizes of modules of wasm-smith, in kB.
const SMITH: [usize; 12] = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100];
/// The sizes of stacky modules, in kB.
const STACKY: [usize; 8] = [1, 2, 5, 10, 20, 40, 70, 100];

/// All modules with their names.
pub fn all() -> impl Iterator<Item = (String, Vec<u8>)> {
    let smith = SMITH.into_iter().map(|size| (format!("smith-{size}k"), smith(size * 1000)));
    let stacky = STACKY.into_iter().map(|size| (format!("stacky-{size}k"), stacky(size * 1000)));
    smith.chain(stacky)
}

/// A function in which a subtraction decides, between other code.
const DIFFERENCE: &str = r#"(module (func (export "difference") (param i32) (result i32) (local i32)
    (block (br_if 0 (i32.eqz (local.get 0))) (local.set 1 (i32.mul (local.get 0) (i32.const 3))))
    (i32.xor (i32.sub (i32.add (local.get 0) (i32.const 40)) (i32.const 7)) (local.get 1))))"#;

/// A module of wasm-smith of about this size, with the function that shows the bug.
fn smith(bytes: usize) -> Vec<u8> {
    let difference = Module::from_text(DIFFERENCE).expect("the text is right");
    (0..)
        .filter_map(|seed| {
            let mut source = Source::seeded(seed);
            // How many choices a byte takes varies much.
            let length = bytes * (1 + seed as usize % 12) / 2;
            let choices: Vec<u8> = (0..length).map(|_| source.below(256) as u8).collect();
            let made = wasm_smith::Module::new(config(bytes), &mut Unstructured::new(&choices)).ok()?;
            let mut module = Module::decode(&made.to_bytes()).ok()?;
            let number = module.types.len() as u32;
            let place = module.functions.len() as u32;
            let mut function = difference.functions[0].clone();
            function.ty = number.into();
            module.types.push(difference.types[0].clone());
            module.functions.push(function);
            let mut export = difference.exports[0].clone();
            export.item = mutagen_wasm_ast::ExportItem::Func(place.into());
            module.exports.push(export);
            Some(module.encode())
        })
        .find(|wasm| (bytes / 2..bytes * 3 / 2).contains(&wasm.len()) && difference::shows(wasm))
        .expect("there are enough seeds")
}

fn config(bytes: usize) -> Config {
    Config {
        export_everything: true,
        allow_start_export: false,
        min_types: 1,
        min_funcs: bytes / 500,
        max_funcs: bytes / 100,
        max_instructions: 400,
        max_imports: 0,
        max_memory32_bytes: 1 << 18,
        max_table_elements: 100,
        memory_max_size_required: true,
        table_max_size_required: true,
        gc_enabled: false,
        exceptions_enabled: false,
        threads_enabled: false,
        memory64_enabled: false,
        custom_page_sizes_enabled: false,
        shared_everything_threads_enabled: false,
        wide_arithmetic_enabled: false,
        relaxed_simd_enabled: false,
        ..Config::default()
    }
}

/// A module of about this size whose functions pile values up before they use them.
fn stacky(bytes: usize) -> Vec<u8> {
    let functions = (bytes / 2500).max(1);
    let mut source = Source::seeded(bytes as u64);
    let mut text = String::from("(module (memory 1)\n");
    for number in 0..functions {
        let shows = number == functions / 2;
        // Writing to a string never fails.
        let _ = writeln!(text, "(func (export \"f{number}\") (param i32 i32) (result i32)");
        heap(&mut text, &mut source, bytes / functions / 5, shows);
        text.push_str(")\n");
    }
    text.push(')');
    let wasm = Module::assemble(text.as_bytes()).expect("the text is right");
    assert!(difference::shows(&wasm), "a stacky module shows the bug");
    wasm
}

/// Pushes so many values, each by a constant, a local or a block that takes two and gives three, and then folds all into one.
fn heap(text: &mut String, source: &mut Source, values: usize, shows: bool) {
    for value in 0..values {
        let _ = match source.below(4) {
            0 => writeln!(text, "local.get 0"),
            1 => writeln!(text, "local.get 1"),
            2 if value > 1 => writeln!(
                text,
                "block (param i32 i32) (result i32 i32 i32) i32.xor local.get 0 i32.const {value} end"
            ),
            _ => writeln!(text, "i32.const {}", source.below(1000)),
        };
    }
    for value in 1..values {
        let operator = match source.below(3) {
            _ if shows && value == values / 2 => "i32.sub",
            0 => "i32.add",
            1 => "i32.xor",
            _ => "i32.or",
        };
        let _ = writeln!(text, "{operator}");
    }
}
