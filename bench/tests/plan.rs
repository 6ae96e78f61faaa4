//! Plans: which cells there are, which seeds they have, and how they are divided into shards.

use std::collections::BTreeSet;
use std::time::Duration;

use mutagen_bench::{Cell, Plan, PlannedStrategy, Shard, Suite, Task, Wish};
use mutagen_engine::Strategy;

fn names(cells: &[Cell]) -> BTreeSet<String> {
    cells.iter().map(Cell::name).collect()
}

fn strategy(text: &str) -> PlannedStrategy {
    text.parse().expect("it exists")
}

#[test]
fn every_suite_has_cells_each_with_a_name_and_a_seed_of_its_own() {
    for suite in Suite::all() {
        let cells = Plan::of_suite(suite).cells();
        assert!(!cells.is_empty(), "{}", suite.name);
        assert_eq!(names(&cells).len(), cells.len(), "{}", suite.name);
        let seeds: BTreeSet<u64> = cells.iter().map(|cell| cell.seed).collect();
        assert_eq!(seeds.len(), cells.len(), "{}", suite.name);
    }
}

#[test]
fn the_suites_cover_the_papers() {
    let plan = |name: &str| Plan::of_suite(Suite::find(name).expect("it exists"));
    let numbered =
        |kind: &str, count: usize| (1..=count).map(|number| format!("{kind}-{number}")).collect::<Vec<_>>();
    assert_eq!(plan("paper-wasm").tasks, numbered("wasm", 15));
    assert_eq!(plan("paper-ifc").tasks, numbered("stack", 20));
    assert_eq!(plan("register").tasks, numbered("register", 33));
    assert_eq!(plan("all").tasks.len(), Task::all().len());
    let strategies: Vec<String> = plan("all").strategies.into_iter().map(|one| one.name).collect();
    for guidance in Strategy::GUIDANCES.iter().filter(|guidance| **guidance != "repro") {
        assert!(strategies.iter().any(|name| name == guidance), "{guidance}");
    }
}

#[test]
fn the_smoke_suite_fits_two_minutes_on_two_cores_even_if_nothing_is_found() {
    let plan = Plan::of_suite(Suite::find("smoke").expect("it exists"));
    let seconds = plan.cells().len() as f64 * plan.limit / 2.0;
    assert!((60.0..=130.0).contains(&seconds), "{seconds}");
}

#[test]
fn the_same_wish_gives_the_same_plan_and_the_same_seeds() {
    let suite = Suite::find("paper-ifc").expect("it exists");
    let wish = Wish { tasks: vec!["stack-1?".into()], trials: Some(3), ..Wish::default() };
    let plans = [Plan::of(suite, &wish), Plan::of(suite, &wish)].map(|plan| plan.expect("it exists"));
    assert_eq!(plans[0], plans[1]);
    assert_eq!(plans[0].cells(), plans[1].cells());
    let stored = serde_json::to_string(&plans[0]).expect("a plan can be written");
    assert_eq!(Plan::read(&stored).expect("it was just written"), plans[0]);
}

#[test]
fn seeds_do_not_depend_on_what_else_is_in_the_plan() {
    let seed_of = |plan: &Plan| {
        plan.cells().into_iter().find(|cell| cell.name() == "stack-3@mutagen@2").expect("it is there").seed
    };
    let suite = Suite::find("paper-ifc").expect("it exists");
    let wish = Wish {
        tasks: vec!["stack-3".into()],
        strategies: vec![strategy("mutagen")],
        time: Some(Duration::from_secs(1)),
        ..Wish::default()
    };
    assert_eq!(seed_of(&Plan::of_suite(suite)), seed_of(&Plan::of(suite, &wish).expect("it exists")));
}

#[test]
fn shards_are_disjoint_and_together_they_are_the_whole() {
    let plan = Plan::of_suite(Suite::find("smoke").expect("it exists"));
    let whole = plan.cells();
    for count in [1, 2, 3, 7, 100] {
        let shards: Vec<Vec<Cell>> = (0..count).map(|index| plan.cells_of(Shard { index, count })).collect();
        assert_eq!(shards.iter().map(Vec::len).sum::<usize>(), whole.len());
        assert_eq!(names(&shards.concat()), names(&whole));
        let sizes = shards.iter().map(Vec::len);
        let strategies = plan.strategies.len();
        assert!(
            sizes.clone().max().unwrap_or(0) - sizes.min().unwrap_or(0) <= strategies,
            "{count} shards are about equal"
        );
    }
}

