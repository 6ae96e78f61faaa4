//! `mutagen-wasm ifc`: hunts leaks in the information-flow-control machines.

use std::fmt::Debug;
use std::hash::Hash;

use clap::{Args, Subcommand};
use mutagen_bugs::Bug;
use mutagen_engine::{Mutable, Outcome, Property, Report, Scope, Source, Verdict, shrink};
use mutagen_ifc::pairs::{GENERATIONS, Pairs, SIZE};
use mutagen_properties::DISCREPANCY;
use mutagen_properties::ssni::{self, Noninterference};
use serde_json::{Value, json};

use crate::bugs::elsewhere;
use crate::engines::require_woven;
use crate::exit_code::{Code, Failure};
use crate::flags::{CampaignFlags, guidances_for_any_value};
use crate::hunt::{self, Hunt};
use crate::results::{OutputFlags, Results};
use crate::slowest;

/// Hunts leaks in an information-flow-control machine
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    machine: Machine,
}

#[derive(Subcommand)]
enum Machine {
    /// The stack machine: 8 instructions, 2 labels, 20 faults
    #[command(
        mut_arg("guidance", |guidance| guidance.value_parser(guidances_for_any_value())),
        after_help = "Examples:\n  mutagen-wasm ifc stack --bug stack-2\n  \
        mutagen-wasm ifc stack --property eeni --time 10s\n  \
        mutagen-wasm ifc stack --bug stack-18 --preset paper --seed 7 -o out"
    )]
    Stack {
        #[command(flatten)]
        common: Common,

        /// What must hold: after one step (ssni), after any number (msni), or at the end (eeni)
        #[arg(long, value_name = "NAME", default_value_t = Noninterference::Ssni)]
        property: Noninterference,
    },
    /// The register machine: 20 instructions, 4 labels, memory, calls, 33 faults
    #[command(
        mut_arg("guidance", |guidance| guidance.value_parser(guidances_for_any_value())),
        after_help = "Examples:\n  mutagen-wasm ifc register --bug register-1\n  \
        mutagen-wasm ifc register --bug register-33 --generator smart --guidance random"
    )]
    Register {
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Args)]
struct Common {
    /// The fault to inject; none: the machine is as it should be
    #[arg(long, value_name = "ID")]
    bug: Option<String>,

    /// How pairs of states are made: one state twice (copy), two that know nothing of each other (independent), or as
    /// written by hand (smart)
    #[arg(long, value_name = "NAME", default_value_t = Pairs::Copy)]
    generator: Pairs,

    #[command(flatten)]
    place: OutputFlags,

    #[command(flatten)]
    campaign: CampaignFlags,
}

/// The size of generated states in FuzzChick's own experiments.
const FUZZCHICK_SIZE: usize = 3;

/// How many tests shrinking may take.
const SHRINKING: usize = 20_000;

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<Code, Failure> {
    require_woven()?;
    match arguments.machine {
        Machine::Stack { common, property } => {
            let fault = match common.bug()? {
                None => None,
                Some(Bug::Stack(_, fault)) => Some(fault),
                Some(other) => return Err(elsewhere(&other)),
            };
            let name = format!("{property}-stack");
            let pairs = common.generator;
            let generate = move |source: &mut Source, size| pairs.stack(source, size);
            common.hunt(&name, generate, || ssni::stack_machine(property, fault.clone()))
        }
        Machine::Register { common } => {
            let fault = match common.bug()? {
                None => None,
                Some(Bug::Register(_, fault)) => Some(fault),
                Some(other) => return Err(elsewhere(&other)),
            };
            let pairs = common.generator;
            let generate = move |source: &mut Source, size| pairs.register(source, size);
            common.hunt("ssni-register", generate, || ssni::register_machine(fault.clone()))
        }
    }
}

impl Common {
    fn bug(&self) -> Result<Option<Bug>, Failure> {
        self.bug.as_deref().map(Bug::find).transpose().map_err(Failure::usage)
    }

