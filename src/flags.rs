//! The flags of a campaign, the same for every command that runs one.

use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use mutagen_engine::{Cost, Strategy};
use mutagen_properties::Search;

use crate::exit_code::Failure;

/// How long a campaign runs to which no budget was given.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The guidance that replays what it is given, and searches nothing.
const REPRO: &str = "repro";

/// What to try, for how long, and how to tell.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Campaign")]
pub struct CampaignFlags {
    /// What decides which test comes next
    #[arg(long, value_name = "NAME", default_value = "mutagen", value_parser = guidances())]
    pub guidance: String,

    /// The settings of the guidance: as published, or what finds bugs fastest
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = Strategy::PRESETS)]
    pub preset: String,

    /// Sets one heuristic, such as `no-reset`, `fifo` or `depth=5`; an unknown name lists all
    #[arg(long = "switch", value_name = "SWITCH", value_delimiter = ',')]
    pub switches: Vec<String>,

    /// The seed: same version, seed, settings and one job give the same run
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,

    /// Stops after this many tests
    #[arg(long, value_name = "N", env = "MUTAGEN_TESTS", value_parser = tests, allow_negative_numbers = true)]
    pub tests: Option<u64>,

    /// Stops after this time, such as `30s` or `5m` [default: 60s, unless --tests is given]
    #[arg(long, value_name = "TIME", env = "MUTAGEN_TIME", value_parser = duration, allow_hyphen_values = true)]
    pub time: Option<Duration>,

    /// How many workers run at once, each with a seed of its own
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// Prints one JSON object on standard output at the end, and nothing else there
    #[arg(long)]
    pub json: bool,

    /// Says nothing on standard error but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Says more at the end: every figure of the guidance
    #[arg(short, long)]
    pub verbose: bool,
}

impl CampaignFlags {
    /// The strategy that the flags describe.
    pub fn search(&self) -> Result<Search, Failure> {
        Search::new(&self.guidance, &self.preset, &self.switches).map_err(Failure::usage)
    }

    /// Whether a switch sets the number of this name.
    pub fn sets(&self, name: &str) -> bool {
        self.switches.iter().any(|switch| switch.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
    }

    /// Whether nothing is searched, but what is given is tested again.
    pub fn replays(&self) -> Result<bool, Failure> {
        match &self.switches[..] {
            [switch, ..] if self.guidance == REPRO => {
                Err(Failure::usage(format!("repro has no switches, so `{switch}` cannot be set")))
            }
            _ => Ok(self.guidance == REPRO),
        }
    }

    /// Refuses to maximise fuel where none is used.
    pub fn refuse_fuel(&self, property: &str) -> Result<(), Failure> {
        let fuel = !self.replays()? && self.search()?.strategy().maximises() == Some(Cost::Fuel);
        if !fuel {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{property} uses no fuel: leave out `--switch fuel`, or look for slow modules with `interpret`"
        )))
    }

    /// The time budget: what was asked for, or the default where nothing was.
    pub fn time_budget(&self) -> Option<Duration> {
        self.time.or(self.tests.is_none().then_some(DEFAULT_TIME))
    }
}

/// Every guidance, with what it does.
fn guidances() -> PossibleValuesParser {
    let replaying = PossibleValue::new(REPRO).help("the modules given by --input, and no others");
    PossibleValuesParser::new(Search::guidances().map(described).chain([replaying]))
}

/// The guidances that are not about modules alone.
pub fn guidances_for_any_value() -> PossibleValuesParser {
    PossibleValuesParser::new(Strategy::GUIDANCES.map(described))
}

fn described(guidance: &'static str) -> PossibleValue {
    PossibleValue::new(guidance).help(Search::description(guidance))
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

fn tests(text: &str) -> Result<u64, String> {
    let tests = text.parse().ok().filter(|tests| *tests > 0);
    tests.ok_or_else(|| "a campaign needs a whole number of tests, at least 1".into())
}

/// A time as it is written on the command line.
pub fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("a campaign needs more than no time".into()),
        Ok(time) => Ok(time),
        Err(_) => Err("a time is a number with a unit, such as 500ms, 30s or 5m".into()),
    }
}
