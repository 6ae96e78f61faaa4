//! The rule table of the register machine and its thirty-three faults.

use crate::fault::{Fault, PcFaults, enumerate};
use crate::rule::Operand::{L1, L2, L3, L4, P};
use crate::rule::{self, Rule};

/// The opcodes. Faults are numbered in this order. `Halt` never steps and has no opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum OpCode {
    Put,
    Mov,
    Load,
    Store,
    Write,
    BinOp,
    Nop,
    Jump,
    BNZ,
    BCall,
    BRet,
    Lab,
    PcLab,
    PutLab,
    Alloc,
    PGetOff,
    PSetOff,
    MSize,
    MLab,
}

impl rule::OpCode for OpCode {
    const ALL: &'static [Self] = {
        use OpCode::*;
        &[
            Put, Mov, Load, Store, Write, BinOp, Nop, Jump, BNZ, BCall, BRet, Lab, PcLab, PutLab, Alloc,
            PGetOff, PSetOff, MSize, MLab,
        ]
    };

    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }

    /// Operands: `Mov` source; `Load` pointer, frame, cell; `Store` pointer, frame, value; `Write` pointer,
    /// frame, new value, old cell; `BinOp` both; `Jump` target; `BNZ` tested; `BCall` target, result-label
    /// operand; `BRet` result, result label, saved pc; `Alloc` size, label operand, the label itself;
    /// `PGetOff` pointer; `PSetOff` pointer, offset; `MSize`, `MLab` pointer, frame.
    fn correct_rule(self) -> Rule {
        match self {
            OpCode::Put => Rule::new(Some(&[]), &[P]),
            OpCode::Mov => Rule::new(Some(&[L1]), &[P]),
            OpCode::Load => Rule::new(Some(&[L3]), &[P, L1, L2]),
            OpCode::Store => Rule::new(Some(&[L3]), &[P]).checked(&[L1, P], &[L2]),
            OpCode::Write => Rule::new(Some(&[L4]), &[P]).checked(&[P, L1, L3], &[L2, L4]),
            OpCode::BinOp => Rule::new(Some(&[L1, L2]), &[P]),
            OpCode::Nop => Rule::new(None, &[P]),
            OpCode::Jump => Rule::new(None, &[P, L1]),
            OpCode::BNZ => Rule::new(None, &[L1, P]),
            OpCode::BCall => Rule::new(Some(&[L2, P]), &[L1, P]),
            OpCode::BRet => Rule::new(Some(&[L2]), &[L3]).checked(&[L1, P], &[L2, L3]),
            OpCode::Lab | OpCode::PcLab | OpCode::PutLab => Rule::new(Some(&[]), &[P]),
            OpCode::Alloc => Rule::new(Some(&[L1, L2]), &[P]),
            OpCode::PGetOff => Rule::new(Some(&[L1]), &[P]),
            OpCode::PSetOff => Rule::new(Some(&[L1, L2]), &[P]),
            OpCode::MSize => Rule::new(Some(&[L2]), &[P, L1]),
            OpCode::MLab => Rule::new(Some(&[L1]), &[P]),
        }
    }
}

/// The faults `register-1` to `register-33`, in order.
pub fn faults() -> Vec<Fault<OpCode>> {
    enumerate(PcFaults::Move)
}
