//! Cargo rebuilds what the catalogue changes, and nothing else. Tried on a small project of its own, woven by a copy of
//! this project's wrapper.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A project that depends on two woven packages, with one bug for each.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(TempDir::new().expect("a temporary directory can be made"));
        let weave = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for file in fs::read_dir(weave.join("src")).expect("the weaver has sources") {
            let file = file.expect("it can be listed");
            project.copy(&file.path(), &format!("weave/src/{}", file.file_name().display()));
        }
        project.copy(&weave.join("rustc"), "weave/rustc");
        project.copy(&weave.join("../.cargo/config.toml"), ".cargo/config.toml");
        project.copy(&weave.join("../Cargo.lock"), "Cargo.lock");
        for bug in ["wasm-6", "wasm-r4"] {
            project.copy(
                &weave.join(format!("../bugs/catalogue/{bug}.toml")),
                &format!("bugs/catalogue/{bug}.toml"),
            );
        }
        project.write("bugs/catalogue/LIST", "wasm-6\nwasm-r4\n");
        project.write("src/lib.rs", "pub use {wasmi_core, wasmparser};\n");
        project.write(
            "Cargo.toml",
            "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
             wasmi_core = { version = \"=2.0.0\", default-features = false }\n\
             wasmparser = { version = \"=0.228.0\", default-features = false, features = [\"validate\"] }\n[workspace]\n",
        );
        project
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().expect("it is inside the project"))
            .expect("it can be made");
        fs::write(self.path(file), text).expect("it can be written");
    }

    fn copy(&self, from: &Path, to: &str) {
        fs::create_dir_all(self.path(to).parent().expect("it is inside the project"))
            .expect("it can be made");
        fs::copy(from, self.path(to)).expect("it can be copied");
    }

    /// Makes a file look as if it had just been edited.
    fn touch(&self, file: &str) {
        let file = fs::File::options().append(true).open(self.path(file)).expect("it is there");
        // Cargo compares with the time at which the last build started, in whole seconds on some file systems.
        let soon = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
        file.set_modified(soon).expect("its time can be set");
    }

    /// Builds, and gives the names of the packages that were compiled, or what cargo said when it failed.
    fn build(&self, extra: Option<&str>) -> Result<Vec<String>, String> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["build", "--offline", "--color=never"]).current_dir(self.0.path());
        // What the test runner's own cargo sets must not reach this one.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("CARGO_") && !["CARGO_HOME"].contains(&name.as_str())
                || name.starts_with("RUSTC")
            {
                cargo.env_remove(name);
            }
        }
        match extra {
            Some(directory) => cargo.env("MUTAGEN_EXTRA_BUGS", self.path(directory)),
            None => cargo.env_remove("MUTAGEN_EXTRA_BUGS"),
        };
        let output = cargo.output().expect("cargo can be run");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let compiled = |line: &str| {
            line.trim().strip_prefix("Compiling ").and_then(|rest| Some(rest.split_once(' ')?.0.to_owned()))
        };
        if output.status.success() { Ok(said.lines().filter_map(compiled).collect()) } else { Err(said) }
    }
}

#[test]
fn a_build_follows_the_catalogue_and_nothing_else() {
    let project = Project::new();
    let first = project.build(None).expect("the project builds from scratch");
    assert!(
        ["wasmparser", "wasmi_core", "small"].iter().all(|name| first.iter().any(|built| built == name)),
        "{first:?}"
    );
    assert_eq!(project.build(None), Ok(vec![]), "a second build has nothing to do");

    project.touch("bugs/catalogue/wasm-r4.toml");
    assert_eq!(
        project.build(None),
        Ok(vec!["wasmi_core".into(), "small".into()]),
        "a touched file rebuilds what it edits"
    );

    let entry = fs::read_to_string(project.path("bugs/catalogue/wasm-r4.toml")).expect("it is there");
    project.write("mine/mine-1.toml", &entry.replace("wasm-r4", "mine-1"));
    let with_extra = project.build(Some("mine")).expect("an extra directory is woven in");
    assert!(with_extra.iter().any(|built| built == "wasmi_core"), "{with_extra:?}");
    assert!(
        project.build(None).is_ok_and(|built| built.iter().any(|name| name == "wasmi_core")),
        "and out again"
    );

    project
        .write("bugs/catalogue/wasm-r4.toml", &entry.replace("fn effective_address", "fn no_such_function"));
    project.touch("bugs/catalogue/wasm-r4.toml");
    let said = project.build(None).expect_err("a wrong anchor stops the build");
    for part in ["wasm-r4", "src/memory/access.rs", "no_such_function", "0 times", "expected 1"] {
        assert!(said.contains(part), "`{part}` is not in: {said}");
    }
}
