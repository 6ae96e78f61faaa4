//! Scenarios: a module, calls with a history, and host functions with behaviour. All of it is the test, and all of it is
//! mutated and shrunk.
//!
//! Nothing in a scenario depends on types or names: a call picks one of the functions that are there, and a choice fits
//! every type. So each mutant of the module still has its calls, and none is discarded because a type changed.

mod script;
mod stored;

use mutagen_engine::{Count, Generate, Mutable, RootMutants, Scope, Source};
use mutagen_wasm_ast::{Bytes, Module};

pub(crate) use script::{Prepared, prepare, sweep};
pub(crate) use stored::from_case;

/// A module, and what is done with it.
///
/// ```
/// use mutagen_properties::{Scenario, Invoke};
/// use mutagen_wasm_ast::Module;
///
/// // Without calls of its own, every exported function is called with boundary arguments and random ones.
/// let scenario = Scenario::of(Module::default());
/// assert!(scenario.sweep && scenario.calls.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub struct Scenario {
    /// The module.
    pub module: Module,
    /// The calls, in order.
    pub calls: Vec<Invoke>,
    /// Whether every exported function is called afterwards, with boundary arguments and random ones.
    pub sweep: bool,
    /// What imported functions do, by their number. Those without a script are stubs.
    pub hosts: Vec<HostScript>,
}

/// The most calls that a generated scenario has, and the most turns of a host function.
const MOST_CALLS: usize = 6;
const MOST_TURNS: usize = 3;
/// The size of what belongs to calls: numbers and lists up to this.
const SIZE: usize = 4;

impl Scenario {
    /// A module without calls of its own.
    pub fn of(module: Module) -> Self {
        Scenario { module, calls: Vec::new(), sweep: true, hosts: Vec::new() }
    }

    /// A module with random calls, and host functions with random behaviour.
    pub(crate) fn around(module: Module, source: &mut Source) -> Self {
        let calls = (0..1 + source.below(MOST_CALLS)).map(|_| Invoke::generate(source, SIZE)).collect();
        let imported = module.surface().imported_functions.len();
        let planned = if source.chance(2, 3) { imported } else { 0 };
        let hosts = (0..planned).map(|_| HostScript::generate(source, SIZE)).collect();
        Scenario { module, calls, sweep: source.chance(1, 2), hosts }
    }
}

/// A call of an exported function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub struct Invoke {
    /// The function, among the exported ones in the order of their names.
    pub function: Pick,
    /// The arguments. Missing ones are zero, and surplus ones are left out.
    #[mutagen(generate = any_choices)]
    pub arguments: Vec<Choice>,
}

/// How a value is chosen. It fits every type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Choice {
    /// A boundary value of the type. The first is zero or null; the others of a reference type are the functions of the
    /// module or the objects of the host, from number 0 on.
    #[mutagen(default, weight = 3)]
    Boundary(Pick),
    /// A constant of this type in the module. If there is none, a boundary value.
    #[mutagen(weight = 2)]
    Met(Pick),
    /// A result of this type of an earlier call, counted backwards. If there is none, a boundary value.
    #[mutagen(weight = 3)]
    Earlier(Pick),
    /// These bits, as many as the type has. Null for references.
    Bits(#[mutagen(generate = any_bits)] u128),
}

/// What an imported function does in its first call, in its second call, and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Generate, Mutable)]
pub struct HostScript {
    /// The deeds of each call.
    #[mutagen(generate = any_turns)]
    pub turns: Vec<Vec<Deed>>,
    /// Whether the turns start again after the last one.
    pub repeats: bool,
}

/// One thing that a host function does. Picks are among what can be seen from outside: imports, then exports in the order
/// of their names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Deed {
    /// Sets the results.
    Return(#[mutagen(generate = any_choices)] Vec<Choice>),
    /// Writes bytes to a memory.
    Write {
        /// The memory.
        memory: Pick,
        /// The address of the first byte.
        #[mutagen(generate = any_address)]
        address: u64,
        /// The bytes.
        bytes: Bytes,
    },
    /// Grows a memory.
    GrowMemory {
        /// The memory.
        memory: Pick,
        /// By how many pages.
        pages: u64,
    },
    /// Grows a table.
    GrowTable {
        /// The table.
        table: Pick,
        /// By how many elements.
        elements: u64,
        /// What the new elements are.
        value: Choice,
    },
    /// Sets a global.
    SetGlobal {
        /// The global, among the mutable ones.
        global: Pick,
        /// Its new value.
        value: Choice,
    },
    /// Sets an element of a table.
    SetElement {
        /// The table.
        table: Pick,
        /// The index of the element.
        index: u64,
        /// Its new value.
        value: Choice,
    },
    /// Calls an exported function.
    Call {
        /// The function.
        function: Pick,
        /// The arguments.
        #[mutagen(generate = any_choices)]
        arguments: Vec<Choice>,
    },
    /// Traps.
    #[mutagen(default)]
    Trap,
}

/// One of several things, whose number may change: the place among them, starting again after the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Generate, Mutable)]
#[mutagen(mutants = Neighbours, generate = any_pick)]
pub struct Pick(#[mutagen(skip)] pub u32);

impl Pick {
    /// The place among `count` things, if there are any.
    pub(crate) fn among(self, count: usize) -> Option<usize> {
        (self.0 as usize).checked_rem(count)
    }
}

/// How many different picks are generated.
const PICKS: usize = 12;

fn any_pick(source: &mut Source, _: usize) -> Pick {
    Pick(source.below(PICKS) as u32)
}

fn any_bits(source: &mut Source, _: usize) -> u128 {
    u128::from(source.bits()) << 64 | u128::from(source.bits())
}

/// Functions rarely have more parameters or results than this.
fn any_choices(source: &mut Source, size: usize) -> Vec<Choice> {
    (0..SIZE).map(|_| Choice::generate(source, size)).collect()
}

fn any_turns(source: &mut Source, size: usize) -> Vec<Vec<Deed>> {
    let turns = 1 + source.below(MOST_TURNS);
    (0..turns).map(|_| (0..1 + source.below(2)).map(|_| Deed::generate(source, size)).collect()).collect()
}

/// An address in the first page, often near one of its ends.
fn any_address(source: &mut Source, _: usize) -> u64 {
    let [small, any] = [64, 1 << 16].map(|below| source.below(below) as u64);
    [small, (1 << 16) - small, any][source.below(3)]
}

/// The mutants of a [`Pick`]: the first, and both neighbours.
struct Neighbours;

impl Neighbours {
    fn of(pick: Pick) -> impl Iterator<Item = u32> {
        let near = [Some(0), pick.0.checked_sub(1).filter(|below| *below != 0), pick.0.checked_add(1)];
        near.into_iter().flatten().filter(move |other| *other != pick.0)
    }
}

impl RootMutants<Pick> for Neighbours {
    fn count(pick: &Pick, _: &Scope) -> Count {
        Count::fixed(Self::of(*pick).count())
    }

    fn mutate(pick: &mut Pick, number: usize, _: &mut Source) -> bool {
        let mutant = Self::of(*pick).nth(number);
        mutant.inspect(|mutant| *pick = Pick(*mutant)).is_some()
    }

    fn magnitude(pick: &Pick) -> u64 {
        pick.0.into()
    }
}
