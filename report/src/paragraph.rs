//! The section of the specification that decides a difference.
//!
//! Which rule an engine breaks is for people to find out; where to look follows from the kind of the difference and from
//! the instructions that occur. Numbers are those of the WebAssembly Core Specification, release 2.0. What came with release 3.0
//! is named by the titles there, and what is no part of a release by its proposal.

use std::collections::BTreeSet;
use std::fmt;

use mutagen_campaign::{Finding, ModuleFinding};
use mutagen_oracles::{Feature, Features};
use mutagen_wasm_ast::Module;

/// A section of the core specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Paragraph {
    /// The document that it is a part of.
    pub document: &'static str,
    /// Its number there; of later releases the name of its chapter.
    pub number: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it decides here.
    pub decides: &'static str,
}

impl fmt::Display for Paragraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Paragraph { document, number, title, decides } = self;
        write!(f, "{document}, section {number} {title}: {decides}")
    }
}

const RELEASE_2: &str = "WebAssembly Core Specification 2.0";
const RELEASE_3: &str = "WebAssembly Core Specification 3.0";

const fn paragraph(number: &'static str, title: &'static str, decides: &'static str) -> Paragraph {
    Paragraph { document: RELEASE_2, number, title, decides }
}

/// A section of release 3.0, by its chapter: numbers have changed since 2.0.
const fn later(chapter: &'static str, title: &'static str, decides: &'static str) -> Paragraph {
    Paragraph { document: RELEASE_3, number: chapter, title, decides }
}

/// What decides a kind of difference, whatever the instructions are.
const KINDS: &[(&str, Paragraph)] = &[
    ("validity", paragraph("3.4.10", "Modules", "a module is valid if all of its parts are, and only then")),
    (
        "compilation",
        paragraph(
            "4.5.4",
            "Instantiation",
            "a valid module can be instantiated, within an engine's limits (appendix, Implementation Limitations)",
        ),
    ),
    (
        "ending",
        paragraph(
            "4.2.2",
            "Results",
            "a computation gives values or a trap; which of them is not for an engine to choose",
        ),
    ),
    (
        "refusal",
        paragraph(
            "4.5.5",
            "Invocation",
            "a call whose arguments have the types of the parameters is carried out",
        ),
    ),
    ("trap", paragraph("4.2.2", "Results", "a computation traps where an instruction's rule says so")),
    ("result", paragraph("4.5.5", "Invocation", "the values that the function body leaves are the results")),
    (
        "memory",
        paragraph(
            "4.2.8",
            "Memory Instances",
            "only stores, bulk instructions, active segments and growth change a memory",
        ),
    ),
    (
        "global",
        paragraph("4.2.9", "Global Instances", "only global.set changes a global, and only a mutable one"),
    ),
    (
        "table",
        paragraph(
            "4.2.7",
            "Table Instances",
            "only table instructions, active segments and growth change a table",
        ),
    ),
    (
        "host-calls",
        paragraph(
            "4.4.10",
            "Function Calls",
            "an imported function is called where a call says so, with these arguments",
        ),
    ),
    (
        "export",
        paragraph(
            "4.2.12",
            "Export Instances",
            "an instance has the exports that its module lists, with their types",
        ),
    ),
    (
        "stack",
        paragraph(
            "7.2",
            "Implementation Limitations",
            "an engine may run out of stack, but not in code that calls nothing",
        ),
    ),
    (
        "panic",
        paragraph(
            "4.2.2",
            "Results",
            "a module is rejected, or it gives values or a trap; a panic is none of these",
        ),
    ),
    (
        "crash",
        paragraph(
            "4.2.2",
            "Results",
            "a module is rejected, or it gives values or a trap; the end of the process is none of these",
        ),
    ),
    (
        "hang",
        paragraph(
            "4.2.2",
            "Results",
            "a module is rejected, or it gives values or a trap; within its fuel a call ends",
        ),
    ),
    (
        "out-of-memory",
        paragraph(
            "4.2.2",
            "Results",
            "a module is rejected, or it gives values or a trap; the end of the process is none of these",
        ),
    ),
];

/// Instructions by the beginning of their name, with the section of validation and of execution.
const INSTRUCTIONS: &[(&[&str], Paragraph, Paragraph)] = &[
    (
        &[
            "memory.",
            "data.drop",
            "i32.load",
            "i64.load",
            "f32.load",
            "f64.load",
            "i32.store",
            "i64.store",
            "f32.store",
            "f64.store",
            "v128.load",
            "v128.store",
        ],
        paragraph("3.3.7", "Memory Instructions", "types of memory instructions"),
        paragraph("4.4.7", "Memory Instructions", "what memory instructions do"),
    ),
    (
        &["table.", "elem.drop"],
        paragraph("3.3.6", "Table Instructions", "types of table instructions"),
        paragraph("4.4.6", "Table Instructions", "what table instructions do"),
    ),
    (
        &["ref."],
        paragraph("3.3.2", "Reference Instructions", "types of reference instructions"),
        paragraph("4.4.2", "Reference Instructions", "what reference instructions do"),
    ),
    (
        &["v128.", "i8x16.", "i16x8.", "i32x4.", "i64x2.", "f32x4.", "f64x2."],
        paragraph("3.3.3", "Vector Instructions", "types of vector instructions"),
        paragraph("4.4.3", "Vector Instructions", "what vector instructions do"),
    ),
    (
        &["select", "drop"],
        paragraph("3.3.4", "Parametric Instructions", "types of drop and select"),
        paragraph("4.4.4", "Parametric Instructions", "what drop and select do"),
    ),
    (
        &["local.", "global."],
        paragraph("3.3.5", "Variable Instructions", "types of local and global instructions"),
        paragraph("4.4.5", "Variable Instructions", "what local and global instructions do"),
    ),
    (
        &["block", "loop", "if", "br", "return", "call", "unreachable", "nop"],
        paragraph(
            "3.3.8",
            "Control Instructions",
            "types of control instructions; code after an unconditional branch",
        ),
        paragraph("4.4.8", "Control Instructions", "what control instructions do"),
    ),
    (
        &["i32.", "i64.", "f32.", "f64."],
        paragraph("3.3.1", "Numeric Instructions", "types of numeric instructions"),
        paragraph(
            "4.4.1",
            "Numeric Instructions",
            "what numeric instructions compute (4.3 has the operators)",
        ),
    ),
];

