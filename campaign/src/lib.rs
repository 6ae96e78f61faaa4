//! Campaigns as types, from the command line to the stored finding.
//!
//! A [`Spec`] describes a campaign. [`run()`] runs it: it searches, shrinks the failing test, has it
//! confirmed and attributed to the injected bug, stores it as a [`Finding`], and returns a
//! [`CampaignReport`]. The command line parses specs, a benchmark plans them, a child process gets one, and a
//! report contains the spec of its campaign.
//!
//! ```
//! use mutagen_campaign::{CampaignOutcome, Setup, Spec, run};
//! use mutagen_bugs::Bug;
//! use mutagen_oracles::{Registry, on_stack};
//!
//! let spec = Spec::hunting(&Bug::find("wasm-3")?).expect("a bug can be hunted");
//! let engines = Registry::default();
//! // Engines need a stack of known size.
//! let ran = on_stack(|| run(&spec, Setup::new(&engines)))??;
//! assert_eq!(ran.report.outcome, CampaignOutcome::Finding);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | `spec` | descriptions of campaigns |
//! | `run` | running a campaign: one driver for engines and machines |
//! | `supervise` | the same in worker processes, which may die |
//! | `sharing` | workers of one campaign, on one machine or several, tell each other what they find |
//! | `groups` | failing tests that are about the same thing, and those that the user knows (`known`) |
//! | `finding` | findings, with all that is needed to reproduce them |
//! | `report` | the report of a campaign |
//! | `results` | the results in an output directory, read back |
//! | `store` | the output directory |
//! | `plot` | how a campaign went over time: `plot.csv` |
//! | `input` | modules given by users |
//! | `replay` | replaying a finding |
//! | `reach` | what modules reach in the target |

mod error;
mod executable;
mod finding;
mod groups;
pub mod input;
mod known;
mod plot;
mod progress;
mod reach;
mod replay;
mod report;
mod results;
mod run;
mod sharing;
mod spec;
pub mod store;
mod supervise;
mod words;

pub use error::{Error, ErrorClass};
pub use executable::Executable;
pub use finding::{Finding, LeakFinding, ModuleFinding, Stored, StoredCall};
pub use groups::{Curb, Decision, Group, Groups, Moment};
pub use known::{Known, NotKnown};
pub use plot::{Beside, Plot, Row};
pub use progress::{Observer, Progress, Silent};
pub use reach::{FileReach, corpus_of, is_in_target, reach_of, spec_of};
pub use replay::{Replayed, ends_a_process, fails_on, replay};
pub use report::{
    CampaignOutcome, CampaignReport, Deaths, DiscrepancyReport, DiscrepancySummary, FindingReport,
    GivenOutcome, GivenReport, SecondsIn, SlowReport, Total,
};
pub use results::{GroupResult, Results, State};
pub use run::{Ran, Setup, context_of, engines_of, run};
pub use sharing::{Shared, Sharing, Status, program_terms, terms_of};
pub use spec::{
    Budget, EngineProperty, EngineSpec, FunctionType, GuidanceName, Machine, MachineSpec, PropertyName, Spec,
    SpecError, Split, SubjectSpec, Usual, quoted,
};
pub use store::{Earlier, Store};
pub use supervise::{
    Death, JudgeApart, ReachApart, Said, SaidStep, Unanswered, WORKER, WorkerFiles, WorkerLimits,
    is_supervised, signal_name, supervise, work,
};
