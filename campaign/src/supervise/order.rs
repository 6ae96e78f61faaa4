//! What a supervisor and its workers tell each other: one JSON text per line.

use std::collections::BTreeSet;
use std::io::{self, Write};

use mutagen_oracles::HostPlan;
use mutagen_properties::Case;
use serde::{Deserialize, Serialize};

use crate::finding::hexadecimal;
use crate::{CampaignReport, ErrorClass, Group, Progress, Sharing, Spec, SpecError, StoredCall};

/// What a worker is to do. It comes on standard input. Once that ends, the worker stops.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// To run a campaign, or to go on with one.
    Campaign(Box<CampaignOrder>),
    /// To judge one test.
    Judge(Box<JudgeOrder>),
    /// To answer inquiries about what the engines of this campaign say of modules. They come on standard input as well.
    Judges(Box<Spec>),
    /// To answer inquiries about what modules reach in the target of this campaign.
    Watches(Box<Spec>),
}

/// What a worker is asked that answers more than once.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Inquiry {
    /// The calls by which a module without calls is judged.
    Calls(StoredCase),
    /// What both engines say of a test.
    Judge {
        case: StoredCase,
        /// Whether to ask for nothing but validity.
        only_validity: bool,
    },
    /// What a test reaches in the target.
    Reach(StoredCase),
}

/// A campaign, and what is known of it already.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CampaignOrder {
    /// The campaign of this worker alone.
    pub(crate) spec: Spec,
    /// Whether to start from the corpus.
    pub(crate) resumes: bool,
    /// Whether only to sort findings that are in no group.
    pub(crate) sorts: bool,
    /// The groups that are known.
    pub(crate) groups: Vec<Group>,
    /// The fixes that are on besides those of the spec.
    pub(crate) late_fixes: Vec<String>,
    /// The shapes that are not tested.
    pub(crate) skipped: Vec<u64>,
    /// The words of modules that keep ending workers. Of those that have all of them, few are tested.
    #[serde(default)]
    pub(crate) killers: Vec<BTreeSet<String>>,
    /// At most so many modules of the corpus are tested first, if that is limited.
    #[serde(default)]
    pub(crate) corpus: Option<usize>,
    /// How many tests those have made who had this place before. Of the given modules, those that they have tested come last.
    #[serde(default)]
    pub(crate) tested: u64,
    /// The hashes of modules that are not tested.
    pub(crate) barred: Vec<u64>,
    /// The hashes of modules on which no first opinion is asked.
    pub(crate) unasked: Vec<u64>,
    /// Where this worker meets others. A secret goes through the pipe alone.
    pub(crate) sharing: Option<Sharing>,
}

/// One test, and what is injected into the target meanwhile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JudgeOrder {
    /// The campaign that the test belongs to.
    pub(super) spec: Spec,
    /// The fixes that are on besides those of the spec.
    pub(super) late_fixes: Vec<String>,
    pub(super) case: StoredCase,
}

impl JudgeOrder {
    /// The order to judge this test. `None` if it has no module.
    pub(super) fn new(spec: &Spec, late_fixes: Vec<String>, case: &Case) -> Option<Self> {
        let has_module = matches!(case, Case::Module { .. });
        has_module.then(|| JudgeOrder { spec: spec.clone(), late_fixes, case: StoredCase::of(case) })
    }
}

/// A test of a module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredCase {
    #[serde(with = "hexadecimal")]
    wasm: Vec<u8>,
    calls: Vec<StoredCall>,
    hosts: Vec<HostPlan>,
}

impl StoredCase {
    /// This test. A pair of states has no module, and becomes an empty one.
    pub(super) fn of(case: &Case) -> Self {
        let Case::Module { wasm, calls, hosts } = case else { return StoredCase::default() };
        let calls = calls.iter().map(StoredCall::from).collect();
        StoredCase { wasm: wasm.clone(), calls, hosts: hosts.clone() }
    }

    /// The test.
    pub(super) fn case(&self) -> Result<Case, SpecError> {
        let calls = self.calls.iter().map(StoredCall::call).collect::<Result<_, _>>()?;
        Ok(Case::Module { wasm: self.wasm.clone(), calls, hosts: self.hosts.clone() })
    }
}

/// What a worker tells.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Message {
    /// How far the campaign is.
    Progress(Progress),
    /// What was found so far.
    Groups(Vec<Group>),
    /// The campaign has ended.
    Done(Box<Done>),
    /// The campaign or the test cannot be run.
    Refused(Refusal),
    /// The test was judged, and nothing died.
    Judged {
        /// Whether the engines agree.
        agree: bool,
    },
    /// The answer to an inquiry.
    Answer(Answer),
}

/// The answer to an inquiry.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The calls by which a module is judged.
    Calls(Vec<StoredCall>),
    /// What both engines say.
    Said(Box<Said>),
    /// What a test reaches.
    Edges {
        /// Pairs of probes that fired one right after the other.
        edges: Vec<(u32, u32)>,
        /// Whether there were more than are kept.
        truncated: bool,
    },
}

/// What two engines say of a test, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// How far they agree.
    pub agreement: String,
    /// The kind of their difference, if they differ.
    pub kind: Option<String>,
    /// Whether it is a finding.
    pub is_finding: bool,
    /// What they were asked, in order.
    pub steps: Vec<SaidStep>,
}

/// A question, and the answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidStep {
    /// The question.
    pub question: String,
    /// What the target says.
    pub target: String,
    /// What the reference says, if it was asked.
    pub reference: Option<String>,
}

/// The end of a campaign.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) report: CampaignReport,
    /// Why something could not be stored.
    pub(super) not_stored: Option<Refusal>,
    /// Whether some of the inputs could not be used.
    pub(super) left_out: bool,
}

/// An error of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Refusal {
    pub(super) class: ErrorClass,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(error: &crate::Error) -> Self {
        Refusal { class: error.class(), message: error.to_string() }
    }
}

impl From<Refusal> for crate::Error {
    fn from(Refusal { class, message }: Refusal) -> Self {
        crate::Error::Worker { class, message }
    }
}

/// Writes one line. It begins with an empty one: an engine may have written something to the same place.
pub(super) fn write_line(mut to: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = b"\n".to_vec();
    serde_json::to_writer(&mut line, value)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}
