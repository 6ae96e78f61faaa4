//! The parts of a state of the stack machine. The derived mutants are numbered in the order of constructors
//! and fields.

use std::fmt;
use std::hint::black_box;

use mutagen_engine::{Generate, Mutable};
use serde::{Deserialize, Serialize};

use crate::lattice::Lattice;
use crate::pairs::exactly;

/// Public or secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub enum Label {
    /// Low: the observer sees it.
    L,
    /// High: the observer sees only that something is there.
    H,
}

/// An integer with the label of its secrecy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Atom {
    /// The integer.
    pub value: i64,
    /// Who may know it.
    pub label: Label,
}

/// An instruction. The machine is stuck if an operand is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub enum Instruction {
    /// Does nothing.
    Nop,
    /// Pushes a public integer.
    Push(i64),
    /// Calls the address on top of the stack with this many arguments.
    BCall(i64),
    /// Returns the top of the stack to the nearest return marker.
    BRet,
    /// Adds the two topmost elements.
    Add,
    /// Replaces the address on top by the memory cell there.
    Load,
    /// Stores the second element at the address on top.
    Store,
    /// Stops.
    Halt,
}

/// The stack, top first. Return markers lie between the data of callers and callees.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub enum Stack {
    /// No more elements.
    Empty,
    /// A data element on top of the rest.
    Data(Atom, Box<Stack>),
    /// A saved pc on top of the rest.
    Return(Atom, Box<Stack>),
}

/// A state of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct State {
    /// The program.
    #[mutagen(generate = exactly)]
    pub imem: Vec<Instruction>,
    /// The data memory.
    #[mutagen(generate = exactly)]
    pub mem: Vec<Atom>,
    /// The stack.
    pub stack: Stack,
    /// The program counter.
    pub pc: Atom,
}

/// Two states, which the observer should be unable to tell apart.
///
/// This is a type rather than a tuple, so that it has mutants that copy one state over the other. They repair
/// a pair after a mutation of one half.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Variation {
    /// One state.
    pub first: State,
    /// The other.
    pub second: State,
}

impl Lattice for Label {
    const BOTTOM: Self = Label::L;

    #[inline(always)]
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Label::L, Label::L) => Label::L,
            _ => Label::H,
        }
    }

    #[inline(always)]
    fn told_apart(self) -> Self {
        match self {
            Label::L => black_box(Label::L),
            Label::H => black_box(Label::H),
        }
    }

    #[inline(always)]
    fn flows_to(self, other: Self) -> bool {
        !matches!((self, other), (Label::H, Label::L))
    }
}

impl Atom {
    /// `value@label`.
    pub fn new(value: i64, label: Label) -> Self {
        Self { value, label }
    }
}

impl Stack {
    /// A data element on top of `rest`.
    pub fn data(atom: Atom, rest: Stack) -> Self {
        Stack::Data(atom, Box::new(rest))
    }

    /// A return marker on top of `rest`.
    pub fn marker(atom: Atom, rest: Stack) -> Self {
        Stack::Return(atom, Box::new(rest))
    }

    /// The elements from the top.
    pub fn iter(&self) -> impl Iterator<Item = &Stack> {
        std::iter::successors(Some(self), |stack| stack.rest()).take_while(|stack| **stack != Stack::Empty)
    }

    /// The stack below the top element.
    pub fn rest(&self) -> Option<&Stack> {
        match self {
            Stack::Empty => None,
            Stack::Data(_, rest) | Stack::Return(_, rest) => Some(rest),
        }
    }
}

impl State {
    /// The instruction that the pc addresses, if it addresses one.
    #[inline]
    pub fn instruction(&self) -> Option<Instruction> {
        self.imem.get(usize::try_from(self.pc.value).ok()?).copied()
    }
}

impl Variation {
    /// One state twice.
    pub fn copy(state: State) -> Self {
        Self { first: state.clone(), second: state }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.value, self.label)
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instruction::Push(value) => write!(f, "Push {value}"),
            Instruction::BCall(arguments) => write!(f, "BCall {arguments}"),
            plain => fmt::Debug::fmt(plain, f),
        }
    }
}
