//! tinywasm, an interpreter with wasmparser for a validator.
//!
//! It starts within microseconds, so that it can give a first opinion. It asks nobody before a memory or table grows, so the
//! maxima of a module are lowered to our limits before it runs; no program can tell that from a host that refuses.

mod access;
mod instance;
mod memory;
mod values;

use std::sync::{Arc, Mutex, PoisonError};

use ::tinywasm::{
    Module,
    engine::{Config, StackConfig},
    parser::{Parser, ParserOptions},
    types::{ImportKind, LocalMemoryAllocation, MemoryType, ModuleInner, TableType},
};
use mutagen_features::Features;

use self::instance::TinywasmInstance;
use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    engine::{Compiled, Engine, Instance},
    host::HostPlan,
    limits::{Which, web_limit},
    registry::{EngineEntry, Lineage, Role},
    scan::{Mending, mended, rejects, wasm_features},
    settings::{Limits, Settings},
    state::State,
};

/// The version that is linked.
const VERSION: &str = "0.10.0";
const NAME: &str = "tinywasm";

/// The way in which tinywasm runs.
pub(super) fn entries() -> [EngineEntry; 1] {
    let make = |settings: &Settings| Ok(Box::new(Tinywasm::new(settings)) as Box<dyn Engine>);
    [EngineEntry::new(NAME, VERSION, make)
        .roles(&[Role::Target, Role::Reference, Role::Opinion])
        .lineage(Lineage { validation: "wasmparser", execution: NAME })
        .with_raw_nans()
        .about("a small interpreter, which starts within microseconds")]
}

/// tinywasm as a black box.
///
/// ```
/// use mutagen_oracles::{Engine, Settings, Tinywasm, Validity};
///
/// let tinywasm = Tinywasm::new(&Settings::default());
/// assert_eq!(tinywasm.validate(b"\0asm\x01\0\0\0"), Validity::Accepted);
/// ```
#[derive(Clone)]
pub struct Tinywasm {
    features: Features,
    limits: Limits,
    /// Whether modules are put into words that it understands, see docs/discrepancies.md.
    mends: bool,
    /// The module that was accepted last: it is usually instantiated next.
    accepted: Arc<Mutex<Option<Accepted>>>,
}

/// A module that is valid.
struct Accepted {
    bytes: Vec<u8>,
    /// The module as tinywasm knows it, if it has seen it.
    module: Option<Module>,
}

/// How many values of each size the stacks hold at most: as many as a frame within our limits can have, some times over.
const STACK_VALUES: usize = 1 << 20;

impl Tinywasm {
    /// tinywasm with these settings. It canonicalises the NaNs of vectors whatever the settings say about that, and those of
    /// scalars only in modules that are [mended](Settings::mends).
    pub fn new(settings: &Settings) -> Self {
        let Settings { features, limits, mends, .. } = *settings;
        Self { features, limits, mends, accepted: Arc::default() }
    }

    /// Whether the module is valid. If so, gives what is known of it.
    ///
    /// tinywasm validates with all features that it has, by a wasmparser that is ours as well. So that one is asked with the
    /// features that are on, and tinywasm need not do it again.
    fn accepted<R>(&self, bytes: &[u8], ask: impl FnOnce(&mut Accepted) -> R) -> Result<R, Rejection> {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = accepted.as_mut().filter(|known| known.bytes == bytes) {
            return Ok(ask(known));
        }
        let rejected = rejects(bytes, wasm_features(self.features)).map(Rejection);
        rejected.map_or(Ok(()), Err)?;
        Ok(ask(accepted.insert(Accepted { bytes: bytes.to_vec(), module: None })))
    }

    /// The module as tinywasm knows it.
    fn parsed(&self, bytes: &[u8]) -> Result<Module, Rejection> {
        self.accepted(bytes, |known| {
            if let Some(module) = &known.module {
                return Ok(module.clone());
            }
            let module = trusting(bytes)?;
            known.module = Some(module.clone());
            Ok(module)
        })?
    }

    /// The same of the module in other words. If host functions call back, which tinywasm does without fuel, it counts ticks.
    fn mended(&self, bytes: &[u8], ticks: bool) -> Result<(Module, Option<String>), Rejection> {
        self.accepted(bytes, |_| ())?;
        let mended = mended(bytes, Mending { ticks, ..FAULTS }).map_err(Rejection::new)?;
        Ok((trusting(&mended.bytes)?, mended.ticks))
    }

    fn compiled(&self, bytes: &[u8], calls_back: bool) -> Result<CompiledModule, Rejection> {
        let (module, ticks) =
            if self.mends { self.mended(bytes, calls_back)? } else { (self.parsed(bytes)?, None) };
        let exceeded = over_limits(&module, &self.limits);
        Ok(CompiledModule { exceeded, module, ticks, limits: self.limits })
    }
}

