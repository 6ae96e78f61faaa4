//! The report as a self-contained page: it needs no network, no script and no other file.

use super::dots::Dots;
use super::markup::{document, element, escape, text};
use super::series::Series;
use super::{bars, lines, tables};
use crate::{Table, Workload};

/// The results as one HTML page, with the tables and figures of the papers, beside the published numbers.
pub fn page(table: &Table, baseline: &str) -> String {
    let workloads = table.workloads();
    let links: String = workloads
        .iter()
        .map(|workload| text("a", &[("href", &format!("#{}", workload.name()))], workload.title()))
        .chain([text("a", &[("href", "#reading")], "How to read this")])
        .collect();
    let sections: String = workloads.iter().map(|workload| section(table, *workload, baseline)).collect();
    let broken = tables::broken(table).map_or(String::new(), |rows| {
        element("section", &[("id", "broken")], &(text("h2", &[], "Trials that broke down") + &rows))
    });
    let title = "mutagen-wasm: benchmark results";
    let body = [
        element("header", &[], &(text("h1", &[], title) + &element("nav", &[], &links))),
        element("main", &[], &[tables::provenance(table), sections, broken, reading(baseline)].join("\n")),
    ];
    document(title, "", &body.join("\n"))
}

fn section(table: &Table, workload: Workload, baseline: &str) -> String {
    let mut parts = vec![
        text("h2", &[], workload.title()),
        text("h3", &[], "Strategies at a glance"),
        tables::glance(table, workload, baseline),
        failures(table, workload).figure().markup(),
    ];
    parts.extend(ablations(table, workload).map(|dots| dots.figure().markup()));
    parts.extend([
        bars::solved(table, workload).markup(),
        lines::over_time(table, workload).markup(),
        lines::cactus(table, workload).markup(),
        text("h3", &[], "Tests to failure (Table 3 of the MUTAGEN paper)"),
        note(&format!(
            "Mean number of tests of the trials that found the bug, how many trials these are, and A12 against {baseline} \
             over all trials; * where p < 0.05 in the Mann-Whitney U test of that task alone."
        )),
        tables::tests_to_failure(table, workload, baseline),
        text("h3", &[], "Speed (Table 4 of the MUTAGEN paper)"),
        tables::speed(table, workload),
    ]);
    element("section", &[("id", workload.name())], &parts.join("\n"))
}

fn note(words: &str) -> String {
    text("p", &[], words)
}

/// Every strategy of the results, and every published tool.
fn failures(table: &Table, workload: Workload) -> Dots<'_> {
    let figure = match workload {
        Workload::Wasm => " (Fig. 4 of the MUTAGEN paper)",
        Workload::Stack => " (Fig. 3 of the MUTAGEN paper)",
        Workload::Register => " (Fig. 9 of the FuzzChick paper)",
    };
    let strategies = Series::of_table(table).into_iter();
    let tools = tables::tools_with(workload, |row| row.seconds.is_some() || row.failure_rate.is_some());
    Dots {
        id: format!("{}-failures", workload.name()),
        title: format!("{}: time to failure and failure rate{figure}", workload.title()),
        caption: format!("{} {PUBLISHED}", means(table)),
        table,
        tasks: table.tasks(workload),
        ours: strategies.filter(|one| !table.of_strategy(workload, &one.name).is_empty()).collect(),
        tools,
    }
}

/// MUTAGEN as published and its ablations, if there are any.
fn ablations(table: &Table, workload: Workload) -> Option<Dots<'_>> {
    let variant = |one: &Series| one.name == "mutagen/paper" || one.name.starts_with("mutagen/paper,");
    let ours: Vec<Series> = Series::of_table(table)
        .into_iter()
        .filter(|one| variant(one) && !table.of_strategy(workload, &one.name).is_empty())
        .collect();
    let tools = tables::tools_with(workload, |row| row.seconds.is_some() || row.failure_rate.is_some());
    (ours.len() > 1).then(|| Dots {
        id: format!("{}-ablations", workload.name()),
        title: format!("{}: what the heuristics of the paper are worth", workload.title()),
        caption: format!(
            "MUTAGEN as published, and without one of its heuristics.{} {} {PUBLISHED}",
            if workload == Workload::Wasm {
                ""
            } else {
                " On the machines states have size 2, and one generation of mutants is followed instead of ten."
            },
            means(table)
        ),
        table,
        tasks: table.tasks(workload),
        ours,
        tools: tools.into_iter().filter(|tool| tool.starts_with("MUTAGEN")).collect(),
    })
}

const PUBLISHED: &str = "Hollow marks are published results: other machines, other languages, limits of an hour or more, and \
                         for WebAssembly another engine.";

fn means(table: &Table) -> String {
    let trials: Vec<u32> = table.plan.strategies.iter().filter_map(|one| one.trials).collect();
    let (least, most) = (trials.iter().min().unwrap_or(&0), trials.iter().max().unwrap_or(&0));
    let trials = if least == most { format!("{most}") } else { format!("{least} to {most}") };
    format!(
        "Left: mean time to failure, a time-out counted as the limit; an arrow marks means that are lower bounds since \
         trials timed out. Right: share of trials that found the bug. {trials} trials per mark."
    )
}

fn reading(baseline: &str) -> String {
    let items = [
        "A trial is one seeded run with a time limit. It succeeds only if it finds the injected bug: the finding must vanish \
         when the bug is switched off. Differences that the unmodified engines show are counted as discrepancies, never as \
         success."
            .to_owned(),
        "Failure rate is the papers' word for the share of trials that find the bug (a found bug is a failing property).".to_owned(),
        "Time-outs are censored: all we know is that the trial would have taken longer. Medians are Kaplan-Meier estimates and \
         missing where fewer than half of the trials succeed; mean times count a time-out as the limit, as the papers do, and \
         are lower bounds then; a mean over successes alone never stands without the number of successes."
            .to_owned(),
        format!(
            "A12 is the chance that a trial of the strategy is sooner than one of {baseline}, ties counting half; a time-out is \
             later than every success. 0.5 is no difference; from 0.56 on it is small, from 0.64 medium, from 0.71 large, and \
             likewise below one half."
        ),
        "p-values are two-sided: Mann-Whitney U at one task, van Elteren's combination of it over all tasks of a workload.".to_owned(),
    ];
    let list: String = items.iter().map(|item| element("li", &[], &escape(item))).collect();
    let inside = text("h2", &[], "How to read this") + &element("ul", &[], &list);
    element("section", &[("id", "reading")], &inside)
}
