//! Faults of a rule table, enumerated from the table: every way to forget one piece of one entry.

use std::fmt;

use crate::rule::{OpCode, Operand, Rule, Table};

/// The entry of a rule that a fault changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The condition.
    Check,
    /// The label of the value produced.
    Result,
    /// The label of the next pc.
    Pc,
    /// A label that moved from the next pc to the value produced.
    PcToResult,
}

/// One wrong rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<O> {
    /// The opcode whose rule is wrong.
    pub opcode: O,
    /// The entry that is wrong.
    pub column: Column,
    /// The piece that was dropped or moved.
    pub piece: Operand,
    /// The rule as it should be.
    pub original: Rule,
    /// The rule as it is.
    pub mutated: Rule,
}

/// What a fault does to a piece of the pc entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PcFaults {
    /// It is dropped, like a piece of any other entry (stack machine).
    Drop,
    /// It is moved to the result, except `P`, which stays. If there is no result, it is dropped (register
    /// machine).
    Move,
}

/// Every fault of the correct table: in the order of opcodes, then of check, result and pc, then of the
/// pieces as written.
///
/// ```
/// use mutagen_ifc::fault::{enumerate, PcFaults};
/// use mutagen_ifc::stack::OpCode;
///
/// let faults = enumerate::<OpCode>(PcFaults::Drop);
/// assert_eq!(faults[0].to_string(), "BCall res: P -> ⊥ (P dropped)");
/// ```
pub fn enumerate<O: OpCode>(pc_faults: PcFaults) -> Vec<Fault<O>> {
    O::ALL.iter().flat_map(|&opcode| faults_of(opcode, pc_faults)).collect()
}

fn faults_of<O: OpCode>(opcode: O, pc_faults: PcFaults) -> Vec<Fault<O>> {
    let original = opcode.correct_rule();
    let mut faults = without_check_piece(&original);
    faults.extend(without_result_piece(&original));
    match (pc_faults, &original.result) {
        (PcFaults::Move, Some(_)) => faults.extend(with_pc_piece_moved(&original)),
        _ => faults.extend(without_pc_piece(&original)),
    }
    faults
        .into_iter()
        .map(|(column, piece, mutated)| Fault { opcode, column, piece, original: original.clone(), mutated })
        .collect()
}

type Change = (Column, Operand, Rule);

fn without_check_piece(rule: &Rule) -> Vec<Change> {
    let pieces = rule.check.left.operands().iter().enumerate();
    pieces
        .map(|(index, &piece)| {
            (Column::Check, piece, Rule { check: rule.check.without(index), ..rule.clone() })
        })
        .collect()
}

fn without_result_piece(rule: &Rule) -> Vec<Change> {
    let Some(result) = &rule.result else { return Vec::new() };
    let pieces = result.operands().iter().enumerate();
    pieces
        .map(|(index, &piece)| {
            (Column::Result, piece, Rule { result: Some(result.without(index)), ..rule.clone() })
        })
        .collect()
}

fn without_pc_piece(rule: &Rule) -> Vec<Change> {
    let pieces = rule.pc.operands().iter().enumerate();
    pieces
        .map(|(index, &piece)| (Column::Pc, piece, Rule { pc: rule.pc.without(index), ..rule.clone() }))
        .collect()
}

fn with_pc_piece_moved(rule: &Rule) -> Vec<Change> {
    let pieces = rule.pc.operands().iter().enumerate().filter(|&(_, &piece)| piece != Operand::P);
    pieces
        .map(|(index, &piece)| {
            let result = rule.result.as_ref().map(|result| result.with(piece));
            (Column::PcToResult, piece, Rule { result, pc: rule.pc.without(index), ..rule.clone() })
        })
        .collect()
}

impl<O: OpCode> Fault<O> {
    /// The correct table with this one entry wrong.
    pub fn table(&self) -> Table<O> {
        Table::correct().with(self.opcode, self.mutated.clone())
    }

    /// The entry as it should be, as text.
    pub fn original_entry(&self) -> String {
        self.column.entry(&self.original)
    }

    /// The entry as it is, as text.
    pub fn mutated_entry(&self) -> String {
        self.column.entry(&self.mutated)
    }
}

impl Column {
    fn entry(self, rule: &Rule) -> String {
        let result = || rule.result.as_ref().map_or("—".to_string(), |result| result.to_string());
        match self {
            Column::Check => rule.check.to_string(),
            Column::Result => result(),
            Column::Pc => rule.pc.to_string(),
            Column::PcToResult => format!("res {}, pc {}", result(), rule.pc),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Column::Check => "check",
            Column::Result => "res",
            Column::Pc => "pc",
            Column::PcToResult => "pc→res",
        })
    }
}

impl<O: OpCode> fmt::Display for Fault<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (original, mutated) = (self.original_entry(), self.mutated_entry());
        let what = if self.column == Column::PcToResult { "moved" } else { "dropped" };
        let Self { opcode, column, piece, .. } = self;
        write!(f, "{opcode:?} {column}: {original} -> {mutated} ({piece} {what})")
    }
}
