//! Writes what compilers make of a `switch`: blocks that begin at the same place, and a `br_table` inside of all of them.

use super::control::MOST_TARGETS;
use super::writer::{Label, Writer};
use crate::index::LabelIdx;
use crate::instr::BlockKind;
use crate::op::{BrTable, Op};
use crate::types::{AddressType, FuncType, ValType};

/// The most blocks of a `switch`.
const MOST_CASES: usize = 3;

impl Writer<'_> {
    /// Writes a `switch`. Its results, if it has any, are assigned or dropped.
    pub(super) fn switch(&mut self) -> bool {
        let waiting = self.waiting();
        let results = self.results_above(&waiting);
        let done = self.switch_of(&results);
        if done {
            self.sink(&results);
        }
        self.sink(&waiting);
        done
    }

    /// Writes a `switch` that leaves these results.
    pub(super) fn switch_of(&mut self, results: &[ValType]) -> bool {
        if !self.has_room_for_blocks(MOST_CASES) {
            return false;
        }
        let cases = 1 + self.source.below(MOST_CASES);
        self.cases(results, cases, cases);
        true
    }

    /// Writes this many blocks, one inside of the other, of a switch that has `all`.
    fn cases(&mut self, results: &[ValType], blocks: usize, all: usize) {
        let body = self.inside(Label::End(results.to_vec()), |writer| {
            if blocks == 1 {
                writer.choose(results, all);
            } else {
                writer.cases(results, blocks - 1, all);
                writer.case(results);
            }
        });
        self.block(BlockKind::Block, FuncType::new([], results), body);
    }

    /// Writes what happens between the ends of two blocks. It changes the values on the stack, replaces them, or leaves them.
    fn case(&mut self, results: &[ValType]) {
        match (self.source.below(3), results.last()) {
            (0, Some(last)) => self.combine(*last, 1),
            (1, _) => {
                self.sink(results);
                self.statements(1);
                self.values(results, 1);
            }
            _ => {}
        }
    }

    /// Writes the branch, with values, and others below them that it leaves behind.
    fn choose(&mut self, results: &[ValType], all: usize) {
        if self.chance(1, 2) {
            self.statements(1);
        }
        self.left_behind(results);
        self.values(results, 1);
        match self.source.below(3) {
            0 => self.value(ValType::I32, 1),
            1 => self.masked(3, AddressType::I32, 1),
            _ => {
                let index = self.source.below(all + 1);
                self.number(index as u64, AddressType::I32);
            }
        }
        let count = self.source.below(MOST_TARGETS + 1);
        let mut label = || LabelIdx::new(self.source.below(all) as u32);
        let targets: Vec<LabelIdx> = std::iter::repeat_with(&mut label).take(count).collect();
        let default = label();
        let default = self.mistaken_label(default);
        self.write(Op::BrTable(Box::new(BrTable { targets, default })));
    }
}
