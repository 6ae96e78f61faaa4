//! Stack signatures of instructions, and the bounds of their immediates.

use std::sync::LazyLock;

use mutagen_engine::Mutable;

use crate::immediate::{Lane, MemArg};
use crate::op::*;
use crate::table::for_each_op;
use crate::types::{AddressType, ValType};

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Value(ValType),
    /// An address in the memory that the instruction accesses.
    Address,
}

/// The operands and results of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) takes: Vec<Operand>,
    pub(crate) gives: Vec<ValType>,
}

impl Signature {
    /// Reads a signature as the table of instructions writes it, such as `[address f64] -> []`.
    pub(crate) fn read(text: &str) -> Self {
        let (takes, gives) = text.split_once(" -> ").unwrap_or((text, ""));
        let gives = operands(gives).filter_map(|operand| match operand {
            Operand::Value(ty) => Some(ty),
            Operand::Address => None,
        });
        Self { takes: operands(takes).collect(), gives: gives.collect() }
    }
}

fn operands(list: &str) -> impl Iterator<Item = Operand> {
    let read = |name| match name {
        "address" => Some(Operand::Address),
        "i32" => Some(Operand::Value(ValType::I32)),
        "i64" => Some(Operand::Value(ValType::I64)),
        "f32" => Some(Operand::Value(ValType::F32)),
        "f64" => Some(Operand::Value(ValType::F64)),
        "v128" => Some(Operand::Value(ValType::V128)),
        _ => None,
    };
    list.trim_matches([' ', '`', '[', ']']).split_whitespace().filter_map(read)
}

macro_rules! define_signature {
    (
        singles { $($singles:tt)* }
        groups { $(
            #[doc = $signature:literal]
            $group:ident $fields:tt { $($ops:tt)* }
        )* }
    ) => {
        impl Op {
            /// The signature, if it does not depend on the context.
            pub(crate) fn signature(&self) -> Option<&'static Signature> {
                /// Reads a signature when it is first used.
                macro_rules! once {
                    ($text:expr) => {{
                        static SIGNATURE: LazyLock<Signature> = LazyLock::new(|| Signature::read($text));
                        &SIGNATURE
                    }};
                }
                Some(match self {
                    $(Self::$group(..) => once!($signature),)*
                    Self::Nop => once!("[] -> []"),
                    Self::I32Const(_) => once!("[] -> [i32]"),
                    Self::I64Const(_) => once!("[] -> [i64]"),
                    Self::F32Const(_) => once!("[] -> [f32]"),
                    Self::F64Const(_) => once!("[] -> [f64]"),
                    Self::V128Const(_) => once!("[] -> [v128]"),
                    Self::F32DemoteF64 => once!("[f64] -> [f32]"),
                    Self::F64PromoteF32 => once!("[f32] -> [f64]"),
                    Self::F32Load(_) => once!("[address] -> [f32]"),
                    Self::F64Load(_) => once!("[address] -> [f64]"),
                    Self::F32Store(_) => once!("[address f32] -> []"),
                    Self::F64Store(_) => once!("[address f64] -> []"),
                    Self::V128Store(_) => once!("[address v128] -> []"),
                    Self::I64x2Splat => once!("[i64] -> [v128]"),
                    Self::F32x4Splat => once!("[f32] -> [v128]"),
                    Self::F64x2Splat => once!("[f64] -> [v128]"),
                    Self::I8x16Shuffle(_) => once!("[v128 v128] -> [v128]"),
                    Self::I64x2ExtractLane(_) => once!("[v128] -> [i64]"),
                    Self::F32x4ExtractLane(_) => once!("[v128] -> [f32]"),
                    Self::F64x2ExtractLane(_) => once!("[v128] -> [f64]"),
                    Self::I64x2ReplaceLane(_) => once!("[v128 i64] -> [v128]"),
                    Self::F32x4ReplaceLane(_) => once!("[v128 f32] -> [v128]"),
                    Self::F64x2ReplaceLane(_) => once!("[v128 f64] -> [v128]"),
                    _ => return None,
                })
            }
        }
    };
}

for_each_op!(define_signature);

