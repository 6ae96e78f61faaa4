//! Who is right: where two engines differ, all others that can answer are asked as well.
//!
//! Engines vote by lineage, not by head: those that share a validator say the same about validity because it is the same code,
//! and the ways to run one engine are one engine. The vote does not decide what a finding is. It says whom to suspect.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use mutagen_oracles::{
    Agreement, Difference, Engine, EngineEntry, Guarded, Lineage, NanMode, Script, Settings, What, Wrapped,
    judge, judge_validity,
};
use serde::{Deserialize, Serialize};

use crate::injection::Present;
use crate::pair::{Context, Pair};

/// Who says what about the part in which two engines differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Votes {
    /// The sides: the target's, the reference's, and those of engines that agree with neither.
    pub sides: Vec<Side>,
    /// Whom to suspect.
    pub odd_one_out: OddOneOut,
}

/// Engines that say the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// What they say.
    pub answer: String,
    /// Their names.
    pub engines: Vec<String>,
    /// How many votes they have together: one for each lineage.
    pub votes: usize,
}

/// Whom to suspect of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OddOneOut {
    /// The target: more votes are with the reference.
    Target,
    /// The reference: more votes are with the target.
    Reference,
    /// Nobody: both sides have as many votes.
    Nobody,
}

impl fmt::Display for Votes {
    /// The sides, and the odd one out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Side { answer, engines, votes } in &self.sides {
            let plural = if *votes == 1 { "" } else { "s" };
            write!(f, "{}: {answer} ({votes} vote{plural}); ", engines.join(", "))?;
        }
        match self.odd_one_out {
            OddOneOut::Target => f.write_str("the target is suspected"),
            OddOneOut::Reference => f.write_str("the reference is suspected"),
            OddOneOut::Nobody => f.write_str("undecided"),
        }
    }
}

impl Pair {
    /// Asks all other engines about a test on which target and reference differ. `None` if they do not differ, or no other
    /// engine can answer.
    pub fn votes<'a>(&self, bytes: &[u8], script: impl Into<Script<'a>>) -> Option<Votes> {
        let script = script.into();
        let Agreement::Differ(difference) = self.judge(bytes, script).agreement else { return None };
        self.polled(&difference, bytes, Some(script))
    }

    /// The same for a module of which nothing matters but whether it is valid.
    pub fn votes_on_validity(&self, bytes: &[u8]) -> Option<Votes> {
        let Agreement::Differ(difference) = self.judge_validity(bytes).agreement else { return None };
        self.polled(&difference, bytes, None)
    }

    /// The same without the injected bug: for differences of the engines as published.
    pub fn votes_without_bug<'a>(&self, bytes: &[u8], script: impl Into<Script<'a>>) -> Option<Votes> {
        let injection = self.context.injection.without_bug();
        Pair::new(&Context { injection, ..self.context.clone() }).ok()?.votes(bytes, script)
    }

    /// The same for two engines that need not be those of the campaign. `None` also if one of them is not known here.
    pub fn votes_between<'a>(
        &self,
        [target, reference]: [&str; 2],
        bytes: &[u8],
        script: impl Into<Script<'a>>,
    ) -> Option<Votes> {
        let Context { target: ours, reference: theirs, twin, third_opinion, voters, .. } = &self.context;
        let known = [ours, theirs].into_iter().chain(twin).chain(third_opinion).chain(voters);
        let named = |name: &str| known.clone().find(|entry| entry.name == name).cloned();
        let (target, reference) = (named(target)?, named(reference)?);
        let features = self.context.settings.features & target.features & reference.features;
        let settings = Settings { features, ..self.context.settings };
        let (twin, third_opinion, first_opinions) = (None, None, Vec::new());
        let context = Context {
            target,
            reference,
            twin,
            first_opinions,
            third_opinion,
            settings,
            ..self.context.clone()
        };
        Pair::new(&context).ok()?.votes(bytes, script)
    }

    fn polled(&self, difference: &Difference, bytes: &[u8], script: Option<Script<'_>>) -> Option<Votes> {
        let mut poll = Poll::new(self, difference);
        let [target, reference] = self.names();
        let has_voted = |name: &str| [target, reference].iter().any(|own| bare(own) == bare(name));
        for voter in self.context.voters.iter().filter(|voter| !has_voted(voter.name)) {
            poll.ask(self, voter.known(), bytes, script);
        }
        poll.counted()
    }

    /// A voter, ready to be asked about this module. What is injected into the target is injected into whatever shares its code.
    ///
    /// One that lacks features has a vote on modules that do not need them. Whether a module is one is nothing that it can be
    /// told if it accepts the module all the same.
    fn voter(&self, entry: &EngineEntry, bytes: &[u8]) -> Option<Voter> {
        let present = self.context.present(&self.context.injection);
        let present = Present { engine: entry.name, leads: false, ..present };
        let all = self.context.settings;
        // A difference that NaN bits explain is no vote of an engine that cannot canonicalise them.
        let nan = if entry.canonicalises { all.nan } else { NanMode::Raw };
        let features = all.features & entry.features;
        let settings = Settings { features, nan, mends: false, ..all };
        let engine = Wrapped::new(entry.make(&settings).ok()?, present);
        let can_judge =
            entry.can_judge(bytes, all.features) || Guarded(&engine).validate(bytes).is_accepted();
        can_judge.then_some(Voter { engine, settings })
    }
}

/// The name of an engine, wherever it runs.
fn bare(name: &str) -> &str {
    name.strip_prefix("isolated:").unwrap_or(name)
}

