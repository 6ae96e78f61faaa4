//! What all forms say of a campaign and of its findings.

use std::path::{Path, PathBuf};

use mutagen_campaign::{Curb, Finding, Group, GroupResult, Results, SubjectSpec, quoted};

/// The name of this program, as tools show it.
pub const PROGRAM: &str = "mutagen-wasm";

/// A title for a group, in a few words.
pub fn title(result: &GroupResult) -> String {
    match &result.finding {
        Some(Finding::Module(finding)) => {
            let part = if finding.part.is_empty() { &finding.kind } else { &finding.part };
            format!("{} and {} differ in {part}", finding.target_engine, finding.reference_engine)
        }
        Some(Finding::Leak(finding)) => format!("{} leaks", finding.property),
        None => format!("difference in {}", result.group.kind),
    }
}

/// What a group is, in one line: how often it was met, and what is known of it.
pub fn standing(group: &Group) -> String {
    let times = if group.count == 1 { "met once".to_owned() } else { format!("met {} times", group.count) };
    let mut words = vec![times];
    words.extend(group.fix.as_ref().map(|fix| format!("explained by `{fix}` of the catalogue")));
    words.extend(group.curbed.map(|curb| match curb {
        Curb::Fixed => "its fix was switched on because it kept coming".to_owned(),
        Curb::Skipped => "its shapes were skipped because it kept coming".to_owned(),
    }));
    words.extend(group.silenced.as_ref().map(|why| format!("silenced: {why}")));
    words.join("; ")
}

/// The command that asks both engines again.
pub fn replay(result: &GroupResult) -> Option<String> {
    let file = result.group.file.as_ref()?;
    Some(format!("{PROGRAM} replay {}", quoted(&file.to_string_lossy())))
}

/// The text of the module, or of the leaking states.
pub fn shown_value(finding: &Finding) -> &str {
    match finding {
        Finding::Module(finding) => finding.wat.trim_end(),
        Finding::Leak(finding) => finding.explanation.trim_end(),
    }
}

/// What was asked, what both answered, and the last functions of a target that ended its process: one name and one text for each.
pub fn answers(finding: &Finding) -> Vec<(String, String)> {
    match finding {
        Finding::Module(finding) => {
            let votes = finding.votes.iter().map(|votes| ("votes".to_owned(), votes.to_string()));
            let both = [
                ("asked".to_owned(), finding.question.clone()),
                ("differs in".to_owned(), finding.part.clone()),
                (finding.target_engine.clone(), finding.target.clone()),
                (finding.reference_engine.clone(), finding.reference.clone()),
            ];
            let last = |function: &String| ("last in".to_owned(), function.clone());
            both.into_iter().chain(votes).chain(finding.functions.iter().map(last)).collect()
        }
        Finding::Leak(finding) => vec![
            ("property".to_owned(), finding.property.clone()),
            ("observed".to_owned(), finding.target.clone()),
            ("expected".to_owned(), finding.reference.clone()),
        ],
    }
}

/// The calls of a finding, one per line; none if the question tells everything.
pub fn calls(finding: &Finding) -> Vec<String> {
    match finding {
        Finding::Module(finding) if finding.calls.len() > 1 => {
            let shown = |call: &mutagen_campaign::StoredCall| {
                format!("{:?} with [{}]", call.export, call.arguments.join(", "))
            };
            finding.calls.iter().map(shown).collect()
        }
        _ => Vec::new(),
    }
}

/// The file with the text of an exemplar, which lies beside its JSON file.
pub fn text_file(result: &GroupResult) -> Option<PathBuf> {
    let file = result.group.file.as_ref()?;
    Some(match &result.finding {
        Some(Finding::Module(_)) => file.with_extension("wat"),
        Some(Finding::Leak(_)) => file.with_extension("txt"),
        None => file.clone(),
    })
}

/// A path as text, with `/` between its parts.
pub fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The facts of a campaign: names and texts.
pub fn facts(results: &Results) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(spec) = &results.spec {
        facts.push(("command", spec.command_line()));
        facts.push(("property", spec.property()));
        if let SubjectSpec::Engines(engines) = &spec.subject {
            facts
                .push(("engines", format!("{} (target), {} (reference)", engines.target, engines.reference)));
            facts.push(("features", engines.features.to_string()));
        }
        facts.extend(spec.bug.iter().map(|bug| ("injected bug", bug.clone())));
        facts.push(("seed", spec.seed.to_string()));
    }
    facts.push(("version", format!("{PROGRAM} {}", results.version)));
    facts.push(("end", results.state_words()));
    let Results { tests, passed, discarded, inconclusive, seconds, .. } = *results;
    facts.push((
        "tests",
        format!("{tests}: {passed} passed, {discarded} discarded, of these {inconclusive} inconclusive"),
    ));
    facts.push(("time", format!("{seconds:.1} s")));
    if let Some(total) = results.total.filter(|total| total.runs > 1) {
        facts.push((
            "all runs",
            format!("{} runs, {} tests, {:.1} s", total.runs, total.tests, total.seconds),
        ));
    }
    if results.directory.is_some() {
        facts.push(("corpus", format!("{} modules", results.corpus)));
    }
    facts
}
