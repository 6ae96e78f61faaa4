//! Engines by name.

use std::{
    error::Error,
    fmt,
    sync::{Arc, OnceLock},
};

use mutagen_features::Features;

use crate::{
    engine::Engine,
    engines,
    scan::{rejects, wasm_features},
    settings::Settings,
};

/// What an engine is for in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is tested.
    Target,
    /// The target is compared with it.
    Reference,
    /// It is asked first, because it is quick: where the target agrees with it, the reference need not be asked.
    Opinion,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Target => "target",
            Self::Reference => "reference",
            Self::Opinion => "opinion",
        })
    }
}

/// Whose work an engine's answers are. Engines that share it make the same mistakes, so what they say together counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lineage {
    /// Whose validator it has.
    pub validation: &'static str,
    /// Whose code runs functions.
    pub execution: &'static str,
}

/// Why there is no engine to ask.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// This program was built without the engine.
    #[error("this program has no engine `{engine}`: {how_to_get}")]
    Missing {
        /// The engine's name.
        engine: String,
        /// What to do to have it.
        how_to_get: &'static str,
    },
    /// The engine does not have all of the features.
    #[error("{engine} does not have these features: {features}")]
    Unsupported {
        /// The engine's name.
        engine: String,
        /// Those that it lacks.
        features: Features,
    },
    /// The engine does not start with these settings.
    #[error("{engine} refuses these settings: {source:#}")]
    Refused {
        /// The engine's name.
        engine: String,
        /// The engine's own words.
        source: Box<dyn Error + Send + Sync>,
    },
}

type Make = dyn Fn(&Settings) -> Result<Box<dyn Engine>, EngineError> + Send + Sync;

/// An engine that can be chosen by its name.
#[derive(Clone)]
pub struct EngineEntry {
    /// The name by which users choose it. The engine itself says the same name.
    pub name: &'static str,
    /// Its version.
    pub version: String,
    /// What it is meant for.
    pub roles: &'static [Role],
    /// The features that it has.
    pub features: Features,
    /// What it is, in one line.
    pub about: &'static str,
    /// What to do to have it, if this program was built without it.
    pub how_to_get: Option<&'static str>,
    /// Whose work its answers are.
    pub lineage: Lineage,
    /// Whether it stops what uses up the fuel of a test.
    pub has_fuel: bool,
    /// Whether it canonicalises every NaN that an operator makes when it is told to. Otherwise it can be target or reference
    /// only where NaN bits are compared up to what the specification leaves open.
    pub canonicalises: bool,
    /// Whether it may end the process in which it runs. Where it only gives an opinion, it gets a process of its own.
    pub may_end_the_process: bool,
    /// The name of another way to run the same engine, which must give the same answers.
    pub twin: Option<&'static str>,
    make: Arc<Make>,
    /// What is only known after a look at what is installed.
    later: Option<Arc<Later>>,
}

/// An entry that is completed when somebody wants to know.
struct Later {
    known: OnceLock<EngineEntry>,
    look: Box<dyn Fn(EngineEntry) -> EngineEntry + Send + Sync>,
}

impl EngineEntry {
    /// An engine with every feature that is good for both roles.
    pub fn new(
        name: &'static str,
        version: impl Into<String>,
        make: impl Fn(&Settings) -> Result<Box<dyn Engine>, EngineError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            version: version.into(),
            roles: &[Role::Target, Role::Reference],
            features: Features::WASMI,
            about: "",
            how_to_get: None,
            lineage: Lineage { validation: name, execution: name },
            has_fuel: true,
            canonicalises: true,
            may_end_the_process: false,
            twin: None,
            make: Arc::new(make),
            later: None,
        }
    }

    /// An engine that this program was built without: it is listed, with what to do to have it.
    pub fn missing(name: &'static str, version: impl Into<String>, how_to_get: &'static str) -> Self {
        let missing = move |_: &_| Err(EngineError::Missing { engine: name.to_owned(), how_to_get });
        Self { how_to_get: Some(how_to_get), ..Self::new(name, version, missing) }
    }

    /// The same, meant for these roles alone.
    #[must_use]
    pub fn roles(self, roles: &'static [Role]) -> Self {
        Self { roles, ..self }
    }

    /// The same, with these features alone.
    #[must_use]
    pub fn features(self, features: Features) -> Self {
        Self { features, ..self }
    }

    /// The same, with answers that are the work of others as well. Otherwise they are all its own.
    #[must_use]
    pub fn lineage(self, lineage: Lineage) -> Self {
        Self { lineage, ..self }
    }

    /// The same, with NaNs that are not all canonicalised.
    #[must_use]
    pub fn with_raw_nans(self) -> Self {
        Self { canonicalises: false, ..self }
    }

    /// The same, with panics that cannot be caught, or code that is trusted less.
    #[must_use]
    pub fn may_end_the_process(self) -> Self {
        Self { may_end_the_process: true, ..self }
    }

    /// The same, without fuel.
    #[must_use]
    pub fn without_fuel(self) -> Self {
        Self { has_fuel: false, ..self }
    }

    /// The same under another name, made in another way.
    pub(crate) fn renamed(
        self,
        name: &'static str,
        make: impl Fn(&Settings) -> Result<Box<dyn Engine>, EngineError> + Send + Sync + 'static,
    ) -> Self {
        Self { name, make: Arc::new(make), later: None, ..self }
    }

    /// The same, in this program after all.
    #[cfg(any(
        feature = "pulley",
        feature = "winch",
        feature = "wasmi-1",
        feature = "stitch",
        feature = "sf-nano"
    ))]
    pub(crate) fn linked(
        self,
        make: impl Fn(&Settings) -> Result<Box<dyn Engine>, EngineError> + Send + Sync + 'static,
    ) -> Self {
        Self { how_to_get: None, make: Arc::new(make), ..self }
    }

    /// The same, with one line about it.
    #[must_use]
    pub fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// The same, with another entry that runs the same engine in another way.
    #[must_use]
    pub fn twin(self, name: &'static str) -> Self {
        Self { twin: Some(name), ..self }
    }

    /// Whether what the engine says about a module means something where these features are on: if it lacks some of them, the
    /// module must be as valid, or invalid for the same reason, without those.
    pub fn can_judge(&self, bytes: &[u8], features: Features) -> bool {
        let with = |features| rejects(bytes, wasm_features(features));
        self.features.includes(features) || with(self.features & features) == with(features)
    }

    /// The same, completed by a look at what is installed: version and features, or that it is missing after all. It is taken at
    /// most once, and only if somebody asks for the engine by its name.
    #[must_use]
    pub fn known_later(self, look: impl Fn(Self) -> Self + Send + Sync + 'static) -> Self {
        let later = Later { known: OnceLock::new(), look: Box::new(look) };
        Self { later: Some(Arc::new(later)), ..self }
    }

    /// The complete entry.
    pub fn known(&self) -> &Self {
        match &self.later {
            Some(later) => later.known.get_or_init(|| (later.look)(Self { later: None, ..self.clone() })),
            None => self,
        }
    }

    /// The engine with these settings.
    ///
    /// # Errors
    ///
    /// If it is missing, or does not have all of the features, or refuses the settings.
    pub fn make(&self, settings: &Settings) -> Result<Box<dyn Engine>, EngineError> {
        let lacking = settings.features.iter().filter(|feature| !self.features.contains(*feature));
        let lacking = lacking.fold(Features::NONE, Features::with);
        if self.how_to_get.is_none() && lacking != Features::NONE {
            return Err(EngineError::Unsupported { engine: self.name.to_owned(), features: lacking });
        }
        (self.make)(settings)
    }
}

