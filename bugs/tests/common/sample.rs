//! Results that are made up.

use mutagen_bugs::bench::{Cell, Contender, Ended, Host, Plan, Suite, Table, Trial, Wish};
use serde_json::json;

const TASKS: [&str; 5] = ["wasm-4", "wasm-11", "stack-1", "stack-7", "register-14"];
const STRATEGIES: [&str; 4] = ["mutagen:4", "mutagen/paper:4", "mutagen/paper,no-reset:4", "random:3"];

/// A few tasks of every workload.
pub fn plan() -> Plan {
    let contender = |text: &&str| text.parse::<Contender>().expect("it exists");
    let wish = Wish {
        tasks: TASKS.map(str::to_owned).to_vec(),
        strategies: STRATEGIES.iter().map(contender).collect(),
        ..Wish::default()
    };
    Plan::of(Suite::find("paper-wasm").expect("it exists"), &wish).expect("it exists")
}

/// A trial of every cell, each as long as `seconds` says; at or beyond the limit it is not found.
pub fn trials(plan: &Plan, seconds: impl Fn(&str, &str, u32) -> f64) -> Vec<Trial> {
    let trial = |cell: Cell| {
        let time = seconds(&cell.task, &cell.strategy, cell.trial);
        let found = time < cell.limit;
        let tests = (time.min(cell.limit) * 1000.0) as u64 + 1;
        let mut said = json!({
            "property": "made-up", "bug": cell.task, "seed": cell.seed, "outcome": if found { "finding" } else { "passed" },
            "tests": tests, "passed": tests / 4, "discarded": tests - tests / 4, "inconclusive": 0,
            "seconds": time.min(cell.limit), "discrepancies": { "count": u64::from(cell.trial == 1) },
        });
        if found {
            said["finding"] = json!({ "kind": "results", "tests": tests, "seconds": time });
        }
        let trial =
            Trial::judge(cell, Ended::Exited(i32::from(found)), &said.to_string(), "").expect("it ended");
        let started = "2026-01-02T03:04:05Z".to_owned();
        let host = Host {
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

/// Different for every task, strategy and trial; `random` fails now and then.
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
