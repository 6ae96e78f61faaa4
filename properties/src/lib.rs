//! What must hold: validators agree, interpreters agree, single steps do not interfere.
//!
//! | property | precondition | must hold |
//! |---|---|---|
//! | [`Validator`] | the target accepts the module | the reference accepts it, too |
//! | [`Interpreter`] | both accept the function | same results, traps, memory and globals |
//! | [`Modules`] | both accept the module | the same of every exported function |
//! | [`Invocation`] | both accept the function | both take an argument list, or both refuse it |
//! | [`ssni`] | indistinguishable states that step | they stay indistinguishable |

mod arguments;
mod discrepancies;
mod injected;
mod interpreter;
mod invocation;
mod modules;
mod pair;
mod search;
mod smith;
pub mod ssni;
mod times;
mod validator;

pub use arguments::{boundary_arguments, signature_of};
pub use discrepancies::{Discrepancies, Discrepancy};
pub use injected::{Injected, Injection};
pub use interpreter::Interpreter;
pub use invocation::{Argument, Invocation, Invoked};
pub use modules::Modules;
pub use pair::{Context, DISCREPANCY, INCONCLUSIVE, Pair, outcome, settings};
pub use search::{ModuleGenerator, Search, UnknownSearch};
pub use smith::Smith;
pub use times::Times;
pub use validator::{Direction, Validator};
