//! Modules that are valid by construction.

use std::collections::BTreeSet;

use mutagen_engine::{Scope, Source};
use mutagen_wasm_ast::{
    AddressType, BlockKind, BlockType, Data, Element, ExportItem, Features, ImportItem, Instr, Limits,
    Module, Op, RefType, ValType,
};

use crate::behaviour::fuel_is_enough;
use crate::census::{Census, Kind, OPERATORS};
use crate::corpus::{SETS, some_features, validate, wasm_features};

/// Modules of sizes from 0 to 29, from one seed.
fn typed(features: Features, count: usize) -> impl Iterator<Item = Module> {
    let mut source = Source::seeded(11).with_scope(Scope::new().with(features));
    (0..count).map(move |number| Module::typed(&mut source, number % 30))
}

fn assert_valid(module: &Module, features: Features) {
    if let Err(error) = validate(&module.encode(), features) {
        panic!("{error} with {features}\n{}", module.to_text().unwrap_or_default());
    }
}

#[test]
fn typed_modules_are_valid_with_the_features_of_the_scope() {
    for features in SETS {
        typed(features, 20_000).for_each(|module| assert_valid(&module, features));
    }
    for seed in 0..200 {
        let features = some_features(seed);
        typed(features, 100).for_each(|module| assert_valid(&module, features));
    }
}

#[test]
fn the_source_decides_which_typed_module_it_is() {
    let modules: Vec<Module> = typed(Features::WASMI, 300).collect();
    assert!(modules.iter().eq(&typed(Features::WASMI, 300).collect::<Vec<_>>()));
    let different: BTreeSet<Vec<u8>> = modules.iter().map(Module::encode).collect();
    assert!(different.len() > 290, "they differ among themselves");
}

#[test]
fn mistaken_modules_are_mostly_invalid() {
    let features = Features::WASMI;
    let mistyped =
        |seed| Module::mistyped(&mut Source::seeded(seed).with_scope(Scope::new().with(features)), 6);
    let invalid = (0..500).filter(|seed| validate(&mistyped(*seed).encode(), features).is_err()).count();
    assert!((150..480).contains(&invalid), "{invalid} of 500 are invalid");
}

#[test]
fn a_source_that_ran_dry_still_gives_a_valid_module() {
    for length in 0..300 {
        let bytes = (0..length).map(|byte| (byte * 37) as u8).collect();
        assert_valid(&Module::typed(&mut Source::from_bytes(bytes), 20), Features::WASMI);
    }
}

/// Every instruction occurs at least once in this many modules, on average. The rarest one, `unreachable`,
/// occurs in every 300th.
const RAREST: u64 = 1_000;
const MODULES: u64 = 100_000;
const LEAST: u64 = MODULES / RAREST;
/// The least share of operands that are of each kind, in percent.
const LEAST_SHARE: u64 = 3;

#[test]
fn every_instruction_occurs_with_every_kind_of_operand() {
    let mut census = Census::default();
    for module in typed(Features::WASMI, MODULES as usize) {
        census.count(&module.encode(), wasm_features(Features::WASMI)).expect("typed modules are valid");
    }
    let operands: u64 = census.operands.values().sum();
    for kind in Kind::ALL {
        let of_kind = census.operands.iter().filter(|((_, _, known), _)| *known == kind);
        let count: u64 = of_kind.map(|(_, count)| count).sum();
        assert!(count * 100 >= operands * LEAST_SHARE, "{count} of {operands} operands are {kind:?}");
    }
    let proposals = [
        "mvp",
        "sign_extension",
        "saturating_float_to_int",
        "bulk_memory",
        "reference_types",
        "simd",
        "relaxed_simd",
        "tail_call",
        "wide_arithmetic",
    ];
    for (name, ..) in
        OPERATORS.iter().filter(|(name, proposal, _)| proposals.contains(proposal) && modelled(name))
    {
        let count = census.instructions.get(name).copied().unwrap_or(0);
        assert!(count >= LEAST, "{name} occurs {count} times in {MODULES} modules");
        let operands = (0..).take_while(|number| has_operand(&census, name, *number));
        for number in operands.take(fixed_operands(name)) {
            for kind in Kind::ALL {
                let found = census.operands.contains_key(&(*name, number, kind));
                assert!(found, "operand {number} of {name} is never {kind:?}");
            }
        }
    }
}

/// `select` with several types is never valid.
fn modelled(name: &str) -> bool {
    name != "TypedSelectMulti"
}

fn has_operand(census: &Census, name: &'static str, number: usize) -> bool {
    Kind::ALL.iter().any(|kind| census.operands.contains_key(&(name, number, *kind)))
}

