//! The values on the stack of a block, and the instructions that made them.

use crate::instr::Instr;
use crate::op::Op;
use crate::types::ValType;

/// A value on the stack.
struct Value {
    /// The type, or None in unreachable code, where a value can be of any type.
    ty: Option<ValType>,
    /// The position in the block right after the instruction that made the value.
    made: usize,
    /// Whether the value is on top of the stack at that position. Of several results, only the last one is.
    on_top: bool,
}

/// The part of a block that has been repaired.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) instrs: Vec<Instr>,
    values: Vec<Value>,
    /// Whether the stack is empty before the first instruction.
    begins_empty: bool,
    /// Whether the end of the instructions is unreachable. Then the stack supplies any number of values of
    /// any type.
    unreachable: bool,
}

impl Frame {
    /// A block with these parameters, and room for this many instructions.
    pub(super) fn new(params: &[ValType], capacity: usize) -> Self {
        let instrs = Vec::with_capacity(capacity);
        let mut frame = Self { instrs, begins_empty: params.is_empty(), ..Self::default() };
        frame.push(params);
        frame
    }

    pub(super) fn write(&mut self, instr: impl Into<Instr>) {
        self.instrs.push(instr.into());
    }

    /// Notes that the last instruction made values of these types.
    pub(super) fn push(&mut self, types: &[ValType]) {
        let made = self.instrs.len();
        let last = types.len().saturating_sub(1);
        let value = |(place, ty): (usize, &ValType)| Value { ty: Some(*ty), made, on_top: place == last };
        self.values.extend(types.iter().enumerate().map(value));
    }

    /// Notes that the last instruction made a value that can be of any type.
    pub(super) fn push_unknown(&mut self) {
        self.values.push(Value { ty: None, made: self.instrs.len(), on_top: true });
    }

    pub(super) fn pop(&mut self, count: usize) {
        self.values.truncate(self.values.len().saturating_sub(count));
    }

    /// Notes that the next instruction is unreachable.
    pub(super) fn stop(&mut self) {
        self.unreachable = true;
        self.values.clear();
    }

    pub(super) fn is_unreachable(&self) -> bool {
        self.unreachable
    }

    pub(super) fn height(&self) -> usize {
        self.values.len()
    }

    /// The type of the value at this distance from the top, if there is one and its type is known.
    pub(super) fn peek(&self, below: usize) -> Option<ValType> {
        let place = self.values.len().checked_sub(below + 1)?;
        self.values[place].ty
    }

    /// Whether the uppermost values are of these types.
    pub(super) fn fits(&self, types: &[ValType]) -> bool {
        self.fits_without(0, types)
    }

    /// Whether the uppermost values would be of these types after dropping this many.
    pub(super) fn fits_without(&self, dropped: usize, types: &[ValType]) -> bool {
        let Some(held) = self.values.len().checked_sub(dropped) else { return false };
        let enough = held >= types.len() || self.unreachable;
        let mut pairs = self.values[..held].iter().rev().zip(types.iter().rev());
        enough && pairs.all(|(value, ty)| value.ty.is_none_or(|known| known == *ty))
    }

    /// Whether the lowest values are of these types.
    pub(super) fn begins_with(&self, types: &[ValType]) -> bool {
        self.values.iter().zip(types).all(|(value, ty)| value.ty.is_none_or(|known| known == *ty))
    }

    /// Puts values below all others. This is impossible if the block has parameters, which are always below.
    /// Returns whether it was possible.
    pub(super) fn insert_below(&mut self, values: Vec<(Op, ValType)>) -> bool {
        if !self.begins_empty {
            return false;
        }
        let count = values.len();
        self.values.iter_mut().for_each(|value| value.made += count);
        let below = values.iter().enumerate();
        let below = below.map(|(place, (_, ty))| Value { ty: Some(*ty), made: place + 1, on_top: true });
        self.values.splice(0..0, below.collect::<Vec<_>>());
        self.instrs.splice(0..0, values.into_iter().map(|(op, _)| Instr::Op(op)));
        true
    }

    /// The type of the value at this place, counted from the bottom, if it is known.
    pub(super) fn ty(&self, place: usize) -> Option<ValType> {
        self.values[place].ty
    }

    /// Whether the value at this place may be of this type.
    pub(super) fn is(&self, place: usize, ty: ValType) -> bool {
        self.values[place].ty.is_none_or(|known| known == ty)
    }

    /// Whether the value is open: instructions on it can be put right after the one that made it. Of several
    /// results, only the last one is open.
    pub(super) fn is_open(&self, place: usize) -> bool {
        self.values[place].on_top
    }

    /// Converts an open value to type `ty` by instructions right after the one that made it.
    pub(super) fn convert(&mut self, place: usize, ops: Vec<Op>, ty: ValType) {
        self.insert_behind(place, ops);
        self.values[place].ty = Some(ty);
    }

    /// Drops an open value right after the instruction that made it.
    pub(super) fn drop_early(&mut self, place: usize) {
        self.insert_behind(place, vec![Op::Drop]);
        self.values.remove(place);
    }

    fn insert_behind(&mut self, place: usize, ops: Vec<Op>) {
        let (made, count) = (self.values[place].made, ops.len());
        self.instrs.splice(made..made, ops.into_iter().map(Instr::Op));
        self.values[place..].iter_mut().for_each(|value| value.made += count);
    }

    /// Drops the uppermost values until this many are left.
    pub(super) fn drop_down_to(&mut self, height: usize) {
        while self.values.len() > height {
            self.write(Op::Drop);
            self.values.pop();
        }
    }
}
