//! Settings by name.

use super::{Coverage, MutagenConfig, Priority, Sizes, Ties};
use crate::{NumberMutants, Order, SequenceMutants};
use std::fmt;

/// A setting that can be made by name.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The name: `fifo`, or `depth=N` if a number belongs to it.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    effect: Effect,
}

#[derive(Clone, Copy, Debug)]
enum Effect {
    Word(fn(&mut MutagenConfig)),
    Number(fn(&mut MutagenConfig, usize)),
}

const fn word(name: &'static str, meaning: &'static str, effect: fn(&mut MutagenConfig)) -> Switch {
    Switch { name, meaning, effect: Effect::Word(effect) }
}

const fn number(name: &'static str, meaning: &'static str, effect: fn(&mut MutagenConfig, usize)) -> Switch {
    Switch { name, meaning, effect: Effect::Number(effect) }
}

/// All switches, those of one field next to each other.
static SWITCHES: &[Switch] = &[
    word("edges", "new is a step between probes never taken", |c| c.novelty = Coverage::Edges),
    word("trie", "new is a path never taken", |c| c.novelty = Coverage::Paths),
    word("hit-buckets", "new is a step never taken about as often", |c| c.novelty = Coverage::HitBuckets),
    word("most-new", "most new edges first", |c| c.priority = Priority::MostNew),
    word("branching-depth", "soonest new path first", |c| c.priority = Priority::BranchingDepth),
    word("constant-priority", "all interesting tests are equal", |c| c.priority = Priority::Constant),
    word("lifo", "newest first among equals", |c| c.ties = Ties::Lifo),
    word("fifo", "oldest first among equals", |c| c.ties = Ties::Fifo),
    word("two-stores", "remember passed and discarded tests apart", |c| c.two_stores = true),
    word("one-store", "remember passed and discarded tests together", |c| c.two_stores = false),
    word("parent-passed", "keep a discarded test only if its parent passed", |c| c.parent_passed_rule = true),
    word("no-parent-passed", "keep any discarded test that is new", |c| c.parent_passed_rule = false),
    number("reset=N", "forget everything after N boring tests", |c, n| c.reset_after = Some(n)),
    word("no-reset", "never forget", |c| c.reset_after = None),
    word("reset-doubles", "wait twice as long for each next reset", |c| c.reset_doubles = true),
    word("no-reset-doubles", "wait as long for each reset", |c| c.reset_doubles = false),
    word("reset-waits", "reset only when all mutants were run", |c| c.reset_waits = true),
    word("no-reset-waits", "reset at any time", |c| c.reset_waits = false),
    number("restart=N", "begin afresh after N tests, then 2 N, ... up to 16 N", |c, n| {
        c.restart_after = Some(n)
    }),
    word("no-restart", "never begin afresh while there are mutants", |c| c.restart_after = None),
    number("samples=N", "draw random mutants N times at first", |c, n| c.samples = n),
    number("samples-cap=N", "draw random mutants at most N times", |c, n| c.samples_cap = Some(n)),
    word("no-samples-cap", "draw random mutants ever more often", |c| c.samples_cap = None),
    number("depth=N", "at most N generations of mutants", |c, n| c.max_depth = Some(n)),
    word("no-depth", "any number of generations", |c| c.max_depth = None),
    number("trace-length=N", "look at the first N events of a trace", |c, n| c.max_trace = Some(n)),
    word("no-trace-length", "look at all of a trace", |c| c.max_trace = None),
    word("dedup", "skip tests that were run already", |c| c.dedup = true),
    word("no-dedup", "run tests again", |c| c.dedup = false),
    number("generate-every=N", "generate every N-th test", |c, n| c.generate_every = Some(n)),
    word("no-generate-every", "generate only when there are no mutants", |c| c.generate_every = None),
    number("discarded-every=N", "mutate a discarded test every N tests", |c, n| c.discarded_every = Some(n)),
    word("no-discarded-every", "mutate discarded tests last", |c| c.discarded_every = None),
    word("level-order", "mutate the root first, then level by level", |c| c.order = Order::Level),
    word("pre-order", "mutate a value before its parts", |c| c.order = Order::Pre),
    word("post-order", "mutate a value after its parts", |c| c.order = Order::Post),
    word("shuffle", "the seed permutes the mutants of a position", |c| c.shuffle = true),
    word("no-shuffle", "mutants come in the order of the types", |c| c.shuffle = false),
    number("fragments=N", "try N parts of earlier tests at each position", |c, n| c.fragments = Some(n)),
    word("no-fragments", "keep no parts of earlier tests", |c| c.fragments = None),
    word("rich-sequences", "sequences: change every index", |c| c.sequences = SequenceMutants::Rich),
    word("paper-sequences", "sequences: as published", |c| c.sequences = SequenceMutants::Paper),
    word("boundary-numbers", "numbers: boundary values first", |c| c.numbers = NumberMutants::Boundary),
    word("paper-numbers", "numbers: random small ones", |c| c.numbers = NumberMutants::Paper),
    number("max-size=N", "generate values up to size N", |c, n| c.max_size = n),
    word("uniform-sizes", "generate values of any size", |c| c.sizes = Sizes::Uniform),
    word("quickcheck-sizes", "generate larger and larger values", |c| c.sizes = Sizes::QuickCheck),
    word("return-subvalues", "a value may become a part of itself", |c| c.return_subvalues = true),
    word("no-return-subvalues", "a value never becomes a part of itself", |c| c.return_subvalues = false),
    word("twins", "mutate what two fields have in common also in both", |c| c.twins = true),
    word("no-twins", "mutate one place at a time", |c| c.twins = false),
    word("parameters", "change plain fields beside twins along with them", |c| c.parameters = true),
    word("no-parameters", "change plain fields by themselves", |c| c.parameters = false),
    number("queue=N", "keep at most N interesting tests", |c, n| c.max_queue = n),
];

