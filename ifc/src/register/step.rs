//! One step of the register machine. The machine is stuck in all other cases: a type error, a register or
//! cell that does not exist, or a check that refuses.

use super::label::Label;
use super::memory::{Frame, Pointer};
use super::rules::OpCode;
use super::state::{Atom, BinOp, Instruction, PcAtom, RegId, StackFrame, State, Value};
use crate::lattice::Lattice;
use crate::rule::{self, Flow, Labels};

type Table = rule::Table<OpCode>;

impl State {
    /// The state after the next instruction; `None` if the machine is stuck.
    pub fn step(&self, table: &Table) -> Option<State> {
        use Instruction::*;
        match self.instruction()? {
            Put(number, to) => self.produce(table, OpCode::Put, [], Value::Int(number), to),
            Mov(from, to) => self.mov(table, from, to),
            Load(pointer, to) => self.load(table, pointer, to),
            Store(pointer, from) => self.store(table, pointer, from),
            Write(pointer, from) => self.write(table, pointer, from),
            BinOp(operator, one, two, to) => self.binary(table, operator, [one, two], to),
            Nop => self.nop(table),
            Halt => None,
            Jump(target) => self.jump(table, target),
            BNZ(distance, tested) => self.branch(table, distance, tested),
            BCall(target, label, to) => self.call(table, target, label, to),
            BRet => self.ret(table),
            Lab(from, to) => self.produce(table, OpCode::Lab, [], Value::Lab(self.register(from)?.label), to),
            PcLab(to) => self.produce(table, OpCode::PcLab, [], Value::Lab(self.pc.label), to),
            PutLab(label, to) => self.produce(table, OpCode::PutLab, [], Value::Lab(label), to),
            Alloc(size, label, to) => self.alloc(table, size, label, to),
            PGetOff(pointer, to) => self.get_offset(table, pointer, to),
            PSetOff(pointer, offset, to) => self.set_offset(table, pointer, offset, to),
            MSize(pointer, to) => self.frame_size(table, pointer, to),
            MLab(pointer, to) => self.frame_label(table, pointer, to),
        }
    }

    fn nop(&self, table: &Table) -> Option<State> {
        Some(self.go(self.address_after(1), self.flow(table, OpCode::Nop, [])?))
    }

    fn mov(&self, table: &Table, from: RegId, to: RegId) -> Option<State> {
        let source = self.register(from)?;
        self.produce(table, OpCode::Mov, [source.label], source.value, to)
    }

    fn load(&self, table: &Table, pointer: RegId, to: RegId) -> Option<State> {
        let (pointer, label) = self.pointer(pointer)?;
        let frame = self.memory.frame(pointer.block)?;
        let cell = self.memory.load(pointer)?;
        self.produce(table, OpCode::Load, [label, frame.label, cell.label], cell.value, to)
    }

    fn store(&self, table: &Table, pointer: RegId, from: RegId) -> Option<State> {
        let (pointer, label) = self.pointer(pointer)?;
        let value = self.register(from)?;
        let frame = self.memory.frame(pointer.block)?;
        let flow = self.flow(table, OpCode::Store, [label, frame.label, value.label])?;
        self.put_cell(pointer, value.value, flow)
    }

    fn write(&self, table: &Table, pointer: RegId, from: RegId) -> Option<State> {
        let (pointer, label) = self.pointer(pointer)?;
        let value = self.register(from)?;
        let frame = self.memory.frame(pointer.block)?;
        let old = self.memory.load(pointer)?;
        let labels = [label, frame.label, value.label, old.label];
        let flow = self.flow(table, OpCode::Write, labels)?;
        self.put_cell(pointer, value.value, flow)
    }

    fn binary(&self, table: &Table, operator: BinOp, [one, two]: [RegId; 2], to: RegId) -> Option<State> {
        let (one, two) = (self.register(one)?, self.register(two)?);
        let value = operator.apply(one.value, two.value)?;
        self.produce(table, OpCode::BinOp, [one.label, two.label], value, to)
    }

    fn jump(&self, table: &Table, target: RegId) -> Option<State> {
        let (address, label) = self.integer(target)?;
        Some(self.go(address, self.flow(table, OpCode::Jump, [label])?))
    }

    fn branch(&self, table: &Table, distance: i64, tested: RegId) -> Option<State> {
        let (tested, label) = self.integer(tested)?;
        let flow = self.flow(table, OpCode::BNZ, [label])?;
        let distance = if tested == 0 { 1 } else { distance };
        Some(self.go(self.address_after(distance), flow))
    }

    fn call(&self, table: &Table, target: RegId, label: RegId, to: RegId) -> Option<State> {
        let (address, address_label) = self.integer(target)?;
        let (result_label, operand_label) = self.label(label)?;
        let flow = self.flow(table, OpCode::BCall, [address_label, operand_label])?;
        let frame = StackFrame {
            pc: PcAtom::new(self.address_after(1), flow.result?),
            registers: self.registers.clone(),
            target: to,
            label: result_label,
        };
        let mut after = self.go(address, flow);
        after.stack.insert(0, frame);
        Some(after)
    }

    fn ret(&self, table: &Table) -> Option<State> {
        let frame = self.stack.first()?;
        let result = self.register(frame.target)?;
        let flow = self.flow(table, OpCode::BRet, [result.label, frame.label, frame.pc.label])?;
        let mut registers = frame.registers.clone();
        *registers.get_mut(index(frame.target)?)? = Atom::new(result.value, flow.result?);
        Some(State {
            imem: self.imem.clone(),
            memory: self.memory.clone(),
            stack: self.stack[1..].to_vec(),
            registers,
            pc: PcAtom::new(frame.pc.address, flow.pc),
        })
    }

