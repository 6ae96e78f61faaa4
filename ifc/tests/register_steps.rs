//! Every instruction of the register machine: its effect, and the cases in which it is stuck.

use mutagen_ifc::register::Label::{self, H, L, M1, M2};
use mutagen_ifc::register::Value::{Int, Lab, Ptr};
use mutagen_ifc::register::{
    Atom, BinOp, Block, Frame, Instruction, Memory, PcAtom, Pointer, StackFrame, State, Value,
};
use mutagen_ifc::rule::Table;

const BLOCK: Block = Block { index: 0, stamp: L };

fn pointer(offset: i64) -> Value {
    Ptr(Pointer { block: BLOCK, offset })
}

fn atom(value: Value, label: Label) -> Atom {
    Atom::new(value, label)
}

/// A machine about to execute `instruction`. It has a frame at `M1` with the cells 7 at `L` and 8 at `M2`.
fn machine(instruction: Instruction, registers: &[(Value, Label)]) -> State {
    let mut memory = Memory::empty();
    memory.allocate(L, Frame { label: M1, cells: vec![atom(Int(7), L), atom(Int(8), M2)] });
    let registers = registers.iter().map(|&(value, label)| atom(value, label)).collect();
    State { imem: vec![instruction], memory, stack: vec![], registers, pc: PcAtom::new(0, L) }
}

fn step(state: &State) -> Option<State> {
    state.step(&Table::correct())
}

/// Asserts that the instruction writes `result` to the last register and goes on at `pc`.
fn produces(instruction: Instruction, registers: &[(Value, Label)], result: (Value, Label), pc: Label) {
    let before = machine(instruction, registers);
    let mut after = State { pc: PcAtom::new(1, pc), ..before.clone() };
    let last = after.registers.last_mut().expect("there is a target register");
    *last = atom(result.0, result.1);
    assert_eq!(step(&before), Some(after), "{instruction}");
}

fn is_stuck(instruction: Instruction, registers: &[(Value, Label)]) {
    assert_eq!(step(&machine(instruction, registers)), None, "{instruction} {registers:?}");
}

const FREE: (Value, Label) = (Int(0), L);

#[test]
fn constants_copies_and_labels_are_written() {
    produces(Instruction::Put(4, 0), &[FREE], (Int(4), L), L);
    produces(Instruction::Mov(0, 1), &[(Int(3), M1), FREE], (Int(3), M1), L);
    produces(Instruction::Lab(0, 1), &[(Int(3), M1), FREE], (Lab(M1), L), L);
    produces(Instruction::PcLab(0), &[FREE], (Lab(L), L), L);
    produces(Instruction::PutLab(M2, 0), &[FREE], (Lab(M2), L), L);
}

#[test]
fn operators_join_the_labels_of_their_operands() {
    let apply = |operator, one, two, result| {
        let registers = [(one, M1), (two, M2), FREE];
        produces(Instruction::BinOp(operator, 0, 1, 2), &registers, (result, H), L);
    };
    apply(BinOp::Add, Int(2), Int(3), Int(5));
    apply(BinOp::Mult, Int(2), Int(3), Int(6));
    apply(BinOp::Join, Lab(M1), Lab(M2), Lab(H));
    apply(BinOp::FlowsTo, Lab(M1), Lab(H), Int(1));
    apply(BinOp::FlowsTo, Lab(H), Lab(M1), Int(0));
    apply(BinOp::Eq, pointer(1), pointer(1), Int(1));
    apply(BinOp::Eq, pointer(1), pointer(0), Int(0));
    apply(BinOp::Eq, Int(0), Lab(L), Int(0));
}

#[test]
fn operators_want_operands_of_their_kind() {
    for operator in [BinOp::Add, BinOp::Mult] {
        is_stuck(Instruction::BinOp(operator, 0, 1, 1), &[(Int(1), L), (Lab(L), L)]);
    }
    for operator in [BinOp::Join, BinOp::FlowsTo] {
        is_stuck(Instruction::BinOp(operator, 0, 1, 1), &[(Int(1), L), (Lab(L), L)]);
    }
}

#[test]
fn a_load_raises_the_pc_by_pointer_and_frame() {
    produces(Instruction::Load(0, 1), &[(pointer(1), M2), FREE], (Int(8), M2), H);
    produces(Instruction::Load(0, 1), &[(pointer(0), L), FREE], (Int(7), L), M1);
}

#[test]
fn frames_can_be_asked_for_size_and_label() {
    produces(Instruction::MSize(0, 1), &[(pointer(9), M2), FREE], (Int(2), M1), M2);
    produces(Instruction::MLab(0, 1), &[(pointer(9), M2), FREE], (Lab(M1), M2), L);
}

#[test]
fn offsets_can_be_read_and_set() {
    produces(Instruction::PGetOff(0, 1), &[(pointer(5), M2), FREE], (Int(5), M2), L);
    produces(Instruction::PSetOff(0, 1, 2), &[(pointer(5), M1), (Int(-3), M2), FREE], (pointer(-3), H), L);
}