/// What engines are known not to check, so that they have no vote there: the engine, what differs, and why.
const NO_VOTE: &[(&str, Matter, &str)] =
    &[("bun", Matter::Validity, "JavaScriptCore does not type code that cannot be reached")];

/// What a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matter {
    Validity,
    Execution,
}

impl Matter {
    fn of(what: &What) -> Self {
        match what {
            What::Validity | What::Compilation => Self::Validity,
            _ => Self::Execution,
        }
    }
}

/// Why an engine has no vote on this, if it has none. A command is known by its program.
fn no_vote(engine: &str, matter: Matter) -> Option<&'static str> {
    let program = |command: &str| -> Option<String> {
        let path = Path::new(command.split_whitespace().next()?);
        Some(path.file_name()?.to_string_lossy().into_owned())
    };
    let command = engine.strip_prefix("process:").and_then(program);
    let known = command.as_deref().unwrap_or(bare(engine));
    let row = NO_VOTE.iter().find(|(name, on, _)| *name == known && *on == matter);
    row.map(|(_, _, why)| *why)
}

/// An engine that votes, and how its answers are compared.
struct Voter {
    engine: Wrapped<Box<dyn Engine>, Present>,
    settings: Settings,
}

/// A vote under way.
struct Poll<'a> {
    difference: &'a Difference,
    /// What is said, and by whom.
    sides: Vec<(String, Vec<EngineEntry>)>,
}

/// The sides that are always there.
const TARGET: usize = 0;
const REFERENCE: usize = 1;

impl<'a> Poll<'a> {
    fn new(pair: &Pair, difference: &'a Difference) -> Self {
        let side = |answer: &String, engine: &EngineEntry| (answer.clone(), vec![engine.clone()]);
        let sides = vec![
            side(&difference.target, &pair.context.target),
            side(&difference.reference, &pair.context.reference),
        ];
        Poll { difference, sides }
    }

    /// Asks about a script, or only about validity.
    fn ask(&mut self, pair: &Pair, entry: &EngineEntry, bytes: &[u8], script: Option<Script<'_>>) {
        if no_vote(entry.name, Matter::of(&self.difference.what)).is_some() {
            return;
        }
        let Some(Voter { engine: voter, settings }) = pair.voter(entry, bytes) else { return };
        let voter = Guarded(voter);
        let against = |engine: &dyn Engine| match script {
            Some(script) => judge(bytes, script, &voter, engine, &settings).agreement,
            None => judge_validity(bytes, &voter, engine, &settings).agreement,
        };
        let with_reference = against(&pair.reference);
        let side = match with_reference {
            // It does not tell the one answer from the other.
            Agreement::Equal if against(&pair.target) == Agreement::Equal => None,
            Agreement::Equal => Some(REFERENCE),
            _ if against(&pair.target) == Agreement::Equal => Some(TARGET),
            // A panic says nothing about the module.
            Agreement::Differ(Difference { what: What::Panic, .. }) => None,
            Agreement::Differ(own) => Some(self.side_of(self.said(&own))),
            Agreement::Inconclusive(_) | Agreement::Limit(_) | Agreement::Infra(_) => None,
        };
        side.into_iter().for_each(|side| self.sides[side].1.push(entry.clone()));
    }

    /// What a voter says that agrees with neither.
    fn said(&self, own: &Difference) -> String {
        match own.what == self.difference.what {
            true => own.target.clone(),
            false => format!("{}: {}", own.what, own.target),
        }
    }

    /// The side on which this is said, apart from those of target and reference.
    fn side_of(&mut self, said: String) -> usize {
        let known = self.sides.iter().skip(2).position(|(answer, _)| *answer == said);
        known.map_or_else(
            || {
                self.sides.push((said, Vec::new()));
                self.sides.len() - 1
            },
            |position| position + 2,
        )
    }

    fn counted(self) -> Option<Votes> {
        if self.sides.iter().map(|(_, engines)| engines.len()).sum::<usize>() <= 2 {
            return None;
        }
        let line = |Lineage { validation, execution }| match Matter::of(&self.difference.what) {
            Matter::Validity => validation,
            Matter::Execution => execution,
        };
        let side = |(answer, engines): (String, Vec<EngineEntry>)| {
            let lines: BTreeSet<&str> = engines.iter().map(|engine| line(engine.lineage)).collect();
            let names = engines.iter().map(|engine| engine.name.to_owned()).collect();
            Side { answer, engines: names, votes: lines.len() }
        };
        let sides: Vec<Side> = self.sides.into_iter().map(side).collect();
        let odd_one_out = match sides[TARGET].votes.cmp(&sides[REFERENCE].votes) {
            std::cmp::Ordering::Less => OddOneOut::Target,
            std::cmp::Ordering::Greater => OddOneOut::Reference,
            std::cmp::Ordering::Equal => OddOneOut::Nobody,
        };
        Some(Votes { sides, odd_one_out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_does_not_check_something_has_no_vote_on_it() {
        let why = no_vote("process:/opt/bun/bin/bun engine.js", Matter::Validity);
        assert!(why.is_some_and(|why| why.contains("JavaScriptCore")));
        assert_eq!(no_vote("process:/opt/bun/bin/bun engine.js", Matter::Execution), None);
        assert_eq!(no_vote("process:./bunny engine.js", Matter::Validity), None);
        assert_eq!(no_vote("isolated:wasmi", Matter::Validity), None);
    }
}
