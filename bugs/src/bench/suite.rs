//! Ready-made plans.

use std::time::Duration;

use crate::bench::{Contender, Unknown};

/// MUTAGEN as it is here, as published, its two published ablations, and random testing.
const PAPER: [&str; 5] =
    ["mutagen", "mutagen/paper", "mutagen/paper,no-fifo", "mutagen/paper,no-reset", "random:3"];

/// Guidances that take part with a suite's own strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peers {
    /// Those of the papers that worked on the same tasks, as far as the engine has them.
    OfPaper(&'static [&'static str]),
    /// Every one that the engine has.
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
    /// Who else takes part.
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
        // 64 cells, two at once: 2 minutes if none of them finds anything.
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
    /// All of them.
    pub fn all() -> &'static [Suite] {
        &SUITES
    }

    /// The suite with this name.
    ///
    /// # Errors
    ///
    /// An unknown name comes with the nearest known one.
    pub fn find(name: &str) -> Result<&'static Suite, Unknown> {
        let names = || SUITES.iter().map(|suite| suite.name);
        SUITES.iter().find(|suite| suite.name == name).ok_or_else(|| {
            let hint = format!("the suites are {}", names().collect::<Vec<_>>().join(", "));
            Unknown::new("suite", name, names(), hint)
        })
    }

    /// Who takes part.
    ///
    /// # Errors
    ///
    /// Names a strategy that the engine does not have.
    pub fn contenders(&self) -> Result<Vec<Contender>, Unknown> {
        let mut contenders: Vec<Contender> =
            self.strategies.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        let invited = |name: &str| match self.peers {
            Peers::OfPaper(names) => names.contains(&name),
            Peers::All => true,
        };
        for peer in Contender::every_guidance() {
            if invited(&peer.name) && contenders.iter().all(|contender| contender.name != peer.name) {
                contenders.push(peer);
            }
        }
        Ok(contenders)
    }
}
