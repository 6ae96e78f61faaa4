//! The benchmark: it measures which strategy finds which bug, how often and how soon.
//!
//! A [`Task`] is a bug and the campaign that can show it. A [`PlannedStrategy`] is a strategy and its number
//! of trials. A [`Plan`] names every [`Cell`], task x strategy x trial, each with a seed of its own and the
//! [spec](mutagen_campaign::Spec) of its campaign. [`run_cells`] runs cells, each in a process of its own,
//! and gives a [`Trial`] for each; a [`CellStore`] keeps them. Everything else is arithmetic on trials:
//! [`statistics`], a [`Summary`] per task and strategy, a [`Comparison`] of two sets of results, and a
//! [`report`].
//!
//! A plan can also cross bugs with properties, to learn what each property is good for: [`refine`] reports on it.
//!
//! Plans and reports are pure functions: only `store`, `queue`, `child` and `run` touch files or processes.
//!
//! ```
//! use mutagen_bench::{Plan, Suite};
//!
//! let plan = Plan::of_suite(Suite::find("paper-wasm")?);
//! let first = &plan.cells()[0];
//! assert_eq!((first.task.as_str(), first.strategy.as_str(), first.trial), ("wasm-1", "mutagen", 0));
//! assert_eq!(first.spec()?.command(), "validate");
//! # Ok::<(), mutagen_bench::Unknown>(())
//! ```

mod child;
mod compare;
mod error;
mod format;
mod generator;
mod host;
mod pattern;
mod plan;
mod property;
mod published;
mod queue;
pub mod refine;
pub mod report;
mod run;
pub mod statistics;
mod store;
mod strategy;
mod suite;
mod summary;
mod task;
mod totals;
mod trial;
mod unknown;

pub use child::Program;
pub use compare::{Change, Compared, Comparison, Overall};
pub use error::{Error, StoredError};
pub use generator::NamedGenerator;
pub use host::cores;
pub use plan::{Cell, NotAShard, Plan, Shard, Wish};
pub use property::{Execution, NamedProperty};
pub use published::{Published, Throughput, counterpart, published, throughput};
pub use queue::{Queue, QueueNews};
pub use run::{RunEnded, run_cells};
pub use store::{CellStore, StoredTrials};
pub use strategy::PlannedStrategy;
pub use suite::Suite;
pub use summary::{Measure, Summary, Table};
pub use task::{Task, Workload};
pub use totals::{Against, Totals, bugs_over_time, solved_times};
pub use trial::{Ended, HostFacts, Trial, TrialOutcome};
pub use unknown::Unknown;