#[test]
fn strategies_that_are_compared_run_in_the_same_shard() {
    let plan = Plan::of_suite(Suite::find("paper-ifc").expect("it exists"));
    let places: Vec<Vec<(String, u32)>> = (0..5)
        .map(|index| plan.cells_of(Shard { index, count: 5 }))
        .map(|cells| cells.into_iter().map(|cell| (cell.task, cell.trial)).collect())
        .collect();
    for (shard, other) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)] {
        assert!(places[shard].iter().all(|place| !places[other].contains(place)));
    }
}

#[test]
fn what_is_no_shard_is_refused() {
    for text in ["", "1", "3/3", "0/0", "-1/2", "a/b", "1/2/3"] {
        assert!(text.parse::<Shard>().is_err(), "{text}");
    }
}

#[test]
fn trials_can_be_set_for_all_strategies_and_for_single_ones() {
    let suite = Suite::find("paper-wasm").expect("it exists");
    let trials = |wish: &Wish| -> Vec<(String, Option<u32>)> {
        let plan = Plan::of(suite, wish).expect("it exists");
        plan.strategies.into_iter().map(|one| (one.name, one.trials)).collect()
    };
    let usual = trials(&Wish::default());
    assert_eq!(usual[0], ("mutagen".to_owned(), Some(10)));
    assert_eq!(usual[4], ("random".to_owned(), Some(3)));
    assert!(
        trials(&Wish { trials: Some(2), ..Wish::default() }).iter().all(|(_, trials)| *trials == Some(2))
    );
    let chosen = Wish {
        strategies: vec![strategy("mutagen"), strategy("random:4")],
        trials: Some(2),
        ..Wish::default()
    };
    assert_eq!(trials(&chosen), [("mutagen".to_owned(), Some(2)), ("random".to_owned(), Some(4))]);
}

#[test]
fn the_first_trials_of_everything_come_before_the_second() {
    let cells = Plan::of_suite(Suite::find("smoke").expect("it exists")).cells();
    assert!(cells.is_sorted_by_key(|cell| cell.trial));
}

#[test]
fn a_cell_runs_an_ordinary_campaign() {
    let command = |task: &str, strategy: &str| {
        Cell::new(task, strategy, 0, 1.5).spec().expect("it exists").command_line()
    };
    let seed = Cell::new("wasm-1", "mutagen/paper,no-fifo", 0, 1.5).seed;
    assert_eq!(
        command("wasm-1", "mutagen/paper,no-fifo"),
        format!(
            "mutagen-wasm validate --bug wasm-1 --preset paper --switch constant-priority --switch fifo \
             --seed {seed} --time '1s 500ms'"
        )
    );
    let starts = |task, strategy, start: &str| {
        let command = command(task, strategy);
        assert!(command.starts_with(&format!("mutagen-wasm {start}")), "{command}");
    };
    starts("wasm-11", "random", "interpret --bug wasm-11 --guidance random --seed");
    starts("register-33", "random", "ifc register --bug register-33 --guidance random --seed");
    starts("register-33", "random,generator=smart", "ifc register --generator smart --bug register-33");
    starts(
        "wasm-11",
        "mutagen,depth=5,generator=derived,no-fifo",
        "interpret --generator derived --bug wasm-11 --switch depth=5 --switch constant-priority --switch fifo",
    );
}

