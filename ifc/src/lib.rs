//! An information-flow-control stack machine and register machine with switchable rule faults.
//!
//! Both machines label every value with its secrecy and must keep secrets from an observer. The labels that
//! an instruction demands and hands on are data: a [table of rules](rule::Table) that the step function
//! consults. Faults are enumerated [from the table](fault::enumerate), and [`noninterference`] is the
//! property that finds them.
//!
//! ```
//! use mutagen_ifc::noninterference::{Secrecy, stack::ssni};
//! use mutagen_ifc::rule::Table;
//! use mutagen_ifc::stack::{Atom, Instruction, Label, Stack, State, Variation, faults};
//!
//! // Two machines about to add 0 and a secret, which is 0 in one and 1 in the other.
//! let state = |secret| State {
//!     imem: vec![Instruction::Add],
//!     mem: vec![],
//!     stack: Stack::data(Atom::new(0, Label::L), Stack::data(Atom::new(secret, Label::H), Stack::Empty)),
//!     pc: Atom::new(0, Label::L),
//! };
//! let pair = Variation { first: state(0), second: state(1) };
//!
//! assert_eq!(ssni(&Table::correct(), &pair), Secrecy::Holds);
//! // Fault 10 forgets the label of the second summand.
//! assert!(ssni(&faults()[9].table(), &pair).is_violated());
//! ```

pub mod fault;
pub mod finding;
pub mod lattice;
pub mod noninterference;
pub mod pairs;
pub mod register;
pub mod rule;
pub mod stack;
