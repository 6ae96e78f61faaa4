//! The faults enumerated from the tables are the published ones, in the published order.

use mutagen_ifc::fault::{Fault, PcFaults, enumerate};
use mutagen_ifc::rule::OpCode;
use mutagen_ifc::{register, stack};

const STACK: [[&str; 4]; 20] = [
    ["BCall", "res", "P", "⊥"],
    ["BCall", "pc", "L1 ∨ P", "P"],
    ["BCall", "pc", "L1 ∨ P", "L1"],
    ["BRet", "res", "L2 ∨ P", "P"],
    ["BRet", "res", "L2 ∨ P", "L2"],
    ["BRet", "pc", "L1", "⊥"],
    ["Nop", "pc", "P", "⊥"],
    ["Push", "pc", "P", "⊥"],
    ["Add", "res", "L1 ∨ L2", "L2"],
    ["Add", "res", "L1 ∨ L2", "L1"],
    ["Add", "pc", "P", "⊥"],
    ["Load", "res", "L1 ∨ L2", "L2"],
    ["Load", "res", "L1 ∨ L2", "L1"],
    ["Load", "pc", "P", "⊥"],
    ["Store", "check", "L1 ∨ P ⊑ L3", "P ⊑ L3"],
    ["Store", "check", "L1 ∨ P ⊑ L3", "L1 ⊑ L3"],
    ["Store", "res", "P ∨ L1 ∨ L2", "L1 ∨ L2"],
    ["Store", "res", "P ∨ L1 ∨ L2", "P ∨ L2"],
    ["Store", "res", "P ∨ L1 ∨ L2", "P ∨ L1"],
    ["Store", "pc", "P", "⊥"],
];

const REGISTER: [[&str; 4]; 33] = [
    ["Mov", "res", "L1", "⊥"],
    ["Load", "res", "L3", "⊥"],
    ["Load", "pc→res", "res L3, pc P ∨ L1 ∨ L2", "res L3 ∨ L1, pc P ∨ L2"],
    ["Load", "pc→res", "res L3, pc P ∨ L1 ∨ L2", "res L3 ∨ L2, pc P ∨ L1"],
    ["Store", "check", "L1 ∨ P ⊑ L2", "P ⊑ L2"],
    ["Store", "check", "L1 ∨ P ⊑ L2", "L1 ⊑ L2"],
    ["Store", "res", "L3", "⊥"],
    ["Write", "check", "P ∨ L1 ∨ L3 ⊑ L2 ∨ L4", "L1 ∨ L3 ⊑ L2 ∨ L4"],
    ["Write", "check", "P ∨ L1 ∨ L3 ⊑ L2 ∨ L4", "P ∨ L3 ⊑ L2 ∨ L4"],
    ["Write", "check", "P ∨ L1 ∨ L3 ⊑ L2 ∨ L4", "P ∨ L1 ⊑ L2 ∨ L4"],
    ["Write", "res", "L4", "⊥"],
    ["BinOp", "res", "L1 ∨ L2", "L2"],
    ["BinOp", "res", "L1 ∨ L2", "L1"],
    ["Nop", "pc", "P", "⊥"],
    ["Jump", "pc", "P ∨ L1", "L1"],
    ["Jump", "pc", "P ∨ L1", "P"],
    ["BNZ", "pc", "L1 ∨ P", "P"],
    ["BNZ", "pc", "L1 ∨ P", "L1"],
    ["BCall", "res", "L2 ∨ P", "P"],
    ["BCall", "res", "L2 ∨ P", "L2"],
    ["BCall", "pc→res", "res L2 ∨ P, pc L1 ∨ P", "res L2 ∨ P ∨ L1, pc P"],
    ["BRet", "check", "L1 ∨ P ⊑ L2 ∨ L3", "P ⊑ L2 ∨ L3"],
    ["BRet", "check", "L1 ∨ P ⊑ L2 ∨ L3", "L1 ⊑ L2 ∨ L3"],
    ["BRet", "res", "L2", "⊥"],
    ["BRet", "pc→res", "res L2, pc L3", "res L2 ∨ L3, pc ⊥"],
    ["Alloc", "res", "L1 ∨ L2", "L2"],
    ["Alloc", "res", "L1 ∨ L2", "L1"],
    ["PGetOff", "res", "L1", "⊥"],
    ["PSetOff", "res", "L1 ∨ L2", "L2"],
    ["PSetOff", "res", "L1 ∨ L2", "L1"],
    ["MSize", "res", "L2", "⊥"],
    ["MSize", "pc→res", "res L2, pc P ∨ L1", "res L2 ∨ L1, pc P"],
    ["MLab", "res", "L1", "⊥"],
];

fn row<O: OpCode>(fault: &Fault<O>) -> [String; 4] {
    let Fault { opcode, column, .. } = fault;
    [format!("{opcode:?}"), column.to_string(), fault.original_entry(), fault.mutated_entry()]
}

#[test]
fn the_stack_machine_has_the_twenty_published_faults() {
    let rows: Vec<_> = stack::faults().iter().map(row).collect();
    assert_eq!(rows, STACK);
}

#[test]
fn a_wrong_halt_rule_is_enumerated_but_is_no_fault() {
    let all = enumerate::<stack::OpCode>(PcFaults::Drop);
    assert_eq!(all.len(), 21);
    assert_eq!(row(&all[20]), ["Halt", "pc", "P", "⊥"]);
}

#[test]
fn the_register_machine_has_the_thirty_three_published_faults() {
    let rows: Vec<_> = register::faults().iter().map(row).collect();
    assert_eq!(rows, REGISTER);
}

#[test]
fn a_fault_changes_one_rule_and_no_other() {
    for fault in stack::faults() {
        let (correct, wrong) = (mutagen_ifc::rule::Table::correct(), fault.table());
        for &opcode in stack::OpCode::ALL {
            assert_eq!(correct.rule(opcode) == wrong.rule(opcode), opcode != fault.opcode, "{fault}");
        }
    }
}
