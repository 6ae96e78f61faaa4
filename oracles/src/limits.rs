//! Limits: those of the engines, as a table, and those that keep a compiler from being led astray.

use std::{collections::BTreeMap, fmt};

use crate::{
    scan::{Scan, stack_cells},
    settings::Features,
};

/// Something of which there can be too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Which {
    /// Bytes of a module.
    InputBytes,
    /// Types.
    Types,
    /// Parameters of a function type.
    Parameters,
    /// Results of a function type.
    Results,
    /// Imports.
    Imports,
    /// Functions with bodies.
    Functions,
    /// Tables.
    Tables,
    /// Memories.
    Memories,
    /// Globals.
    Globals,
    /// Exports.
    Exports,
    /// Element segments.
    ElementSegments,
    /// Data segments.
    DataSegments,
    /// Bytes of a name.
    NameBytes,
    /// Bytes of a function's body.
    BodyBytes,
    /// Parameters and locals of a function.
    Locals,
    /// 64-bit cells that an interpreter sets aside for locals and operands of a function.
    StackCells,
    /// Targets of a `br_table`.
    BrTableTargets,
    /// Blocks within blocks.
    Nesting,
    /// Locals times loops, summed over all functions.
    LoopLocals,
    /// Pages of a memory.
    MemoryPages,
    /// Elements of a table.
    TableElements,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InputBytes => "module bytes",
            Self::Types => "types",
            Self::Parameters => "parameters",
            Self::Results => "results",
            Self::Imports => "imports",
            Self::Functions => "functions",
            Self::Tables => "tables",
            Self::Memories => "memories",
            Self::Globals => "globals",
            Self::Exports => "exports",
            Self::ElementSegments => "element segments",
            Self::DataSegments => "data segments",
            Self::NameBytes => "bytes of a name",
            Self::BodyBytes => "bytes of a function body",
            Self::Locals => "locals",
            Self::StackCells => "stack cells",
            Self::BrTableTargets => "br_table targets",
            Self::Nesting => "nested blocks",
            Self::LoopLocals => "locals times loops",
            Self::MemoryPages => "memory pages",
            Self::TableElements => "table elements",
        })
    }
}

/// The greatest number of something that each engine takes; `None` is without limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimit {
    /// Of what.
    pub which: Which,
    /// The most that wasmi takes.
    pub target: Option<u64>,
    /// The most that wasmtime takes.
    pub reference: Option<u64>,
}

const fn both(which: Which, limit: u64) -> EngineLimit {
    EngineLimit { which, target: Some(limit), reference: Some(limit) }
}

/// What the engines take, as measured. Where they differ, one accepts a module and the other does not, legally.
pub const ENGINE_LIMITS: &[EngineLimit] = &[
    EngineLimit { which: Which::Locals, target: Some(30_000), reference: Some(50_000) },
    EngineLimit { which: Which::StackCells, target: Some(65_535), reference: None },
    EngineLimit { which: Which::BrTableTargets, target: Some(131_072), reference: Some(65_520) },
    EngineLimit { which: Which::BodyBytes, target: None, reference: Some(7_654_321) },
    both(Which::Tables, 100),
    both(Which::Memories, 100),
    both(Which::Parameters, 1_000),
    both(Which::Results, 1_000),
    both(Which::Types, 1_000_000),
    both(Which::Imports, 1_000_000),
    both(Which::Functions, 1_000_000),
    both(Which::Globals, 1_000_000),
    both(Which::Exports, 1_000_000),
    both(Which::ElementSegments, 100_000),
    both(Which::DataSegments, 100_000),
    both(Which::NameBytes, 100_000),
];

/// What a generator should stay below, far from where engines begin to differ: half of what every engine takes.
///
/// ```
/// use mutagen_oracles::{Which, generator_limit};
///
/// assert_eq!(generator_limit(Which::Locals), Some(15_000));
/// ```
pub fn generator_limit(which: Which) -> Option<u64> {
    let row = ENGINE_LIMITS.iter().find(|row| row.which == which)?;
    row.target.into_iter().chain(row.reference).min().map(|limit| limit / 2)
}

/// Which of the two engines a limit belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Target,
    Reference,
}

/// The limit that explains why one engine alone rejects a module, if there is one.
pub(crate) fn explain_rejection(bytes: &[u8], features: &Features, by: Side) -> Option<Which> {
    let scan = Scan::of(bytes);
    let exceeded = |row: &&EngineLimit| {
        let limit = if by == Side::Target { row.target } else { row.reference };
        limit.is_some_and(|limit| measure(row.which, &scan, bytes, features) > limit)
    };
    ENGINE_LIMITS.iter().find(exceeded).map(|row| row.which)
}

