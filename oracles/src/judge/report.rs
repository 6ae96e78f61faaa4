//! What a judgement consists of: questions, answers, and how far the engines agree.

use std::fmt;

use crate::{
    agreement::Agreement,
    answer::{Ending, Instantiation, Rejection, Validity},
    guard::GuardedInstance,
    host::HostLog,
    script::Call,
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

/// What an engine answered to a question. Its text is made only where somebody reads it: most judgements find nothing, and are
/// never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Whether the module is valid.
    Validity(Validity),
    /// An instance.
    Instantiated,
    /// No instance, since it did not compile the module.
    NotCompiled(Rejection),
    /// An instantiation or a call ended like this.
    Ended(Ending),
}

impl Answer {
    /// How an instantiation went.
    pub(super) fn of_opening(opened: &Result<GuardedInstance, Instantiation>) -> Self {
        match opened {
            Ok(_) => Self::Instantiated,
            Err(Instantiation::Rejected(reason)) => Self::NotCompiled(reason.clone()),
            Err(Instantiation::Ended { ending, .. }) => Self::Ended(ending.clone()),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Validity(validity) => validity.fmt(f),
            Self::Instantiated => f.write_str("instantiated"),
            Self::NotCompiled(reason) => write!(f, "not compiled: {reason}"),
            Self::Ended(ending) => ending.fmt(f),
        }
    }
}

/// A question and its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was asked.
    pub question: Question,
    /// What the target answered.
    pub target: Answer,
    /// What the reference answered; `None` if it was not asked, because the gate kept the module from it or because
    /// the target's answer settled the matter.
    pub reference: Option<Answer>,
}

impl Step {
    /// The answers of target and reference, to be read.
    pub fn answers(&self) -> [String; 2] {
        let reference = self.reference.as_ref().map(ToString::to_string);
        [self.target.to_string(), reference.unwrap_or_else(|| "not asked".to_owned())]
    }
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
