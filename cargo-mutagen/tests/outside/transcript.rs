//! What the documentation says to a newcomer, done word for word.

use crate::place::{Place, checkout};

fn readme() -> String {
    std::fs::read_to_string(checkout().join("engine/README.md")).expect("the engine has a README")
}

/// The first block of commands in the README of the engine.
fn commands() -> Vec<String> {
    let readme = readme();
    let block = readme.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    block.expect("the README has commands").lines().map(str::to_owned).collect()
}

#[test]
fn the_readme_shows_the_template_project() {
    let template =
        std::fs::read_to_string(checkout().join("examples/outside/src/lib.rs")).expect("it is there");
    assert!(readme().contains(&format!("```\n{template}```")), "the README shows something else");
    let is_code = |line: &&str| !line.is_empty() && !line.trim_start().starts_with("//");
    let length = template.lines().filter(is_code).count();
    assert!(length <= 30, "the template is not short any more: {length} lines");
}

#[test]
fn the_commands_of_the_readme_lead_from_nothing_to_a_counterexample_that_cargo_test_repeats() {
    let place = Place::without(&["trees"]);
    let commands = commands();
    assert!(commands.len() < 10, "{commands:?}");
    let mut directory = "";
    let mut ran = Vec::new();
    for command in &commands {
        if command.starts_with("cargo install ") {
            // It was built together with this test, and is in the path.
            continue;
        }
        if let Some(inside) = command.strip_prefix("cd ") {
            directory = inside;
            continue;
        }
        ran.push((command.as_str(), place.shell(directory, command)));
    }
    let counterexample = "Node(Leaf, ";
    let stored = "mutagen/removal_keeps_the_order/findings/failed-";
    let mut checked = 0;
    for (command, run) in ran {
        match command {
            "cargo mutagen test" => {
                run.expect(
                    1,
                    &[
                        "property `trees::removal_keeps_the_order` does not hold",
                        "counterexample: (\n",
                        stored,
                    ],
                );
                checked += 1;
            }
            "cargo test" => {
                let run = run.expect(101, &["does not hold", stored]);
                assert!(run.text.contains("rerun with: cargo test removal_keeps_the_order"), "{}", run.text);
                checked += 1;
            }
            _ => drop(run.expect(0, &[])),
        }
    }
    assert_eq!(checked, 2);
    let files = place.path().join("trees/mutagen/removal_keeps_the_order/findings");
    let file = std::fs::read_dir(files).expect("it is there").flatten().next().expect("there is one").path();
    let text = std::fs::read_to_string(file).expect("it is text");
    assert!(text.starts_with("# mutagen value, format 1\n") && text.contains(counterexample), "{text}");
    // No smaller tree shows it: two below the root, and one between the root and each of these.
    assert_eq!(text.matches("Node(").count(), 5, "{text}");
}

#[test]
fn ten_thousand_random_trees_do_not_show_the_bug_of_the_template() {
    let place = Place::without(&["unguided"]);
    place.template("unguided");
    place.shell("unguided", "cargo test").expect(0, &["1 passed"]);
}
