//! Writes statements: code without operands and results that changes visible state, or a local.

use super::choice::weighted;
use super::swarm::Part;
use super::writer::Writer;
use crate::features::Feature;
use crate::op::Op;
use crate::types::ValType;

#[derive(Clone, Copy)]
enum Statement {
    SetLocal,
    Store,
    SetGlobal,
    UpdateMemory,
    Call,
    Block,
    Loop,
    Branch,
    Switch,
    BulkMemory,
    Table,
    DropSegment,
    TailCall,
    Drop,
    Nop,
}

impl Writer<'_> {
    /// Writes this many statements, or fewer if there is no room.
    pub(super) fn statements(&mut self, count: usize) {
        for _ in 0..count {
            if self.room > 0 {
                self.statement();
            }
        }
    }

    pub(super) fn statement(&mut self) {
        let on = |part| u32::from(self.swarm.uses(part));
        let statements = [
            (8, Statement::SetLocal),
            (6 * on(Part::Stores), Statement::Store),
            (4 * on(Part::Globals), Statement::SetGlobal),
            (2 * on(Part::Loads) * on(Part::Stores), Statement::UpdateMemory),
            (4 * on(Part::Calls), Statement::Call),
            (4 * on(Part::Blocks), Statement::Block),
            (3 * on(Part::Loops), Statement::Loop),
            (3 * on(Part::Branches), Statement::Branch),
            (2 * on(Part::BranchTables) * on(Part::Blocks), Statement::Switch),
            (4 * on(Part::BulkMemory), Statement::BulkMemory),
            (4 * on(Part::Tables), Statement::Table),
            (on(Part::SegmentDrops), Statement::DropSegment),
            (2 * on(Part::TailCalls) * on(Part::Recursion), Statement::TailCall),
            (1, Statement::Drop),
            (1, Statement::Nop),
        ];
        let done = match weighted(&statements, self.source).unwrap_or(Statement::Nop) {
            Statement::SetLocal => self.set_local(),
            Statement::Store => self.store(),
            Statement::SetGlobal => self.set_global(),
            Statement::UpdateMemory => self.update_memory(),
            Statement::Call => self.call_statement(),
            Statement::Block => self.controlled_statement(),
            Statement::Loop => self.loop_statement(),
            Statement::Branch => self.branch(),
            Statement::Switch => self.switch(),
            Statement::BulkMemory => self.bulk_memory(),
            Statement::Table => self.change_table(),
            Statement::DropSegment => self.drop_segment(),
            Statement::TailCall => self.counted_tail_call(),
            Statement::Drop => self.dropped(),
            Statement::Nop => self.nop(),
        };
        if !done && !self.set_local() {
            self.nop();
        }
    }

    fn set_local(&mut self) -> bool {
        let Some((local, ty)) = self.any_variable() else { return false };
        let depth = self.depth();
        // A local that is only copied shows little.
        let is_computed = depth > 0 && self.chance(1, 2) && self.computed(ty, depth - 1);
        if !is_computed {
            self.value(ty, depth);
        }
        self.write(Op::LocalSet(local));
        // Engines remember where a local's latest value is, and must forget it at a call.
        if is_computed && self.room > 0 && self.swarm.uses(Part::Calls) && self.chance(1, 6) {
            self.call_statement();
        }
        true
    }

    fn set_global(&mut self) -> bool {
        let Some((global, ty)) = self.changeable_global() else { return false };
        let depth = self.depth();
        self.value(ty, depth);
        let global = self.mistaken_global(global, ty);
        self.write(Op::GlobalSet(global));
        true
    }

    fn store(&mut self) -> bool {
        let store = self.swarm.operation(self.source, |operation| operation.gives.is_empty());
        let depth = self.depth();
        store.inspect(|store| self.operation(store, depth)).is_some()
    }

    /// Writes a block. Its results, if it has any, are assigned or dropped.
    fn controlled_statement(&mut self) -> bool {
        let depth = self.depth();
        let waiting = self.waiting();
        let results = self.results_above(&waiting);
        let done = self.controlled(&results, depth);
        if done {
            self.sink(&results);
        }
        self.sink(&waiting);
        done
    }

    fn loop_statement(&mut self) -> bool {
        let depth = self.depth();
        let waiting = self.waiting();
        let results = self.results_above(&waiting);
        self.loop_of(&results, depth);
        self.sink(&results);
        self.sink(&waiting);
        true
    }

    /// Sometimes writes locals that wait on the stack while a block runs, mostly one that was just assigned. The block may change
    /// them. Returns their types.
    pub(super) fn waiting(&mut self) -> Vec<ValType> {
        if self.room == 0 || !self.swarm.uses(Part::Interleaving) || !self.chance(1, 2) {
            return Vec::new();
        }
        let Some((local, ty)) = self.any_variable() else { return Vec::new() };
        if self.chance(2, 3) && self.computed(ty, 1) {
            self.write(Op::LocalSet(local));
        }
        let count = 1 + self.source.below(2);
        (0..count).for_each(|_| self.write(Op::LocalGet(local)));
        vec![ty; count]
    }

    /// The types of the results of a block above these values, often the same: engines must keep them apart.
    pub(super) fn results_above(&mut self, waiting: &[ValType]) -> Vec<ValType> {
        match waiting.first() {
            Some(ty) if self.chance(1, 2) => vec![*ty],
            _ => self.some_results(),
        }
    }

    fn some_results(&mut self) -> Vec<ValType> {
        let several = self.swarm.on(Feature::MultiValue);
        let count = [0, 0, 1, 2, 3][self.source.below(if several { 5 } else { 3 })];
        // Values of one type compete for the same registers.
        match self.swarm.types(count, self.source) {
            types if count > 1 && self.chance(1, 3) => vec![types[0]; count],
            types => types,
        }
    }

    /// Writes a value and drops it.
    fn dropped(&mut self) -> bool {
        let ty = self.swarm.ty(self.source);
        let depth = self.depth();
        self.value(ty, depth);
        self.write(Op::Drop);
        true
    }

    fn nop(&mut self) -> bool {
        self.write(Op::Nop);
        true
    }
}
