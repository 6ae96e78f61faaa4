//! The hand-written generator: a plausible state, and a second state that looks the same to the observer by
//! construction.
//!
//! The derived generators are measured against it. It also serves to check that the correct machine keeps its
//! secrets.

use mutagen_engine::Source;

use super::label::Label;
use super::memory::{Block, Frame, Memory, Pointer};
use super::state::{Atom, BinOp, Instruction, PcAtom, RegId, StackFrame, State, Value, Variation};
use super::vary::vary;

const FRAMES: i64 = 2;
const CELLS: i64 = 2;
const CODE: i64 = 2;
const REGISTERS: i64 = 10;
/// Integers that are not code addresses are at most this far from 0.
const NUMBERS: i64 = 7;

/// A pair of well-formed states that look the same to the observer, about to execute an instruction that has
/// operands of the right kinds.
///
/// All frames are allocated at the bottom stamp, so nothing can be exposed.
pub fn smart(source: &mut Source) -> Variation {
    let pc = pc(source);
    let registers = registers(source);
    let stack = if source.chance(9, 10) { vec![stack_frame(source)] } else { vec![] };
    let memory = memory(source);
    let imem = vec![instruction(source, &registers, &stack); CODE as usize];
    let first = State { imem, memory, stack, registers, pc };
    let observer = label(source);
    Variation { observer, second: vary(source, &first, observer), first }
}

pub(super) fn label(source: &mut Source) -> Label {
    Label::ALL[source.below(4)]
}

pub(super) fn pc(source: &mut Source) -> PcAtom {
    PcAtom::new(source.range_i64(0, CODE - 1), label(source))
}

pub(super) fn registers(source: &mut Source) -> Vec<Atom> {
    (0..REGISTERS).map(|_| atom(source)).collect()
}

pub(super) fn atom(source: &mut Source) -> Atom {
    Atom::new(value(source), label(source))
}

pub(super) fn value(source: &mut Source) -> Value {
    match source.below(3) {
        0 => integer(source),
        1 => pointer(source),
        _ => Value::Lab(label(source)),
    }
}

/// A fresh value of the same kind.
pub(super) fn like(source: &mut Source, value: Value) -> Value {
    match value {
        Value::Int(_) => integer(source),
        Value::Ptr(_) => pointer(source),
        Value::Lab(_) => Value::Lab(label(source)),
    }
}

fn integer(source: &mut Source) -> Value {
    Value::Int(match source.weighted(&[10, 1, 10]) {
        0 => source.range_i64(-NUMBERS, NUMBERS),
        1 => 0,
        _ => source.range_i64(0, CODE - 1),
    })
}

fn pointer(source: &mut Source) -> Value {
    let block = Block { index: source.range_i64(0, FRAMES - 1), stamp: Label::L };
    Value::Ptr(Pointer { block, offset: source.range_i64(0, CELLS - 1) })
}

pub(super) fn stack_frame(source: &mut Source) -> StackFrame {
    StackFrame {
        pc: pc(source),
        registers: registers(source),
        target: source.range_i64(0, REGISTERS - 1),
        label: label(source),
    }
}

fn memory(source: &mut Source) -> Memory {
    let mut memory = Memory::empty();
    for _ in 0..FRAMES {
        let label = label(source);
        let cells = (0..CELLS).map(|_| atom(source)).collect();
        memory.allocate(Label::L, Frame { label, cells });
    }
    memory
}

/// The registers that hold each kind of value.
struct Kinds {
    pointers: Vec<RegId>,
    numbers: Vec<RegId>,
    addresses: Vec<RegId>,
    labels: Vec<RegId>,
}

impl Kinds {
    fn of(registers: &[Atom]) -> Self {
        let holding = |kind: fn(Value) -> bool| -> Vec<RegId> {
            let numbered = (0..).zip(registers);
            numbered.filter(|(_, atom)| kind(atom.value)).map(|(number, _)| number).collect()
        };
        Self {
            pointers: holding(|value| matches!(value, Value::Ptr(_))),
            numbers: holding(|value| matches!(value, Value::Int(_))),
            addresses: holding(|value| matches!(value, Value::Int(0..CODE))),
            labels: holding(|value| matches!(value, Value::Lab(_))),
        }
    }
}

/// A random instruction, by weight, among those whose operands are in registers.
fn instruction(source: &mut Source, registers: &[Atom], stack: &[StackFrame]) -> Instruction {
    let menu = menu(source, registers, stack);
    let weights: Vec<u32> = menu.iter().map(|&(weight, _)| weight).collect();
    menu[source.weighted(&weights)].1
}

fn menu(source: &mut Source, registers: &[Atom], stack: &[StackFrame]) -> Vec<(u32, Instruction)> {
    use Instruction::*;
    let kinds = Kinds::of(registers);
    let (any, to) = (source.range_i64(0, REGISTERS - 1), source.range_i64(0, REGISTERS - 1));
    // Some instructions need no special operands.
    let mut menu = vec![(1, Nop), (10, PcLab(to)), (10, Lab(any, to)), (10, Mov(any, to))];
    menu.push((10, PutLab(label(source), to)));
    menu.push((10, Put(source.range_i64(-NUMBERS, NUMBERS), to)));
    if !stack.is_empty() {
        menu.push((50, BRet));
    }
    // The others are on the menu only if registers hold operands of the right kinds.
    let [pointer, number, other_number] =
        [&kinds.pointers, &kinds.numbers, &kinds.numbers].map(|group| pick(source, group));
    let [address, label] = [&kinds.addresses, &kinds.labels].map(|group| pick(source, group));
    if let Some(pointer) = pointer {
        menu.extend([(10, MLab(pointer, to)), (10, MSize(pointer, to)), (10, PGetOff(pointer, to))]);
        menu.extend([(10, Load(pointer, to)), (100, Store(pointer, any)), (100, Write(pointer, any))]);
    }
    if let (Some(one), Some(two)) = (number, other_number) {
        menu.push((10, BinOp(operator(source), one, two, to)));
        menu.push((10, BNZ(source.range_i64(-1, 2), one)));
    }
    menu.extend(pointer.zip(number).map(|(pointer, number)| (10, PSetOff(pointer, number, to))));
    menu.extend(number.zip(label).map(|(number, label)| (200, Alloc(number, label, to))));
    menu.extend(address.map(|address| (10, Jump(address))));
    menu.extend(address.zip(label).map(|(address, label)| (10, BCall(address, label, to))));
    menu
}

fn pick(source: &mut Source, group: &[RegId]) -> Option<RegId> {
    (!group.is_empty()).then(|| group[source.below(group.len())])
}

fn operator(source: &mut Source) -> BinOp {
    [BinOp::Add, BinOp::Mult, BinOp::Join, BinOp::FlowsTo, BinOp::Eq][source.below(5)]
}
