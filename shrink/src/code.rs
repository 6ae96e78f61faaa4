//! Cutting instructions out of bodies.

use std::ops::Range;

use mutagen_engine::Mutable;
use mutagen_wasm_ast::{BlockKind, Instr, LabelIdx, Module, Op};

use crate::indices::bodies_of;
use crate::search::Search;

/// A list of instructions: the place of the function, and for each block on the way in its place and which of its bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    function: usize,
    blocks: Vec<(usize, usize)>,
}

impl List {
    fn of(function: usize) -> Self {
        List { function, blocks: Vec::new() }
    }

    fn inside(&self, block: usize, body: usize) -> Self {
        let mut inside = self.clone();
        inside.blocks.push((block, body));
        inside
    }

    /// The list in a module, if it is still there.
    fn find<'a>(&self, module: &'a mut Module) -> Option<&'a mut Vec<Instr>> {
        let mut list = &mut module.functions.get_mut(self.function)?.body;
        for (place, body) in &self.blocks {
            let Instr::Block(block) = list.get_mut(*place)? else { return None };
            list = bodies_of(block).nth(*body)?;
        }
        Some(list)
    }

    fn length(&self, module: &Module) -> usize {
        let mut list = module.functions.get(self.function).map(|function| &function.body[..]);
        for (place, body) in &self.blocks {
            list = match list.and_then(|list| list.get(*place)) {
                Some(Instr::Block(block)) if *body == 0 => Some(&block.body),
                Some(Instr::Block(block)) => block.otherwise(),
                _ => None,
            };
        }
        list.map_or(0, <[Instr]>::len)
    }

    /// The module with this list changed.
    fn changed(&self, module: &Module, change: impl FnOnce(&mut Vec<Instr>) -> bool) -> Option<Module> {
        let mut candidate = module.clone();
        let changed = self.find(&mut candidate).is_some_and(change);
        changed.then_some(candidate)
    }
}

impl Search<'_> {
    /// Cuts instructions out of all functions, the outermost lists first.
    pub(crate) fn cut_code(&mut self) {
        let mut function = 0;
        while function < self.module.functions.len() {
            self.cut_list(&List::of(function));
            function += 1;
        }
    }

    fn cut_list(&mut self, list: &List) {
        self.end_early(list);
        self.in_chunks(
            |module| list.length(module),
            |module, range| list.changed(module, |body| drain(body, range)),
        );
        self.open_blocks(list);
        let blocks: Vec<usize> = (0..list.length(&self.module)).collect();
        for place in blocks.into_iter().rev() {
            for body in [0, 1] {
                let inside = list.inside(place, body);
                if inside.length(&self.module) > 0 && !self.is_over() {
                    self.cut_list(&inside);
                }
            }
        }
    }

    /// Lets a list end with a trap, as early as possible: what follows is never run, so it goes.
    fn end_early(&mut self, list: &List) {
        let (mut low, mut high) = (0, list.length(&self.module));
        while low < high && !self.is_over() {
            let middle = (low + high) / 2;
            let candidate = list.changed(&self.module, |body| {
                body.truncate(middle);
                body.push(Instr::Op(Op::Unreachable));
                true
            });
            match candidate.is_some_and(|candidate| self.attempt(candidate)) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
    }

    /// Puts the bodies of blocks in their place.
    fn open_blocks(&mut self, list: &List) {
        let mut place = list.length(&self.module);
        while place > 0 && !self.is_over() {
            place -= 1;
            for body in [0, 1] {
                let opened = list.changed(&self.module, |list| open(list, place, body));
                if opened.is_some_and(|opened| self.attempt(opened)) {
                    // Blocks that were inside stand here now.
                    place = list.length(&self.module);
                    break;
                }
            }
        }
    }
}

fn drain(body: &mut Vec<Instr>, range: Range<usize>) -> bool {
    let there = range.end <= body.len();
    if there {
        body.drain(range);
    }
    there
}

/// Puts one of the bodies of the block at a place into its place. Returns whether there is such a block.
fn open(list: &mut Vec<Instr>, place: usize, which: usize) -> bool {
    let Some(Instr::Block(block)) = list.get_mut(place) else { return false };
    let is_if = matches!(block.kind, BlockKind::If | BlockKind::IfElse(_));
    let Some(inner) = bodies_of(block).nth(which) else { return false };
    let mut inner = std::mem::take(inner);
    lift(&mut inner, 0);
    if is_if {
        // Somebody has to take the condition.
        inner.insert(0, Instr::Op(Op::Drop));
    }
    list.splice(place..=place, inner);
    true
}

/// Takes one block away from around a list: labels that skip it have one block less to skip.
fn lift(list: &mut [Instr], depth: u32) {
    for instr in list {
        match instr {
            Instr::Block(block) => bodies_of(block).for_each(|body| lift(body, depth + 1)),
            Instr::Op(op) => lower(op, depth),
        }
    }
}

fn lower(part: &mut dyn Mutable, depth: u32) {
    if let Some(label) = part.as_any_mut().downcast_mut::<LabelIdx>() {
        if label.get() > depth {
            *label = LabelIdx::new(label.get() - 1);
        }
        return;
    }
    (0..part.children()).for_each(|child| lower(part.child_mut(child), depth));
}