#[test]
fn a_generator_takes_part_only_where_the_task_has_it() {
    let wish = Wish {
        tasks: ["wasm-1", "wasm-11", "wasm-r3", "stack-1", "register-1"].map(str::to_owned).to_vec(),
        strategies: ["random,generator=smart", "random,generator=typed"].map(strategy).to_vec(),
        trials: Some(1),
        ..Wish::default()
    };
    let all = Suite::find("all").expect("it exists");
    let plan = Plan::of(all, &wish).expect("it exists");
    let cells: Vec<String> = plan.cells().iter().map(Cell::name).collect();
    assert_eq!(
        cells,
        [
            "wasm-11@random,generator=typed@0",
            "stack-1@random,generator=smart@0",
            "register-1@random,generator=smart@0",
        ],
        "wasm-1 is about modules, and wasm-r3 about argument lists"
    );
    let nowhere = Wish { strategies: vec![strategy("smith,generator=typed")], ..wish };
    let refused = Plan::of(all, &nowhere).expect_err("smith makes whole modules").to_string();
    assert!(
        refused.contains("smith,generator=typed") && refused.contains("none of the chosen tasks"),
        "{refused}"
    );
    let stored = serde_json::to_string(&plan).expect("a plan can be written");
    assert_eq!(Plan::read(&stored).expect("it was just written"), plan);
}

#[test]
fn what_does_not_exist_is_named_with_the_nearest_that_does() {
    let message = |text: &str| text.parse::<PlannedStrategy>().expect_err("it does not exist").to_string();
    assert!(message("mutagen/papr").contains("did you mean `mutagen/paper`?"), "{}", message("mutagen/papr"));
    assert!(message("mutagen,no-rest").contains("did you mean `mutagen,no-reset`?"));
    assert!(message("rndom").contains("did you mean `random`?"));
    assert!(message("mutagen:0").contains("TRIALS"));
    assert!(message("random,generator=smrt").contains("did you mean `random,generator=smart`?"));
    assert!(message("rndom,generatr=typed").contains("did you mean `random,generator=typed`?"));
    for nonsense in ["random,generator=xyz", "random,generator=", "random,generator=smart,generator=copy"] {
        let message = message(nonsense);
        assert!(!message.contains("did you mean"), "{message}");
        assert!(message.contains("generator=NAME") && message.contains("smart"), "{message}");
    }
    let task = Task::matching("regster-3").expect_err("it does not exist").to_string();
    assert!(task.contains("did you mean `register-3`?"), "{task}");
    let suite = Suite::find("paper-wsm").expect_err("it does not exist").to_string();
    assert!(suite.contains("did you mean `paper-wasm`?"), "{suite}");
}

#[test]
fn a_stored_plan_that_makes_no_sense_is_refused_with_the_reason() {
    let plan = serde_json::to_string(&Plan::of_suite(Suite::find("smoke").expect("it exists")))
        .expect("it can be written");
    let refused = |from: &str, to: &str| {
        assert!(plan.contains(from), "{from} is not in {plan}");
        Plan::read(&plan.replace(from, to)).expect_err("it makes no sense").to_string()
    };
    assert!(refused("\"format\":1", "\"format\":9").contains("form 9"));
    assert!(refused("stack-7", "stack-77").contains("stack-7"));
    assert!(refused("\"random\"", "\"rndom\"").contains("random"));
    assert!(refused("\"limit\":4.0", "\"limit\":-4.0").contains("limit"));
    assert!(Plan::read("{").expect_err("it is cut off").to_string().contains("no plan"));
}

#[test]
fn the_suites_of_the_papers_test_single_functions_and_derived_modules_of_webassembly_1() {
    use mutagen_campaign::{EngineProperty, EngineSpec, FunctionType, SubjectSpec};
    use mutagen_properties::{Direction, FunctionGenerator, ModuleGenerator};
    for suite in ["smoke", "paper-wasm"].map(|name| Suite::find(name).expect("it exists")) {
        for cell in Plan::of_suite(suite).cells().iter().filter(|cell| cell.task.starts_with("wasm-")) {
            let spec = cell.spec().expect("it can be hunted");
            let ours = cell.strategy == "mutagen";
            let property = match spec.command() {
                "validate" => EngineProperty::Validator {
                    // Three of the bugs also make the target reject valid modules.
                    direction: match &cell.task[..] {
                        "wasm-6" | "wasm-7" | "wasm-9" => Direction::Both,
                        _ => Direction::Accept,
                    },
                    generator: ModuleGenerator::Derived,
                },
                _ => EngineProperty::InterpreterI32 {
                    signature: FunctionType::default(),
                    generator: if ours { FunctionGenerator::Typed } else { FunctionGenerator::Derived },
                },
            };
            assert_eq!(spec.subject, SubjectSpec::Engines(EngineSpec::new(property)), "{}", cell.name());
        }
    }
}
