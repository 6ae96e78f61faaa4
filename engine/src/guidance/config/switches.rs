//! The switches of the MUTAGEN loop.

use super::{Coverage, MutagenConfig, Priority, Sizes, Ties};
use crate::guidance::switches::{Switch, Switches, UnknownSwitch, limit, max_size, number, word};
use crate::{NumberMutants, Order, SequenceMutants};

impl Switches for MutagenConfig {
    const GUIDANCE: &'static str = "mutagen";
    const SWITCHES: &'static [Switch<Self>] = &[
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
        word("parent-passed", "keep a discarded test only if its parent passed", |c| {
            c.parent_passed_rule = true
        }),
        word("no-parent-passed", "keep any discarded test that is new", |c| c.parent_passed_rule = false),
        limit("reset=N", "forget everything after N boring tests", |c| &mut c.reset_after),
        word("no-reset", "never forget", |c| c.reset_after = None),
        word("reset-doubles", "wait twice as long for each next reset", |c| c.reset_doubles = true),
        word("no-reset-doubles", "wait as long for each reset", |c| c.reset_doubles = false),
        word("reset-waits", "reset only when all mutants were run", |c| c.reset_waits = true),
        word("no-reset-waits", "reset at any time", |c| c.reset_waits = false),
        limit("restart=N", "begin afresh after N tests, then 2 N, ... up to 16 N", |c| &mut c.restart_after),
        word("no-restart", "never begin afresh while there are mutants", |c| c.restart_after = None),
        number("samples=N", "draw random mutants N times at first", |c| &mut c.samples),
        limit("samples-cap=N", "draw random mutants at most N times", |c| &mut c.samples_cap),
        word("no-samples-cap", "draw random mutants ever more often", |c| c.samples_cap = None),
        limit("depth=N", "at most N generations of mutants", |c| &mut c.max_depth),
        word("no-depth", "any number of generations", |c| c.max_depth = None),
        limit("trace-length=N", "look at the first N events of a trace", |c| &mut c.max_trace),
        word("no-trace-length", "look at all of a trace", |c| c.max_trace = None),
        word("dedup", "skip tests that were run already", |c| c.dedup = true),
        word("no-dedup", "run tests again", |c| c.dedup = false),
        limit("generate-every=N", "generate every N-th test", |c| &mut c.generate_every),
        word("no-generate-every", "generate only when there are no mutants", |c| c.generate_every = None),
        limit("discarded-every=N", "mutate a discarded test every N tests", |c| &mut c.discarded_every),
        word("no-discarded-every", "mutate discarded tests last", |c| c.discarded_every = None),
        word("level-order", "mutate the root first, then level by level", |c| c.order = Order::Level),
        word("pre-order", "mutate a value before its parts", |c| c.order = Order::Pre),
        word("post-order", "mutate a value after its parts", |c| c.order = Order::Post),
        word("shuffle", "the seed permutes the mutants of a position", |c| c.shuffle = true),
        word("no-shuffle", "mutants come in the order of the types", |c| c.shuffle = false),
        limit("fragments=N", "try N parts of earlier tests at each position", |c| &mut c.fragments),
        word("no-fragments", "keep no parts of earlier tests", |c| c.fragments = None),
        word("rich-sequences", "sequences: change every index", |c| c.sequences = SequenceMutants::Rich),
        word("paper-sequences", "sequences: as published", |c| c.sequences = SequenceMutants::Paper),
        word("boundary-numbers", "numbers: boundary values first", |c| c.numbers = NumberMutants::Boundary),
        word("paper-numbers", "numbers: random small ones", |c| c.numbers = NumberMutants::Paper),
        max_size(|c| &mut c.max_size),
        word("uniform-sizes", "generate values of any size", |c| c.sizes = Sizes::Uniform),
        word("quickcheck-sizes", "generate larger and larger values", |c| c.sizes = Sizes::QuickCheck),
        word("return-subvalues", "a value may become a part of itself", |c| c.return_subvalues = true),
        word("no-return-subvalues", "a value never becomes a part of itself", |c| c.return_subvalues = false),
        word("twins", "mutate what two fields have in common also in both", |c| c.twins = true),
        word("no-twins", "mutate one place at a time", |c| c.twins = false),
        word("parameters", "change plain fields beside twins along with them", |c| c.parameters = true),
        word("no-parameters", "change plain fields by themselves", |c| c.parameters = false),
        number("queue=N", "keep at most N interesting tests", |c| &mut c.max_queue),
    ];
}

impl MutagenConfig {
    /// All switches that [`set`](MutagenConfig::set) knows.
    pub fn all_switches() -> &'static [Switch<MutagenConfig>] {
        Self::SWITCHES
    }

    /// Sets one heuristic by name, such as `fifo` or `depth=5`.
    ///
    /// # Errors
    ///
    /// If there is no such switch. The message lists those that there are.
    pub fn set(&mut self, switch: &str) -> Result<(), UnknownSwitch> {
        self.switch(switch)
    }

    /// The present settings, one switch per field. Setting them all on any configuration gives this one.
    pub fn switches(&self) -> Vec<String> {
        self.present()
    }
}
