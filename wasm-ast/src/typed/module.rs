//! Whole modules.

use mutagen_engine::Source;

use super::mistake::Mistake;
use super::outline::Outline;
use super::swarm::Swarm;
use super::writer::Writer;
use crate::bytes::Name;
use crate::features::Feature;
use crate::index::{FuncIdx, GlobalIdx, MemIdx, TableIdx};
use crate::module::{Element, Export, ExportItem, Module};

/// The approximate number of instructions per function for each unit of size.
const ROOM: usize = 4;
/// The most choices before a mistake. Modules of usual sizes have about as many.
const MOST_CHOICES: usize = 50;
/// The size above which modules do not grow. Larger modules cost more time and show no more.
const LARGEST: usize = 30;

impl Module {
    /// A random valid module. It uses some of the features that the scope of the source allows.
    ///
    /// Nearly everything in it is exported, so that the effects of its functions are visible. A call ends
    /// after tens of thousands of instructions at the latest, whatever its arguments, unless imported
    /// functions call back. Memories begin with at most 4 pages, and tables at most 100 elements.
    ///
    /// ```
    /// use mutagen_engine::Source;
    /// use mutagen_wasm_ast::Module;
    ///
    /// let module = Module::typed(&mut Source::seeded(1), 10);
    /// assert!(!module.functions.is_empty() && !module.exports.is_empty());
    /// ```
    pub fn typed(source: &mut Source, size: usize) -> Self {
        written(Mistake::None, source, size)
    }

    /// A random module like those of [`Module::typed`], but with one mistake: a value of a wrong type, or an instruction that
    /// names the wrong label, function, global or memory, an offset or alignment that its memory does not allow, or no type. So most of these modules are invalid, each for one reason, which may take much around it.
    ///
    /// ```
    /// use mutagen_engine::Source;
    /// use mutagen_wasm_ast::Module;
    ///
    /// let module = Module::mistyped(&mut Source::seeded(1), 10);
    /// assert!(!module.functions.is_empty());
    /// ```
    pub fn mistyped(source: &mut Source, size: usize) -> Self {
        let after = source.below(MOST_CHOICES);
        written(Mistake::After(after), source, size)
    }
}

/// A module with this mistake in its bodies, if they make so many choices.
fn written(mistake: Mistake, source: &mut Source, size: usize) -> Module {
    let size = size.min(LARGEST);
    let swarm = Swarm::draw(source);
    let mut outline = Outline::draw(&swarm, size, source);
    outline.mistake = mistake;
    let imported = outline.spaces.imported_functions;
    // Callees come first, because callers must know the largest cost of a call.
    for own in (0..outline.module.functions.len()).rev() {
        let room = 2 + source.below(2 + ROOM * (1 + size));
        let writer = Writer::new(&mut outline, &swarm, imported + own, room, source);
        let (body, locals, cost) = writer.finish();
        outline.costs[imported + own] = cost;
        let function = &mut outline.module.functions[own];
        (function.body, function.locals) = (body, locals);
    }
    export(&mut outline, &swarm);
    declare(&mut outline, &swarm, source);
    outline.module
}

/// Exports everything that the features allow.
fn export(outline: &mut Outline, swarm: &Swarm) {
    let (spaces, module) = (&outline.spaces, &mut outline.module);
    let mut add = |name: &str, index: u32, item: ExportItem| {
        module.exports.push(Export { name: Name(format!("{name}{index}")), item });
    };
    for index in 0..spaces.functions.len() as u32 {
        add("function", index, ExportItem::Func(FuncIdx::new(index)));
    }
    for index in 0..spaces.tables.len() as u32 {
        add("table", index, ExportItem::Table(TableIdx::new(index)));
    }
    for index in 0..spaces.memories.len() as u32 {
        add("memory", index, ExportItem::Memory(MemIdx::new(index)));
    }
    for (index, global) in (0..).zip(&spaces.globals) {
        if !global.mutable || swarm.on(Feature::MutableGlobal) {
            add("global", index, ExportItem::Global(GlobalIdx::new(index)));
        }
    }
}

/// Sometimes removes the exports of functions that references refer to, and declares the functions instead.
fn declare(outline: &mut Outline, swarm: &Swarm, source: &mut Source) {
    let possible = swarm.on(Feature::BulkMemory) && swarm.on(Feature::ReferenceTypes);
    if !possible || !source.chance(1, 4) {
        return;
    }
    let functions: Vec<FuncIdx> = outline.referable().filter(|_| source.chance(1, 2)).collect();
    let hidden =
        |item: &ExportItem| matches!(item, ExportItem::Func(function) if functions.contains(function));
    outline.module.exports.retain(|export| !hidden(&export.item));
    outline.module.elements.push(Element::Declared { functions });
}
