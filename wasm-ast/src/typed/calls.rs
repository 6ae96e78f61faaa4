//! Calls. Functions with a higher number and imported functions may be called freely, all others only as
//! often as a counter allows. So every call ends.

use super::choice::pick;
use super::segments::Slot;
use super::swarm::Part;
use super::writer::{Label, Writer};
use crate::features::Feature;
use crate::index::{FuncIdx, TableIdx, TypeIdx};
use crate::instr::BlockKind;
use crate::op::{I32Binary, Op};
use crate::types::{FuncType, ValType};

/// A way to call a function.
#[derive(Clone, Copy)]
enum Callee {
    Direct(FuncIdx),
    /// A function in a table.
    Indirect(Slot),
}

impl Callee {
    /// The number of the function.
    fn function(self) -> usize {
        match self {
            Self::Direct(function) | Self::Indirect(Slot { function, .. }) => function.get() as usize,
        }
    }
}

/// Whether the results of a function, the first argument, fit the wanted types, the second.
type Fits = fn(&[ValType], &[ValType]) -> bool;

fn same(known: &[ValType], wanted: &[ValType]) -> bool {
    known == wanted
}

impl Writer<'_> {
    /// Writes a call that leaves values of these types. Further results of the function are assigned or
    /// dropped.
    pub(super) fn called(&mut self, results: &[ValType], depth: usize) -> bool {
        if !self.swarm.uses(Part::Calls) {
            return false;
        }
        if self.swarm.uses(Part::Recursion) && self.chance(1, 5) {
            return self.recursive(results, depth);
        }
        let Some(callee) = self.free_callee(results, |known, wanted| known.starts_with(wanted)) else {
            return false;
        };
        self.call(callee, depth);
        let more = self.outline.function(callee.function()).results[results.len()..].to_vec();
        self.sink(&more);
        true
    }

    /// A function that may be called any number of times.
    fn free_callee(&mut self, results: &[ValType], fits: Fits) -> Option<Callee> {
        let indirect = self.swarm.uses(Part::IndirectCalls) && self.chance(1, 2);
        if indirect && self.function < self.outline.referable {
            let dearest = self.outline.costs[self.outline.referable..].iter().max().copied().unwrap_or(0);
            let slot = self.slot(results, fits)?;
            return self.afford(dearest).then_some(Callee::Indirect(slot));
        }
        let imported = 0..self.outline.spaces.imported_functions;
        let higher = self.function + 1..self.outline.spaces.functions.len();
        let function = self.function_with(results, fits, imported.chain(higher))?;
        self.afford(self.outline.costs[function]).then_some(Callee::Direct(FuncIdx::new(function as u32)))
    }

    /// A function that may in turn call this one, so that the call must be counted.
    fn counted_callee(&mut self, results: &[ValType]) -> Option<Callee> {
        if self.swarm.uses(Part::IndirectCalls) && self.chance(1, 2) {
            return self.slot(results, same).map(Callee::Indirect);
        }
        let all = self.outline.spaces.imported_functions..self.outline.spaces.functions.len();
        let function = self.function_with(results, same, all)?;
        Some(Callee::Direct(FuncIdx::new(function as u32)))
    }

    fn function_with(
        &mut self,
        results: &[ValType],
        fits: Fits,
        functions: impl Iterator<Item = usize>,
    ) -> Option<usize> {
        let outline = &self.outline;
        pick(functions.filter(|function| fits(&outline.function(*function).results, results)), self.source)
    }

    /// A place in a table that holds a function with these results.
    fn slot(&mut self, results: &[ValType], fits: Fits) -> Option<Slot> {
        let outline = &self.outline;
        let fits = |slot: &&Slot| fits(&outline.function(slot.function.get() as usize).results, results);
        pick(outline.slots.iter().filter(fits), self.source).copied()
    }

    /// Writes the arguments and the call.
    fn call(&mut self, callee: Callee, depth: usize) {
        self.arguments(callee, depth);
        let op = match callee {
            Callee::Direct(function) => Op::Call(self.mistaken_function(function)),
            Callee::Indirect(slot) => Op::CallIndirect(self.type_of(slot), table(slot)),
        };
        self.write(op);
    }

    fn arguments(&mut self, callee: Callee, depth: usize) {
        let params = self.outline.function(callee.function()).params.clone();
        self.values(&params, depth);
        if let Callee::Indirect(slot) = callee {
            self.function_index(slot, depth);
        }
    }

    /// Writes the index of a function in a table, rarely that of another one.
    fn function_index(&mut self, slot: Slot, depth: usize) {
        let ty = self.outline.spaces.tables[slot.table].limits.address;
        match self.source.below(16) {
            0 if self.swarm.uses(Part::Traps) => self.value(ty.value(), depth),
            1 => self.masked(slot.index as i64, ty, depth),
            _ => self.number(slot.index, ty),
        }
    }

    fn type_of(&self, slot: Slot) -> TypeIdx {
        self.outline.spaces.functions[slot.function.get() as usize]
    }

    /// Writes a call if the counter allows it at run time, else values.
    fn recursive(&mut self, results: &[ValType], depth: usize) -> bool {
        let Some(callee) = self.counted_callee(results) else { return false };
        if !self.swarm.on(Feature::MultiValue) && results.len() > 1 {
            return false;
        }
        let Some(counter) = self.outline.counter else { return false };
        let label = || Label::End(results.to_vec());
        self.write(Op::GlobalGet(counter));
        let body = self.inside(label(), |writer| {
            writer.count_down();
            writer.call(callee, depth);
        });
        let kind = match results {
            [] => BlockKind::If,
            _ => BlockKind::IfElse(self.inside(label(), |writer| writer.values(results, depth))),
        };
        self.block(kind, FuncType::new([], results), body);
        true
    }

    fn count_down(&mut self) {
        let Some(counter) = self.outline.counter else { return };
        self.write(Op::GlobalGet(counter));
        self.write(Op::I32Const(1));
        self.write(Op::I32Binary(I32Binary::I32Sub));
        self.write(Op::GlobalSet(counter));
    }

    /// Writes a body that is a tail call with its arguments, and has no locals: the function may have an empty frame.
    pub(super) fn forward(&mut self) -> bool {
        if !self.swarm.on(Feature::TailCall) || !self.swarm.uses(Part::TailCalls) {
            return false;
        }
        let results = self.outline.function(self.function).results.clone();
        // Calls of imported functions take another way through engines.
        let all = 0..self.outline.spaces.imported_functions;
        let imported = if self.chance(1, 2) { self.function_with(&results, same, all) } else { None };
        let callee = match imported {
            Some(function) => Some(Callee::Direct(FuncIdx::new(function as u32))),
            None => self.free_callee(&results, same),
        };
        let Some(callee) = callee else { return false };
        self.forget_locals();
        self.write_tail_call(callee, 0);
        true
    }

    /// Writes a tail call.
    pub(super) fn tail_call(&mut self) -> bool {
        if !self.swarm.on(Feature::TailCall) || !self.swarm.uses(Part::TailCalls) {
            return false;
        }
        let results = self.outline.function(self.function).results.clone();
        let Some(callee) = self.free_callee(&results, same) else { return false };
        let depth = self.depth();
        self.left_behind(&results);
        self.write_tail_call(callee, depth);
        true
    }

    fn write_tail_call(&mut self, callee: Callee, depth: usize) {
        self.arguments(callee, depth);
        let op = match callee {
            Callee::Direct(function) => Op::ReturnCall(self.mistaken_function(function)),
            Callee::Indirect(slot) => Op::ReturnCallIndirect(self.type_of(slot), table(slot)),
        };
        self.write(op);
    }

    /// Writes a tail call if the counter allows it at run time: a loop made of calls.
    pub(super) fn counted_tail_call(&mut self) -> bool {
        let used = self.swarm.uses(Part::TailCalls) && self.swarm.on(Feature::TailCall);
        let Some(counter) = self.outline.counter.filter(|_| used) else { return false };
        let results = self.outline.function(self.function).results.clone();
        let Some(callee) = self.counted_callee(&results) else { return false };
        let depth = self.depth();
        self.write(Op::GlobalGet(counter));
        let body = self.inside(Label::End(Vec::new()), |writer| {
            writer.count_down();
            writer.write_tail_call(callee, depth);
        });
        self.block(BlockKind::If, FuncType::default(), body);
        true
    }

    /// Writes a call whose results are assigned or dropped.
    pub(super) fn call_statement(&mut self) -> bool {
        let any = pick(0..self.outline.spaces.functions.len(), self.source);
        let Some(results) = any.map(|function| self.outline.function(function).results.clone()) else {
            return false;
        };
        let depth = self.depth();
        let done = self.called(&results, depth);
        if done {
            self.sink(&results);
        }
        done
    }
}

fn table(slot: Slot) -> TableIdx {
    TableIdx::new(slot.table as u32)
}
