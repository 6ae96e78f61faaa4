//! `mutagen-wasm coverage`: what modules reach in the target.

use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_campaign::store::files;
use mutagen_corpus::Covered;
use mutagen_coverage::{Coverage, Sources};
use mutagen_oracles::Registry;
use serde_json::json;

use crate::exit_code::{Code, CommandError};
use crate::say;
use crate::watching::{self, WatchFlags};

/// Shows what the corpus of a campaign, or given modules, reach in the target, and what they never reach
///
/// The target validates each module, instantiates it and calls every exported function; the reference is not asked. What is
/// counted are probes, which the weaver leaves at every edge of the target's code, and the lines and functions that they
/// stand in. The source of the target is read from cargo's registry; where it is not there, pages have names and line
/// numbers only. All of this is done in another process: a module that ends it, or hangs, is named and left out.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mutagen-wasm coverage out\n  mutagen-wasm coverage out --unreached | grep memory\n  \
    mutagen-wasm coverage out --html coverage.html --lcov coverage.info\n  \
    mutagen-wasm coverage module.wat other.wasm --features wasm2\n\n\
    Exit status 0: done; 3: some of the modules cannot be used"
)]
pub struct Arguments {
    /// Output directories, of which the corpus counts, other directories of modules, and modules as text or binary
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Writes the coverage for `genhtml` and editors to this file
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,

    /// Writes a page with the source to this file, or to index.html in this directory
    #[arg(long, value_name = "PATH")]
    html: Option<PathBuf>,

    /// Lists the functions that were never reached, instead of the table
    #[arg(long, conflicts_with = "json")]
    unreached: bool,

    /// Prints one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    watch: WatchFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let collection = watching::modules(&arguments.paths)?;
    let watched = arguments.watch.watch(collection, engines)?;
    let (code, modules) = (watched.code(), watched.modules.len());
    let reached = watched.modules.into_iter().map(|module| module.reached);
    let covered = Covered::by(reached).map_err(|error| CommandError::new(Code::Internal, error))?;
    let (coverage, sources) = (&covered.coverage, Sources::of_registry());
    if let Some(file) = &arguments.lcov {
        files::write_named(file, coverage.lcov(&sources).as_bytes())?;
    }
    if let Some(path) = &arguments.html {
        let names: Vec<String> = arguments.paths.iter().map(|path| path.display().to_string()).collect();
        let title = format!("What {} reaches", names.join(", "));
        files::write_named(&page(path)?, coverage.page(&title, &sources).as_bytes())?;
    }
    if arguments.json {
        say::out(object(&covered, modules))?;
    } else if arguments.unreached {
        say::out(unreached(coverage).trim_end())?;
    } else {
        say::out(format!("{}{}", coverage.table(), summary(&covered, modules)))?;
    }
    Ok(code)
}

/// The file of the page: the path itself if it is named like a page.
fn page(path: &Path) -> Result<PathBuf, CommandError> {
    if path.extension().is_some_and(|extension| extension == "html") && !path.is_dir() {
        return Ok(path.to_owned());
    }
    files::create(path)?;
    Ok(path.join("index.html"))
}

fn summary(covered: &Covered, modules: usize) -> String {
    let Covered { coverage, probes, truncated, .. } = covered;
    let mut text = format!(
        "{modules} modules reach {} of {} probes ({:.1} %); {} functions are never reached: --unreached lists them",
        probes.reached,
        probes.all,
        probes.percent(),
        coverage.unreached().count()
    );
    if *truncated > 0 {
        text += &format!("\n{truncated} modules go round a loop for longer than was watched");
    }
    text
}

/// The functions that were never reached, below the names of their files.
fn unreached(coverage: &Coverage) -> String {
    let (mut text, mut last) = (String::new(), "");
    for (file, function) in coverage.unreached() {
        if file != last {
            text += &format!("{file}\n");
            last = file;
        }
        text += &format!("  {:>5}  {}\n", function.line, function.name);
    }
    text
}

fn object(covered: &Covered, modules: usize) -> serde_json::Value {
    let share = |share: mutagen_coverage::Share| json!({ "reached": share.reached, "all": share.all });
    let files = covered.coverage.files().map(|(name, file)| {
        let totals = file.totals();
        json!({ "file": name, "lines": share(totals.lines), "functions": share(totals.functions) })
    });
    let totals = covered.coverage.totals();
    json!({
        "modules": modules,
        "probes": share(covered.probes),
        "lines": share(totals.lines),
        "functions": share(totals.functions),
        "files": files.collect::<Vec<_>>(),
    })
}
