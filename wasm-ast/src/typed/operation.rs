//! Operations: instructions that can be chosen by their signature.

use std::sync::LazyLock;

use mutagen_engine::{Generate, Mutable, Scope, Source};

use crate::immediate::{Lane, Lanes, MemArg};
use crate::index::MemIdx;
use crate::op::Op;
use crate::signature::{Operand, Signature};
use crate::types::ValType;

/// An instruction that stands for its whole group.
pub(super) struct Operation {
    pub(super) takes: Vec<Operand>,
    pub(super) gives: Vec<ValType>,
    pub(super) op: Op,
    /// The number of instructions in the group.
    pub(super) members: u32,
    /// Whether single functions use it. Their list is fixed, so that a seed keeps making the same function.
    pub(super) in_stubs: bool,
}

/// All groups, and the instructions without a group whose signature does not depend on the context.
pub(super) static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let read = |(op, signature): (Op, &str)| Operation::new(op, &Signature::read(signature));
    let known = |op: Op| op.signature().map(|signature| Operation::new(op, signature));
    let (memarg, memory, lane) = (MemArg::smallest(), MemIdx::smallest(), Lane::smallest());
    let plain = [
        Op::F32DemoteF64,
        Op::F64PromoteF32,
        Op::F32Load(memarg),
        Op::F64Load(memarg),
        Op::F32Store(memarg),
        Op::F64Store(memarg),
    ];
    let vectors = [Op::I64x2Splat, Op::F32x4Splat, Op::F64x2Splat, Op::V128Store(memarg)];
    // The signatures for a memory with 32-bit addresses, such as that of a single function.
    let whole_memory = [
        (Op::MemorySize(memory), "[] -> [i32]"),
        (Op::MemoryGrow(memory), "[i32] -> [i32]"),
        (Op::MemoryFill(memory), "[address i32 i32] -> []"),
        (Op::MemoryCopy(memory, memory), "[address address i32] -> []"),
    ];
    let selects = [
        (Op::Select, "[i32 i32 i32] -> [i32]"),
        (Op::Select, "[i64 i64 i32] -> [i64]"),
        (Op::Select, "[f32 f32 i32] -> [f32]"),
        (Op::Select, "[f64 f64 i32] -> [f64]"),
    ];
    let lanes = [
        Op::I8x16Shuffle(Lanes::smallest()),
        Op::I64x2ExtractLane(lane),
        Op::F32x4ExtractLane(lane),
        Op::F64x2ExtractLane(lane),
        Op::I64x2ReplaceLane(lane),
        Op::F32x4ReplaceLane(lane),
        Op::F64x2ReplaceLane(lane),
    ];
    let (wide, groups): (Vec<Operation>, Vec<Operation>) =
        Op::groups().into_iter().map(read).partition(|operation| operation.gives.len() > 1);
    let stubs = groups
        .into_iter()
        .chain(whole_memory.map(read))
        .chain(plain.into_iter().filter_map(known))
        .chain(selects.map(read))
        .chain(vectors.into_iter().filter_map(known));
    let later = wide.into_iter().chain(lanes.into_iter().filter_map(known));
    let later = later.map(|operation| Operation { in_stubs: false, ..operation });
    stubs.chain(later).collect()
});

impl Operation {
    fn new(op: Op, signature: &Signature) -> Self {
        let members = match group(&op) {
            Some(group) => group.count(&Scope::new()).fixed as u32 + 1,
            None => 1,
        };
        let Signature { takes, gives } = signature.clone();
        Self { takes, gives, op, members, in_stubs: true }
    }

    /// A random instruction of the group. An instruction without a group is returned as it is, but its
    /// immediate may vary.
    pub(super) fn instruction(&self, source: &mut Source) -> Op {
        let mut op = self.op.clone();
        if op.children() > 0 && !op.child(0).as_any().is::<MemIdx>() {
            vary(op.child_mut(0), source);
        }
        op
    }
}

/// The field of an instruction that selects one of its group. None if the instruction has no group.
fn group(op: &Op) -> Option<&dyn Mutable> {
    let first = (op.children() > 0).then(|| op.child(0))?;
    let any = first.as_any();
    let is_immediate = any.is::<MemIdx>() || any.is::<MemArg>() || any.is::<Lane>() || any.is::<Lanes>();
    (!is_immediate).then_some(first)
}

/// Keeps a value or replaces it by one of its mutants, all with equal probability.
pub(super) fn vary(value: &mut dyn Mutable, source: &mut Source) {
    let mutants = value.count(source.scope()).draws(1);
    let number = source.below(mutants + 1);
    if number < mutants {
        value.mutate(number, source);
    }
}
