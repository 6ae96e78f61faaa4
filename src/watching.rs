//! Flags and steps of the commands that watch the target while it works on modules.

use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_campaign::{
    EngineProperty, EngineSpec, Error, Executable, ReachApart, Spec, SubjectSpec, Unanswered,
};
use mutagen_corpus::Collection;
use mutagen_oracles::{NanMode, Registry};
use mutagen_properties::{Case, Direction, Reached};
use mutagen_wasm_ast::Features;

use crate::exit_code::{Code, CommandError};
use crate::flags::LimitFlags;
use crate::say;

/// The flags that say how the target is watched.
#[derive(Args, Debug, Clone)]
pub struct WatchFlags {
    /// The engine that is watched [default: that of the output directory's campaign, or wasmi]
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,

    /// The WebAssembly features that are on [default: those of the campaign, or all that the target has]
    #[arg(long, value_name = "SET")]
    pub features: Option<Features>,

    /// Only validates modules, and runs none [default: as the campaign does]
    #[arg(long)]
    pub validate_only: bool,

    #[command(flatten)]
    pub limits: LimitFlags,
}

/// A module with what it reaches.
pub struct Module {
    /// Its file.
    pub file: PathBuf,
    /// The module, with its calls.
    pub case: Case,
    /// What it reaches in the target.
    pub reached: Reached,
}

/// Modules with what they reach.
pub struct Watched {
    /// The modules, in order.
    pub modules: Vec<Module>,
    /// Whether all could be used.
    pub is_all: bool,
}

impl Watched {
    /// The code of a command that did what was asked with the modules that can be used.
    pub fn code(&self) -> Code {
        if self.is_all { Code::Fine } else { Code::Unusable }
    }
}

impl WatchFlags {
    /// Watches the target while it works on modules, as the campaign of the collection does, with what the flags change. A
    /// module on which the target ends its process, or hangs, is reported and left out. A target without probes is refused.
    pub fn watch(&self, collection: Collection, engines: &Registry) -> Result<Watched, CommandError> {
        let spec = self.spec(&collection, engines)?;
        let program = Executable::this().map_err(Error::NoWorker)?;
        let target = target_of(&spec).to_owned();
        let mut reach = ReachApart::new(&program, spec, self.limits.limits());
        match reach.has_probes() {
            Ok(false) => return Err(CommandError::usage(no_probes(&target))),
            Err(Unanswered::Failed(error)) => return Err(error.into()),
            // A target that dies of the smallest module is asked about the others all the same.
            Ok(true) | Err(Unanswered::Died(_)) => {}
        }
        let mut watched = Watched { modules: Vec::new(), is_all: collection.left_out.is_empty() };
        for (file, case) in collection.modules {
            match reach.of(&case) {
                Ok(reached) => watched.modules.push(Module { file, case, reached }),
                Err(Unanswered::Died(death)) => {
                    say::error(died(&file, &death));
                    watched.is_all = false;
                }
                Err(Unanswered::Failed(error)) => return Err(error.into()),
            }
        }
        Ok(watched)
    }

    /// The campaign of the collection, with what the flags change.
    fn spec(&self, collection: &Collection, engines: &Registry) -> Result<Spec, CommandError> {
        let mut spec = match &collection.spec {
            Some(spec) => spec.clone(),
            None => self.plain(engines)?,
        };
        if let SubjectSpec::Engines(of) = &mut spec.subject {
            if let Some(name) = &self.target {
                // Only what the command line names is started, if it is a command.
                of.features = of.features & engines.find_chosen(name).map_err(Error::from)?.features;
                of.target.clone_from(name);
            }
            of.features = self.features.unwrap_or(of.features);
            of.nans = nans(of.nans, [&of.target, &of.reference], engines)?;
            if self.validate_only {
                of.property =
                    EngineProperty::Validator { direction: Direction::Both, generator: Default::default() };
            }
        }
        Ok(spec)
    }

    /// Modules of no campaign are run with all features.
    fn plain(&self, engines: &Registry) -> Result<Spec, CommandError> {
        let name = self.target.as_deref().unwrap_or(EngineSpec::TARGET);
        let target = engines.find_chosen(name).map_err(mutagen_campaign::Error::from)?;
        let property = EngineProperty::Interpreter { generator: Default::default() };
        let engines = EngineSpec { features: target.features, ..EngineSpec::new(property) };
        Ok(Spec::new(SubjectSpec::Engines(engines)))
    }
}

fn target_of(spec: &Spec) -> &str {
    match &spec.subject {
        SubjectSpec::Engines(of) => &of.target,
        SubjectSpec::Machine(_) => "this machine",
    }
}

/// Why nothing can be said about what modules reach: without probes they all seem to reach nothing.
fn no_probes(target: &str) -> String {
    format!(
        "{target} has no probes in this program, so that nothing is known of what modules reach in it: \
         name a woven engine with --target, such as {}",
        EngineSpec::TARGET
    )
}

/// How NaN bits are treated: as they come, if one of the engines cannot canonicalise them.
pub fn nans(usual: NanMode, names: [&str; 2], engines: &Registry) -> Result<NanMode, CommandError> {
    let mut canonicalise = true;
    for name in names {
        canonicalise &= engines.find(name).map_err(Error::from)?.canonicalises;
    }
    Ok(if canonicalise { usual } else { NanMode::Raw })
}

/// The modules at the paths. What cannot be used is reported; that nothing is left is an error.
pub fn modules(paths: &[PathBuf]) -> Result<Collection, CommandError> {
    let collection = Collection::read(paths)?;
    collection.left_out.iter().for_each(say::error);
    if collection.modules.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let why = format!("there is no module in {}", names.join(", "));
        return Err(CommandError::new(Code::Unusable, why));
    }
    Ok(collection)
}

/// That a module ended the process in which engines were asked about it.
pub fn died(file: &Path, death: &mutagen_campaign::Death) -> String {
    format!("{}: {death}; it is left out", file.display())
}
