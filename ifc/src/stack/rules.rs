//! The rule table of the stack machine and its twenty faults.

use crate::fault::{Fault, PcFaults, enumerate};
use crate::rule::Operand::{L1, L2, L3, P};
use crate::rule::{self, Rule};

/// The opcodes. Faults are numbered in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum OpCode {
    BCall,
    BRet,
    Nop,
    Push,
    Add,
    Load,
    Store,
    Halt,
}

impl rule::OpCode for OpCode {
    const ALL: &'static [Self] = {
        use OpCode::*;
        &[BCall, BRet, Nop, Push, Add, Load, Store, Halt]
    };

    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }

    /// Operands: `BCall` target; `BRet` saved pc, returned value; `Add` top, second; `Load` cell, pointer;
    /// `Store` pointer, value, overwritten cell.
    fn correct_rule(self) -> Rule {
        match self {
            OpCode::BCall => Rule::new(Some(&[P]), &[L1, P]),
            OpCode::BRet => Rule::new(Some(&[L2, P]), &[L1]),
            OpCode::Nop => Rule::new(None, &[P]),
            OpCode::Push => Rule::new(Some(&[]), &[P]),
            OpCode::Add => Rule::new(Some(&[L1, L2]), &[P]),
            OpCode::Load => Rule::new(Some(&[L1, L2]), &[P]),
            OpCode::Store => Rule::new(Some(&[P, L1, L2]), &[P]).checked(&[L1, P], &[L3]),
            OpCode::Halt => Rule::new(Some(&[]), &[P]),
        }
    }
}

/// The faults `stack-1` to `stack-20`, in order. `Halt` never steps, so an error in its rule would not show.
pub fn faults() -> Vec<Fault<OpCode>> {
    let mut faults = enumerate(PcFaults::Drop);
    faults.retain(|fault| fault.opcode != OpCode::Halt);
    faults
}
