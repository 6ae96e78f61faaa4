//! The section of the specification that decides a difference.
//!
//! Which rule an engine breaks is for people to find out; where to look follows from the kind of the difference and from
//! the instructions that occur. Numbers are those of the WebAssembly Core Specification, release 2.0.

use std::collections::BTreeSet;
use std::fmt;

use mutagen_campaign::{Finding, ModuleFinding};

/// A section of the core specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Paragraph {
    /// Its number in release 2.0.
    pub number: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it decides here.
    pub decides: &'static str,
}

impl fmt::Display for Paragraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "WebAssembly Core Specification 2.0, section {} {}: {}",
            self.number, self.title, self.decides
        )
    }
}

const fn paragraph(number: &'static str, title: &'static str, decides: &'static str) -> Paragraph {
    Paragraph { number, title, decides }
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
    general.chain(of_instructions(finding)).collect()
}

/// The sections of the instructions that occur.
fn of_instructions(finding: &ModuleFinding) -> BTreeSet<Paragraph> {
    let validation = finding.kind == "validity";
    opcodes(&finding.wat)
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