fn cells_after(instruction: Instruction, registers: &[(Value, Label)]) -> Option<Vec<Atom>> {
    step(&machine(instruction, registers)).map(|after| after.memory.frame(BLOCK).unwrap().cells.clone())
}

#[test]
fn a_store_replaces_the_label_of_the_cell_and_a_write_keeps_it() {
    let registers = [(pointer(1), L), (Int(9), M1)];
    let stored = cells_after(Instruction::Store(0, 1), &registers);
    assert_eq!(stored, Some(vec![atom(Int(7), L), atom(Int(9), M1)]));
    let written = cells_after(Instruction::Write(0, 1), &registers);
    assert_eq!(written, Some(vec![atom(Int(7), L), atom(Int(9), M2)]));
}

#[test]
fn stores_and_writes_refuse_what_the_frame_may_not_know() {
    is_stuck(Instruction::Store(0, 1), &[(pointer(0), M2), (Int(9), L)]);
    is_stuck(Instruction::Write(0, 1), &[(pointer(0), M2), (Int(9), L)]);
    is_stuck(Instruction::Write(0, 1), &[(pointer(0), L), (Int(9), M2)]);
    assert!(cells_after(Instruction::Store(0, 1), &[(pointer(0), L), (Int(9), M2)]).is_some());
}

#[test]
fn jumps_raise_the_pc() {
    let after = |instruction, registers: &[_]| step(&machine(instruction, registers)).map(|state| state.pc);
    assert_eq!(after(Instruction::Jump(0), &[(Int(-5), M1)]), Some(PcAtom::new(-5, M1)));
    assert_eq!(after(Instruction::BNZ(-2, 0), &[(Int(0), M1)]), Some(PcAtom::new(1, M1)));
    assert_eq!(after(Instruction::BNZ(-2, 0), &[(Int(3), M1)]), Some(PcAtom::new(-2, M1)));
    assert_eq!(after(Instruction::Nop, &[]), Some(PcAtom::new(1, L)));
    assert_eq!(after(Instruction::Halt, &[]), None);
}

#[test]
fn a_call_saves_the_registers_and_a_return_restores_them() {
    let called = step(&machine(Instruction::BCall(0, 1, 0), &[(Int(0), M1), (Lab(M2), L)])).unwrap();
    let saved = called.registers.clone();
    let frame = StackFrame { pc: PcAtom::new(1, L), registers: saved.clone(), target: 0, label: M2 };
    assert_eq!((called.pc, &called.stack), (PcAtom::new(0, M1), &vec![frame]));

    let returning = |result: Label| State {
        imem: vec![Instruction::BRet],
        registers: vec![atom(Int(42), result)],
        pc: PcAtom::new(0, L),
        ..called.clone()
    };
    let returned = step(&returning(M2)).unwrap();
    assert_eq!(returned.registers, [atom(Int(42), M2), saved[1]]);
    assert_eq!((returned.pc, returned.stack.len()), (PcAtom::new(1, L), 0));
    assert_eq!(step(&returning(M1)), None, "the result is more secret than the caller was promised");
}

#[test]
fn an_allocation_is_stamped_with_all_that_decided_it() {
    let mut before = machine(Instruction::Alloc(0, 1, 2), &[(Int(2), M1), (Lab(M2), L), FREE]);
    before.pc.label = M2;
    let after = step(&before).unwrap();
    let block = Block { index: 0, stamp: H };
    assert_eq!(after.memory.frame(block), Some(&Frame::zeroed(M2, 2)));
    assert_eq!(after.registers[2], atom(Ptr(Pointer { block, offset: 0 }), M1));
    for size in [-1, i64::MAX] {
        is_stuck(Instruction::Alloc(0, 1, 2), &[(Int(size), L), (Lab(L), L), FREE]);
    }
}

#[test]
fn registers_cells_and_kinds_that_do_not_fit_leave_the_machine_stuck() {
    use Instruction::*;
    let outside = [Put(0, 9), Mov(-1, 0), Mov(0, 9), PcLab(-1), Lab(9, 0), PutLab(L, 9), Jump(9), BRet];
    for instruction in outside {
        is_stuck(instruction, &[FREE]);
    }
    let not_pointers = [Load(0, 0), Store(0, 0), Write(0, 0), PGetOff(0, 0), MSize(0, 0), MLab(0, 0)];
    for instruction in not_pointers {
        is_stuck(instruction, &[FREE]);
    }
    for instruction in [Load(0, 0), Store(0, 0), Write(0, 0)] {
        is_stuck(instruction, &[(pointer(2), L)]);
    }
    for instruction in [Jump(0), BNZ(1, 0), Alloc(0, 0, 0), BCall(0, 0, 0), PSetOff(0, 0, 0)] {
        is_stuck(instruction, &[(pointer(0), L)]);
    }
}
