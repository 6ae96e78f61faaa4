//! The form for tools that show results of analyses: SARIF 2.1.0.

use std::collections::{BTreeMap, BTreeSet};

use mutagen_campaign::{CampaignOutcome, GroupResult, Results, State, SubjectSpec};
use serde::Serialize;

use crate::told;

/// The report as SARIF. A kind of difference is a rule, a group is a result, a silenced group a suppressed result.
pub fn report(results: &Results) -> String {
    let kinds: BTreeSet<&str> = results.groups.iter().map(|result| result.group.kind.as_str()).collect();
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            automation_details: AutomationDetails { id: category(results) },
            tool: Tool {
                driver: Driver {
                    name: told::PROGRAM,
                    version: results.version.clone(),
                    rules: kinds.into_iter().map(rule).collect(),
                },
            },
            invocations: [Invocation {
                command_line: results.spec.as_ref().map(mutagen_campaign::Spec::command_line),
                execution_successful: !matches!(
                    results.state,
                    State::Killed | State::Ended(CampaignOutcome::GaveUp | CampaignOutcome::Interrupted)
                ),
            }],
            results: results.groups.iter().map(result).collect(),
            column_kind: "unicodeCodePoints",
        }],
    };
    let text = serde_json::to_string_pretty(&log).unwrap_or_else(|error| unreachable!("plain data: {error}"));
    text + "\n"
}

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    automation_details: AutomationDetails,
    tool: Tool,
    invocations: [Invocation; 1],
    results: Vec<SarifResult>,
    column_kind: &'static str,
}

#[derive(Serialize)]
struct AutomationDetails {
    id: String,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: String,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    command_line: Option<String>,
    execution_successful: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    occurrence_count: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

/// What tells this report from those of other campaigns, in the form `category/`. GitHub takes no two reports of one tool and one
/// category for a change.
fn category(results: &Results) -> String {
    let mut parts = vec![told::PROGRAM.to_owned()];
    if let Some(spec) = &results.spec {
        parts.push(spec.property());
        if let SubjectSpec::Engines(engines) = &spec.subject {
            parts.push(engines.target.clone());
        }
    }
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    parts.iter().map(|part| part.chars().map(plain).collect::<String>() + "/").collect()
}

fn rule(kind: &str) -> Rule {
    Rule { id: kind.to_owned(), short_description: Message { text: format!("engines differ in {kind}") } }
}

fn result(result: &GroupResult) -> SarifResult {
    let group = &result.group;
    let mut text = format!("{}: {} ({})", told::title(result), group.message, told::standing(group));
    if let Some(command) = told::replay(result) {
        text += &format!(". See it again: {command}");
    }
    let location = told::text_file(result).map(|file| Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri(&told::path_text(&file)) },
            region: Region { start_line: 1 },
        },
    });
    let suppression = |why: &String| Suppression { kind: "external", justification: why.clone() };
    SarifResult {
        rule_id: group.kind.clone(),
        level: "error",
        message: Message { text },
        locations: location.into_iter().collect(),
        partial_fingerprints: BTreeMap::from([("shape/v1", group.shape.to_string())]),
        occurrence_count: group.count.max(1),
        suppressions: group.silenced.iter().map(suppression).collect(),
    }
}

/// A path as a reference: every byte that has a meaning of its own there is escaped.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
