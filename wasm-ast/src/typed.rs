//! Functions and modules that are valid by construction, made from the signatures in the table of
//! instructions.
//!
//! A derived generator knows nothing of types: hardly any of its functions with more than two instructions is
//! valid. Mutation makes them valid step by step. But several instructions that must fit together (operands
//! of one type, an operator, a conversion of its result to that of the function) are reached sooner from
//! functions that are valid already.
//!
//! `stub` makes single functions, `module` whole modules: an `outline` of everything that has an index, then
//! the bodies. A `swarm` decides what the bodies of one module may use. A `writer` writes them, and each of
//! the other files adds one kind of code to it. A `mistake` makes one of their choices a wrong one, where that is wanted.

mod calls;
mod choice;
mod constant;
mod control;
mod loops;
mod memory;
mod mistake;
mod module;
mod operation;
mod outline;
mod segments;
mod statement;
mod stub;
mod swarm;
mod switch;
mod tables;
mod value;
mod writer;
