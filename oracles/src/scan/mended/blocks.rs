//! Functions that do to blocks of a 64-bit memory what an engine does to those of a 32-bit one.

use wasm_encoder::{Encode, Instruction, ValType};
use wasmparser::Operator;

/// Something that is done to a whole block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Fill { memory: u32 },
    Copy { to: u32, from: u32 },
    Init { memory: u32, data: u32 },
}

impl Block {
    pub fn of(operator: &Operator<'_>) -> Option<Self> {
        Some(match *operator {
            Operator::MemoryFill { mem } => Self::Fill { memory: mem },
            Operator::MemoryCopy { dst_mem, src_mem } => Self::Copy { to: dst_mem, from: src_mem },
            Operator::MemoryInit { data_index, mem } => Self::Init { memory: mem, data: data_index },
            _ => return None,
        })
    }

    /// Whether one of its operands has 64 bits, where these memories have such addresses.
    pub fn is_wide(self, memories: &[bool]) -> bool {
        self.parameters(memories).contains(&ValType::I64)
    }

    /// The types of its operands. A length has as many bits as both memories have.
    pub fn parameters(self, memories: &[bool]) -> [ValType; 3] {
        let is_wide = |memory: u32| memories.get(memory as usize).is_some_and(|wide| *wide);
        let ty = |wide: bool| if wide { ValType::I64 } else { ValType::I32 };
        match self {
            Self::Fill { memory } => [ty(is_wide(memory)), ValType::I32, ty(is_wide(memory))],
            Self::Copy { to, from } => [ty(is_wide(to)), ty(is_wide(from)), ty(is_wide(to) && is_wide(from))],
            Self::Init { memory, .. } => [ty(is_wide(memory)), ValType::I32, ValType::I32],
        }
    }

    /// The body of a function that does it, with all operands in 32 bits. What does not fit is beyond the end of every memory, as is
    /// the greatest number that fits.
    ///
    /// tinywasm takes 32 bits when it runs, but reads code as if it took more: 64 bits that nobody takes stand there to be read.
    /// Returning drops what is left over.
    pub fn body(self, memories: &[bool]) -> Vec<u8> {
        // No locals.
        let mut bytes = vec![0];
        let mut add = |instruction: Instruction<'_>| instruction.encode(&mut bytes);
        let types = self.parameters(memories);
        let read = self.read_as(types);
        let mut operands = (0..).zip(types);
        let unread = read.iter().filter(|ty| **ty == ValType::I64).count();
        operands.by_ref().take(unread).for_each(|(local, ty)| operand(&mut add, local, ty));
        for ty in read {
            match ty {
                ValType::I64 => add(Instruction::I64Const(0)),
                _ => operands.by_ref().take(1).for_each(|(local, ty)| operand(&mut add, local, ty)),
            }
        }
        add(match self {
            Self::Fill { memory } => Instruction::MemoryFill(memory),
            Self::Copy { to, from } => Instruction::MemoryCopy { src_mem: from, dst_mem: to },
            Self::Init { memory, data } => Instruction::MemoryInit { mem: memory, data_index: data },
        });
        add(Instruction::Return);
        add(Instruction::End);
        bytes
    }

    /// As what tinywasm reads operands of these types: it takes the length of `memory.init` for one of the memory's.
    fn read_as(self, types: [ValType; 3]) -> [ValType; 3] {
        match self {
            Self::Init { .. } => [types[0], types[1], types[0]],
            Self::Fill { .. } | Self::Copy { .. } => types,
        }
    }
}

/// A parameter in 32 bits.
fn operand(add: &mut impl FnMut(Instruction<'_>), parameter: u32, ty: ValType) {
    add(Instruction::LocalGet(parameter));
    if ty == ValType::I64 {
        add(Instruction::I32WrapI64);
        add(Instruction::I32Const(-1));
        add(Instruction::LocalGet(parameter));
        add(Instruction::I64Const(1 << 32));
        add(Instruction::I64LtU);
        add(Instruction::Select);
    }
}
