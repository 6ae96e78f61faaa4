//! One step of the stack machine. The machine is stuck in all cases that are not handled here.

use super::rules::OpCode;
use super::state::{Atom, Instruction, Label, Stack, State};
use crate::rule::{self, Flow, Labels};

/// The rules that the stack machine consults.
pub type Table = rule::Table<OpCode>;

impl State {
    /// The state after the next instruction; `None` if the machine is stuck.
    pub fn step(&self, table: &Table) -> Option<State> {
        match self.instruction()? {
            Instruction::Nop => self.nop(table),
            Instruction::Push(value) => self.push(table, value),
            Instruction::BCall(arguments) => self.call(table, arguments),
            Instruction::BRet => self.ret(table),
            Instruction::Add => self.add(table),
            Instruction::Load => self.load(table),
            Instruction::Store => self.store(table),
            Instruction::Halt => None,
        }
    }

    fn nop(&self, table: &Table) -> Option<State> {
        let flow = self.flow(table, OpCode::Nop, [])?;
        Some(self.after(self.stack.clone(), self.next_pc(flow)))
    }

    fn push(&self, table: &Table, value: i64) -> Option<State> {
        let flow = self.flow(table, OpCode::Push, [])?;
        let pushed = Atom::new(value, flow.result?);
        Some(self.after(Stack::data(pushed, self.stack.clone()), self.next_pc(flow)))
    }

    fn call(&self, table: &Table, arguments: i64) -> Option<State> {
        let (target, rest) = self.stack.pop_data()?;
        let flow = self.flow(table, OpCode::BCall, [target.label])?;
        let marker = Atom::new(self.pc.value.wrapping_add(1), flow.result?);
        let stack = rest.with_marker_below(arguments, marker)?;
        Some(self.after(stack, Atom::new(target.value, flow.pc)))
    }

    fn ret(&self, table: &Table) -> Option<State> {
        let (value, rest) = self.stack.pop_data()?;
        let (saved, rest) = rest.pop_marker()?;
        let flow = self.flow(table, OpCode::BRet, [saved.label, value.label])?;
        let returned = Atom::new(value.value, flow.result?);
        Some(self.after(Stack::data(returned, rest.clone()), Atom::new(saved.value, flow.pc)))
    }

    fn add(&self, table: &Table) -> Option<State> {
        let (top, rest) = self.stack.pop_data()?;
        let (second, rest) = rest.pop_data()?;
        let flow = self.flow(table, OpCode::Add, [top.label, second.label])?;
        let sum = Atom::new(top.value.wrapping_add(second.value), flow.result?);
        Some(self.after(Stack::data(sum, rest.clone()), self.next_pc(flow)))
    }

    fn load(&self, table: &Table) -> Option<State> {
        let (pointer, rest) = self.stack.pop_data()?;
        let cell = self.mem[self.cell(pointer)?];
        let flow = self.flow(table, OpCode::Load, [cell.label, pointer.label])?;
        let loaded = Atom::new(cell.value, flow.result?);
        Some(self.after(Stack::data(loaded, rest.clone()), self.next_pc(flow)))
    }

    fn store(&self, table: &Table) -> Option<State> {
        let (pointer, rest) = self.stack.pop_data()?;
        let (value, rest) = rest.pop_data()?;
        let cell = self.cell(pointer)?;
        let labels = [pointer.label, value.label, self.mem[cell].label];
        let flow = self.flow(table, OpCode::Store, labels)?;
        let stored = Atom::new(value.value, flow.result?);
        let mut after = self.after(rest.clone(), self.next_pc(flow));
        after.mem[cell] = stored;
        Some(after)
    }

    /// Applies the rule of an opcode. It is inlined into every instruction, so that guidance sees which
    /// instruction met which labels.
    #[inline(always)]
    fn flow<const N: usize>(
        &self,
        table: &Table,
        opcode: OpCode,
        operands: [Label; N],
    ) -> Option<Flow<Label>> {
        table.rule(opcode).apply(Labels::new(operands, self.pc.label))
    }

    fn next_pc(&self, flow: Flow<Label>) -> Atom {
        Atom::new(self.pc.value.wrapping_add(1), flow.pc)
    }

    fn cell(&self, pointer: Atom) -> Option<usize> {
        let index = usize::try_from(pointer.value).ok()?;
        (index < self.mem.len()).then_some(index)
    }

    fn after(&self, stack: Stack, pc: Atom) -> State {
        State { imem: self.imem.clone(), mem: self.mem.clone(), stack, pc }
    }
}

impl Stack {
    fn pop_data(&self) -> Option<(Atom, &Stack)> {
        match self {
            Stack::Data(atom, rest) => Some((*atom, rest)),
            Stack::Empty | Stack::Return(..) => None,
        }
    }

    /// The nearest return marker, and the stack below it. The data elements above it are dropped.
    fn pop_marker(&self) -> Option<(Atom, &Stack)> {
        let mut stack = self;
        loop {
            match stack {
                Stack::Empty => return None,
                Stack::Data(_, rest) => stack = rest,
                Stack::Return(atom, rest) => return Some((*atom, rest)),
            }
        }
    }

    /// This stack with `marker` under its first `count` elements, which must be data.
    fn with_marker_below(&self, count: i64, marker: Atom) -> Option<Stack> {
        if count == 0 {
            return Some(Stack::marker(marker, self.clone()));
        }
        match self {
            Stack::Data(atom, rest) if count > 0 => {
                Some(Stack::data(*atom, rest.with_marker_below(count - 1, marker)?))
            }
            _ => None,
        }
    }
}
