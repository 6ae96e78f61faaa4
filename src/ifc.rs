//! `mutagen-wasm ifc`: hunts leaks in the information-flow-control machines.

use clap::{Args, Subcommand};
use mutagen_campaign::{Machine, MachineSpec, Spec, SubjectSpec};
use mutagen_ifc::pairs::Pairs;
use mutagen_oracles::Registry;
use mutagen_properties::Noninterference;

use crate::exit_code::{Code, CommandError};
use crate::flags::{CampaignFlags, OutputFlags, guidances_for_any_value};
use crate::hunt::hunt;
use crate::meeting::SharingFlags;

/// Hunts leaks in an information-flow-control machine
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    machine: MachineName,
}

#[derive(Subcommand)]
enum MachineName {
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
    /// The fault to inject; without one, the machine is correct
    #[arg(long, value_name = "ID")]
    bug: Option<String>,

    /// How pairs of states are made: one state twice (copy), two unrelated states (independent), or by a
    /// generator written by hand (smart)
    #[arg(long, value_name = "NAME", default_value_t = Pairs::Copy)]
    generator: Pairs,

    #[command(flatten)]
    place: OutputFlags,

    #[command(flatten)]
    campaign: CampaignFlags,

    #[command(flatten)]
    sharing: SharingFlags,
}

impl Arguments {
    /// The campaign that the flags describe.
    pub fn spec(&self) -> Result<Spec, CommandError> {
        let (machine, property) = match self.machine {
            MachineName::Stack { property, .. } => (Machine::Stack, property),
            MachineName::Register { .. } => (Machine::Register, Noninterference::Ssni),
        };
        let Common { bug, generator, campaign, place, .. } = self.common();
        let subject = MachineSpec { machine, property, generator: *generator };
        campaign.spec(SubjectSpec::Machine(subject), bug.as_deref(), place)
    }

    fn common(&self) -> &Common {
        match &self.machine {
            MachineName::Stack { common, .. } | MachineName::Register { common } => common,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let Common { place, campaign, sharing, .. } = arguments.common();
    let places = place.places(false).sharing(sharing)?.seed(campaign.seed);
    hunt(&arguments.spec()?, engines, places, &campaign.telling)
}
