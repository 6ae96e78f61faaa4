//! Results, made up for tests.

use mutagen_bench::{Cell, Ended, HostFacts, Plan, PlannedStrategy, Suite, Table, Trial, Wish};
use serde_json::json;

#[path = "said.rs"]
mod said;

const TASKS: [&str; 5] = ["wasm-4", "wasm-11", "stack-1", "stack-7", "register-14"];
const STRATEGIES: [&str; 4] = ["mutagen:4", "mutagen/paper:4", "mutagen/paper,no-reset:4", "random:3"];

/// A few tasks of every workload.
pub fn plan() -> Plan {
    let strategy = |text: &&str| text.parse::<PlannedStrategy>().expect("it exists");
    let wish = Wish {
        tasks: TASKS.map(str::to_owned).to_vec(),
        strategies: STRATEGIES.iter().map(strategy).collect(),
        ..Wish::default()
    };
    Plan::of(Suite::find("paper-wasm").expect("it exists"), &wish).expect("it exists")
}

/// A trial of every cell, each as long as `seconds` says. At or beyond the limit the bug is not found.
pub fn trials(plan: &Plan, seconds: impl Fn(&str, &str, u32) -> f64) -> Vec<Trial> {
    let trial = |cell: Cell| {
        let time = seconds(&cell.task, &cell.strategy, cell.trial);
        let found = time < cell.limit;
        let tests = (time.min(cell.limit) * 1000.0) as u64 + 1;
        let mut report = said::of(&cell);
        report["outcome"] = if found { "finding" } else { "passed" }.into();
        (report["tests"], report["passed"]) = (tests.into(), (tests / 4).into());
        (report["discarded"], report["inconclusive"]) = ((tests - tests / 4).into(), 0.into());
        report["seconds"] = time.min(cell.limit).into();
        report["discrepancies"] = json!({ "count": u64::from(cell.trial == 1) });
        report["property"] = "made-up".into();
        if found {
            report["finding"] = said::finding("results", tests, time);
        }
        let trial =
            Trial::judge(cell, Ended::Exited(i32::from(found)), &report.to_string(), "").expect("it ended");
        let started = "2026-01-02T03:04:05Z".to_owned();
        let host = HostFacts {
            name: "nowhere".into(),
            processor: "made-up <processor>".into(),
            cores: 2,
            system: "none".into(),
            jobs: 2,
            load: Some(0.5),
            started,
        };
        trial.from("0123456789abcdef", host)
    };
    plan.cells().into_iter().map(trial).collect()
}

/// A time that differs for every task, strategy and trial. `random` sometimes does not find the bug.
pub fn made_up(task: &str, strategy: &str, trial: u32) -> f64 {
    let hardness = task.len() as f64 - 5.0;
    let slowness = [0.02, 0.1, 0.4, 7.0]
        [STRATEGIES.iter().position(|name| name.starts_with(&format!("{strategy}:"))).expect("it is there")];
    hardness * slowness * (1.0 + f64::from(trial) * 0.7)
}

/// Results with time-outs and a crash.
pub fn sample() -> Table {
    let plan = plan();
    let mut trials = trials(&plan, made_up);
    let crashed =
        trials.iter_mut().find(|trial| trial.cell.name() == "stack-7@random@2").expect("it is there");
    *crashed =
        Trial::judge(crashed.cell.clone(), Ended::Killed(11), "", "stack\noverflow").expect("it is a result");
    Table::of(&plan, &trials)
}
