//! `mutagen-wasm run`: runs the campaign that a file describes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mutagen_campaign::store::files::read_text;
use mutagen_campaign::{Error, Spec};
use mutagen_oracles::Registry;

use crate::exit_code::{Code, CommandError};
use crate::flags::{ModuleFlags, TellingFlags};
use crate::hunt::{Places, hunt};

/// Runs the campaign that a file describes, such as the field `spec` of a campaign's JSON object
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm run --spec spec.json\n  \
    mutagen-wasm validate --bug wasm-6 --json -q | jq .spec > spec.json")]
pub struct Arguments {
    /// The file: the JSON form of a campaign's property, engines, strategy, bug, seed and budget
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,

    /// Ends with the process of this number, which started this one
    #[arg(long, value_name = "PROCESS", hide = true)]
    parent: Option<u32>,

    #[command(flatten)]
    modules: ModuleFlags,

    #[command(flatten)]
    telling: TellingFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    arguments.parent.into_iter().for_each(end_with);
    let file = &arguments.spec;
    let unusable = |why: String| CommandError::from(Error::unusable(file, why));
    let text = read_text(file)?;
    let spec = Spec::read(&text).map_err(|error| unusable(error.to_string()))?;
    let modules = arguments.modules.places()?;
    // Every spec has a seed; 0 is that of a command line that names none.
    let places = Places { draws_seed: spec.seed == 0, ..modules };
    hunt(&spec, engines, places, &arguments.telling)
}

/// Ends this program soon after its parent has ended: nobody would read its results.
fn end_with(parent: u32) {
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(Duration::from_millis(200));
        }
        std::process::exit(Code::Terminated.number().into());
    });
}
