//! Errors of specs.

use mutagen_bugs::UnknownBug;
use mutagen_engine::UnknownStrategy;
use mutagen_oracles::NoArgument;
use mutagen_properties::UnknownNoninterference;
use thiserror::Error;

use super::{GuidanceName, Spec};

/// A campaign that cannot be run as asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is not a spec.
    #[error("this is no spec: {0}")]
    Unreadable(#[source] serde_json::Error),
    /// The spec has another format version.
    #[error("the spec is written in format {0}, this program reads format {own}", own = Spec::FORMAT)]
    Format(u64),
    /// A number or a combination that no campaign can have.
    #[error("the spec makes no sense: {0}")]
    Range(&'static str),
    /// Known groups, in a campaign that ends at the first finding.
    #[error("known groups (--known) need a campaign that goes on after a finding: add --keep-going")]
    KnownStops,
    /// The campaign cannot share what it finds.
    #[error("only campaigns that search can share what they find: leave out --share, --sync and --hub")]
    NotShared,
    /// A stored finding asks for more calls than any campaign makes.
    #[error("{0} calls are too many: at most {most} are replayed", most = crate::replay::MOST_CALLS)]
    TooManyCalls(usize),
    /// An argument of a stored call is no value.
    #[error(transparent)]
    Argument(#[from] NoArgument),
    /// No bug has this id.
    #[error(transparent)]
    UnknownBug(#[from] UnknownBug),
    /// A fix cannot be hunted.
    #[error("{0} repairs a bug: --fixes switches all of its kind on")]
    BugIsFix(String),
    /// Another campaign is needed to see this bug.
    #[error("{id} is a bug of the {of}: hunt it with `{command}`")]
    BugElsewhere {
        /// The bug.
        id: String,
        /// The part that it breaks.
        of: &'static str,
        /// The command that can show it.
        command: String,
    },
    /// The guidance, preset or switch does not exist.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// No noninterference property has this name.
    #[error(transparent)]
    Noninterference(#[from] UnknownNoninterference),
    /// No guidance has this name.
    #[error("there is no guidance `{0}`; choose one of {list}", list = GuidanceName::list())]
    UnknownGuidance(String),
    /// The guidance takes no switches.
    #[error("repro has no switches, so `{0}` cannot be set")]
    NoSwitches(String),
    /// The guidance makes whole modules, and the property is about something else.
    #[error("{0} makes whole modules: use it with `--property interpreter`")]
    WholeModules(String),
    /// The guidance is about modules, and the campaign is about a machine.
    #[error("{0} is about modules: the machines have no use for it")]
    ModulesOnly(String),
    /// The campaign is about a machine, and has no engines.
    #[error("a machine is tested without engines")]
    NoEngines,
    /// A generator was named where there is no choice.
    #[error(
        "there is no choice of a generator here: leave out `--generator`, or use `--property interpreter-i32` or `interpreter`"
    )]
    NoGenerator,
    /// The engine that is to give a first opinion is asked anyway.
    #[error(
        "{0} is target or reference already: leave out `--first-opinion`, or name another engine or `none`"
    )]
    NoOpinion(String),
    /// An engine cannot be compared bit for bit.
    #[error("{0} does not canonicalise every NaN: add `--nans raw`")]
    RawNans(&'static str),
    /// The campaign is to maximise fuel, but uses none.
    #[error("{0} uses no fuel: leave out `--switch fuel`, or look for slow modules with `interpret`")]
    NoFuel(&'static str),
    /// The text is not a signature.
    #[error("`{0}` is no signature: write parameters, a colon, results, as in i32,f32:i32")]
    Signature(String),
    /// The text does not say how tests are split.
    #[error("`{0}` is no split: write how many functions and how many modules take turns, as in 32:64")]
    Split(String),
    /// The property does not have this setting.
    #[error("`{flag}` is not for the property {property}: leave it out, or choose another with `--property`")]
    NotForProperty {
        /// The flag.
        flag: &'static str,
        /// The property.
        property: &'static str,
    },
    /// The name is not a value type.
    #[error("`{0}` is no value type, such as i32, i64, f32 or f64")]
    ValueType(String),
}
