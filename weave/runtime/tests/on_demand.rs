//! Some packages get probes only for those who ask, and an older release line of a woven package gets none. The wrapper is called as
//! cargo calls it.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// Code with a loop, which is not compiled away.
const SOURCE: &str = "#[inline(never)]\npub fn f(x: u32) -> u32 {\n    let (mut s, mut i) = (0, 0);\n    \
    while i < x {\n        s += i * x;\n        i += 3;\n    }\n    s\n}\n";

/// Compiles a stand-in for a package. Returns whether it has probes, and what cargo is told to watch.
fn compiled(package: &str, version: &str, asked: Option<&str>) -> (bool, String) {
    let directory = TempDir::new().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("lib.rs"), SOURCE).expect("it can be written");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let name = package.replace('-', "_");
    let mut command = Command::new(project.join("weave/rustc"));
    command
        .arg(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args(["--crate-name", &name, "--crate-type=lib", "--emit=dep-info,link", "--out-dir", "."])
        .arg("lib.rs")
        .current_dir(directory.path())
        .env("CARGO_PKG_NAME", package)
        .env("CARGO_PKG_VERSION", version)
        .env("CARGO_MANIFEST_DIR", directory.path())
        .env_remove("MUTAGEN_WEAVE");
    command.envs(asked.map(|asked| ("MUTAGEN_WEAVE", asked)));
    let output = command.output().expect("the wrapper can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |file: String| std::fs::read(directory.path().join(file)).expect("it is there");
    let probe = b"__sanitizer_cov_trace_pc_guard";
    let has_probes = read(format!("lib{name}.rlib")).windows(probe.len()).any(|window| window == probe);
    (has_probes, String::from_utf8_lossy(&read(format!("{name}.d"))).into_owned())
}

#[test]
fn a_package_on_demand_has_probes_if_the_variable_names_it_and_cargo_watches_that() {
    for (asked, has_probes) in [
        (None, false),
        (Some(""), false),
        (Some("tinywasm-parser"), false),
        (Some("tinywasm"), true),
        (Some("dlr-wasm-interpreter, tinywasm"), true),
    ] {
        let (probes, watched) = compiled("tinywasm", "0.10.0", asked);
        assert_eq!(probes, has_probes, "{asked:?}");
        assert!(watched.contains("# env-dep:MUTAGEN_WEAVE"), "{asked:?}: {watched}");
    }
}

#[test]
fn an_older_release_line_of_wasmi_is_another_engine_and_stays_plain() {
    for package in ["wasmi", "wasmi_core", "wasmi_ir"] {
        let (has_probes, watched) = compiled(package, "1.1.0", None);
        assert!(!has_probes && !watched.contains("MUTAGEN_WEAVE"), "{package}: {watched}");
    }
}
