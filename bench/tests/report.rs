//! Reports of made-up trials. `BLESS=1 cargo test` rewrites the expected texts.

use std::path::Path;

use mutagen_bench::{Change, Comparison, Measure, Plan, Suite, Table, TrialOutcome, Wish, report};
use sample::{made_up, plan, sample, trials};

#[path = "common/sample.rs"]
mod sample;
#[path = "common/well_formed.rs"]
mod well_formed;

#[track_caller]
fn expect(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("it has one")).expect("it can be made");
        std::fs::write(&file, text).expect("the expected text can be written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(text == expected, "{name} is not as expected; BLESS=1 accepts it:\n{text}");
}

#[test]
fn the_terminal_shows_a_table_per_workload() {
    expect("terminal.txt", &report::terminal(&sample(), "mutagen"));
}

#[test]
fn every_cell_and_every_aggregate_is_in_csv_and_json() {
    let table = sample();
    expect("cells.csv", &report::cells_csv(&table));
    expect("summaries.csv", &report::summaries_csv(&table, "mutagen"));
    expect("totals.csv", &report::totals_csv(&table, "mutagen"));
    expect("curves.csv", &report::curves_csv(&table));
    let json = report::json(&table, "mutagen");
    let count = |name: &str| json[name].as_array().map_or(0, Vec::len);
    assert_eq!((count("cells"), count("summaries"), count("totals")), (75, 20, 12));
    let csv = report::cells_csv(&table);
    assert_eq!(csv.lines().count(), 76);
    assert_eq!(
        json["cells"][0]["seed"].to_string(),
        csv.lines().nth(1).expect("there is one").split(',').nth(5).expect("it has one")
    );
}

#[test]
fn the_page_is_as_expected() {
    expect("report.html", &report::page(&sample(), "mutagen"));
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let page = report::page(&sample(), "mutagen");
    well_formed::check(&page).unwrap_or_else(|reason| panic!("{reason}"));
    for forbidden in ["http:", "https:", "<script", "<link", "<img", "<iframe", "url(", "@import", " src="] {
        assert!(!page.contains(forbidden), "`{forbidden}` is in the page");
    }
    assert!(page.contains("made-up &lt;processor&gt;"), "text is escaped");
}

#[test]
fn every_chart_has_marks_a_description_a_legend_and_its_numbers() {
    let page = report::page(&sample(), "mutagen");
    let figures: Vec<&str> = page
        .split("<figure")
        .skip(1)
        .map(|rest| rest.split("</figure>").next().unwrap_or_default())
        .collect();
    // Failures, buckets, bugs over time and cactus for each workload, and ablations.
    assert_eq!(figures.len(), 15);
    for figure in figures {
        let title =
            figure.split("<h3>").nth(1).and_then(|rest| rest.split('<').next()).expect("it has a title");
        let drawing = figure.split("class=\"scroll\"").nth(1).expect("it has a drawing");
        assert!(drawing.matches("class=\"mark ").count() >= 3, "{title}: too few marks");
        assert!(drawing.contains("role=\"img\"") && drawing.contains("<desc"), "{title}: no description");
        assert!(drawing.matches("class=\"tick\"").count() >= 4, "{title}: too few ticks");
        assert!(
            figure.contains("class=\"legend\"") && figure.contains("<figcaption>"),
            "{title}: no legend or caption"
        );
        assert!(
            figure.split("<tbody>").nth(1).is_some_and(|body| body.contains("<td>")),
            "{title}: no numbers"
        );
        assert!(!figure.contains("NaN") && !figure.contains("inf"), "{title}: a number that is none");
    }
}

#[test]
fn a_run_without_any_result_makes_a_report_too() {
    let table = Table::of(&plan(), &[]);
    assert!(report::terminal(&table, "mutagen").contains("not run"));
    let page = report::page(&table, "mutagen");
    well_formed::check(&page).unwrap_or_else(|reason| panic!("{reason}"));
    assert!(!page.contains("NaN"));
}

#[test]
fn time_outs_are_never_averaged_away() {
    let plan = plan();
    let table = Table::of(
        &plan,
        &trials(&plan, |_, strategy, trial| if strategy == "random" && trial > 0 { 99.0 } else { 1.0 }),
    );
    let random = table.get("stack-1", "random").expect("it is there");
    assert_eq!((random.found(), random.runs(), random.median(Measure::Seconds)), (1, 3, None));
    assert!((random.mean_seconds().expect("there are runs") - (1.0 + 20.0 + 20.0) / 3.0).abs() < 1e-9);
    assert_eq!((random.mean_tests_of_found(), random.failure_rate()), (Some(1001.0), Some(1.0 / 3.0)));
    assert!(!random.is_solved());
    assert!(table.get("stack-1", "mutagen").expect("it is there").is_solved());
}

#[test]
fn a_finding_after_the_limit_is_a_time_out() {
    let plan = plan();
    let mut trials = trials(&plan, made_up);
    trials[0].seconds = plan.limit + 0.01;
    assert!(!trials[0].found_within(plan.limit));
    assert!(!trials[0].seconds_to_failure(plan.limit).happened);
}

#[test]
fn broken_trials_count_as_not_found_and_are_listed_with_the_reason() {
    let table = sample();
    let broken = table.get("stack-7", "random").expect("it is there");
    assert_eq!((broken.broken(), broken.ended(TrialOutcome::Crashed), broken.runs()), (1, 1, 3));
    assert!(report::page(&table, "mutagen").contains("signal 11: stack overflow"));
}

#[test]
fn a_slower_run_is_worse_a_faster_one_better_and_the_same_one_the_same() {
    let table = sample();
    let plan = plan();
    let compare = |factor: f64| {
        let other =
            Table::of(&plan, &trials(&plan, |task, strategy, trial| made_up(task, strategy, trial) * factor));
        Comparison::of(&table, &other, Measure::Seconds, 0.05)
    };
    let slower = compare(30.0);
    assert!(slower.is_worse());
    assert!(slower.overall.iter().any(|one| one.strategy == "mutagen" && one.change == Change::Worse));
    let faster = compare(0.03);
    assert!(!faster.is_worse());
    assert!(faster.overall.iter().any(|one| one.change == Change::Better));
    let same = Comparison::of(&table, &table, Measure::Tests, 0.05);
    assert!(!same.is_worse());
    assert_eq!(same.count(Change::Same), same.compared.len());
    expect("comparison.txt", &report::comparison(&slower, true));
}

#[test]
fn one_task_that_got_worse_is_found_among_many_that_did_not() {
    let wish = Wish {
        tasks: vec!["stack-*".into()],
        strategies: vec!["mutagen:10".parse().expect("it exists")],
        ..Wish::default()
    };
    let plan = Plan::of(Suite::find("paper-ifc").expect("it exists"), &wish).expect("it exists");
    let run = |slow: f64| {
        let time = move |task: &str, _: &str, trial: u32| {
            f64::from(trial + 1) * if task == "stack-5" { slow } else { 0.1 }
        };
        Table::of(&plan, &trials(&plan, time))
    };
    let comparison = Comparison::of(&run(0.1), &run(1.5), Measure::Seconds, 0.05);
    let worse: Vec<&str> = comparison
        .compared
        .iter()
        .filter(|one| one.change == Change::Worse)
        .map(|one| one.task.as_str())
        .collect();
    assert_eq!(worse, ["stack-5"]);
}