impl Op {
    /// The immediate of type `T`, if there is one.
    pub(crate) fn immediate<T: 'static>(&mut self) -> Option<&mut T> {
        let place = (0..self.children()).find(|place| self.child(*place).as_any().is::<T>())?;
        self.child_mut(place).as_any_mut().downcast_mut()
    }

    /// The memory argument, if there is one.
    pub(crate) fn access(&mut self) -> Option<&mut MemArg> {
        self.immediate()
    }

    /// The lane number, if there is one.
    pub(crate) fn lane(&mut self) -> Option<&mut Lane> {
        self.immediate()
    }

    /// The number of bytes that a memory access reads or writes, as an exponent of two. It is also the
    /// largest alignment that the access may promise.
    pub(crate) fn width(&self) -> u8 {
        use crate::op::{
            I32Load::*, I32Store::*, I64Load::*, I64Store::*, V128Load::*, V128LoadLane::*, V128StoreLane::*,
        };
        match self {
            Self::I32Load(I32Load8S | I32Load8U, _)
            | Self::I64Load(I64Load8S | I64Load8U, _)
            | Self::I32Store(I32Store8, _)
            | Self::I64Store(I64Store8, _)
            | Self::V128Load(V128Load8Splat, _)
            | Self::V128LoadLane(V128Load8Lane, ..)
            | Self::V128StoreLane(V128Store8Lane, ..) => 0,
            Self::I32Load(I32Load16S | I32Load16U, _)
            | Self::I64Load(I64Load16S | I64Load16U, _)
            | Self::I32Store(I32Store16, _)
            | Self::I64Store(I64Store16, _)
            | Self::V128Load(V128Load16Splat, _)
            | Self::V128LoadLane(V128Load16Lane, ..)
            | Self::V128StoreLane(V128Store16Lane, ..) => 1,
            Self::I32Load(..)
            | Self::F32Load(_)
            | Self::F32Store(_)
            | Self::I64Load(I64Load32S | I64Load32U, _)
            | Self::I32Store(..)
            | Self::I64Store(I64Store32, _)
            | Self::V128Load(V128Load32Splat | V128Load32Zero, _)
            | Self::V128LoadLane(V128Load32Lane, ..)
            | Self::V128StoreLane(V128Store32Lane, ..) => 2,
            Self::V128Load(V128Load, _) | Self::V128Store(_) => 4,
            _ => 3,
        }
    }

    /// The number of lanes that an instruction with a lane number can choose from.
    pub(crate) fn lanes(&self) -> u8 {
        use crate::op::{I32ExtractLane::*, I32ReplaceLane::*, V128LoadLane::*, V128StoreLane::*};
        match self {
            Self::I32ExtractLane(I8x16ExtractLaneS | I8x16ExtractLaneU, _)
            | Self::I32ReplaceLane(I8x16ReplaceLane, _)
            | Self::V128LoadLane(V128Load8Lane, ..)
            | Self::V128StoreLane(V128Store8Lane, ..) => 16,
            Self::I32ExtractLane(I16x8ExtractLaneS | I16x8ExtractLaneU, _)
            | Self::I32ReplaceLane(I16x8ReplaceLane, _)
            | Self::V128LoadLane(V128Load16Lane, ..)
            | Self::V128StoreLane(V128Store16Lane, ..) => 8,
            Self::I64x2ExtractLane(_)
            | Self::F64x2ExtractLane(_)
            | Self::I64x2ReplaceLane(_)
            | Self::F64x2ReplaceLane(_)
            | Self::V128LoadLane(V128Load64Lane, ..)
            | Self::V128StoreLane(V128Store64Lane, ..) => 2,
            _ => 4,
        }
    }
}

/// The number of lanes that `i8x16.shuffle` can choose from.
pub(crate) const SHUFFLED: u8 = 32;

impl AddressType {
    /// The value type of an address.
    pub(crate) const fn value(self) -> ValType {
        match self {
            Self::I32 => ValType::I32,
            Self::I64 => ValType::I64,
        }
    }

    /// The narrower of two address types: the type of a length that must fit both.
    pub(crate) const fn narrower(self, other: Self) -> Self {
        match (self, other) {
            (Self::I64, Self::I64) => Self::I64,
            _ => Self::I32,
        }
    }
}
