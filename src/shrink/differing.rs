//! Two engines in another process, and what they do on a module: differ, or end that process.

use std::cell::{Cell, RefCell};
use std::fmt;

use mutagen_campaign::{JudgeApart, Unanswered};
use mutagen_oracles::{Call, HostPlan};
use mutagen_properties::Case;

use crate::exit_code::CommandError;

/// How often it must show before it is believed.
const CONFIRMATIONS: usize = 3;

/// What two engines do on a module, and whether they do the same on others.
pub struct Differing<'a> {
    judge: RefCell<JudgeApart<'a>>,
    only_validity: bool,
    calls: Vec<Call>,
    hosts: Vec<HostPlan>,
    /// What they do on the module as it is.
    first: Shown,
    /// How many other modules ended the process.
    deaths: Cell<usize>,
}

/// What engines do on a module.
enum Shown {
    /// They differ in this kind of answer.
    Differ(String),
    /// One of them ends the process: in which way, and in more words.
    Death(String, String),
    /// Nothing that could be shrunk.
    Nothing(String),
}

impl Shown {
    fn is_like(&self, other: &Shown) -> bool {
        match (self, other) {
            (Shown::Differ(ours), Shown::Differ(theirs)) => ours == theirs,
            (Shown::Death(ours, _), Shown::Death(theirs, _)) => ours == theirs,
            _ => false,
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Differ(words) | Shown::Death(_, words) | Shown::Nothing(words) => {
                formatter.write_str(words)
            }
        }
    }
}

impl<'a> Differing<'a> {
    /// Asks both engines about a module as it is. Without calls of its own, every exported function is called.
    pub fn new(
        mut judge: JudgeApart<'a>,
        only_validity: bool,
        wasm: &[u8],
        calls: Vec<Call>,
        hosts: Vec<HostPlan>,
    ) -> Result<Self, CommandError> {
        let calls = match calls.is_empty() && !only_validity {
            // A target that dies already here dies again below.
            true => match judge.calls(wasm) {
                Ok(calls) => calls,
                Err(Unanswered::Died(_)) => Vec::new(),
                Err(Unanswered::Failed(error)) => return Err(error.into()),
            },
            false => calls,
        };
        let (judge, first) = (RefCell::new(judge), Shown::Nothing(String::new()));
        let mut differing = Differing { judge, only_validity, calls, hosts, first, deaths: Cell::new(0) };
        differing.first = differing.shown(wasm)?;
        for _ in 1..CONFIRMATIONS {
            if matches!(differing.first, Shown::Differ(_))
                && !differing.first.is_like(&differing.shown(wasm)?)
            {
                differing.first = Shown::Nothing("the difference does not show every time".to_owned());
            }
        }
        differing.deaths.set(0);
        Ok(differing)
    }

    /// What the engines do on the module as it is, in words.
    pub fn first(&self) -> impl fmt::Display + '_ {
        &self.first
    }

    /// Whether the engines do the same on another module. The calls stay, as far as it still has their functions.
    pub fn is_alike(&self, wasm: &[u8]) -> Result<bool, CommandError> {
        let shown = self.shown(wasm)?;
        let is_alike = self.first.is_like(&shown);
        if matches!(shown, Shown::Death(..)) && !is_alike {
            self.deaths.set(self.deaths.get() + 1);
        }
        Ok(is_alike)
    }

    /// That some of the smaller modules ended the process.
    pub fn died(&self) -> Option<String> {
        let deaths = self.deaths.get();
        let words = "of the smaller modules ended the process in which engines were asked, in another way than the module does";
        (deaths > 0).then(|| format!("{deaths} {words}"))
    }

    fn shown(&self, wasm: &[u8]) -> Result<Shown, CommandError> {
        let case = Case::Module { wasm: wasm.to_vec(), calls: self.calls.clone(), hosts: self.hosts.clone() };
        match self.judge.borrow_mut().judge(&case, self.only_validity) {
            Ok(said) => Ok(said.kind.map_or(Shown::Nothing(said.agreement), Shown::Differ)),
            Err(Unanswered::Died(death)) => Ok(Shown::Death(death.way(), death.to_string())),
            Err(Unanswered::Failed(error)) => Err(error.into()),
        }
    }
}
