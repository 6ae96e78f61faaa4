//! wasmtime takes minutes to compile, so every choice of packages must ask for the same build of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Command;

/// Packages that are built or tested by themselves. The first is the program, as `cargo build` makes it.
const CHOICES: [&str; 5] =
    ["mutagen-wasm", "mutagen-oracles", "mutagen-properties", "mutagen-campaign", "mutagen-bench"];

#[test]
fn no_choice_of_packages_compiles_wasmtime_in_another_way() {
    let parts: BTreeSet<String> = tree(&["-p", "wasmtime"]).into_keys().collect();
    let all = tree(&["--workspace"]);
    for package in CHOICES {
        for (part, features) in tree(&["-p", package]) {
            let differing: Vec<&String> =
                features.difference(&all[&part]).filter(|_| parts.contains(&part)).collect();
            assert!(
                differing.is_empty(),
                "cargo compiles wasmtime again for -p {package}, since {part} has only these features there: \
                 {differing:?}; the workspace has {:?}: ask for them in oracles/Cargo.toml",
                all[&part]
            );
        }
    }
}

#[test]
fn the_program_with_its_features_needs_no_other_wasmtime() {
    let parts: BTreeSet<String> = tree(&["-p", "wasmtime"]).into_keys().collect();
    let plain = tree(&["-p", "mutagen-wasm"]);
    // Not with `pulley` and `winch`, which are features of wasmtime.
    for feature in ["hub", "wasmi-1", "stitch", "sf-nano"] {
        let Some(with) = try_tree(&["-p", "mutagen-wasm", "--features", feature]) else {
            // Only who builds with the feature has the crates that it needs.
            writeln!(std::io::stderr(), "skipped: the crates of the feature {feature} are not there")
                .expect("there is an output");
            continue;
        };
        for part in parts.iter().filter(|part| plain.contains_key(*part)) {
            // A build script may want a part with fewer features besides; wasmtime then has the other build all the same.
            let (plain, with) = (&plain[part], &with[part]);
            assert!(
                plain.is_subset(with),
                "{part} has {plain:?}, and {with:?} with {feature}: ask for them in oracles/Cargo.toml"
            );
        }
    }
}

#[test]
fn the_default_build_has_no_engine_that_it_does_not_need() {
    let plain = tree(&["-p", "mutagen-wasm"]);
    for package in ["makepad-stitch", "sf-nano-core", "winch-codegen", "wasmtime-internal-winch"] {
        assert!(!plain.contains_key(package), "{package} is compiled by default");
    }
}

/// The packages that cargo compiles for these, each with the sets of features that it has somewhere.
fn tree(choice: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    try_tree(choice).expect("cargo lists packages")
}

/// The same. `None` if packages were never downloaded.
fn try_tree(choice: &[&str]) -> Option<BTreeMap<String, BTreeSet<String>>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix", "none", "-e", "normal,build,dev,features", "-f", "{p}\t{f}"])
        .args(choice)
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("--offline was specified") {
        return None;
    }
    assert!(output.status.success(), "{errors}");
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // Other lines name a feature, or a package that was listed before.
        let Some((package, features)) = line.split_once('\t') else { continue };
        let name = package.split(' ').next().unwrap_or(package);
        if !line.ends_with("(*)") {
            packages.entry(name.to_owned()).or_default().insert(features.to_owned());
        }
    }
    Some(packages)
}
