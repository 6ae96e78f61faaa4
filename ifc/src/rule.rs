//! Rules as data: the condition that an instruction checks on its operand labels, and the labels that it
//! hands on.
//!
//! The step functions of both machines decide nothing about labels themselves. They look up the [`Rule`] of
//! their opcode in a [`Table`] and apply it, so a fault is a table with one entry changed.

use std::fmt;

use crate::lattice::Lattice;

/// A label that a rule may refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Label of the first operand.
    L1,
    /// Label of the second operand.
    L2,
    /// Label of the third operand.
    L3,
    /// Label of the fourth operand.
    L4,
    /// Label of the current program counter.
    P,
}

/// The join of some operand labels. The join of none is the bottom label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join(Vec<Operand>);

/// A condition `left ⊑ right`. It always holds if nothing is on the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The join that must flow to `right`.
    pub left: Join,
    /// The join that `left` must flow to.
    pub right: Join,
}

/// The rule of one opcode: its condition, and the labels that it hands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The condition. The machine is stuck if it does not hold.
    pub check: Check,
    /// Label of the produced value; `None` for opcodes that produce no value.
    pub result: Option<Join>,
    /// Label of the next program counter.
    pub pc: Join,
}

/// The labels that a rule is applied to.
#[derive(Clone, Copy, Debug)]
pub struct Labels<L> {
    operands: [L; 4],
    pc: L,
}

/// The labels that a rule hands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow<L> {
    /// Label of the value produced, if the opcode produces one.
    pub result: Option<L>,
    /// Label of the next program counter.
    pub pc: L,
}

impl<L: Lattice> Labels<L> {
    /// Up to four operand labels, in the order of the rule table, and the label of the current pc.
    #[inline(always)]
    pub fn new<const N: usize>(operands: [L; N], pc: L) -> Self {
        const { assert!(N <= 4) };
        let mut all = [L::BOTTOM; 4];
        all[..N].copy_from_slice(&operands.map(L::told_apart));
        Self { operands: all, pc: pc.told_apart() }
    }

    #[inline(always)]
    fn of(&self, operand: Operand) -> L {
        match operand {
            Operand::P => self.pc,
            numbered => self.operands[numbered as usize],
        }
    }
}

impl Join {
    /// The join of `operands`. They keep their order, in which faults are numbered.
    pub fn new(operands: &[Operand]) -> Self {
        Self(operands.to_vec())
    }

    /// The operands in written order.
    pub fn operands(&self) -> &[Operand] {
        &self.0
    }

    /// This join without its operand at `index`.
    pub fn without(&self, index: usize) -> Self {
        let mut rest = self.clone();
        rest.0.remove(index);
        rest
    }

    /// This join with one more operand at the end.
    pub fn with(&self, operand: Operand) -> Self {
        let mut more = self.clone();
        more.0.push(operand);
        more
    }

    #[inline(always)]
    fn label<L: Lattice>(&self, labels: &Labels<L>) -> L {
        self.0.iter().fold(L::BOTTOM, |label, &operand| label.join(labels.of(operand)))
    }
}

impl Check {
    /// The condition that the join of `left` flows to the join of `right`.
    pub fn new(left: &[Operand], right: &[Operand]) -> Self {
        Self { left: Join::new(left), right: Join::new(right) }
    }

    /// The condition that always holds.
    pub fn always() -> Self {
        Self::new(&[], &[])
    }

    /// This check without the piece `index` of its left side. Without any piece the check always holds.
    pub fn without(&self, index: usize) -> Self {
        let left = self.left.without(index);
        if left.0.is_empty() { Self::always() } else { Self { left, right: self.right.clone() } }
    }

    #[inline(always)]
    fn holds<L: Lattice>(&self, labels: &Labels<L>) -> bool {
        self.left.label(labels).flows_to(self.right.label(labels))
    }
}

