//! The one driver of all contenders.

use crate::Contender;
use crate::contender::Raced;
use mutagen_engine::{Campaign, Verdict};
use mutagen_engine_demos::{Demo, lambda, red_black_tree, search_tree, sorted_list};
use std::time::{Duration, Instant};

/// A bug of one of the demos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BugOfDemo {
    /// Of the sorted list.
    SortedList(sorted_list::Bug),
    /// Of the search tree.
    SearchTree(search_tree::Bug),
    /// Of the red-black tree.
    RedBlackTree(red_black_tree::Bug),
    /// Of the lambda calculus.
    Lambda(lambda::Bug),
}

/// What one seed led to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Whether a test failed within the time.
    pub found: bool,
    /// How many tests were run, the failing one included.
    pub tests: u64,
    /// How long that took, with everything that the contender did to prepare itself.
    pub seconds: f64,
}

/// All bugs of all demos, in their order.
pub fn bugs() -> Vec<BugOfDemo> {
    let lists = sorted_list::Bug::ALL.iter().copied().map(BugOfDemo::SortedList);
    let search_trees = search_tree::Bug::ALL.iter().copied().map(BugOfDemo::SearchTree);
    let red_black_trees = red_black_tree::Bug::ALL.iter().copied().map(BugOfDemo::RedBlackTree);
    let terms = lambda::Bug::ALL.iter().copied().map(BugOfDemo::Lambda);
    lists.chain(search_trees).chain(red_black_trees).chain(terms).collect()
}

impl BugOfDemo {
    /// The name of the program.
    pub fn program(self) -> &'static str {
        match self {
            BugOfDemo::SortedList(_) => sorted_list::Bug::NAME,
            BugOfDemo::SearchTree(_) => search_tree::Bug::NAME,
            BugOfDemo::RedBlackTree(_) => red_black_tree::Bug::NAME,
            BugOfDemo::Lambda(_) => lambda::Bug::NAME,
        }
    }

    /// The name of the bug, which another program may use, too.
    pub fn name(self) -> String {
        match self {
            BugOfDemo::SortedList(bug) => format!("{bug:?}"),
            BugOfDemo::SearchTree(bug) => format!("{bug:?}"),
            BugOfDemo::RedBlackTree(bug) => format!("{bug:?}"),
            BugOfDemo::Lambda(bug) => format!("{bug:?}"),
        }
    }
}

/// Lets a contender hunt a bug until a test fails or the time is up.
pub fn hunt(contender: Contender, bug: BugOfDemo, seed: u64, limit: Duration) -> Trial {
    match bug {
        BugOfDemo::SortedList(bug) => run(contender, bug, seed, limit),
        BugOfDemo::SearchTree(bug) => run(contender, bug, seed, limit),
        BugOfDemo::RedBlackTree(bug) => run(contender, bug, seed, limit),
        BugOfDemo::Lambda(bug) => run(contender, bug, seed, limit),
    }
}

fn run<D: Demo<Case: Raced>>(contender: Contender, bug: D, seed: u64, limit: Duration) -> Trial {
    let start = Instant::now();
    let mut guidance = contender.guidance::<D::Case>(seed);
    let mut seconds = None;
    let mut property = |case: &D::Case| {
        let outcome = D::check(Some(bug), case);
        if let Verdict::Failed(_) = outcome.verdict {
            // The time of a trial ends here: making a report is no part of it.
            seconds.get_or_insert_with(|| start.elapsed().as_secs_f64());
        }
        outcome
    };
    let tests = Campaign::new(seed).time(limit).run(&mut guidance, &mut property).tests;
    Trial {
        found: seconds.is_some(),
        tests,
        seconds: seconds.unwrap_or_else(|| start.elapsed().as_secs_f64()),
    }
}
