//! The parts of a state of the register machine. The derived mutants are numbered in the order of
//! constructors and fields.

use std::fmt;

use mutagen_engine::{Generate, Mutable};
use serde::{Deserialize, Serialize};

use super::label::Label;
use super::memory::{Memory, Pointer};
use crate::pairs::exactly;

/// The number of a register.
pub type RegId = i64;

/// A value in a register or a memory cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub enum Value {
    /// An integer, or a code address.
    Int(i64),
    /// A pointer into memory.
    Ptr(Pointer),
    /// A label as a value.
    Lab(Label),
}

/// A value with the label of its secrecy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Atom {
    /// The value.
    pub value: Value,
    /// Who may know it.
    pub label: Label,
}

/// A code address, with a label for the secrecy of being there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct PcAtom {
    /// The address.
    pub address: i64,
    /// Who may know it.
    pub label: Label,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub enum BinOp {
    /// Sum of integers.
    Add,
    /// Product of integers.
    Mult,
    /// Join of labels.
    Join,
    /// 1 if the first label flows to the second, else 0.
    FlowsTo,
    /// 1 if the values are the same, else 0.
    Eq,
}

/// An instruction. Operands are source registers first, the target register last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub enum Instruction {
    /// A constant.
    Put(i64, RegId),
    /// A copy.
    Mov(RegId, RegId),
    /// Reads the cell at a pointer.
    Load(RegId, RegId),
    /// Writes a value, and its label, to the cell at a pointer.
    Store(RegId, RegId),
    /// Writes a value to the cell at a pointer; the cell keeps its label.
    Write(RegId, RegId),
    /// Combines two registers.
    BinOp(BinOp, RegId, RegId, RegId),
    /// Does nothing.
    Nop,
    /// Stops.
    Halt,
    /// Jumps to the address in a register.
    Jump(RegId),
    /// Jumps this many instructions ahead if a register is not zero.
    BNZ(i64, RegId),
    /// Calls an address, with the label of the result and the register for it.
    BCall(RegId, RegId, RegId),
    /// Returns to the caller.
    BRet,
    /// The label of a register, as a value.
    Lab(RegId, RegId),
    /// The label of the pc, as a value.
    PcLab(RegId),
    /// A constant label, as a value.
    PutLab(Label, RegId),
    /// Allocates a frame of a size and a label.
    Alloc(RegId, RegId, RegId),
    /// The offset of a pointer.
    PGetOff(RegId, RegId),
    /// A pointer with another offset.
    PSetOff(RegId, RegId, RegId),
    /// The size of the frame at a pointer.
    MSize(RegId, RegId),
    /// The label of the frame at a pointer.
    MLab(RegId, RegId),
}

/// A stack frame: what a call saves on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct StackFrame {
    /// The address to return to.
    pub pc: PcAtom,
    /// The caller's registers.
    #[mutagen(generate = exactly)]
    pub registers: Vec<Atom>,
    /// The register for the result.
    pub target: RegId,
    /// The label of the result.
    pub label: Label,
}

/// A state of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct State {
    /// The program.
    #[mutagen(generate = exactly)]
    pub imem: Vec<Instruction>,
    /// The data memory.
    pub memory: Memory,
    /// The calls that have not returned, latest first.
    #[mutagen(generate = exactly)]
    pub stack: Vec<StackFrame>,
    /// The registers.
    #[mutagen(generate = exactly)]
    pub registers: Vec<Atom>,
    /// The program counter.
    pub pc: PcAtom,
}

/// Two states, which an observer should be unable to tell apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Variation {
    /// The label of the observer, who sees everything that flows to this label.
    pub observer: Label,
    /// One state.
    pub first: State,
    /// The other.
    pub second: State,
}

impl Atom {
    /// `value@label`.
    pub fn new(value: Value, label: Label) -> Self {
        Self { value, label }
    }
}

impl PcAtom {
    /// `address@label`.
    pub fn new(address: i64, label: Label) -> Self {
        Self { address, label }
    }
}

impl State {
    /// The instruction that the pc addresses, if it addresses one.
    #[inline]
    pub fn instruction(&self) -> Option<Instruction> {
        self.imem.get(usize::try_from(self.pc.address).ok()?).copied()
    }
}

impl Variation {
    /// One state twice.
    pub fn copy(observer: Label, state: State) -> Self {
        Self { observer, first: state.clone(), second: state }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(number) => write!(f, "{number}"),
            Value::Ptr(Pointer { block, offset }) => write!(f, "&{}.{}+{offset}", block.stamp, block.index),
            Value::Lab(label) => write!(f, "label {label}"),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.value, self.label)
    }
}

impl fmt::Display for PcAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.address, self.label)
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Instruction::*;
        match self {
            Put(number, to) => write!(f, "Put {number} r{to}"),
            Mov(from, to) => write!(f, "Mov r{from} r{to}"),
            Load(pointer, to) => write!(f, "Load r{pointer} r{to}"),
            Store(pointer, from) => write!(f, "Store r{pointer} r{from}"),
            Write(pointer, from) => write!(f, "Write r{pointer} r{from}"),
            BinOp(operator, one, two, to) => write!(f, "BinOp {operator:?} r{one} r{two} r{to}"),
            Nop => f.write_str("Nop"),
            Halt => f.write_str("Halt"),
            Jump(target) => write!(f, "Jump r{target}"),
            BNZ(distance, tested) => write!(f, "BNZ {distance} r{tested}"),
            BCall(target, label, to) => write!(f, "BCall r{target} r{label} r{to}"),
            BRet => f.write_str("BRet"),
            Lab(from, to) => write!(f, "Lab r{from} r{to}"),
            PcLab(to) => write!(f, "PcLab r{to}"),
            PutLab(label, to) => write!(f, "PutLab {label} r{to}"),
            Alloc(size, label, to) => write!(f, "Alloc r{size} r{label} r{to}"),
            PGetOff(pointer, to) => write!(f, "PGetOff r{pointer} r{to}"),
            PSetOff(pointer, offset, to) => write!(f, "PSetOff r{pointer} r{offset} r{to}"),
            MSize(pointer, to) => write!(f, "MSize r{pointer} r{to}"),
            MLab(pointer, to) => write!(f, "MLab r{pointer} r{to}"),
        }
    }
}