/// A switch that does not exist, or whose number is missing or wrong. Its message lists those that do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSwitch(String);

impl fmt::Display for UnknownSwitch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = SWITCHES.iter().map(|switch| switch.name).collect();
        write!(formatter, "there is no switch `{}`; the switches are: {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownSwitch {}

impl MutagenConfig {
    /// All switches that [`set`](MutagenConfig::set) knows.
    pub fn all_switches() -> &'static [Switch] {
        SWITCHES
    }

    /// Sets one heuristic by name, such as `fifo` or `depth=5`.
    pub fn set(&mut self, switch: &str) -> Result<(), UnknownSwitch> {
        SWITCHES
            .iter()
            .find_map(|known| known.apply(switch, self))
            .ok_or_else(|| UnknownSwitch(switch.to_owned()))
    }

    /// The present settings, one switch per field. Setting them all on any configuration gives this one.
    pub fn switches(&self) -> Vec<String> {
        self.search_switches().into_iter().chain(self.value_switches()).collect()
    }

    fn search_switches(&self) -> [String; 16] {
        [
            match self.novelty {
                Coverage::Edges => "edges",
                Coverage::Paths => "trie",
                Coverage::HitBuckets => "hit-buckets",
            }
            .into(),
            match self.priority {
                Priority::MostNew => "most-new",
                Priority::BranchingDepth => "branching-depth",
                Priority::Constant => "constant-priority",
            }
            .into(),
            if self.ties == Ties::Lifo { "lifo" } else { "fifo" }.into(),
            if self.two_stores { "two-stores" } else { "one-store" }.into(),
            yes_no("parent-passed", self.parent_passed_rule),
            some_none("reset", self.reset_after),
            yes_no("reset-doubles", self.reset_doubles),
            yes_no("reset-waits", self.reset_waits),
            some_none("restart", self.restart_after),
            some_none("samples", Some(self.samples)),
            some_none("samples-cap", self.samples_cap),
            some_none("depth", self.max_depth),
            some_none("trace-length", self.max_trace),
            yes_no("dedup", self.dedup),
            some_none("generate-every", self.generate_every),
            some_none("discarded-every", self.discarded_every),
        ]
    }

    fn value_switches(&self) -> [String; 11] {
        [
            match self.order {
                Order::Level => "level-order",
                Order::Pre => "pre-order",
                Order::Post => "post-order",
            }
            .into(),
            yes_no("shuffle", self.shuffle),
            some_none("fragments", self.fragments),
            match self.sequences {
                SequenceMutants::Rich => "rich-sequences",
                SequenceMutants::Paper => "paper-sequences",
            }
            .into(),
            match self.numbers {
                NumberMutants::Boundary => "boundary-numbers",
                NumberMutants::Paper => "paper-numbers",
            }
            .into(),
            some_none("max-size", Some(self.max_size)),
            if self.sizes == Sizes::Uniform { "uniform-sizes" } else { "quickcheck-sizes" }.into(),
            yes_no("return-subvalues", self.return_subvalues),
            yes_no("twins", self.twins),
            yes_no("parameters", self.parameters),
            some_none("queue", Some(self.max_queue)),
        ]
    }
}

impl Switch {
    /// Makes the setting if `text` is this switch.
    fn apply(&self, text: &str, config: &mut MutagenConfig) -> Option<()> {
        match self.effect {
            Effect::Word(effect) if text == self.name => effect(config),
            Effect::Number(effect) => {
                let prefix = self.name.strip_suffix('N')?;
                effect(config, text.strip_prefix(prefix)?.parse().ok()?);
            }
            Effect::Word(_) => return None,
        }
        Some(())
    }
}

fn yes_no(name: &str, yes: bool) -> String {
    if yes { name.into() } else { format!("no-{name}") }
}

fn some_none(name: &str, number: Option<usize>) -> String {
    number.map_or_else(|| format!("no-{name}"), |number| format!("{name}={number}"))
}