    fn hunt<T, P>(
        &self,
        property_name: &str,
        generate: impl Fn(&mut Source, usize) -> T + Clone + Sync + 'static,
        property: impl Fn() -> P + Sync,
    ) -> Result<Code, Failure>
    where
        T: Mutable + Clone + Hash + Debug + Send + Sync,
        P: Property<T>,
    {
        let fuzzchick = self.campaign.guidance == "fuzzchick";
        let hunt = Hunt {
            command: "ifc",
            property: property_name,
            bug: self.bug.as_deref(),
            flags: &self.campaign,
            scope: Scope::new(),
            // FuzzChick's random parts are as large as published.
            suit: if fuzzchick {
                |strategy| strategy
            } else {
                |strategy| strategy.max_size(SIZE).max_depth(GENERATIONS)
            },
        };
        self.campaign.refuse_fuel("a machine")?;
        let results = self.place.results(false)?;
        if let Some(results) = &results {
            results.write_json("run.json", &self.asked(property_name));
            results.complete()?;
        }
        // Generators get the size that finds most, whatever the guidance says of sizes, unless sizes are what it is about.
        let by_size = self.campaign.guidance == "smallcheck" || self.campaign.sets("max-size");
        let usual = if fuzzchick { FUZZCHICK_SIZE } else { SIZE };
        let generate = move |source: &mut Source, size| generate(source, if by_size { size } else { usual });
        let report = hunt.run(generate, &property)?;
        let told = self.tell(&hunt, &report, property(), results.as_ref());
        results.as_ref().map_or(Ok(()), Results::complete).and(told)?;
        Ok(hunt::code(&report))
    }

    /// What is written down before the work starts.
    fn asked(&self, property: &str) -> Value {
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "arguments": hunt::words(),
            "command": "ifc",
            "property": property,
            "bug": self.bug,
            "generator": self.generator.name(),
            "seed": self.campaign.seed,
        })
    }

    /// The command line that comes to the same finding, if that does not depend on which worker was faster.
    fn again(&self, property: &str, tests: u64) -> Option<Vec<String>> {
        let (property, machine) = property.split_once('-')?;
        let mut words = vec!["ifc".to_owned(), machine.to_owned()];
        let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
        if machine == "stack" {
            add("--property", property);
        }
        if let Some(bug) = &self.bug {
            add("--bug", bug);
        }
        add("--generator", self.generator.name());
        let CampaignFlags { guidance, preset, switches, seed, jobs, .. } = &self.campaign;
        add("--guidance", guidance);
        add("--preset", preset);
        for switch in switches {
            add("--switch", switch);
        }
        add("--seed", &seed.to_string());
        add("--tests", &tests.to_string());
        (*jobs == 1).then_some(words)
    }

    fn tell<T, P>(
        &self,
        hunt: &Hunt<'_>,
        report: &Report<T>,
        mut property: P,
        results: Option<&Results>,
    ) -> Result<(), Failure>
    where
        T: Mutable + Clone + Debug,
        P: Property<T>,
    {
        let mut json = hunt.json(report);
        json["generator"] = json!(self.generator.name());
        let stay = report.labels.get(DISCREPANCY).copied().unwrap_or(0);
        json["discrepancies"] = json!({ "count": stay, "files": [] });
        json["inconclusive"] = json!(0);
        let mut summary = hunt.summary(report);
        let (slowest, slowest_text) = slowest::values(report);
        if let Some(text) = slowest_text {
            json["slowest"] = slowest;
            summary = format!("{text}\n{summary}");
        }
        let store = |json: &Value| {
            if let Some(results) = results {
                results.write_json("stats.json", json);
            }
        };
        let Some(finding) = report.findings.first() else {
            store(&json);
            return hunt.tell(summary, &json);
        };

        let shrunk = shrink(finding.value.clone(), |value| fails(&property.check(value)), SHRINKING);
        let explanation = explanation(&property.check(&shrunk.value));
        json["finding"] = json!({
            "tests": finding.tests,
            "seconds": finding.seconds,
            "kind": finding.failure.kind,
            "target": "the observer can tell the machines apart",
            "reference": "the observer cannot tell them apart",
            "value": format!("{:?}", shrunk.value),
            "explanation": explanation,
        });
        let mut record = json["finding"].clone();
        record["command"] = json!("ifc");
        record["arguments"] = json!(self.again(hunt.property, finding.tests));
        let stored = results.and_then(|results| results.store_leak(&explanation, &record));
        let next = match &stored {
            Some(path) => format!("replay with: mutagen-wasm replay {}", path.display()),
            None => format!("run again with: {}", hunt::again()),
        };
        json["finding"]["file"] = json!(stored);
        store(&json);
        hunt.tell(format!("{explanation}\n\n{summary}\n{next}"), &json)
    }
}

fn fails(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Failed(_))
}

fn explanation(outcome: &Outcome) -> String {
    match &outcome.verdict {
        Verdict::Failed(failure) => {
            failure.details.iter().map(|(_, text)| text.trim_end()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
