//! The properties: validators agree, interpreters agree, machines do not leak.
//!
//! | property | what is tested | precondition | must hold |
//! |---|---|---|---|
//! | `validator`: [`Validator`] | modules | the target accepts the module | the reference accepts it, too |
//! | `interpreter-i32`: [`Functions`] | functions of one type | both accept the function | same results, traps, memory and globals |
//! | `interpreter`: [`Modules`] | [scenarios](Scenario): modules with calls and host functions | both accept the module | the same after every call, with the same calls of host functions |
//! | `turns`: [`TurnsSubject`] | functions and modules in turns | as above | as above |
//! | `invocation`: [`Invocation`] | a function and arguments | both accept the function | both take an argument list, or both refuse it |
//! | `ssni-stack` and related ones: [`stack_machine`], [`register_machine`] | pairs of states | indistinguishable states that step | they stay indistinguishable |
//!
//! Each has a [`Subject`], which knows what else a campaign needs: how values are made, stored and read back.

mod arguments;
mod change;
mod discrepancies;
mod generators;
mod injection;
mod interpreter;
mod interpreter_i32;
mod invocation;
mod noninterference;
mod notes;
mod opinion;
mod pair;
mod reach;
mod scenario;
mod shape;
mod smith;
mod subject;
mod times;
mod turns;
mod twins;
mod validator;
mod votes;

pub use arguments::{boundary_arguments, signature_of, value_type};
pub use discrepancies::{Discrepancies, Discrepancy};
pub use generators::{FunctionGenerator, ModuleGenerator};
pub use injection::{Barred, Injection, LateFixes};
pub use interpreter::{ModuleSubject, Modules};
pub use interpreter_i32::{FunctionSubject, Functions};
pub use invocation::{Argument, Invocation, InvocationSubject, Invoked};
pub use noninterference::{
    Noninterference, RegisterSubject, StackSubject, UnknownNoninterference, register_machine, stack_machine,
};
pub use notes::{Noted, Notes, Pulse, Tally};
pub use opinion::{OpinionCounts, Opinions};
pub use pair::{Context, DISCREPANCY, Pair, outcome};
pub use reach::{Exercise, Reach, Reached};
pub use scenario::{Choice, Deed, HostScript, Invoke, Pick, Scenario};
pub use shape::{NoShape, Shape};
pub use smith::Smith;
pub use subject::{Case, MachinePair, Subject, WatchError, require_bugs};
pub use times::Times;
pub use turns::{EitherProperty, TurnsSubject};
pub use twins::{REFERENCE_ENGINE, TARGET_ENGINE};
pub use validator::{Direction, Validator, ValidatorSubject};
pub use votes::{OddOneOut, Side, Votes};