impl Rule {
    /// A rule that never refuses.
    pub fn new(result: Option<&[Operand]>, pc: &[Operand]) -> Self {
        Self { check: Check::always(), result: result.map(Join::new), pc: Join::new(pc) }
    }

    /// The same rule, refusing unless `left` flows to `right`.
    pub fn checked(self, left: &[Operand], right: &[Operand]) -> Self {
        Self { check: Check::new(left, right), ..self }
    }

    /// The labels handed on, or `None` if the check refuses.
    #[inline(always)]
    pub fn apply<L: Lattice>(&self, labels: Labels<L>) -> Option<Flow<L>> {
        if !self.check.holds(&labels) {
            return None;
        }
        let result = self.result.as_ref().map(|join| join.label(&labels));
        Some(Flow { result, pc: self.pc.label(&labels) })
    }
}

/// The opcodes of a machine. Its faults are numbered in this order.
pub trait OpCode: Copy + Eq + fmt::Debug + 'static {
    /// Every opcode; `ALL[code.index()] == code`.
    const ALL: &'static [Self];

    /// The place of this opcode in [`ALL`](Self::ALL).
    fn index(self) -> usize;

    /// The rule of a correct machine.
    fn correct_rule(self) -> Rule;
}

/// A rule for every opcode of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<O> {
    rules: Vec<Rule>,
    opcodes: std::marker::PhantomData<O>,
}

impl<O: OpCode> Table<O> {
    /// The table of the machine that keeps its secrets.
    pub fn correct() -> Self {
        Self { rules: O::ALL.iter().map(|code| code.correct_rule()).collect(), opcodes: Default::default() }
    }

    /// The same table with another rule for `opcode`.
    pub fn with(mut self, opcode: O, rule: Rule) -> Self {
        self.rules[opcode.index()] = rule;
        self
    }

    /// The rule of `opcode`.
    #[inline(always)]
    pub fn rule(&self, opcode: O) -> &Rule {
        &self.rules[opcode.index()]
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl fmt::Display for Join {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_first() else { return f.write_str("⊥") };
        write!(f, "{first}")?;
        rest.iter().try_for_each(|operand| write!(f, " ∨ {operand}"))
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.left.0.is_empty() {
            f.write_str("true")
        } else {
            write!(f, "{} ⊑ {}", self.left, self.right)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Operand::*;
    use super::*;
    use crate::stack::Label::{self, *};

    #[test]
    fn a_join_of_nothing_is_bottom_and_a_check_of_nothing_is_true() {
        let rule = Rule::new(Some(&[]), &[]);
        let flow = rule.apply(Labels::new([H, H], H));
        assert_eq!(flow, Some(Flow { result: Some(L), pc: L }));
        assert_eq!((rule.check.to_string(), rule.pc.to_string()), ("true".into(), "⊥".into()));
    }

    #[test]
    fn a_rule_reads_the_operands_it_names() {
        let rule = Rule::new(Some(&[L1, L3]), &[P]).checked(&[L2, P], &[L3]);
        assert_eq!(rule.apply(Labels::new([L, H, L], L)), None);
        assert_eq!(rule.apply(Labels::new([L, L, L], H)), None);
        assert_eq!(rule.apply(Labels::new([L, H, H], L)), Some(Flow { result: Some(H), pc: L }));
        assert_eq!(rule.apply(Labels::new([H, L, L], L)), Some(Flow { result: Some(H), pc: L }));
    }

    #[test]
    fn dropping_the_last_piece_of_a_check_leaves_true() {
        assert_eq!(Check::new(&[L1], &[L2]).without(0), Check::always());
        assert_eq!(Check::new(&[L1, P], &[L2]).without(0).to_string(), "P ⊑ L2");
    }

    #[test]
    fn labels_that_are_not_given_are_bottom() {
        let rule = Rule::new(Some(&[L4]), &[P]);
        assert_eq!(rule.apply(Labels::<Label>::new([], H)), Some(Flow { result: Some(L), pc: H }));
    }
}
