//! The page that a maintainer reads first.

use mutagen_bugs::fixes;
use mutagen_campaign::{Finding, GroupResult, ModuleFinding};
use mutagen_oracles::{Limits, NanMode, Registry};

use super::Contents;
use super::expected::Expected;
use super::rust_test::public_crate;
use crate::{markdown, paragraphs, told};

/// The page of a module on which two engines differ.
pub fn of_module(
    result: &GroupResult,
    finding: &Finding,
    expected: &Expected,
    engines: &Registry,
    contents: Contents,
) -> String {
    let Finding::Module(module) = finding else { return of_leak(result, finding) };
    let mut parts = vec![
        format!("# {}", markdown::inline(&told::title(result))),
        markdown::fenced("wat", told::shown_value(finding)),
    ];
    let calls = told::calls(finding);
    if !calls.is_empty() {
        parts.push(markdown::fenced("text", &format!("calls, in order:\n{}", calls.join("\n"))));
    }
    let answers: Vec<String> =
        told::answers(finding).iter().map(|(name, text)| format!("{name}: {text}")).collect();
    parts.push(markdown::fenced("text", &answers.join("\n")));
    parts.push("## What is right".to_owned());
    parts.push(right(expected, finding, module));
    let decides: Vec<String> = paragraphs(finding).iter().map(|paragraph| format!("* {paragraph}")).collect();
    parts.push(decides.join("\n"));
    parts.extend(injected(module));
    parts.extend(explained(result));
    parts.push("## Engines and configuration".to_owned());
    parts.push(markdown::table(&configuration(module, engines)));
    parts.push("## How to see it".to_owned());
    let mut ways = vec![script(expected, contents)];
    if contents.has_test {
        ways.push("* `cargo test` in this directory runs `tests/finding.rs`, which uses the engine's public crate alone.".to_owned());
    }
    ways.push(format!("* `{} replay finding.json` asks both engines again.", told::PROGRAM));
    parts.push(ways.join("\n"));
    parts.push("## Duplicates".to_owned());
    parts.push(format!(
        "{} Its shape is `{}`: the kind of failure, and the module without its numbers and names.",
        sentence(&markdown::inline(&told::standing(&result.group))),
        result.group.shape
    ));
    parts.join("\n\n") + "\n"
}

/// The page of a leak of a machine.
pub fn of_leak(result: &GroupResult, finding: &Finding) -> String {
    let parts = [
        format!("# {}", markdown::inline(&told::title(result))),
        markdown::fenced("text", told::shown_value(finding)),
        sentence(&markdown::inline(&told::standing(&result.group))),
        format!("`{} replay finding.json` runs the machine again.", told::PROGRAM),
    ];
    parts.join("\n\n") + "\n"
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// What the script is good for.
fn script(expected: &Expected, contents: Contents) -> String {
    let runner = "any engine's runner of the specification's test scripts takes it";
    match expected {
        Expected::Valid => {
            format!("* `finding.wast` has the module, which every engine should accept; {runner}.")
        }
        _ if contents.asserts => format!("* `finding.wast` has the assertions; {runner}."),
        _ => "* `finding.wast` has the module and no assertion, and says why.".to_owned(),
    }
}

fn right(expected: &Expected, finding: &Finding, module: &ModuleFinding) -> String {
    let reference = &module.reference_engine;
    match expected {
        Expected::Invalid(reason) => format!("The module is invalid: {}.", markdown::inline(reason)),
        Expected::Valid => "The module is valid.".to_owned(),
        Expected::NotInstantiated { ending, .. } => {
            format!("Instantiating it {}.", markdown::inline(&ending.to_string()))
        }
        Expected::Run { .. } if finding.ends_the_process() => {
            format!("{reference} answers each call, and ends no process.")
        }
        Expected::Run { untold, .. } => {
            let untold = untold.iter().map(|untold| format!(" Not asserted: {}.", markdown::inline(untold)));
            format!(
                "{reference} says: {}.{}",
                markdown::inline(&module.reference),
                untold.collect::<String>()
            )
        }
        Expected::Unsaid(why) => format!(
            "{reference} says: {}. There are no assertions: {}.",
            markdown::inline(&module.reference),
            markdown::inline(why)
        ),
    }
}

/// An injected bug is none of the published engine.
fn injected(module: &ModuleFinding) -> Option<String> {
    module.bug.as_ref().map(|bug| {
        format!(
            "**This bug was injected**: `{bug}` of the catalogue (`{} bugs show {bug}`). The published engine does not have \
             it, and the test of this directory passes there.",
            told::PROGRAM
        )
    })
}

/// What is known of a bug of the published engine.
fn explained(result: &GroupResult) -> Option<String> {
    let id = result.group.fix.as_deref()?;
    let fix = fixes().find(|fix| fix.id == id)?;
    Some(format!(
        "This is known as `{id}`, {}:\n\n{}",
        markdown::inline(fix.title),
        markdown::inline(fix.story.trim())
    ))
}

fn configuration(module: &ModuleFinding, engines: &Registry) -> Vec<(&'static str, String)> {
    let version = |name: &str| {
        engines.find(name).map_or_else(|_| name.to_owned(), |entry| format!("{name} {}", entry.version))
    };
    let limits = Limits::default();
    let mut rows = vec![
        ("target", version(&module.target_engine)),
        ("reference", version(&module.reference_engine)),
        ("features", module.features.to_string()),
        ("fuel of each call", limits.fuel.to_string()),
        ("call depth", limits.recursion.to_string()),
        (
            "NaN bits",
            match module.nans {
                NanMode::Deterministic => "both engines canonicalise them, and they are compared".to_owned(),
                NanMode::Raw => "compared up to what the specification leaves open".to_owned(),
            },
        ),
    ];
    if let Some(krate) = public_crate(&module.target_engine) {
        rows.insert(1, ("features of the target's crate", krate.features.join(", ")));
    }
    if module.fixes || module.bug.is_some() {
        rows.push(("repaired", "known bugs of the target were switched off".to_owned()));
    }
    rows.extend((!module.late_fixes.is_empty()).then(|| ("also repaired", module.late_fixes.join(", "))));
    rows
}
