//! What there is to find: a bug, and the campaign that can show it.

use crate::bench::Unknown;
use crate::bench::pattern::fits;
use crate::{Bug, Entry, Kind, Subsystem, Witness};

/// What a bug is a bug of. Tasks of one workload are reported together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workload {
    /// WebAssembly engines: validation and execution.
    Wasm,
    /// The IFC stack machine.
    Stack,
    /// The IFC register machine.
    Register,
}

impl Workload {
    /// All of them, in the order of reports.
    pub const ALL: [Workload; 3] = [Workload::Wasm, Workload::Stack, Workload::Register];

    /// What a report calls it.
    pub fn title(self) -> &'static str {
        match self {
            Workload::Wasm => "WebAssembly engines",
            Workload::Stack => "IFC stack machine",
            Workload::Register => "IFC register machine",
        }
    }

    /// A short name for files and anchors.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Wasm => "wasm",
            Workload::Stack => "stack",
            Workload::Register => "register",
        }
    }

    /// That of the task with this id.
    pub fn of(task: &str) -> Self {
        match task.split('-').next() {
            Some("stack") => Workload::Stack,
            Some("register") => Workload::Register,
            _ => Workload::Wasm,
        }
    }
}

/// A bug, and the campaign that can show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The bug's id, which is also the task's.
    pub id: String,
    /// What goes wrong, in a few words.
    pub title: String,
    /// The property that the bug breaks.
    pub property: &'static str,
    /// The command line of a campaign that hunts it, still without strategy, seed and budget.
    pub command: Vec<String>,
}

impl Task {
    /// The task of a bug; fixes are no tasks.
    ///
    /// ```
    /// use mutagen_bugs::{Bug, bench::Task};
    ///
    /// let task = Task::of(&Bug::find("wasm-r3")?).expect("it is a bug");
    /// assert_eq!(task.command.join(" "), "interpret --property invocation --features wasm1 --bug wasm-r3");
    /// assert_eq!(Task::of(&Bug::find("wasm-f1")?), None);
    /// # Ok::<(), mutagen_bugs::UnknownBug>(())
    /// ```
    pub fn of(bug: &Bug) -> Option<Task> {
        let (property, mut command) = match bug {
            Bug::Woven(entry) if entry.kind == Kind::Fix => return None,
            Bug::Woven(entry) => engine_campaign(entry),
            Bug::Stack(..) => ("ssni-stack", vec!["ifc", "stack"]),
            Bug::Register(..) => ("ssni-register", vec!["ifc", "register"]),
        };
        let id = bug.id();
        command.extend(["--bug", &id]);
        let command = command.into_iter().map(str::to_owned).collect();
        Some(Task { title: bug.title(), property, command, id })
    }

    /// All tasks, in the order of the catalogue.
    pub fn all() -> Vec<Task> {
        Bug::all().iter().filter_map(Task::of).collect()
    }

    /// The task with this id.
    ///
    /// # Errors
    ///
    /// An unknown id names the nearest known one.
    pub fn find(id: &str) -> Result<Task, Unknown> {
        Task::matching(id).map(|mut tasks| tasks.swap_remove(0))
    }

    /// The tasks whose id fits a pattern such as `stack-*` or `wasm-1?`.
    ///
    /// # Errors
    ///
    /// A pattern that fits nothing names the nearest known id.
    ///
    /// ```
    /// use mutagen_bugs::bench::Task;
    ///
    /// assert_eq!(Task::matching("stack-*").unwrap().len(), 20);
    /// assert_eq!(Task::matching("stak-2").unwrap_err().nearest.as_deref(), Some("stack-2"));
    /// ```
    pub fn matching(pattern: &str) -> Result<Vec<Task>, Unknown> {
        let all = Task::all();
        let ids: Vec<String> = all.iter().map(|task| task.id.clone()).collect();
        let fitting: Vec<Task> = all.into_iter().filter(|task| fits(pattern, &task.id)).collect();
        if fitting.is_empty() {
            return Err(Unknown::new("task", pattern, ids, "`mutagen-wasm bugs list` shows all bugs"));
        }
        Ok(fitting)
    }

    /// What it belongs to.
    pub fn workload(&self) -> Workload {
        Workload::of(&self.id)
    }
}

/// The property that an entry's witnesses call for, and the command that tests it with the features that they use.
fn engine_campaign(entry: &Entry) -> (&'static str, Vec<&'static str>) {
    let any = |shows: fn(&Witness) -> bool| entry.witnesses.iter().any(shows);
    let (property, mut command) = match entry.subsystem {
        Subsystem::Validator if any(|witness| witness.on == "accepted") => ("validator", vec!["validate"]),
        Subsystem::Validator => ("validator", vec!["validate", "--direction", "both"]),
        // What the host may pass to a function is a question of its own: no body of a function shows it.
        Subsystem::Interpreter if any(|witness| witness.off == "refused" || witness.on == "refused") => {
            ("invocation", vec!["interpret", "--property", "invocation"])
        }
        Subsystem::Interpreter => ("interpreter-i32", vec!["interpret", "--property", "interpreter-i32"]),
    };
    if let Some(witness) = entry.witnesses.first() {
        command.extend(["--features", witness.features]);
    }
    (property, command)
}
