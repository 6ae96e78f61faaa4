//! The report at the end of a campaign, for people or for scripts.

use std::path::PathBuf;

use mutagen_campaign::{
    CampaignOutcome, CampaignReport, Curb, Deaths, EngineSpec, GivenReport, Group, SecondsIn, Shared,
    SlowReport, Spec, SubjectSpec, quoted,
};
use mutagen_properties::{DISCREPANCY, OpinionCounts};

use crate::exit_code::{Code, CommandError};
use crate::flags::TellingFlags;
use crate::say;

/// Prints the report of a campaign.
pub fn campaign(
    report: &CampaignReport,
    inputs: &[PathBuf],
    telling: &TellingFlags,
) -> Result<(), CommandError> {
    if telling.json {
        let text = serde_json::to_string(report);
        return say::out(text.map_err(|error| CommandError::new(Code::Internal, error))?);
    }
    let mut parts: Vec<String> = report.replayed.iter().map(replayed).collect();
    parts.extend(slowest(&report.slowest));
    if let Some(found) = &report.finding {
        parts.push(found.finding.shown());
        parts.push(match &found.file {
            Some(path) => format!("replay with: mutagen-wasm replay {}", say::path(path)),
            None => format!("run again with: {}", again(&report.spec, inputs)),
        });
    }
    parts.extend(groups(&report.groups));
    parts.push(summary(report, telling.verbose));
    if let (Some(seconds), SubjectSpec::Engines(engines)) = (&report.seconds_in, &report.spec.subject) {
        parts.push(times(seconds, engines));
    }
    parts.extend(opinions(report));
    parts.extend(report.discrepancies.each.iter().map(|one| {
        format!("{DISCREPANCY} of the unmodified engines, met {} times: {}", one.met, one.message)
    }));
    say::out(parts.join("\n"))
}

/// What came of sharing, in a line.
fn shared(shared: Option<&Shared>) -> String {
    let Some(Shared { received, unsent, dropped, too_large, foreign }) = shared else { return String::new() };
    let mut text = format!("\nshared: {received} tests of others");
    let left =
        [(unsent, "not handed over"), (dropped, "dropped"), (too_large, "too large"), (foreign, "damaged")];
    left.iter()
        .filter(|(count, _)| **count > 0)
        .for_each(|(count, what)| text += &format!(", {count} {what}"));
    text
}

/// The command that runs the campaign again, from the same modules.
fn again(spec: &Spec, inputs: &[PathBuf]) -> String {
    let words = inputs.iter().flat_map(|path| ["--input".to_owned(), path.to_string_lossy().into_owned()]);
    words.fold(spec.command_line(), |line, word| line + " " + &quoted(&word))
}

/// One paragraph of figures.
fn summary(report: &CampaignReport, verbose: bool) -> String {
    let mut text = format!(
        "{}; {:.3} s ({:.0}/s); stopped: {}",
        report.tally(),
        report.seconds,
        report.tests_per_second,
        report.stop_reason
    );
    if report.outcome == CampaignOutcome::GaveUp && report.discarded == report.tests {
        text += "; every test was discarded, so nothing was tested";
    }
    if report.unsorted > 0 {
        text +=
            &format!("\n{} failing tests are in no group: there was no time to shrink them", report.unsorted);
    }
    if let Some(Deaths { target, reference, first_opinion, unexplained, unjudged, forgotten }) = report.deaths
    {
        let opinion = match first_opinion {
            0 => String::new(),
            times => format!("{times} of the first opinion, "),
        };
        text += &format!(
            "\nworkers died {} times: {target} of the target, {reference} of the reference, {opinion}{unexplained} of nothing \
             that shows again",
            target + reference + first_opinion + unexplained + unjudged
        );
        if unjudged > 0 {
            text += &format!(", {unjudged} of tests that nobody had the time to judge");
        }
        if forgotten > 0 {
            text += &format!("; {forgotten} of their modules may be tested again");
        }
    }
    text += &shared(report.shared.as_ref());
    if verbose {
        let figures = report.figures.counts.iter().chain(&report.figures.levels).chain(&report.labels);
        for (name, number) in figures {
            text += &format!("\n  {name:<32} {number:>12}");
        }
        text += &format!("\n  switches: {}", report.figures.switches.join(" "));
    }
    text
}