fn measure(which: Which, scan: &Scan, bytes: &[u8], features: &Features) -> u64 {
    match which {
        Which::InputBytes => bytes.len() as u64,
        Which::Types => scan.types,
        Which::Parameters => scan.parameters,
        Which::Results => scan.results,
        Which::Imports => scan.imports,
        Which::Functions => scan.bodies.len() as u64,
        Which::Tables => scan.tables,
        Which::Memories => scan.memories,
        Which::Globals => scan.globals,
        Which::Exports => scan.exports,
        Which::ElementSegments => scan.element_segments,
        Which::DataSegments => scan.data_segments,
        Which::NameBytes => scan.name_bytes,
        Which::BodyBytes => scan.greatest(|body| body.bytes),
        Which::Locals => scan.greatest(|body| body.locals),
        Which::StackCells => stack_cells(bytes, features),
        Which::BrTableTargets => scan.greatest(|body| body.br_table_targets),
        Which::Nesting => scan.greatest(|body| body.nesting),
        Which::LoopLocals => loop_locals(scan),
        // Decided at run time, by the limiter.
        Which::MemoryPages | Which::TableElements => 0,
    }
}

fn loop_locals(scan: &Scan) -> u64 {
    scan.bodies.iter().map(|body| body.locals.saturating_mul(body.loops)).fold(0, u64::saturating_add)
}

/// What is let through to the compiler. Compiling cannot be interrupted, and a few kilobytes in the wrong shape keep
/// it busy for a minute; within these bounds it stays well under a second.
pub const GATE: &[(Which, u64)] = &[
    (Which::BodyBytes, 256 * 1024),
    (Which::Functions, 2_000),
    (Which::Nesting, 2_000),
    (Which::LoopLocals, 50_000),
    (Which::BrTableTargets, 10_000),
];

/// The gate in front of the compiler: `Some` if a module should not be given to it.
///
/// ```
/// assert_eq!(mutagen_oracles::gate(b"\0asm\x01\0\0\0"), None);
/// ```
pub fn gate(bytes: &[u8]) -> Option<Which> {
    let scan = Scan::of(bytes);
    let closed = |row: &&(Which, u64)| measure(row.0, &scan, bytes, &Features::NONE) > row.1;
    GATE.iter().find(closed).map(|row| row.0)
}

/// The stack that every engine is sure to have for compiled frames: a quarter of what we give to the one that counts
/// in bytes.
const SURE_STACK_BYTES: u64 = crate::guard::WASM_STACK_BYTES as u64 / 4;

/// Calls within calls that every engine is sure to manage.
const SURE_DEPTH: u64 = 200;

/// Whether no program in this module can exhaust a stack: nothing recurs, nothing is called indirectly, and the
/// longest chain of calls is short and has small frames. Exhaustion is then a fault and not a choice.
pub(crate) fn is_shallow(bytes: &[u8]) -> bool {
    let scan = Scan::of(bytes);
    let mut chains = Chains { scan: &scan, known: BTreeMap::new() };
    (0..scan.bodies.len() as u32).all(|function| {
        chains
            .longest(function + scan.imported_functions, 0)
            .is_some_and(|chain| chain.depth <= SURE_DEPTH && chain.bytes <= SURE_STACK_BYTES)
    })
}

#[derive(Clone, Copy, Default)]
struct Chain {
    depth: u64,
    bytes: u64,
}

/// The longest chain of calls from each function, as far as known.
struct Chains<'a> {
    scan: &'a Scan,
    known: BTreeMap<u32, Chain>,
}

impl Chains<'_> {
    /// `None` if the chain may be endless or is only known at run time.
    fn longest(&mut self, function: u32, depth: u64) -> Option<Chain> {
        if let Some(chain) = self.known.get(&function) {
            return Some(*chain);
        }
        let Some(index) = function.checked_sub(self.scan.imported_functions) else {
            return Some(Chain::default());
        };
        let body = self.scan.bodies.get(index as usize)?;
        if body.calls_indirectly || depth > SURE_DEPTH {
            return None;
        }
        let mut below = Chain::default();
        for callee in &body.callees {
            let chain = self.longest(*callee, depth + 1)?;
            below = Chain { depth: below.depth.max(chain.depth), bytes: below.bytes.max(chain.bytes) };
        }
        // No frame holds more than each local and each operand. An operand takes at least a byte of code, but for those of
        // calls and blocks with many.
        let frame = 256 + 16 * (body.locals + body.bytes + body.wide_operands);
        let chain = Chain { depth: below.depth + 1, bytes: below.bytes + frame };
        self.known.insert(function, chain);
        Some(chain)
    }
}
