//! `mutagen-wasm report`: the results of a campaign in the forms that others take.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{Args, ValueEnum};
use mutagen_campaign::Results;
use mutagen_campaign::store::files;
use mutagen_oracles::Registry;
use mutagen_report::{Format, annotations, bundle};

use crate::exit_code::{Code, CommandError};
use crate::{say, showing, signals};

/// Reports the results in an output directory: to people, to tools, to the maintainers of an engine
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm report out\n  \
    mutagen-wasm report out --format sarif -o findings.sarif\n  \
    mutagen-wasm report out --format junit -o findings.xml\n  \
    mutagen-wasm report out --bundle for-the-maintainers\n  \
    mutagen-wasm report out --serve 8000\n\n\
    In a workflow of GitHub, each group of findings is also an annotation on standard error.\n\
    Exit status 0: the report is written, whatever was found; 3: this is no output directory; \
    4: there is\nsomething in the place of the bundle")]
pub struct Arguments {
    /// The output directory of a campaign; it may still be running, or have been killed
    directory: PathBuf,

    /// The form of the report
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Markdown)]
    format: Form,

    /// Writes the report to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Writes a new directory with one for each group of findings that is not silenced: module, script of assertions, a Rust
    /// test with the engine's public crate, configuration, what decides. Nothing else is reported
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "output"])]
    bundle: Option<PathBuf>,

    /// Serves the page to browsers until it is interrupted: a port of this machine for this machine, or ADDRESS:PORT; port 0
    /// is any that is free
    #[arg(long, value_name = "PORT", conflicts_with_all = ["format", "output", "bundle"])]
    serve: Option<String>,
}

/// The form of a report.
#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// For an issue or a message
    Markdown,
    /// SARIF 2.1.0, for tools that show results of analyses
    Sarif,
    /// JUnit's XML, for tools that show results of tests
    Junit,
    /// A page for a browser, as `report.html` in the output directory
    Html,
}

impl From<Form> for Format {
    fn from(form: Form) -> Self {
        match form {
            Form::Markdown => Format::Markdown,
            Form::Sarif => Format::Sarif,
            Form::Junit => Format::Junit,
            Form::Html => Format::Html,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let results = Results::read(&arguments.directory)?;
    if let Some(output) = &arguments.bundle {
        for group in bundle(&results, engines, output)? {
            say::out(group.display())?;
        }
        return Ok(Code::Fine);
    }
    if let Some(address) = &arguments.serve {
        let interrupted = signals::interrupt_flag()?;
        showing::serve(&arguments.directory, address)?;
        while !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        return Ok(signals::interrupted());
    }
    let text = Format::from(arguments.format).render(&results);
    match &arguments.output {
        Some(file) => files::write_named(file, text.as_bytes())?,
        None => say::out(text.trim_end())?,
    }
    if annotations::are_wanted() {
        showing::annotate(&results);
    }
    Ok(Code::Fine)
}