impl fmt::Debug for EngineEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineEntry({} {})", self.name, self.version)
    }
}

/// The engines that can be chosen by name. By default those that are linked into the program.
///
/// ```
/// use mutagen_oracles::{Registry, Settings};
///
/// let registry = Registry::default();
/// let engine = registry.find("wasmtime-speed")?.make(&Settings::default())?;
/// assert_eq!(engine.name(), "wasmtime-speed");
/// assert!(registry.find("wasmtim").unwrap_err().to_string().contains("did you mean `wasmtime`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Registry(Vec<EngineEntry>);

impl Default for Registry {
    fn default() -> Self {
        Self(engines::entries())
    }
}

impl Registry {
    /// The name of the engine that is tested unless another is named.
    pub const TARGET: &'static str = "wasmi";
    /// The name of the engine that it is compared with unless another is named.
    pub const REFERENCE: &'static str = "wasmtime";
    /// The names of the engines that give first opinions unless others are named: the first of them that knows what a module
    /// needs is asked.
    pub const OPINIONS: &'static [&'static str] = &["dlr", "tinywasm"];

    /// The same engines and this one, which replaces one with the same name.
    #[must_use]
    pub fn with(mut self, entry: EngineEntry) -> Self {
        self.0.retain(|known| known.name != entry.name);
        self.0.push(entry);
        self
    }

    /// Whether this is a command, or an engine in a process of its own, rather than a name of the list.
    pub fn is_command(name: &str) -> bool {
        engines::is_command(name)
    }

    /// All engines.
    pub fn entries(&self) -> &[EngineEntry] {
        &self.0
    }

    /// The engine with this name. It is one of the list; or `process:COMMAND`, a command that speaks the protocol for engines
    /// in other processes; or `plain:COMMAND`, a command that knows nothing of it; or `isolated:NAME`, an engine of the list in a
    /// process of its own. A command must have been found by
    /// [`find_chosen`](Self::find_chosen) before: the name may come from a file, and a file must not start what it likes.
    ///
    /// # Errors
    ///
    /// If there is none, with the names that there are.
    pub fn find(&self, name: &str) -> Result<&EngineEntry, UnknownEngine> {
        self.look_up(name, false)
    }

    /// The engine that the user of this program has named. If it is a command, that is started.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find).
    pub fn find_chosen(&self, name: &str) -> Result<&EngineEntry, UnknownEngine> {
        self.look_up(name, true)
    }

    fn look_up(&self, name: &str, is_chosen: bool) -> Result<&EngineEntry, UnknownEngine> {
        let listed = self.0.iter().find(|entry| entry.name == name).map(EngineEntry::known);
        let found = listed.or_else(|| engines::custom(name, is_chosen, |inner| self.find(inner).ok()));
        found.ok_or_else(|| UnknownEngine {
            name: name.to_owned(),
            known: self.0.iter().map(|entry| entry.name).collect(),
        })
    }
}

/// A name that no engine has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine {
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: Vec<&'static str>,
}

impl UnknownEngine {
    /// The known name that the user probably meant.
    pub fn nearest(&self) -> Option<&'static str> {
        let distance = |known: &&str| strsim::damerau_levenshtein(known, &self.name);
        self.known.iter().copied().filter(|known| distance(known) <= TYPING_ERRORS).min_by_key(distance)
    }
}

/// How many typing errors a name may have to be recognised.
const TYPING_ERRORS: usize = 2;

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if engines::is_command(&self.name) {
            let Self { name, .. } = self;
            return write!(f, "`{name}` is a command that a file names; with --trust-commands it is started");
        }
        write!(f, "there is no engine `{}`", self.name)?;
        if let Some(nearest) = self.nearest() {
            write!(f, "; did you mean `{nearest}`?")?;
        }
        write!(f, " (there are {})", self.known.join(", "))
    }
}

impl Error for UnknownEngine {}
