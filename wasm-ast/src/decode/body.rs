//! Decodes instructions: turns a flat sequence of operators into trees, without recursion.

use wasmparser::{FunctionBody, Operator, OperatorsReader};

use super::immediate::{Missing, Parsed, br_table};
use super::{DecodeError, MAX_DEPTH};
use crate::instr::{Block, BlockKind, Instr};
use crate::module::{ConstExpr, LocalCount, Locals};
use crate::op::*;
use crate::table::for_each_op;
use crate::types::{BlockType, ValType};

/// Reads one body after the other and reuses its buffers.
#[derive(Default)]
pub(super) struct BodyReader {
    /// The instructions of the function, followed by those of each open block, outermost first.
    instrs: Vec<Instr>,
    open: Vec<OpenBlock>,
}

struct OpenBlock {
    kind: BlockKind,
    ty: BlockType,
    /// Where its instructions begin in `instrs`.
    start: usize,
    /// The body before `else`, once `else` was read.
    then: Option<Vec<Instr>>,
}

impl BodyReader {
    pub(super) fn function(
        &mut self,
        body: &FunctionBody<'_>,
    ) -> Result<(Vec<Locals>, Vec<Instr>), DecodeError> {
        let mut reader = body.get_locals_reader()?;
        let mut locals = Vec::new();
        for _ in 0..reader.get_count() {
            let offset = reader.original_position();
            let (count, ty) = reader.read()?;
            let ty = ValType::parsed(ty).map_err(|feature| DecodeError::missing(offset, feature))?;
            locals.push(Locals { count: LocalCount(count), ty });
        }
        Ok((locals, self.body(OperatorsReader::new(reader.get_binary_reader()))?))
    }

    fn body(&mut self, mut reader: OperatorsReader<'_>) -> Result<Vec<Instr>, DecodeError> {
        loop {
            let offset = reader.original_position();
            match reader.read()? {
                Operator::Block { blockty } => self.open(offset, BlockKind::Block, blockty)?,
                Operator::Loop { blockty } => self.open(offset, BlockKind::Loop, blockty)?,
                Operator::If { blockty } => self.open(offset, BlockKind::If, blockty)?,
                Operator::Else => self.otherwise(),
                Operator::End => match self.open.pop() {
                    Some(block) => self.close(block),
                    None => {
                        reader.finish()?;
                        return Ok(self.instrs.drain(..).collect());
                    }
                },
                operator => self.instrs.push(Instr::Op(op(operator, offset)?)),
            }
        }
    }

    fn open(&mut self, offset: usize, kind: BlockKind, ty: wasmparser::BlockType) -> Result<(), DecodeError> {
        if self.open.len() == MAX_DEPTH {
            let message =
                format!("blocks are nested deeper than {MAX_DEPTH} levels, the limit of this decoder");
            return Err(DecodeError::malformed(offset, message));
        }
        let ty = BlockType::parsed(ty).map_err(|feature| DecodeError::missing(offset, feature))?;
        self.open.push(OpenBlock { kind, ty, start: self.instrs.len(), then: None });
        Ok(())
    }

    /// Ends the body before `else`. The reader has checked that an `if` is open.
    fn otherwise(&mut self) {
        if let Some(block) = self.open.last_mut() {
            block.then = Some(self.instrs.drain(block.start..).collect());
        }
    }

    fn close(&mut self, block: OpenBlock) {
        let last = self.instrs.drain(block.start..).collect();
        let (kind, body) = match block.then {
            Some(then) => (BlockKind::IfElse(last), then),
            None => (block.kind, last),
        };
        self.instrs.push(Instr::from(Block::new(kind, block.ty, body)));
    }
}

/// Reads a constant expression. wasmparser has already refused blocks in it.
pub(super) fn const_expr(from: &wasmparser::ConstExpr<'_>) -> Result<ConstExpr, DecodeError> {
    let mut reader = from.get_operators_reader();
    let mut ops = Vec::new();
    loop {
        let offset = reader.original_position();
        match reader.read()? {
            Operator::End => {
                reader.finish()?;
                ops.shrink_to_fit();
                return Ok(ops);
            }
            operator => ops.push(op(operator, offset)?),
        }
    }
}

fn op(operator: Operator<'_>, offset: usize) -> Result<Op, DecodeError> {
    match operator {
        Operator::BrTable { targets } => Ok(Op::BrTable(br_table(&targets)?)),
        operator => plain_op(operator).map_err(|feature| DecodeError::missing(offset, feature)),
    }
}

/// The pattern that matches an operator and names its immediates.
macro_rules! operator {
    ($op:ident) => { Operator::$op };
    ($op:ident ($($field:ident: $type:ident),*)) => { Operator::$op { $($field),* } };
}

/// The instruction of a group, from immediates that `operator!` has named.
macro_rules! group_op {
    ($group:ident $op:ident ($($field:ident: $type:ident),*)) => {
        Op::$group($group::$op $(, Parsed::parsed($field)?)*)
    };
}

macro_rules! define_plain_op {
    (
        singles { $($feature:ident: $($single:ident $(( $($field:ident: $type:ident),* ))?)*;)* }
        groups { $(
            #[doc = $signature:literal]
            $group:ident $fields:tt { $($group_feature:ident: $($op:ident)*;)* }
        )* }
    ) => {
        fn plain_op(operator: Operator<'_>) -> Result<Op, Missing> {
            Ok(match operator {
                $($(
                    operator!($single $(( $($field: $type),* ))?) => Op::$single $(( $(Parsed::parsed($field)?),* ))?,
                )*)*
                $($($(
                    operator!($op $fields) => group_op!($group $op $fields),
                )*)*)*
                Operator::TypedSelect { ty } => Op::TypedSelect(Parsed::parsed(vec![ty])?),
                Operator::TypedSelectMulti { tys } => Op::TypedSelect(Parsed::parsed(tys)?),
                unknown => return Err(proposal(&unknown)),
            })
        }
    };
}

for_each_op!(define_plain_op);

macro_rules! define_proposal {
    ($(@$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
        /// The proposal that an operator belongs to.
        fn proposal(operator: &Operator<'_>) -> Missing {
            match operator {
                $(Operator::$op { .. } => stringify!($proposal),)*
                _ => "a newer proposal",
            }
        }
    };
}

wasmparser::for_each_operator!(define_proposal);