/// One line for each group, if there is more to say than the finding says, and one for all that are silenced.
fn groups(all: &[Group]) -> Vec<String> {
    let (silenced, open): (Vec<&Group>, Vec<&Group>) = all.iter().partition(|group| group.silenced.is_some());
    let is_plain = |group: &&Group| group.count == 1 && group.fix.is_none();
    let mut lines: Vec<String> = match &open[..] {
        [only] if is_plain(only) => Vec::new(),
        _ => open.into_iter().map(group).collect(),
    };
    if !silenced.is_empty() {
        let tests: u64 = silenced.iter().map(|group| group.count).sum();
        lines.push(format!("silenced: {} groups, met {tests} times", silenced.len()));
        lines.extend(silenced.iter().map(|group| {
            let why = group.silenced.as_deref().unwrap_or_default();
            format!("  {}: {why}", group.shape)
        }));
    }
    lines
}

fn group(group: &Group) -> String {
    let Group { shape, message, fix, count, first, last, curbed, file, .. } = group;
    let name = fix.as_ref().map(|fix| format!("; this is {fix}")).unwrap_or_default();
    let curbed = match curbed {
        Some(Curb::Fixed) => "; its fix was switched on",
        Some(Curb::Skipped) => "; its shapes were skipped",
        None => "",
    };
    let file = file.as_ref().map(|file| format!("\n  {}", say::path(file))).unwrap_or_default();
    format!(
        "group {shape}: met {count} times, first after {} tests ({:.1} s), last after {} tests ({:.1} s){name}{curbed}\n  \
         {message}{file}",
        first.tests, first.seconds, last.tests, last.seconds
    )
}

fn times(seconds: &SecondsIn, engines: &EngineSpec) -> String {
    let EngineSpec { target, reference, first_opinion, .. } = engines;
    let first = first_opinion.iter().map(|named| format!(" and {}", listed(named))).collect::<String>();
    let SecondsIn { target: ours, reference: theirs, rest } = seconds;
    format!("of the time: {target} {ours:.3} s, {reference}{first} {theirs:.3} s, the rest {rest:.3} s")
}

/// The names of engines that give first opinions, to be read.
fn listed(named: &str) -> String {
    EngineSpec::names(named).join(" or ")
}

/// What came of asking for first opinions.
fn opinions(report: &CampaignReport) -> Option<String> {
    let SubjectSpec::Engines(EngineSpec { first_opinion: Some(named), reference, .. }) = &report.spec.subject
    else {
        return None;
    };
    let name = listed(named);
    let counts = report.first_opinion.filter(|counts| counts.asked > 0)?;
    let OpinionCounts { asked, agreed, checked, contradicted, panicked, seconds } = counts;
    let panics = if panicked > 0 { format!("; it panicked {panicked} times") } else { String::new() };
    Some(format!(
        "first opinion: {name} agreed on {agreed} of {asked} tests in {seconds:.3} s; {reference} judged {checked} of these as \
         well and contradicted it {contradicted} times{panics}"
    ))
}

/// The result of a file, in one line.
fn replayed(given: &GivenReport) -> String {
    let GivenReport { file, outcome, message } = given;
    let why = if message.is_empty() { String::new() } else { format!(": {message}") };
    format!("{}: {}{why}", say::path(file), outcome.name())
}

/// The amounts of all slow tests in one line, and the slowest of them.
fn slowest(all: &[SlowReport]) -> Option<String> {
    let first = all.first()?;
    let amounts: Vec<String> = all.iter().map(|slow| slow.amount.to_string()).collect();
    let stored = first.file.as_ref().map(|path| format!("\nstored with the others: {}", say::path(path)));
    let shown = first.wat.as_deref().or(first.value.as_deref()).unwrap_or_default();
    Some(format!(
        "slowest, in {}: {}{}\n{}",
        first.unit,
        amounts.join(", "),
        stored.unwrap_or_default(),
        shown.trim_end()
    ))
}
