//! Encodes instructions: turns trees into a flat sequence.

use wasm_encoder::{Encode, HeapType, Instruction};

use super::immediate::Encoded;
use crate::instr::{Block, BlockKind, Instr};
use crate::op::*;
use crate::stack::deep;
use crate::table::for_each_op;
use crate::types::RefType;

pub(super) fn encode_body(body: &[Instr], sink: &mut Vec<u8>) {
    for instr in body {
        match instr {
            Instr::Op(op) => encode_op(op, sink),
            Instr::Block(block) => deep(|| encode_block(block, sink)),
        }
    }
}

fn encode_block(block: &Block, sink: &mut Vec<u8>) {
    let ty = block.ty.encoded();
    match block.kind {
        BlockKind::Block => Instruction::Block(ty),
        BlockKind::Loop => Instruction::Loop(ty),
        BlockKind::If | BlockKind::IfElse(_) => Instruction::If(ty),
    }
    .encode(sink);
    encode_body(&block.body, sink);
    if let Some(otherwise) = block.otherwise() {
        Instruction::Else.encode(sink);
        encode_body(otherwise, sink);
    }
    Instruction::End.encode(sink);
}

/// wasm-encoder's instruction. Variables with the names of the immediates refer to them.
macro_rules! instruction {
    ($op:ident) => { Instruction::$op };
    ($op:ident ()) => { Instruction::$op };
    (RefNull ($field:ident: $type:ident)) => { Instruction::RefNull(heap_type(*$field)) };
    ($op:ident ($field:ident: $type:ident)) => { Instruction::$op($field.encoded()) };
    ($op:ident ($($field:ident: $type:ident),*)) => { Instruction::$op { $($field: $field.encoded()),* } };
}

/// The pattern that matches an instruction of a group.
macro_rules! group_op {
    ($group:ident $op:ident ($($field:ident: $type:ident),*)) => { Op::$group($group::$op $(, $field)*) };
}

macro_rules! define_encode_op {
    (
        singles { $($feature:ident: $($single:ident $(( $($field:ident: $type:ident),* ))?)*;)* }
        groups { $(
            #[doc = $signature:literal]
            $group:ident $fields:tt { $($group_feature:ident: $($op:ident)*;)* }
        )* }
    ) => {
        pub(super) fn encode_op(op: &Op, sink: &mut Vec<u8>) {
            match op {
                $($(
                    Op::$single $(( $($field),* ))? => instruction!($single $(( $($field: $type),* ))?).encode(sink),
                )*)*
                $($($(
                    group_op!($group $op $fields) => instruction!($op $fields).encode(sink),
                )*)*)*
                Op::BrTable(table) => encode_br_table(table, sink),
                Op::TypedSelect(select) => encode_typed_select(select, sink),
            }
        }
    };
}

for_each_op!(define_encode_op);

fn heap_type(ty: RefType) -> HeapType {
    match ty {
        RefType::FuncRef => HeapType::FUNC,
        RefType::ExternRef => HeapType::EXTERN,
    }
}

fn encode_br_table(table: &BrTable, sink: &mut Vec<u8>) {
    let targets: Vec<u32> = table.targets.iter().map(|target| target.get()).collect();
    Instruction::BrTable(targets.into(), table.default.get()).encode(sink);
}

fn encode_typed_select(select: &SelectTypes, sink: &mut Vec<u8>) {
    let types: Vec<_> = select.types.iter().map(Encoded::encoded).collect();
    Instruction::TypedSelectMulti(types.into()).encode(sink);
}
