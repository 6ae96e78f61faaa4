//! What a worker process does that answers one inquiry after the other.

use std::fs::File;
use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mutagen_oracles::{Agreement, Call, Judgement, Registry, Script};
use mutagen_properties::{Case, Modules};

use super::order::{Answer, Inquiry, Message, Said, SaidStep};
use super::worker::{map, tell};
use crate::reach::reach_noting;
use crate::{Error, Spec, SpecError, StoredCall, context_of};

/// How long an answer may take once nobody waits for it.
const LONGEST_END: Duration = Duration::from_secs(1);

/// Answers what the engines of a spec say of modules.
pub(super) fn judges(spec: &Spec, notes: &File, engines: &Registry) -> Result<(), Error> {
    let context = context_of(spec, engines)?;
    context.notes.keep_in(map(notes)?);
    let modules = Modules::new(&context)?;
    for inquiry in inquiries().map_err(Error::NoWorker)? {
        let answer = match &inquiry {
            Inquiry::Calls(case) => match case.case()? {
                Case::Module { wasm, .. } => {
                    Answer::Calls(modules.calls(&wasm).iter().map(StoredCall::from).collect())
                }
                Case::States(_) => Answer::Calls(Vec::new()),
            },
            Inquiry::Judge { case, only_validity } => {
                Answer::Said(Box::new(Said::of(&judgement(&modules, &case.case()?, *only_validity))))
            }
            Inquiry::Reach(_) => return Err(SpecError::NoEngines.into()),
        };
        told(answer)?;
    }
    Ok(())
}

/// Answers what modules reach in the target of a spec.
pub(super) fn watches(spec: &Spec, notes: &File, engines: &Registry) -> Result<(), Error> {
    let mut reach = reach_noting(spec, engines, map(notes)?)?;
    for inquiry in inquiries().map_err(Error::NoWorker)? {
        let Inquiry::Reach(case) = &inquiry else { return Err(SpecError::NoEngines.into()) };
        let reached = reach.of(&case.case()?);
        told(Answer::Edges { edges: reached.edges, truncated: reached.truncated })?;
    }
    Ok(())
}

fn told(answer: Answer) -> Result<(), Error> {
    tell(&Message::Answer(answer)).map_err(Error::NoWorker)
}

fn judgement(modules: &Modules, case: &Case, only_validity: bool) -> Judgement {
    let Case::Module { wasm, calls, hosts } = case else { return modules.pair().judge_validity(&[]) };
    if only_validity {
        return modules.pair().judge_validity(wasm);
    }
    let exports = modules.exports(wasm).unwrap_or_default();
    let takes = |call: &&Call| exports.iter().any(|function| function.name == call.export);
    let calls: Vec<Call> = calls.iter().filter(takes).cloned().collect();
    modules.pair().judge(wasm, Script { calls: &calls, hosts })
}

/// The inquiries on standard input. At its end, this process ends soon, whatever an engine does meanwhile.
fn inquiries() -> io::Result<impl Iterator<Item = Inquiry>> {
    let (sender, heard): (_, Receiver<Inquiry>) = channel();
    let read = move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            // A line that is no inquiry separates two of them.
            if let Ok(inquiry) = serde_json::from_str(&line)
                && sender.send(inquiry).is_err()
            {
                return;
            }
        }
        drop(sender);
        std::thread::sleep(LONGEST_END);
        std::process::exit(1);
    };
    std::thread::Builder::new().name("input".into()).spawn(read)?;
    Ok(heard.into_iter())
}

impl Said {
    fn of(judgement: &Judgement) -> Self {
        let steps = judgement.steps.iter().map(|step| SaidStep {
            question: step.question.to_string(),
            target: step.target.to_string(),
            reference: step.reference.as_ref().map(ToString::to_string),
        });
        let kind = match &judgement.agreement {
            Agreement::Differ(difference) => Some(difference.what.kind().to_owned()),
            _ => None,
        };
        Said {
            agreement: judgement.agreement.to_string(),
            kind,
            is_finding: judgement.agreement.is_finding(),
            steps: steps.collect(),
        }
    }
}
