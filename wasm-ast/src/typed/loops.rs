//! Writes loops that end: they count in a local that no other code changes. They carry values from one round
//! to the next in locals, in memory and on the stack.

use super::choice::one_of;
use super::writer::{Label, Writer};
use crate::features::Feature;
use crate::index::{LabelIdx, LocalIdx};
use crate::instr::BlockKind;
use crate::op::{BrTable, I32Binary, I32Compare, I32Unary, I64Binary, I64Compare, Op};
use crate::types::{AddressType, FuncType, ValType};

/// The most rounds of a loop, and of a loop with all loops around it.
const MOST_ROUNDS: u64 = 8;
const MOST_NESTED_ROUNDS: u64 = 64;

/// How a loop counts.
#[derive(Clone, Copy)]
enum Counting {
    /// Down to zero: the loop goes on while the number is not zero.
    Down,
    /// Down, with a comparison.
    DownCompared,
    /// Up to the number of rounds.
    Up,
}

/// The counter of a loop.
#[derive(Clone, Copy)]
struct Counter {
    local: LocalIdx,
    ty: AddressType,
    counting: Counting,
    rounds: u64,
}

impl Writer<'_> {
    /// Writes a loop that leaves values of these types. With multi-value, the loop carries them on the stack.
    pub(super) fn loop_of(&mut self, results: &[ValType], depth: usize) {
        // Choose the counter.
        let affordable = (MOST_NESTED_ROUNDS / self.times).max(1);
        let rounds = (1 + self.source.below(MOST_ROUNDS as usize) as u64).min(affordable);
        let ty = one_of([AddressType::I32, AddressType::I32, AddressType::I64], self.source);
        let counting = one_of([Counting::Down, Counting::DownCompared, Counting::Up], self.source);
        let counter = Counter { local: self.reserve(ty.value()), ty, counting, rounds };
        // Before the loop: the values that it carries, and the first number of the counter.
        let carried = if self.swarm.on(Feature::MultiValue) { results } else { &[] };
        self.values(carried, depth);
        let first = if matches!(counting, Counting::Up) { 0 } else { rounds };
        self.number(first, ty);
        self.write(Op::LocalSet(counter.local));
        // The loop. It may count first, in a block around it that it leaves. If it carries nothing on the stack, it may also
        // end by a jump out of that block.
        if self.chance(1, 4) {
            let body =
                self.inside(Label::End(carried.to_vec()), |writer| writer.counting_first(carried, counter));
            self.block(BlockKind::Block, FuncType::new(carried, carried), body);
        } else if carried.is_empty() && self.chance(1, 3) {
            let body = self.inside(Label::End(Vec::new()), |writer| {
                writer.rounds(&[], counter, Writer::again_or_leave);
            });
            self.block(BlockKind::Block, FuncType::default(), body);
        } else if carried.is_empty() && self.chance(1, 3) {
            self.rounds(&[], counter, Writer::again_if);
        } else {
            self.rounds(carried, counter, Writer::again);
        }
        if carried.is_empty() {
            self.values(results, depth);
        }
    }

    /// Writes the loop itself: a change to the values that it carries, statements, and the branch back.
    fn rounds(&mut self, carried: &[ValType], counter: Counter, back: fn(&mut Self, Counter)) {
        let times = self.times;
        self.times *= counter.rounds.max(1);
        let body = self.inside(Label::Loop, |writer| {
            if let Some(last) = carried.last() {
                writer.combine(*last, 1);
            }
            let count = 1 + writer.source.below(3);
            writer.statements(count);
            back(writer, counter);
        });
        self.times = times;
        self.block(BlockKind::Loop, FuncType::new(carried, carried), body);
    }

    /// Writes a loop that counts before anything else and leaves the block around it at the end. All code in it may branch back,
    /// out of any number of blocks.
    fn counting_first(&mut self, carried: &[ValType], counter: Counter) {
        let times = self.times;
        // The count is also taken when the loop ends.
        self.times *= counter.rounds.max(1) + 1;
        let body = self.inside(Label::End(carried.to_vec()), |writer| {
            writer.count(counter);
            writer.write(Op::I32Unary(I32Unary::I32Eqz));
            writer.write(Op::BrIf(LabelIdx::new(1)));
            if let Some(last) = carried.last() {
                writer.combine(*last, 1);
            }
            let count = 1 + writer.source.below(3);
            writer.statements(count);
            writer.write(Op::Br(LabelIdx::new(0)));
        });
        self.times = times;
        self.block(BlockKind::Loop, FuncType::new(carried, carried), body);
    }

    /// Writes code that counts and leaves a number, which is not zero while the loop goes on.
    fn count(&mut self, counter: Counter) {
        let Counter { local, ty, counting, rounds } = counter;
        self.write(Op::LocalGet(local));
        self.number(1, ty);
        let up = matches!(counting, Counting::Up);
        self.write(match (ty, up) {
            (AddressType::I32, true) => Op::I32Binary(I32Binary::I32Add),
            (AddressType::I32, false) => Op::I32Binary(I32Binary::I32Sub),
            (AddressType::I64, true) => Op::I64Binary(I64Binary::I64Add),
            (AddressType::I64, false) => Op::I64Binary(I64Binary::I64Sub),
        });
        self.write(Op::LocalTee(local));
        match (counting, ty) {
            (Counting::Down, AddressType::I32) => {}
            (Counting::Down | Counting::DownCompared, _) => {
                self.number(0, ty);
                self.write(match ty {
                    AddressType::I32 => Op::I32Compare(I32Compare::I32Ne),
                    AddressType::I64 => Op::I64Compare(I64Compare::I64Ne),
                });
            }
            (Counting::Up, _) => {
                self.number(rounds, ty);
                self.write(match ty {
                    AddressType::I32 => Op::I32Compare(I32Compare::I32LtU),
                    AddressType::I64 => Op::I64Compare(I64Compare::I64LtS),
                });
            }
        }
    }

    /// Branches back with `br_if`.
    fn again(&mut self, counter: Counter) {
        self.count(counter);
        self.write(Op::BrIf(LabelIdx::new(0)));
    }

    /// Branches back from within an `if`.
    fn again_if(&mut self, counter: Counter) {
        self.count(counter);
        let body = self.inside(Label::End(Vec::new()), |writer| writer.write(Op::Br(LabelIdx::new(1))));
        self.block(BlockKind::If, FuncType::default(), body);
    }

    /// Branches back or out with `br_table`.
    fn again_or_leave(&mut self, counter: Counter) {
        self.count(counter);
        let table = BrTable { targets: vec![LabelIdx::new(1)], default: LabelIdx::new(0) };
        self.write(Op::BrTable(Box::new(table)));
    }
}
