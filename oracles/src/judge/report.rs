//! What a judgement consists of: questions, answers, and how far the engines agree.

use std::fmt;

use crate::{
    agreement::Agreement, answer::Instantiation, guard::GuardedInstance, host::HostLog, script::Call,
};

/// What was asked of both engines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Is the module valid?
    Validate,
    /// What does instantiating it do?
    Instantiate,
    /// What does this call do?
    Call(Call),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Validate => f.write_str("validate"),
            Self::Instantiate => f.write_str("instantiate"),
            Self::Call(call) => write!(f, "call {call}"),
        }
    }
}

/// A question and its answers, as text for a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was asked.
    pub question: Question,
    /// What the target answered.
    pub target: String,
    /// What the reference answered; `None` if it was not asked, because the gate kept the module from it or because
    /// the target's answer settled the matter.
    pub reference: Option<String>,
}

/// How far two engines agree on a module, and how that was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Whether they agree.
    pub agreement: Agreement,
    /// The questions that were asked until then.
    pub steps: Vec<Step>,
    /// The fuel that the calls used on the target.
    pub fuel: u64,
    /// What went out to the host functions of the target, and what they did. Only if the engines differ.
    pub host: HostLog,
    /// How many calls were left out, because the target ran out of fuel or stack.
    pub left_out: usize,
}

/// How an instantiation went, for the report.
pub(super) struct Opened<'a>(pub &'a Result<GuardedInstance, Instantiation>);

impl fmt::Display for Opened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ok(_) => f.write_str("instantiated"),
            Err(Instantiation::Rejected(reason)) => write!(f, "not compiled: {reason}"),
            Err(Instantiation::Ended { ending, .. }) => ending.fmt(f),
        }
    }
}
