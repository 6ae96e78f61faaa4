//! The MUTAGEN loop, driven by hand: only the queues decide, and what is new is made up.

use mutagen_engine::{Guidance, Mutable, Mutagen, MutagenConfig, Source};

/// A configuration without generation in between, shuffling and parts, with these switches on top.
pub fn plain(switches: &[&str]) -> MutagenConfig {
    let mut config = MutagenConfig::paper();
    for switch in ["edges", "most-new", "rich-sequences"].iter().chain(switches) {
        config.set(switch).expect("a switch");
    }
    config
}

/// Generates empty lists.
pub fn guidance(switches: &[&str]) -> Mutagen<Vec<bool>> {
    Mutagen::with_generator(plain(switches), 0, |_: &mut Source, _| Vec::new())
}

pub fn count<T: Mutable + Clone>(guidance: &Mutagen<T>, name: &str) -> u64 {
    guidance.figures().counts[name]
}