    /// Allocates a frame. Its stamp does not come from the rule table.
    fn alloc(&self, table: &Table, size: RegId, label: RegId, to: RegId) -> Option<State> {
        let (size, size_label) = self.integer(size)?;
        let (frame_label, operand_label) = self.label(label)?;
        let flow = self.flow(table, OpCode::Alloc, [size_label, operand_label, frame_label])?;
        let size = usize::try_from(size).ok().filter(|&size| size <= MAX_FRAME)?;
        let stamp = size_label.join(operand_label).join(self.pc.label);
        let (to, result) = (self.existing(to)?, flow.result?);
        let mut after = self.go(self.address_after(1), flow);
        let block = after.memory.allocate(stamp, Frame::zeroed(frame_label, size));
        after.registers[to] = Atom::new(Value::Ptr(Pointer { block, offset: 0 }), result);
        Some(after)
    }

    fn get_offset(&self, table: &Table, pointer: RegId, to: RegId) -> Option<State> {
        let (pointer, label) = self.pointer(pointer)?;
        self.produce(table, OpCode::PGetOff, [label], Value::Int(pointer.offset), to)
    }

    fn set_offset(&self, table: &Table, pointer: RegId, offset: RegId, to: RegId) -> Option<State> {
        let (pointer, label) = self.pointer(pointer)?;
        let (offset, offset_label) = self.integer(offset)?;
        let moved = Value::Ptr(Pointer { offset, ..pointer });
        self.produce(table, OpCode::PSetOff, [label, offset_label], moved, to)
    }

    fn frame_size(&self, table: &Table, pointer: RegId, to: RegId) -> Option<State> {
        let (pointer, label) = self.pointer(pointer)?;
        let frame = self.memory.frame(pointer.block)?;
        self.produce(table, OpCode::MSize, [label, frame.label], Value::Int(frame.cells.len() as i64), to)
    }

    fn frame_label(&self, table: &Table, pointer: RegId, to: RegId) -> Option<State> {
        let (pointer, label) = self.pointer(pointer)?;
        let frame = self.memory.frame(pointer.block)?;
        self.produce(table, OpCode::MLab, [label, frame.label], Value::Lab(frame.label), to)
    }
}

/// The largest size of a frame, so that a mutated size cannot exhaust the memory of the host.
///
/// The size may be secret. The limit leaks nothing that the property compares, because a stuck machine is not
/// observed.
const MAX_FRAME: usize = 1 << 10;

/// Steps that several instructions share.
impl State {
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

    /// Applies the rule, writes `value` to register `to` and goes to the next instruction.
    #[inline(always)]
    fn produce<const N: usize>(
        &self,
        table: &Table,
        opcode: OpCode,
        operands: [Label; N],
        value: Value,
        to: RegId,
    ) -> Option<State> {
        let flow = self.flow(table, opcode, operands)?;
        let (to, label) = (self.existing(to)?, flow.result?);
        let mut after = self.go(self.address_after(1), flow);
        after.registers[to] = Atom::new(value, label);
        Some(after)
    }

    fn put_cell(&self, pointer: Pointer, value: Value, flow: Flow<Label>) -> Option<State> {
        let label = flow.result?;
        self.memory.load(pointer)?;
        let mut after = self.go(self.address_after(1), flow);
        after.memory.store(pointer, Atom::new(value, label))?;
        Some(after)
    }

    fn go(&self, address: i64, flow: Flow<Label>) -> State {
        State { pc: PcAtom::new(address, flow.pc), ..self.clone() }
    }

    fn address_after(&self, distance: i64) -> i64 {
        self.pc.address.wrapping_add(distance)
    }

    fn existing(&self, register: RegId) -> Option<usize> {
        index(register).filter(|&register| register < self.registers.len())
    }

    fn register(&self, register: RegId) -> Option<Atom> {
        Some(self.registers[self.existing(register)?])
    }

    fn integer(&self, register: RegId) -> Option<(i64, Label)> {
        match self.register(register)? {
            Atom { value: Value::Int(number), label } => Some((number, label)),
            _ => None,
        }
    }

    fn pointer(&self, register: RegId) -> Option<(Pointer, Label)> {
        match self.register(register)? {
            Atom { value: Value::Ptr(pointer), label } => Some((pointer, label)),
            _ => None,
        }
    }

    fn label(&self, register: RegId) -> Option<(Label, Label)> {
        match self.register(register)? {
            Atom { value: Value::Lab(value), label } => Some((value, label)),
            _ => None,
        }
    }
}

fn index(register: RegId) -> Option<usize> {
    usize::try_from(register).ok()
}

impl BinOp {
    fn apply(self, one: Value, two: Value) -> Option<Value> {
        match (self, one, two) {
            (BinOp::Add, Value::Int(one), Value::Int(two)) => Some(Value::Int(one.wrapping_add(two))),
            (BinOp::Mult, Value::Int(one), Value::Int(two)) => Some(Value::Int(one.wrapping_mul(two))),
            (BinOp::Join, Value::Lab(one), Value::Lab(two)) => Some(Value::Lab(one.join(two))),
            (BinOp::FlowsTo, Value::Lab(one), Value::Lab(two)) => Some(Value::Int(one.flows_to(two).into())),
            (BinOp::Eq, one, two) => Some(Value::Int((one == two).into())),
            _ => None,
        }
    }
}