/// What it is known to do wrong: docs/discrepancies.md has all of it.
const FAULTS: Mending = Mending {
    nans: true,
    references: true,
    tail_calls: true,
    joins: true,
    truncations: false,
    dead_code: true,
    wide_blocks: true,
    ticks: false,
};

/// Reads a module that is valid.
fn trusting(bytes: &[u8]) -> Result<Module, Rejection> {
    let trusting = Parser::with_options(ParserOptions::default().with_validation(false));
    trusting.parse_module_bytes(bytes).map_err(Rejection::new)
}

/// The configuration of a store. Stacks are small at first, because every instance has its own.
fn config(limits: &Limits) -> Config {
    let values = StackConfig::dynamic(64, STACK_VALUES);
    Config::new().with_value_stack(values).with_call_stack(StackConfig::dynamic(16, limits.recursion))
}

impl Engine for Tinywasm {
    fn name(&self) -> &str {
        NAME
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        if self.mends { self.accepted(bytes, |_| ()).into() } else { self.parsed(bytes).into() }
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.instantiate_with(bytes, &[])
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        self.compiled(bytes, hosts.iter().any(HostPlan::calls_back))?.instance(hosts)
    }

    fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
        Ok(Box::new(self.compiled(bytes, false)?))
    }

    /// Those of its wasmparser.
    fn limit(&self, which: Which) -> Option<u64> {
        match which {
            Which::Locals => Some(50_000),
            Which::BodyBytes | Which::BrTableTargets => Some(7_654_321),
            other => web_limit(other),
        }
    }
}

struct CompiledModule {
    module: Module,
    limits: Limits,
    /// The limit of ours that the module exceeds before anything runs.
    exceeded: Option<Which>,
    /// The export of a global that counts ticks. Nobody else may see it.
    ticks: Option<String>,
}

impl CompiledModule {
    fn instance(&self, hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        if let Some(which) = self.exceeded {
            return Err(Instantiation::ended(Ending::Limited(which), State::default()));
        }
        let module = within(&self.module, &self.limits);
        let config = config(&self.limits);
        let mut instance = TinywasmInstance::new(module, self.ticks.clone(), config, &self.limits, hosts);
        match instance.start() {
            Ok(()) => Ok(Box::new(instance)),
            Err(ending) => Err(Instantiation::ended(ending, instance.state())),
        }
    }
}

impl Compiled for CompiledModule {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation> {
        self.instance(&[])
    }
}

/// The limit that a module exceeds with what it asks for at the start.
fn over_limits(module: &Module, limits: &Limits) -> Option<Which> {
    let (memories, tables) = (memories(module).count(), tables(module).count());
    match () {
        () if memories > limits.memories => Some(Which::Memories),
        () if tables > limits.tables => Some(Which::Tables),
        () if self::memories(module).any(|ty| ty.page_count_initial() > limits.memory_pages as u64) => {
            Some(Which::MemoryPages)
        }
        () if self::tables(module).any(|ty| ty.size_initial > limits.table_elements as u64) => {
            Some(Which::TableElements)
        }
        () => None,
    }
}

fn memories(module: &Module) -> impl Iterator<Item = &MemoryType> {
    let imported = module.imports.iter().filter_map(|import| match &import.kind {
        ImportKind::Memory(ty) => Some(ty),
        _ => None,
    });
    imported.chain(&module.memory_types)
}

fn tables(module: &Module) -> impl Iterator<Item = &TableType> {
    let imported = module.imports.iter().filter_map(|import| match &import.kind {
        ImportKind::Table(ty) => Some(ty),
        _ => None,
    });
    imported.chain(&module.table_types)
}

/// The module with maxima that are within our limits, with memories that are made in their order, and with a name of its own for each
/// import: a host is asked for imports by name, and names may repeat.
fn within(module: &Module, limits: &Limits) -> Module {
    let mut module = ModuleInner::clone(module);
    let (pages, elements) = (limits.memory_pages as u64, limits.table_elements as u64);
    let memory = |ty: &mut MemoryType| *ty = ty.with_page_count_max(Some(ty.page_count_max().min(pages)));
    let table = |ty: &mut TableType| ty.size_max = Some(ty.size_max.unwrap_or(elements).min(elements));
    for (number, import) in module.imports.iter_mut().enumerate() {
        import.name = number.to_string().into();
        match &mut import.kind {
            ImportKind::Memory(ty) => memory(ty),
            ImportKind::Table(ty) => table(ty),
            ImportKind::Function(_) | ImportKind::Global(_) => {}
        }
    }
    module.memory_types.iter_mut().for_each(memory);
    // Memories that are made when they are first written are not made in their order.
    if module.memory_types.len() > 1 && module.local_memory_allocation == LocalMemoryAllocation::Lazy {
        module.local_memory_allocation = LocalMemoryAllocation::Eager;
    }
    module.table_types.iter_mut().for_each(table);
    module.into()
}
