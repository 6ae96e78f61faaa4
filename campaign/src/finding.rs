//! Findings, with all that is needed to reproduce them.

pub(crate) mod hexadecimal;

use std::path::Path;

use mutagen_engine::{Failure, stable};
use mutagen_oracles::{Argument, Call, HostPlan, NanMode, NoArgument, Parts};
use mutagen_properties::{Case, MachinePair, REFERENCE_ENGINE, TARGET_ENGINE, Votes};
use mutagen_wasm_ast::{Features, Module};
use serde::{Deserialize, Serialize};

use crate::store::files;
use crate::{EngineSpec, Error, Spec, SubjectSpec};

/// The present format version of a finding's file. It is raised when older programs cannot read the new
/// format.
///
/// Version 1 stored only modules, and no names of engines. Version 2 stored nothing about host functions. Both
/// can still be read.
const FORMAT: u32 = 3;
/// The detail of a failure that names the last functions of the target, one per line.
pub(crate) const FUNCTIONS: &str = "functions";

/// A test that failed, as it is stored: the file alone is enough to replay it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "case", rename_all = "snake_case")]
pub enum Finding {
    /// A module on which two engines differ.
    Module(Box<ModuleFinding>),
    /// Two states of a machine that an observer can tell apart after running them.
    Leak(Box<LeakFinding>),
}

/// A module on which two engines differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleFinding {
    /// The format version of this file.
    pub format: u32,
    /// The program that wrote it.
    pub version: String,
    /// The property that fails.
    pub property: String,
    /// The injected bug.
    pub bug: Option<String>,
    /// Whether known bugs of the target were repaired although none was injected.
    #[serde(default)]
    pub fixes: bool,
    /// Single fixes that were on besides.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub late_fixes: Vec<String>,
    /// The features that are on.
    pub features: Features,
    /// The name of the target.
    #[serde(default = "usual_target")]
    pub target_engine: String,
    /// The name of the reference.
    #[serde(default = "usual_reference")]
    pub reference_engine: String,
    /// How NaN bits are treated.
    #[serde(default)]
    pub nans: NanMode,
    /// The parts of their answers that are compared.
    #[serde(default)]
    pub compare: Parts,
    /// The part that differs, in a word.
    pub kind: String,
    /// The question on which the engines differ.
    pub question: String,
    /// The part that differs, in detail.
    pub part: String,
    /// What the target answered.
    pub target: String,
    /// What the reference answered.
    pub reference: String,
    /// The calls, in order.
    pub calls: Vec<StoredCall>,
    /// What imported functions do, by their number.
    #[serde(default)]
    pub hosts: Vec<HostPlan>,
    /// The first calls of imported functions in the target, and what these did: one per line.
    #[serde(default)]
    pub host: String,
    /// What other engines say, if some were asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub votes: Option<Votes>,
    /// The last functions of the target before it ended the process, the very last one first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<String>,
    /// The module.
    #[serde(with = "hexadecimal")]
    pub wasm: Vec<u8>,
    /// The module as text.
    pub wat: String,
}

/// Two states of a machine that an observer can tell apart after running them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeakFinding {
    /// The format version of this file.
    pub format: u32,
    /// The program that wrote it.
    pub version: String,
    /// The property that fails.
    pub property: String,
    /// The injected fault.
    pub bug: Option<String>,
    /// The kind of failure, in a word.
    pub kind: String,
    /// What the observer can do.
    pub target: String,
    /// What the observer should be able to do.
    pub reference: String,
    /// The states and what the observer sees of them.
    pub explanation: String,
    /// The pair of states, as text for people.
    pub value: String,
    /// The pair of states.
    pub pair: MachinePair,
}

/// A call as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCall {
    /// The exported function.
    pub export: String,
    /// Its arguments, as `type:value` or `result N of call N, or type:value`.
    pub arguments: Vec<String>,
}

/// The content of a finding's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// A finding.
    Finding(Finding),
    /// A leak as earlier versions stored it: the words of the command line that finds it.
    Command(Vec<String>),
}

fn usual_target() -> String {
    EngineSpec::TARGET.to_owned()
}

