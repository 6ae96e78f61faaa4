//! Projects outside of this one, in which the program is run as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The checkout.
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the crate lies in the project")
}

/// The directory of the programs that cargo built together with this test.
fn programs() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.ancestors().nth(2).expect("tests lie two levels below the target directory").to_owned()
}

/// The place for projects, with `mutagen-wasm` in it: outside of the checkout, and so of its workspace. It is the same for all
/// tests and all runs, so that the engine is compiled for it once; the projects themselves are made anew.
pub struct Place {
    root: PathBuf,
}

impl Place {
    /// The place, without projects of these names: each test has names of its own.
    pub fn without(projects: &[&str]) -> Self {
        let checkout_hash = mutagen_engine::stable::hash(checkout().as_os_str().as_encoded_bytes());
        let root = std::env::temp_dir().join(format!("mutagen-outside-{checkout_hash:016x}"));
        std::fs::create_dir_all(&root).expect("it can be made");
        let root = root.canonicalize().expect("it is there");
        for project in projects.iter().map(|project| root.join(project)).filter(|project| project.exists()) {
            std::fs::remove_dir_all(project).expect("it can be removed");
        }
        // Another test may have made it just now.
        let _ = std::os::unix::fs::symlink(checkout(), root.join("mutagen-wasm"));
        Place { root }
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Writes a file below the place.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        std::fs::create_dir_all(path.parent().expect("it is inside")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }

    /// A library that has the engine as a dev-dependency.
    pub fn library(&self, name: &str, source: &str) {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[workspace]\n\n[dev-dependencies]\n\
             mutagen-engine = {{ path = \"../mutagen-wasm/engine\" }}\n"
        );
        self.write(&format!("{name}/Cargo.toml"), &manifest);
        self.write(&format!("{name}/src/lib.rs"), source);
    }

    /// The template project of the documentation.
    pub fn template(&self, name: &str) {
        let template = checkout().join("examples/outside");
        let read = |file: &str| std::fs::read_to_string(template.join(file)).expect("the template has it");
        self.library(name, &read("src/lib.rs"));
        self.write(&format!("{name}/mutagen/bugs/forgets.toml"), &read("mutagen/bugs/forgets.toml"));
    }

    /// A command line as the shell understands it, run in a directory below the place.
    pub fn shell(&self, directory: &str, line: &str) -> Ran {
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(self.root.join(directory))
            .env("PATH", format!("{}:{path}", programs().display()))
            // One for all projects, inside the target directory of this one.
            .env("CARGO_TARGET_DIR", programs().join("../outside"))
            // This project's own wrapper is no part of a user's project.
            .env("RUSTC_WRAPPER", "")
            .env("CARGO_NET_OFFLINE", "true")
            .env_remove("CARGO_BUILD_RUSTC_WRAPPER")
            .env_remove("RUSTFLAGS")
            .env_remove("MUTAGEN_TESTS")
            .env_remove("MUTAGEN_SEED")
            .output()
            .expect("there is a shell");
        Ran::from(output)
    }
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    /// Both of its outputs.
    pub text: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ran { code: output.status.code(), text: text.concat() }
    }
}

impl Ran {
    /// Checks how it ended and that it printed these.
    #[track_caller]
    pub fn expect(self, code: i32, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "`{part}` is not in: {}", self.text);
        }
        self
    }
}
