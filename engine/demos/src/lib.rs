//! Small programs with switchable bugs on which the engine shows what it can do.
//!
//! Each program has a property with a *sparse precondition*: few random values satisfy it, so plain random testing
//! wastes nearly all of its tests. The bugs are chosen at run time, by an ordinary argument. This package is woven:
//! its code reports where it goes, and the engine follows.
//!
//! ```
//! use mutagen_engine::{Campaign, Mutagen, MutagenConfig};
//! use mutagen_engine_demos::{Demo, search_tree::Bug};
//!
//! let mut guidance = Mutagen::new(MutagenConfig::default(), 1).hashed();
//! let mut property = |case: &_| Bug::check(Some(Bug::InsertForgetsTheRest), case);
//! let report = Campaign::new(1).tests(100_000).run(&mut guidance, &mut property);
//! assert_eq!(report.failed, 1);
//! ```

use mutagen_engine::{Mutable, Outcome};
use std::fmt::Debug;
use std::hash::Hash;

/// Defines the bugs of a program, and lists them as `Bug::LIST`.
macro_rules! bugs {
    ($(#[$about:meta])* pub enum Bug { $($(#[$doc:meta])* $bug:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Bug { $($(#[$doc])* $bug,)* }

        use Bug::*;

        impl Bug {
            const LIST: &'static [Self] = &[$($bug),*];
        }
    };
}

/// What the libraries of the race cannot derive.
#[cfg(feature = "race")]
#[path = "../../race/demos/src/by_hand.rs"]
mod by_hand;

pub mod lambda;
pub mod red_black_tree;
pub mod search_tree;
pub mod sorted_list;

/// A program with bugs, implemented by the type of its bugs.
pub trait Demo: Copy + Debug + Eq + 'static {
    /// The name of the program.
    const NAME: &'static str;
    /// All bugs.
    const ALL: &'static [Self];
    /// What is tested.
    type Case: Mutable + Clone + Hash + Debug;
    /// The property, of the program with this bug or, with `None`, of the correct one.
    fn check(bug: Option<Self>, case: &Self::Case) -> Outcome;
}