fn usual_reference() -> String {
    EngineSpec::REFERENCE.to_owned()
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

impl Finding {
    /// The finding of a campaign, from a value in its stored form and its failure.
    pub fn new(spec: &Spec, case: Case, failure: &Failure) -> Self {
        match (case, &spec.subject) {
            (Case::Module { wasm, calls, hosts }, SubjectSpec::Engines(engines)) => {
                let finding = ModuleFinding::new(spec, engines, wasm, failure);
                let calls = calls.iter().map(StoredCall::from).collect();
                Finding::Module(Box::new(ModuleFinding { calls, hosts, ..finding }))
            }
            (Case::States(pair), _) => Finding::Leak(Box::new(LeakFinding::new(spec, *pair, failure))),
            (Case::Module { .. }, SubjectSpec::Machine(_)) => unreachable!("machines are tested on pairs"),
        }
    }

    /// The same finding, made while these single fixes were on.
    #[must_use]
    pub(crate) fn with_fixes(mut self, fixes: Vec<&'static str>) -> Self {
        if let Finding::Module(finding) = &mut self {
            finding.late_fixes = fixes.into_iter().map(str::to_owned).collect();
        }
        self
    }

    /// The same finding, with what other engines say.
    #[must_use]
    pub(crate) fn with_votes(mut self, votes: Option<Votes>) -> Self {
        if let Finding::Module(finding) = &mut self {
            finding.votes = votes;
        }
        self
    }

    /// The value in the form in which it is stored.
    ///
    /// # Errors
    ///
    /// If an argument of a call is not a value.
    pub fn case(&self) -> Result<Case, NoArgument> {
        Ok(match self {
            Finding::Module(finding) => Case::Module {
                wasm: finding.wasm.clone(),
                calls: finding.calls()?,
                hosts: finding.hosts.clone(),
            },
            Finding::Leak(finding) => Case::States(Box::new(finding.pair.clone())),
        })
    }

    /// The kind of failure, in a word.
    pub fn kind(&self) -> &str {
        match self {
            Finding::Module(finding) => &finding.kind,
            Finding::Leak(finding) => &finding.kind,
        }
    }

    /// Whether the test ends the process in which it is judged, or never ends.
    pub fn ends_the_process(&self) -> bool {
        matches!(self.kind(), "crash" | "hang" | "out-of-memory")
    }

    /// The module. `None` if it is about states of a machine.
    pub(crate) fn wasm(&self) -> Option<&[u8]> {
        match self {
            Finding::Module(finding) => Some(&finding.wasm),
            Finding::Leak(_) => None,
        }
    }

    /// What fails, in a sentence.
    pub fn message(&self) -> String {
        match self {
            Finding::Module(finding) => {
                let ModuleFinding { part, target, reference, .. } = &**finding;
                format!("{part}: the target says {target}, the reference says {reference}")
            }
            Finding::Leak(finding) => finding.target.clone(),
        }
    }

    /// The name of its files, without extension.
    pub fn file_name(&self) -> String {
        let hash = match self {
            Finding::Module(finding) => stable::hash(&finding.wasm),
            Finding::Leak(finding) => stable::hash(finding.explanation.as_bytes()),
        };
        format!("{}-{hash:016x}", self.kind())
    }

    /// The report for a developer.
    pub fn shown(&self) -> String {
        match self {
            Finding::Module(finding) => finding.shown(),
            Finding::Leak(finding) => finding.explanation.clone() + "\n",
        }
    }

    /// Reads the file of a finding.
    ///
    /// # Errors
    ///
    /// If the file is not a finding. The error names the file and says why.
    pub fn read(file: &Path) -> Result<Stored, Error> {
        let unusable = |why: String| Error::unusable(file, why);
        let text = files::read_text(file)?;
        let no_finding = |error: serde_json::Error| unusable(format!("this is no finding: {error}"));
        let mut record: serde_json::Value = serde_json::from_str(&text).map_err(no_finding)?;
        if record["command"] == "ifc" {
            return serde_json::from_value(record["arguments"].take()).map(Stored::Command).map_err(|_| {
                unusable(
                    "it does not say how it was found: only what one worker found (`-j 1`) can be replayed"
                        .into(),
                )
            });
        }
        match record["format"].as_u64() {
            // All findings of version 1 are about modules.
            Some(1) => record["case"] = "module".into(),
            Some(format) if format != 2 && format != u64::from(FORMAT) => {
                return Err(unusable(format!(
                    "written in format {format}, this program reads format {FORMAT}"
                )));
            }
            _ => {}
        }
        serde_json::from_value(record).map(Stored::Finding).map_err(no_finding)
    }
}

impl ModuleFinding {
    /// A finding without calls.
    fn new(spec: &Spec, engines: &EngineSpec, wasm: Vec<u8>, failure: &Failure) -> Self {
        let detail = |name: &str| {
            let found = failure.details.iter().find(|(known, _)| known == name);
            found.map(|(_, text)| text.clone()).unwrap_or_default()
        };
        let detail_or = |name: &str, usual: &str| {
            Some(detail(name)).filter(|text| !text.is_empty()).unwrap_or(usual.to_owned())
        };
        ModuleFinding {
            format: FORMAT,
            version: version(),
            property: engines.property.name().to_owned(),
            bug: spec.bug.clone(),
            fixes: engines.fixes,
            late_fixes: Vec::new(),
            features: engines.features,
            target_engine: detail_or(TARGET_ENGINE, &engines.target),
            reference_engine: detail_or(REFERENCE_ENGINE, &engines.reference),
            nans: engines.nans,
            compare: engines.compare,
            kind: failure.kind.clone(),
            question: detail("question"),
            part: detail("part"),
            target: detail("target"),
            reference: detail("reference"),
            calls: Vec::new(),
            hosts: Vec::new(),
            host: detail("host"),
            votes: None,
            functions: detail(FUNCTIONS).lines().map(str::to_owned).collect(),
            wat: text_of(&wasm),
            wasm,
        }
    }

    /// The calls.
    ///
    /// # Errors
    ///
    /// If an argument is not a value.
    pub fn calls(&self) -> Result<Vec<Call>, NoArgument> {
        self.calls.iter().map(StoredCall::call).collect()
    }

    fn shown(&self) -> String {
        let Self { target_engine, reference_engine, question, part, target, reference, .. } = self;
        let history = history(&self.calls, &self.host);
        let asked = format!("{}\n{history}asked:      {question}\ndiffers in: {part}", self.wat.trim_end());
        let [target_engine, reference_engine] =
            [target_engine, reference_engine].map(|name| format!("{name}:"));
        let functions = self.functions.iter().map(|function| format!("\nlast in:    {function}"));
        let functions: String = functions.collect();
        let votes = self.votes.iter().map(|votes| format!("\nvotes:      {votes}")).collect::<String>();
        format!("{asked}\n{target_engine:<11} {target}\n{reference_engine:<11} {reference}{votes}{functions}")
    }
}

/// The calls before the question, and what host functions did, unless there is little to say: the question
/// itself tells a single call.
fn history(calls: &[StoredCall], host: &str) -> String {
    let mut lines = Vec::new();
    if calls.len() > 1 {
        let shown = |(number, call): (usize, &StoredCall)| {
            format!("call {number}:     {:?} with [{}]", call.export, call.arguments.join(", "))
        };
        lines.extend(calls.iter().take(SHOWN_CALLS).enumerate().map(shown));
        lines.extend(calls.get(SHOWN_CALLS).map(|_| format!("and {} more", calls.len() - SHOWN_CALLS)));
    }
    lines.extend(host.lines().map(|line| format!("host:       {line}")));
    lines.into_iter().map(|line| line + "\n").collect()
}

/// How many calls are shown. The file has all of them.
const SHOWN_CALLS: usize = 10;

impl LeakFinding {
    fn new(spec: &Spec, pair: MachinePair, failure: &Failure) -> Self {
        LeakFinding {
            format: FORMAT,
            version: version(),
            property: spec.property(),
            bug: spec.bug.clone(),
            kind: failure.kind.clone(),
            target: "the observer can tell the machines apart".to_owned(),
            reference: "the observer cannot tell them apart".to_owned(),
            explanation: explanation(failure),
            value: pair.to_string(),
            pair,
        }
    }
}

/// What the details of a leak say, one after the other.
pub(crate) fn explanation(failure: &Failure) -> String {
    failure.details.iter().map(|(_, text)| text.trim_end()).collect::<Vec<_>>().join("\n")
}

impl From<&Call> for StoredCall {
    fn from(call: &Call) -> Self {
        let arguments = call.arguments.iter().map(Argument::to_string).collect();
        StoredCall { export: call.export.clone(), arguments }
    }
}

impl StoredCall {
    pub(crate) fn call(&self) -> Result<Call, NoArgument> {
        let arguments: Result<Vec<Argument>, _> = self.arguments.iter().map(|text| text.parse()).collect();
        Ok(Call { export: self.export.clone(), arguments: arguments? })
    }
}

/// The text of a module, or a comment that says why there is none.
pub(crate) fn text_of(wasm: &[u8]) -> String {
    let text = Module::decode(wasm)
        .map_err(|error| error.to_string())
        .and_then(|module| module.to_text().map_err(|error| error.to_string()));
    text.unwrap_or_else(|error| format!(";; the module cannot be printed: {error}\n"))
}
