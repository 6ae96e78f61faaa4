//! The benchmark over the catalogue: which strategy finds which bug, how often, how soon.
//!
//! A [`Task`] is a bug and the campaign that can show it. A [`Contender`] is a strategy and how often it is tried. A
//! [`Plan`] names every [`Cell`], task x strategy x trial, each with a seed of its own; running a cell gives a
//! [`Trial`]. Everything else is arithmetic on trials: [`statistics`], a [`Summary`] per task and strategy, a
//! [`Comparison`] of two sets of results, and a [`report`].
//!
//! Nothing here starts a process or touches a file: plans and reports are pure functions.
//!
//! ```
//! use mutagen_bugs::bench::{Plan, Suite};
//!
//! let plan = Plan::of_suite(Suite::find("paper-wasm")?);
//! let first = &plan.cells()[0];
//! assert_eq!((first.task.as_str(), first.strategy.as_str(), first.trial), ("wasm-1", "mutagen", 0));
//! # Ok::<(), mutagen_bugs::bench::Unknown>(())
//! ```

mod campaign;
mod compare;
mod contender;
mod format;
mod generator;
mod pattern;
mod plan;
mod published;
pub mod report;
pub mod statistics;
mod suite;
mod summary;
mod task;
mod totals;
mod trial;
mod unknown;

pub use compare::{Change, Compared, Comparison, Overall};
pub use contender::Contender;
pub use generator::Generator;
pub use plan::{Cell, Plan, Shard, Wish};
pub use published::{Published, Throughput, counterpart, published, throughput};
pub use suite::Suite;
pub use summary::{Measure, Summary, Table};
pub use task::{Task, Workload};
pub use totals::{Against, Totals, bugs_over_time, solved_times};
pub use trial::{Ended, Host, Outcome, Trial};
pub use unknown::Unknown;
