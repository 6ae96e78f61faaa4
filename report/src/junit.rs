//! The form for tools that show results of tests: JUnit's XML.
//!
//! Written by hand: there are five elements, and the crates for it would change the features of what wasmtime is built from.

use mutagen_campaign::{CampaignOutcome, GroupResult, Results, State};

use crate::draw::markup::element;
use crate::{draw::markup::escape, told};

/// The report as JUnit's XML: the campaign is a suite, each group a failed case. A campaign that found nothing is one case
/// that passed, so that a suite is never empty.
pub fn report(results: &Results) -> String {
    let property =
        results.spec.as_ref().map_or_else(|| "campaign".to_owned(), mutagen_campaign::Spec::property);
    let mut cases: Vec<String> = results.groups.iter().map(|result| case(&property, result)).collect();
    cases.push(whole(&property, results));
    let (tests, failures) = (cases.len().to_string(), results.open().count().to_string());
    let errors = usize::from(broken(results).is_some()).to_string();
    let skipped = (results.groups.len() - results.open().count()).to_string();
    let counts = [("tests", tests.as_str()), ("failures", &failures), ("errors", &errors)];
    let time = format!("{:.3}", results.seconds);
    let suite =
        [&[("name", property.as_str())], &counts[..], &[("skipped", &skipped), ("time", &time)]].concat();
    let inside = format!("\n{}\n", element("testsuite", &suite, &format!("\n{}\n", cases.join("\n"))));
    let all = [&[("name", told::PROGRAM)], &counts[..], &[("time", &time)]].concat();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", element("testsuites", &all, &inside))
}

/// The case of a group.
fn case(property: &str, result: &GroupResult) -> String {
    let name = result.name();
    let attributes = [("classname", property), ("name", name.as_str()), ("time", "0")];
    let attributes = attributes.map(|(name, text)| (name, clean(text)));
    let attributes: Vec<(&str, &str)> =
        attributes.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let inside = match &result.group.silenced {
        Some(why) => element("skipped", &[("message", &clean(why))], ""),
        None => {
            let title = clean(&told::title(result));
            element(
                "failure",
                &[("type", &clean(&result.group.kind)), ("message", &title)],
                &escape(&clean(&details(result))),
            )
        }
    };
    element("testcase", &attributes, &inside)
}

fn details(result: &GroupResult) -> String {
    let mut parts = vec![told::standing(&result.group)];
    match &result.finding {
        Some(finding) => parts.push(finding.shown()),
        None => parts.push(result.group.message.clone()),
    }
    parts.extend(told::replay(result).map(|command| format!("see it again: {command}")));
    parts.join("\n")
}

/// The case of the campaign itself.
fn whole(property: &str, results: &Results) -> String {
    let inside =
        broken(results).map_or_else(String::new, |why| element("error", &[("message", &clean(&why))], ""));
    let time = format!("{:.3}", results.seconds);
    element("testcase", &[("classname", property), ("name", "campaign"), ("time", &time)], &inside)
}

/// Why the campaign has no result, if it has none.
fn broken(results: &Results) -> Option<String> {
    match results.state {
        State::Killed | State::Ended(CampaignOutcome::GaveUp) => Some(results.state_words()),
        _ => None,
    }
}

/// The text without the characters that XML cannot hold at all.
fn clean(text: &str) -> String {
    let allowed = |letter: char| matches!(letter, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|letter| if allowed(letter) { letter } else { '\u{fffd}' }).collect()
}