/// What came after release 2.0, with the section of validation and of execution. The proposal of wide arithmetic is no part of a
/// release.
const LATER: &[(Feature, Paragraph, Paragraph)] = &[
    (
        Feature::TailCall,
        later("Validation,", "Control Instructions", "types of return_call and return_call_indirect"),
        later("Execution,", "Control Instructions", "a tail call takes the place of the frame that makes it"),
    ),
    (
        Feature::RelaxedSimd,
        later("Validation,", "Vector Instructions", "types of relaxed vector instructions"),
        later("Execution,", "Vector Instructions", "which results a relaxed vector instruction may give"),
    ),
    (
        Feature::Memory64,
        later(
            "Validation,",
            "Memory Instructions",
            "addresses have the address type of their memory or table",
        ),
        later("Execution,", "Memory Instructions", "64-bit addresses and sizes"),
    ),
    (
        Feature::MultiMemory,
        later("Validation,", "Memory Instructions", "a module may have several memories"),
        later("Execution,", "Memory Instructions", "each instruction works on the memory that it names"),
    ),
    (
        Feature::ExtendedConst,
        later("Validation,", "Constant Expressions", "add, sub and mul of integers are constant"),
        later(
            "Execution,",
            "Numeric Instructions",
            "what add, sub and mul of integers compute in constant expressions",
        ),
    ),
    (Feature::WideArithmetic, WIDE, WIDE),
];

const WIDE: Paragraph = Paragraph {
    document: "WebAssembly proposal Wide Arithmetic",
    number: "Overview,",
    title: "Instructions",
    decides: "types and results of instructions on 128-bit integers",
};

/// Instructions of which release 2.0 says nothing, by what occurs in their names.
const LATER_NAMES: [&str; 5] = ["return_call", "relaxed", "add128", "sub128", "mul_wide"];

/// Where to look in the specification for what is right: first what decides this kind of difference, then the sections of
/// the instructions that occur. A leak of a machine has none.
///
/// ```
/// use mutagen_campaign::{Finding, Stored};
/// # use mutagen_bugs::Bug;
/// # use mutagen_campaign::{Setup, Spec, run};
/// # use mutagen_oracles::{Registry, on_stack};
/// # let spec = Spec::hunting(&Bug::find("wasm-6")?).expect("a bug can be hunted");
/// # let engines = Registry::default();
/// # let finding = on_stack(|| run(&spec, Setup::new(&engines)))??.report.finding.expect("it is found").finding;
/// let paragraphs = mutagen_report::paragraphs(&finding);
/// assert_eq!(paragraphs[0].number, "3.4.10");
/// assert!(paragraphs.iter().any(|paragraph| paragraph.title == "Numeric Instructions"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn paragraphs(finding: &Finding) -> Vec<Paragraph> {
    let Finding::Module(finding) = finding else { return Vec::new() };
    let general = KINDS.iter().filter(|(kind, _)| *kind == finding.kind).map(|(_, paragraph)| *paragraph);
    general.chain(of_instructions(finding)).chain(of_features(finding)).collect()
}

/// The sections of features that came after release 2.0 and that the module needs.
fn of_features(finding: &ModuleFinding) -> impl Iterator<Item = Paragraph> {
    let needed = Module::decode(&finding.wasm).map_or(Features::NONE, |module| module.features());
    let validation = finding.kind == "validity";
    let needed = LATER.iter().filter(move |(feature, ..)| needed.contains(*feature));
    needed.map(move |(_, types, effects)| if validation { *types } else { *effects })
}

/// The sections of the instructions that occur.
fn of_instructions(finding: &ModuleFinding) -> BTreeSet<Paragraph> {
    let validation = finding.kind == "validity";
    let is_later = |opcode: &&str| LATER_NAMES.iter().any(|name| opcode.contains(name));
    opcodes(&finding.wat)
        .filter(|opcode| !is_later(opcode))
        .filter_map(|opcode| {
            INSTRUCTIONS.iter().find(|(names, ..)| names.iter().any(|name| opcode.starts_with(name)))
        })
        .map(|(_, types, effects)| if validation { *types } else { *effects })
        .collect()
}

/// The names of the instructions in the text of a module, which has one of them per line.
pub(crate) fn opcodes(wat: &str) -> impl Iterator<Item = &str> {
    wat.lines().filter_map(|line| line.split_whitespace().next()).filter(|word| {
        word.starts_with(|first: char| first.is_ascii_lowercase()) && !["end", "else"].contains(word)
    })
}
