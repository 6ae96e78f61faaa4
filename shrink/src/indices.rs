//! Index spaces: what refers to what, and taking things out of them.

use mutagen_engine::Mutable;
use mutagen_wasm_ast::{
    Block, BlockKind, DataIdx, ElemIdx, Element, ExportItem, FuncIdx, GlobalIdx, ImportItem, Instr, MemIdx,
    Module, Op, TableIdx, TypeIdx,
};

/// Things that have indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Elements,
    Data,
    Functions,
    Globals,
    Tables,
    Memories,
    Types,
}

impl Space {
    /// Those first that refer to the others.
    pub(crate) const ALL: [Space; 7] = [
        Space::Elements,
        Space::Data,
        Space::Functions,
        Space::Globals,
        Space::Tables,
        Space::Memories,
        Space::Types,
    ];

    /// How many things there are, imported ones included.
    pub(crate) fn count(self, module: &Module) -> usize {
        self.imported(module)
            + match self {
                Space::Elements => module.elements.len(),
                Space::Data => module.data.len(),
                Space::Functions => module.functions.len(),
                Space::Globals => module.globals.len(),
                Space::Tables => module.tables.len(),
                Space::Memories => module.memories.len(),
                Space::Types => module.types.len(),
            }
    }

    fn imported(self, module: &Module) -> usize {
        module.imports.iter().filter(|import| self.has(&import.item)).count()
    }

    fn has(self, item: &ImportItem) -> bool {
        matches!(
            (self, item),
            (Space::Functions, ImportItem::Func(_))
                | (Space::Globals, ImportItem::Global(_))
                | (Space::Tables, ImportItem::Table(_))
                | (Space::Memories, ImportItem::Memory(_))
        )
    }

    /// Calls `visit` with every index of this space in a part of a module.
    fn each(self, part: &mut dyn Mutable, visit: &mut dyn FnMut(u32) -> u32) {
        let any = part.as_any_mut();
        let found = match self {
            Space::Elements => change::<ElemIdx>(any, visit),
            Space::Data => change::<DataIdx>(any, visit),
            Space::Functions => change::<FuncIdx>(any, visit),
            Space::Globals => change::<GlobalIdx>(any, visit),
            Space::Tables => change::<TableIdx>(any, visit),
            Space::Memories => change::<MemIdx>(any, visit),
            Space::Types => change::<TypeIdx>(any, visit),
        };
        if !found {
            (0..part.children()).for_each(|child| self.each(part.child_mut(child), visit));
        }
    }

    /// For every thing, whether something refers to it.
    pub(crate) fn used(self, module: &Module) -> Vec<bool> {
        let mut used = vec![false; self.count(module)];
        self.each(&mut module.clone(), &mut |index| {
            if let Some(used) = used.get_mut(index as usize) {
                *used = true;
            }
            index
        });
        used
    }

    /// The module without the things for which `doomed` holds. What refers to them goes as well: exports and elements are left
    /// out, and instructions become `unreachable`.
    pub(crate) fn without(self, module: &Module, doomed: &[bool]) -> Module {
        let mut module = module.clone();
        let is_doomed = |index: u32| doomed.get(index as usize).copied().unwrap_or(false);
        self.cut_references(&mut module, &is_doomed);
        let imported = self.imported(&module);
        let mut number = 0;
        module.imports.retain(|import| {
            let ours = self.has(&import.item);
            number += usize::from(ours);
            !ours || !doomed[number - 1]
        });
        let own = &doomed[imported..];
        match self {
            Space::Elements => retain(&mut module.elements, own),
            Space::Data => retain(&mut module.data, own),
            Space::Functions => retain(&mut module.functions, own),
            Space::Globals => retain(&mut module.globals, own),
            Space::Tables => retain(&mut module.tables, own),
            Space::Memories => retain(&mut module.memories, own),
            Space::Types => retain(&mut module.types, own),
        }
        // Everything behind moves up.
        let before = |index: u32| doomed.iter().take(index as usize).filter(|doomed| **doomed).count() as u32;
        self.each(&mut module, &mut |index| index - before(index));
        module
    }

    fn cut_references(self, module: &mut Module, is_doomed: &dyn Fn(u32) -> bool) {
        module.exports.retain(|export| {
            let index = match (self, export.item) {
                (Space::Functions, ExportItem::Func(index)) => index.get(),
                (Space::Tables, ExportItem::Table(index)) => index.get(),
                (Space::Memories, ExportItem::Memory(index)) => index.get(),
                (Space::Globals, ExportItem::Global(index)) => index.get(),
                _ => return true,
            };
            !is_doomed(index)
        });
        if self == Space::Functions && module.start.is_some_and(|start| is_doomed(start.get())) {
            module.start = None;
        }
        let is_cut = |op: &mut Op| {
            let mut cut = false;
            self.each(op, &mut |index| {
                cut |= is_doomed(index);
                index
            });
            cut
        };
        for element in &mut module.elements {
            match element {
                Element::Active { functions, .. }
                | Element::ActiveIn { functions, .. }
                | Element::Passive { functions }
                | Element::Declared { functions } => {
                    functions.retain(|index| self != Space::Functions || !is_doomed(index.get()));
                }
                Element::ActiveExprs { exprs, .. }
                | Element::ActiveExprsIn { exprs, .. }
                | Element::PassiveExprs { exprs, .. }
                | Element::DeclaredExprs { exprs, .. } => {
                    exprs.retain_mut(|expr| !expr.iter_mut().any(is_cut))
                }
            }
        }
        module.functions.iter_mut().for_each(|function| trap_where(&mut function.body, &is_cut));
    }
}

/// Puts a trap in place of the instructions for which `is_cut` holds.
fn trap_where(body: &mut [Instr], is_cut: &dyn Fn(&mut Op) -> bool) {
    for instr in body {
        match instr {
            Instr::Op(op) => {
                if is_cut(op) {
                    *op = Op::Unreachable;
                }
            }
            Instr::Block(block) => bodies_of(block).for_each(|body| trap_where(body, is_cut)),
        }
    }
}

/// The body of a block, and the one after `else`.
pub(crate) fn bodies_of(block: &mut Block) -> impl Iterator<Item = &mut Vec<Instr>> {
    let otherwise = match &mut block.kind {
        BlockKind::IfElse(otherwise) => Some(otherwise),
        _ => None,
    };
    std::iter::once(&mut block.body).chain(otherwise)
}

fn retain<T>(list: &mut Vec<T>, doomed: &[bool]) {
    let mut doomed = doomed.iter();
    list.retain(|_| !doomed.next().copied().unwrap_or(false));
}

/// Changes the number of an index of type `I`, and says whether it is one.
fn change<I: Copy + From<u32> + Into<Number> + 'static>(
    part: &mut dyn std::any::Any,
    visit: &mut dyn FnMut(u32) -> u32,
) -> bool {
    let Some(index) = part.downcast_mut::<I>() else { return false };
    let Number(number) = (*index).into();
    *index = I::from(visit(number));
    true
}

/// The number of an index.
struct Number(u32);

macro_rules! numbers {
    ($($index:ty),*) => {
        $(impl From<$index> for Number {
            fn from(index: $index) -> Self {
                Number(index.get())
            }
        })*
    };
}

numbers!(TypeIdx, FuncIdx, TableIdx, MemIdx, GlobalIdx, ElemIdx, DataIdx);
