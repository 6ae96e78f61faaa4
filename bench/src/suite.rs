//! Ready-made plans.

use std::time::Duration;

use crate::{PlannedStrategy, Unknown};

/// MUTAGEN with our defaults and as published, its two published ablations, and random testing.
const PAPER: [&str; 5] =
    ["mutagen", "mutagen/paper", "mutagen/paper,no-fifo", "mutagen/paper,no-reset", "random:3"];

/// Guidances that take part besides a suite's own strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peers {
    /// The guidances of the papers that used the same tasks, as far as the engine has them.
    OfPaper(&'static [&'static str]),
    /// Every guidance of the engine.
    All,
}

/// A plan with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suite {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Patterns of tasks.
    pub tasks: &'static [&'static str],
    /// Strategies, with trials where they differ from `trials`.
    strategies: &'static [&'static str],
    /// The guidances that also take part.
    peers: Peers,
    /// Trials per task and strategy.
    pub trials: u32,
    /// The time limit of a trial.
    pub time: Duration,
}

const SUITES: [Suite; 6] = [
    Suite {
        name: "smoke",
        about: "a few bugs of every workload, in two minutes on two cores",
        tasks: &[
            "wasm-3",
            "wasm-6",
            "wasm-11",
            "stack-1",
            "stack-7",
            "stack-18",
            "register-14",
            "register-25",
        ],
        strategies: &["mutagen", "mutagen/paper", "random:2"],
        peers: Peers::OfPaper(&[]),
        trials: 3,
        // 64 cells, two at once: at most 2 minutes, if no cell finds its bug.
        time: Duration::from_secs(4),
    },
    Suite {
        name: "paper-wasm",
        about: "the WebAssembly study of the MUTAGEN paper (Table 2, Fig. 4)",
        tasks: &["wasm-?", "wasm-1?"],
        strategies: &PAPER,
        peers: Peers::OfPaper(&[]),
        trials: 10,
        time: Duration::from_secs(20),
    },
    Suite {
        name: "paper-ifc",
        about: "the stack machine of the MUTAGEN and FuzzChick papers (Tables 3 and 4, Fig. 3)",
        tasks: &["stack-*"],
        strategies: &PAPER,
        peers: Peers::OfPaper(&["fuzzchick", "crowbar"]),
        trials: 10,
        time: Duration::from_secs(20),
    },
    Suite {
        name: "register",
        about: "the register machine of the FuzzChick paper (Fig. 9)",
        tasks: &["register-*"],
        strategies: &PAPER,
        peers: Peers::OfPaper(&["fuzzchick"]),
        trials: 10,
        time: Duration::from_secs(20),
    },
    Suite {
        name: "held-out",
        about: "bugs of our own, first hunted when the defaults stood",
        tasks: &["wasm-x*"],
        strategies: &PAPER,
        peers: Peers::OfPaper(&[]),
        trials: 10,
        time: Duration::from_secs(20),
    },
    Suite {
        name: "all",
        about: "every bug and every guidance",
        tasks: &["*"],
        strategies: &PAPER,
        peers: Peers::All,
        trials: 10,
        time: Duration::from_secs(20),
    },
];

impl Suite {
    /// All suites.
    pub fn all() -> &'static [Suite] {
        &SUITES
    }

    /// The suite with this name.
    ///
    /// # Errors
    ///
    /// If there is no such suite. The error names the nearest one.
    pub fn find(name: &str) -> Result<&'static Suite, Unknown> {
        let names = || SUITES.iter().map(|suite| suite.name);
        SUITES.iter().find(|suite| suite.name == name).ok_or_else(|| {
            let hint = format!("the suites are {}", names().collect::<Vec<_>>().join(", "));
            Unknown::new("suite", name, names(), hint)
        })
    }

    /// The strategies that take part.
    ///
    /// # Errors
    ///
    /// If the engine does not have one of the strategies. The error names it.
    pub fn planned(&self) -> Result<Vec<PlannedStrategy>, Unknown> {
        let mut planned: Vec<PlannedStrategy> =
            self.strategies.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        let invited = |name: &str| match self.peers {
            Peers::OfPaper(names) => names.contains(&name),
            Peers::All => true,
        };
        for peer in PlannedStrategy::every_guidance() {
            if invited(&peer.name) && planned.iter().all(|strategy| strategy.name != peer.name) {
                planned.push(peer);
            }
        }
        Ok(planned)
    }
}
