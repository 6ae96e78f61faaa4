//! Limits: those by which engines explain a rejection, and those that keep a compiler from being led astray.

use std::{collections::BTreeMap, fmt};

use mutagen_features::Features;

use crate::{
    engine::Engine,
    scan::{Scan, stack_cells},
};

/// A quantity that can be limited.
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

impl Which {
    /// All of them, in their order.
    pub const ALL: [Which; 21] = [
        Which::InputBytes,
        Which::Types,
        Which::Parameters,
        Which::Results,
        Which::Imports,
        Which::Functions,
        Which::Tables,
        Which::Memories,
        Which::Globals,
        Which::Exports,
        Which::ElementSegments,
        Which::DataSegments,
        Which::NameBytes,
        Which::BodyBytes,
        Which::Locals,
        Which::StackCells,
        Which::BrTableTargets,
        Which::Nesting,
        Which::LoopLocals,
        Which::MemoryPages,
        Which::TableElements,
    ];
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

/// The limit that engines in browsers have agreed on; most other engines have it, too. `None` where there is none.
///
/// ```
/// use mutagen_oracles::{Which, web_limit};
///
/// assert_eq!(web_limit(Which::Parameters), Some(1_000));
/// ```
pub fn web_limit(which: Which) -> Option<u64> {
    match which {
        Which::Tables | Which::Memories => Some(100),
        Which::Parameters | Which::Results => Some(1_000),
        Which::ElementSegments | Which::DataSegments | Which::NameBytes => Some(100_000),
        Which::Types | Which::Imports | Which::Functions | Which::Globals | Which::Exports => Some(1_000_000),
        Which::InputBytes
        | Which::BodyBytes
        | Which::Locals
        | Which::StackCells
        | Which::BrTableTargets
        | Which::Nesting
        | Which::LoopLocals
        | Which::MemoryPages
        | Which::TableElements => None,
    }
}

/// What can explain that an engine rejects a module, in the order in which it is tried: first that in which engines
/// differ most.
const EXPLANATIONS: [Which; 18] = [
    Which::Locals,
    Which::StackCells,
    Which::BrTableTargets,
    Which::BodyBytes,
    Which::Tables,
    Which::Memories,
    Which::Parameters,
    Which::Results,
    Which::Types,
    Which::Imports,
    Which::Functions,
    Which::Globals,
    Which::Exports,
    Which::ElementSegments,
    Which::DataSegments,
    Which::NameBytes,
    Which::MemoryPages,
    Which::TableElements,
];

/// The engine's limit that explains why it rejects a module, if there is one.
pub(crate) fn explain_rejection(bytes: &[u8], features: Features, by: &dyn Engine) -> Option<Which> {
    let scan = Scan::of(bytes);
    let exceeded =
        |which: &Which| by.limit(*which).is_some_and(|limit| measure(*which, &scan, bytes, features) > limit);
    EXPLANATIONS.into_iter().find(exceeded)
}

fn measure(which: Which, scan: &Scan, bytes: &[u8], features: Features) -> u64 {
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
        Which::MemoryPages => scan.memory_pages,
        Which::TableElements => scan.table_elements,
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
    let closed = |row: &&(Which, u64)| measure(row.0, &scan, bytes, Features::NONE) > row.1;
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
        // A frame holds at most every local and every operand. An operand takes at least a byte of code, except for those of
        // calls and blocks with many results.
        let frame = 256 + 16 * (body.locals + body.bytes + body.wide_operands);
        let chain = Chain { depth: below.depth + 1, bytes: below.bytes + frame };
        self.known.insert(function, chain);
        Some(chain)
    }
}
