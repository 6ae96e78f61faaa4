//! The calls of a judgement, one after the other.

use super::{Comparing, closed};
use crate::{
    agreement::{Agreement, Why},
    answer::{Ending, TrapKind},
    compare::{compare_exports, settled},
    engine::Instance,
    guard::GuardedInstance,
    parts::Part,
    script::Call,
    value::Value,
};

/// How many calls are left out before a comparison ends. Each costs the target all its fuel.
const MOST_LEFT_OUT: usize = 3;

/// The calls that tell nothing, and why the first of them does not.
#[derive(Default)]
struct LeftOut {
    calls: Vec<usize>,
    why: Option<Why>,
}

impl LeftOut {
    fn add(&mut self, call: usize, why: Why) {
        self.calls.push(call);
        self.why.get_or_insert(why);
    }

    /// What can be concluded after so many calls that agree or were left out.
    fn verdict(self, calls: usize) -> Agreement {
        match self.why {
            Some(why) if self.calls.len() == calls => Agreement::Inconclusive(why),
            _ => Agreement::Equal,
        }
    }
}

/// An instance, and what its calls returned so far.
pub(super) struct Running {
    pub(super) instance: GuardedInstance,
    /// What each call returned; nothing for one that did not return, or was left out.
    results: Vec<Vec<Value>>,
}

impl Running {
    pub(super) fn new(instance: GuardedInstance) -> Self {
        Self { instance, results: Vec::new() }
    }

    /// Makes the next call. References to the results of earlier calls are references to this instance's own results.
    pub(super) fn call(&mut self, call: &Call) -> Ending {
        let arguments: Vec<Value> =
            call.arguments.iter().map(|argument| argument.resolve(&self.results)).collect();
        let ending = self.instance.call(&call.export, &arguments);
        self.results.push(match &ending {
            Ending::Returned(values) => values.clone(),
            _ => Vec::new(),
        });
        ending
    }
}

impl Comparing<'_> {
    pub(super) fn run_calls(&mut self, mut ours: Running, mut theirs: Running) -> Agreement {
        let exports = || compare_exports(&ours.instance.exports(), &theirs.instance.exports());
        let exported = self.settings.compared.compare(Part::Exports, exports);
        let mut agreement =
            exported.and_then(|| self.compare_left_behind(&mut ours.instance, &mut theirs.instance));
        let mut left_out = LeftOut::default();
        let mut asked = 0;
        while let (Agreement::Equal, Some(call)) = (&agreement, self.script.calls.get(asked)) {
            let ending = ours.call(call);
            let Some(why) = self.tells_nothing(&ending) else {
                agreement = self.run_call(call, ending, &mut ours, &mut theirs);
                asked += 1;
                continue;
            };
            self.step_of_call(call, &ending, None);
            left_out.add(asked, why);
            theirs.results.push(Vec::new());
            asked += 1;
            let Some(again) = self.started_again(&left_out, asked) else { break };
            ours = again;
        }
        if agreement.is_finding()
            && let Ok(state) = ours.instance.try_state()
        {
            self.host = state.host;
        }
        self.fuel = ours.instance.fuel_used();
        self.left_out = left_out.calls.len();
        agreement.and_then(|| closed(ours.instance)).and_then(|| left_out.verdict(asked))
    }

    /// Why a call of the target that ended like this is left out.
    fn tells_nothing(&self, ending: &Ending) -> Option<Why> {
        match ending {
            Ending::Trapped(TrapKind::OutOfFuel) => Some(Why::Fuel),
            Ending::Trapped(TrapKind::StackExhausted) if !self.is_shallow() => Some(Why::Stack),
            _ => None,
        }
    }

    /// A fresh instance of the target after the first `asked` calls without those that were left out. Its state is read
    /// as often as that of the instance before, since functions get their numbers when they first show. `None` if calls
    /// are left out too often.
    fn started_again(&self, left_out: &LeftOut, asked: usize) -> Option<Running> {
        if left_out.calls.len() > MOST_LEFT_OUT {
            return None;
        }
        let mut again = Running::new(self.target.open(self.bytes, self.script.hosts).ok()?);
        again.instance.try_state().ok()?;
        for (number, call) in self.script.calls[..asked].iter().enumerate() {
            if left_out.calls.contains(&number) {
                again.results.push(Vec::new());
                continue;
            }
            again.call(call);
            again.instance.try_state().ok()?;
        }
        Some(again)
    }

    /// Asks the reference about a call that ended like this on the target, and compares.
    fn run_call(&mut self, call: &Call, a: Ending, ours: &mut Running, theirs: &mut Running) -> Agreement {
        if let Some(agreement) = settled(&a) {
            self.step_of_call(call, &a, None);
            return agreement;
        }
        let b = theirs.call(call);
        self.step_of_call(call, &a, Some(&b));
        self.compare(&a, &b).and_then(|| self.compare_left_behind(&mut ours.instance, &mut theirs.instance))
    }
}
