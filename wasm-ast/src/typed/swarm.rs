//! The swarm: the parts of the language that the bodies of one module may use.
//!
//! If every module may use everything, all modules are alike: behaviour that needs many instructions of one
//! kind, or none of another, does not occur. So each module draws its own subset ("swarm testing").

use std::ops::RangeInclusive;

use mutagen_engine::Source;

use super::choice::weighted;
use super::operation::{OPERATIONS, Operation};
use crate::features::{Feature, Features, allowed_by};
use crate::measure::Needs;
use crate::op::Op;
use crate::signature::Operand;
use crate::types::{RefType, ValType};

/// A kind of code that a module may go without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Loads,
    Stores,
    Globals,
    Calls,
    IndirectCalls,
    TailCalls,
    /// Calls to functions that may be running already, as often as a counter allows.
    Recursion,
    Blocks,
    Loops,
    Branches,
    BranchTables,
    /// Bodies that end with a jump.
    Jumps,
    Selects,
    Tees,
    /// Statements between operands of an instruction.
    Interleaving,
    BulkMemory,
    Tables,
    /// Memories and tables that grow.
    Growth,
    SegmentDrops,
    Traps,
    Imports,
    Memories,
    StartFunction,
}

const PARTS: u32 = Part::StartFunction as u32 + 1;

/// Value types and their weights.
const TYPES: [(u32, ValType); 7] = [
    (6, ValType::I32),
    (4, ValType::I64),
    (3, ValType::F32),
    (3, ValType::F64),
    (7, ValType::V128),
    (2, ValType::FuncRef),
    (2, ValType::ExternRef),
];

/// How much likelier one type of a module is than otherwise. Engines keep values of different types apart, so values that
/// get into each other's way mostly have the same type.
const FAVOURED: u32 = 5;

/// The bounds of the weight of a group, which is the number of its instructions. Without bounds, a group of a
/// hundred vector instructions would hide those of one instruction.
const WEIGHTS: RangeInclusive<u32> = 10..=48;

/// The subset of a module.
pub(super) struct Swarm {
    pub(super) features: Features,
    parts: u32,
    types: Vec<(u32, ValType)>,
    operations: Vec<&'static Operation>,
}

impl Swarm {
    /// Draws a swarm. One module in four may use everything that the scope of the source allows, the others
    /// three quarters of it or half. With less, hardly anything would be left to compute with.
    pub(super) fn draw(source: &mut Source) -> Self {
        let all = allowed_by(source.scope());
        let kept = [4, 3, 3, 2][source.below(4)];
        let keep = |source: &mut Source| kept == 4 || source.chance(kept, 4);
        let dropped = |source: &mut Source| kept != 4 && source.chance(1, 4);
        // Choose features, kinds of code, types, and then the operations that these allow.
        let lost: Vec<Feature> = all.iter().filter(|_| dropped(source)).collect();
        let features = lost.into_iter().fold(all, Features::without);
        let parts = (0..PARTS).filter(|_| keep(source)).fold(0, |parts, part| parts | 1 << part);
        let is_on = |ty: &ValType| features.includes(ty.needs());
        let types = TYPES.into_iter().filter(|(_, ty)| is_on(ty));
        let mut types: Vec<_> = types.filter(|(_, ty)| *ty == ValType::I32 || keep(source)).collect();
        let favourite = source.below(types.len());
        types[favourite].0 *= FAVOURED;
        let mut swarm = Self { features, parts, types, operations: Vec::new() };
        let possible = OPERATIONS.iter().filter(|operation| swarm.has(operation));
        swarm.operations = possible.filter(|_| keep(source)).collect();
        swarm
    }

    /// Whether the swarm may use the operation. Loads and stores need a memory. Instructions on whole
    /// memories and `select` are written elsewhere.
    fn has(&self, operation: &Operation) -> bool {
        let accesses = operation.takes.contains(&Operand::Address);
        let elsewhere = matches!(
            operation.op,
            Op::MemorySize(_) | Op::MemoryGrow(_) | Op::MemoryFill(_) | Op::MemoryCopy(..) | Op::Select
        );
        let part = if operation.gives.is_empty() { Part::Stores } else { Part::Loads };
        !elsewhere
            && self.features.includes(operation.op.own_needs())
            && (!accesses || self.uses(part) && self.uses(Part::Memories))
    }

    pub(super) fn uses(&self, part: Part) -> bool {
        self.parts & 1 << part as u32 != 0
    }

    pub(super) fn on(&self, feature: Feature) -> bool {
        self.features.contains(feature)
    }

    /// A type for something new.
    pub(super) fn ty(&self, source: &mut Source) -> ValType {
        weighted(&self.types, source).unwrap_or(ValType::I32)
    }

    /// Some types for something new.
    pub(super) fn types(&self, count: usize, source: &mut Source) -> Vec<ValType> {
        (0..count).map(|_| self.ty(source)).collect()
    }

    /// A reference type. Without the feature, it is that of references to functions.
    pub(super) fn reference(&self, source: &mut Source) -> RefType {
        let external = self.on(Feature::ReferenceTypes) && source.chance(1, 3);
        if external { RefType::ExternRef } else { RefType::FuncRef }
    }

    /// A random operation that fits.
    pub(super) fn operation(
        &self,
        source: &mut Source,
        fits: impl Fn(&Operation) -> bool,
    ) -> Option<&'static Operation> {
        let fitting = self.operations.iter().filter(|operation| fits(operation));
        let weights: Vec<_> = fitting
            .map(|operation| (operation.members.clamp(*WEIGHTS.start(), *WEIGHTS.end()), *operation))
            .collect();
        weighted(&weights, source)
    }
}