/// The number of operands to check. Only the first one, if a type decides how many there are: these
/// instructions seldom have many.
fn fixed_operands(name: &str) -> usize {
    let by_type = ["Br", "Call", "Return", "Block", "Loop", "If", "Else", "End"];
    if by_type.iter().any(|start| name.starts_with(start)) { 1 } else { usize::MAX }
}

/// A property that some module must have, with its name.
type Trait = (&'static str, fn(&Module) -> bool);

const TRAITS: &[Trait] = &[
    ("an imported function", |module| imports(module, |item| matches!(item, ImportItem::Func(_)))),
    ("an imported table", |module| imports(module, |item| matches!(item, ImportItem::Table(_)))),
    ("an imported memory", |module| imports(module, |item| matches!(item, ImportItem::Memory(_)))),
    ("an imported mutable global", |module| {
        imports(module, |item| matches!(item, ImportItem::Global(ty) if ty.mutable))
    }),
    ("an imported constant global", |module| {
        imports(module, |item| matches!(item, ImportItem::Global(ty) if !ty.mutable))
    }),
    ("a start function", |module| module.start.is_some()),
    ("several results", |module| module.types.iter().any(|ty| ty.results.len() > 1)),
    ("several memories", |module| module.memories.len() > 1),
    ("a memory of 64 bits", |module| module.memories.iter().any(|limits| limits.address == AddressType::I64)),
    ("a table of 64 bits", |module| module.tables.iter().any(|ty| ty.limits.address == AddressType::I64)),
    ("a table of external references", |module| {
        module.tables.iter().any(|ty| ty.element == RefType::ExternRef)
    }),
    ("a global vector", |module| module.globals.iter().any(|global| global.ty.value == ValType::V128)),
    ("a global reference to a function", |module| {
        module.globals.iter().any(|global| matches!(global.init[..], [Op::RefFunc(_)]))
    }),
    ("a global from another one", |module| {
        module.globals.iter().any(|global| matches!(global.init[..], [Op::GlobalGet(_)]))
    }),
    ("a computed global", |module| module.globals.iter().any(|global| global.init.len() > 2)),
    ("active functions", |module| elements(module, |element| matches!(element, Element::Active { .. }))),
    ("active functions in a table", |module| {
        elements(module, |element| matches!(element, Element::ActiveIn { .. }))
    }),
    ("passive functions", |module| elements(module, |element| matches!(element, Element::Passive { .. }))),
    ("declared functions", |module| elements(module, |element| matches!(element, Element::Declared { .. }))),
    ("active expressions", |module| {
        elements(module, |element| matches!(element, Element::ActiveExprs { .. }))
    }),
    ("active expressions in a table", |module| {
        elements(module, |element| matches!(element, Element::ActiveExprsIn { .. }))
    }),
    ("passive expressions", |module| {
        elements(module, |element| matches!(element, Element::PassiveExprs { .. }))
    }),
    ("declared expressions", |module| {
        elements(module, |element| matches!(element, Element::DeclaredExprs { .. }))
    }),
    ("active data", |module| module.data.iter().any(|data| matches!(data, Data::Active { .. }))),
    ("passive data", |module| module.data.iter().any(|data| matches!(data, Data::Passive { .. }))),
    ("an exported function", |module| exports(module, |item| matches!(item, ExportItem::Func(_)))),
    ("an exported table", |module| exports(module, |item| matches!(item, ExportItem::Table(_)))),
    ("an exported memory", |module| exports(module, |item| matches!(item, ExportItem::Memory(_)))),
    ("an exported global", |module| exports(module, |item| matches!(item, ExportItem::Global(_)))),
];

fn imports(module: &Module, is: fn(&ImportItem) -> bool) -> bool {
    module.imports.iter().any(|import| is(&import.item))
}

fn elements(module: &Module, is: fn(&Element) -> bool) -> bool {
    module.elements.iter().any(is)
}

fn exports(module: &Module, is: fn(&ExportItem) -> bool) -> bool {
    module.exports.iter().any(|export| is(&export.item))
}

#[test]
fn typed_modules_have_everything_that_a_module_can_have() {
    let modules: Vec<Module> = typed(Features::WASMI, 10_000).collect();
    for (name, has) in TRAITS {
        let count = modules.iter().filter(|module| has(module)).count();
        assert!(count >= modules.len() / 100, "{name}: only {count} of {} modules", modules.len());
    }
}

#[test]
fn memories_and_tables_are_small() {
    for module in typed(Features::WASMI, 10_000) {
        let imported = module.imports.iter();
        let memories = imported.clone().filter_map(|import| match import.item {
            ImportItem::Memory(limits) => Some(limits),
            _ => None,
        });
        let tables = imported.filter_map(|import| match import.item {
            ImportItem::Table(ty) => Some(ty),
            _ => None,
        });
        let mut memories = memories.chain(module.memories.iter().copied());
        let mut tables = tables.chain(module.tables.iter().copied()).map(|ty| ty.limits);
        assert!(memories.all(|limits| limits.min.0 <= 4 && is_small_or_huge(limits)));
        assert!(tables.all(|limits| limits.max.unwrap_or(limits.min).0 <= 100));
    }
}

/// Whether the memory can hardly grow, or may grow further than any memory can.
fn is_small_or_huge(limits: Limits) -> bool {
    let most = limits.max.unwrap_or(limits.min).0;
    most <= 4 || limits.address == AddressType::I64 && most >= 1 << 47
}

#[test]
fn every_call_ends() {
    let modules = typed(Features::WASMI, 3_000).map(|module| module.encode());
    let (calls, returned) = fuel_is_enough(modules, 100_000);
    assert!(calls > 5_000, "only {calls} calls");
    assert!(returned * 2 > calls, "only {returned} of {calls} calls returned, the others trapped");
}

/// Whether a branch out of at least one block goes back to the beginning of a loop.
fn continues(body: &[Instr], around: &mut Vec<bool>) -> bool {
    body.iter().any(|instr| match instr {
        Instr::Op(Op::Br(label) | Op::BrIf(label)) => {
            let blocks = label.get() as usize;
            blocks > 0 && around.iter().rev().nth(blocks) == Some(&true)
        }
        Instr::Op(_) => false,
        Instr::Block(block) => {
            around.push(matches!(block.kind, BlockKind::Loop));
            let found = continues(&block.body, around);
            around.pop();
            found
        }
    })
}

#[test]
fn some_loops_go_on_from_within_blocks() {
    let modules: Vec<Module> = typed(Features::WASMI, 2_000).collect();
    let has =
        |module: &&Module| module.functions.iter().any(|function| continues(&function.body, &mut Vec::new()));
    let count = modules.iter().filter(has).count();
    assert!(count > modules.len() / 50, "only in {count} modules");
}

/// Whether nothing but constants stands before the first call.
fn begins_with_a_call(body: &[Instr]) -> bool {
    let is_constant = |instr: &&Instr| {
        let Instr::Op(op) = instr else { return false };
        matches!(op, Op::I32Const(_) | Op::I64Const(_) | Op::F32Const(_) | Op::F64Const(_) | Op::V128Const(_))
    };
    let first = body.iter().find(|instr| !is_constant(instr));
    matches!(first, Some(Instr::Op(Op::Call(_) | Op::CallIndirect(..))))
}

#[test]
fn functions_without_a_frame_of_their_own_often_begin_with_a_call() {
    let (mut all, mut begin) = (0, 0);
    for module in typed(Features::WASMI, 3_000) {
        for function in &module.functions {
            let has_frame = !module.types[function.ty.get() as usize].params.is_empty();
            if !has_frame && function.locals.is_empty() {
                all += 1;
                begin += usize::from(begins_with_a_call(&function.body));
            }
        }
    }
    assert!(begin * 10 > all, "{begin} of {all}");
}

/// The number of blocks that leave values of which a global takes the last one.
fn shown(body: &[Instr]) -> usize {
    let here = body.windows(2).filter(|pair| {
        matches!(pair, [Instr::Block(block), Instr::Op(Op::GlobalSet(_))] if block.ty != BlockType::Empty)
    });
    let inside = body.iter().map(|instr| match instr {
        Instr::Block(block) => shown(&block.body),
        Instr::Op(_) => 0,
    });
    here.count() + inside.sum::<usize>()
}

#[test]
fn what_blocks_leave_is_often_shown_in_globals() {
    let modules = typed(Features::WASMI, 3_000);
    let shown: usize =
        modules.flat_map(|module| module.functions).map(|function| shown(&function.body)).sum();
    assert!(shown > 200, "{shown} blocks");
}

#[test]
fn modules_with_bounded_calls_are_valid_and_end_whatever_they_did_before() {
    for features in SETS {
        for mut module in typed(features, 500) {
            module.bound_calls(100);
            assert_valid(&module, features);
        }
    }
    let endless = [
        r#"(module (func (export "f") (loop br 0)))"#,
        r#"(module (func (export "f") (loop (loop br 1))))"#,
        r#"(module (func $f (export "f") (if (i32.const 0) (then) (else call $f))))"#,
        r#"(module (func (export "f") (if (i32.const 0) (then) (else (loop br 0)))))"#,
    ];
    let modules = endless.map(|text| {
        let mut module = Module::from_text(text).expect("it is a module");
        module.bound_calls(100);
        module.encode()
    });
    let (calls, returned) = fuel_is_enough(modules.into_iter(), 10_000);
    assert_eq!((calls, returned), (4, 0), "all of them trap");
}
