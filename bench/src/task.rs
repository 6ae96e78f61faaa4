//! Tasks: a bug, and the campaign that can show it.

use mutagen_bugs::Bug;
use mutagen_campaign::Spec;

use crate::Unknown;
use crate::pattern::fits;

/// The kind of program that a bug is in. Tasks of one workload are reported together.
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
    /// All workloads, in the order of reports.
    pub const ALL: [Workload; 3] = [Workload::Wasm, Workload::Stack, Workload::Register];

    /// Its name in reports.
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

    /// The workload of the task with this id.
    pub fn of(task: &str) -> Self {
        match task.split('-').next() {
            Some("stack") => Workload::Stack,
            Some("register") => Workload::Register,
            _ => Workload::Wasm,
        }
    }
}

/// A bug, and the campaign that can show it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The bug's id, which is also the task's.
    pub id: String,
    /// What goes wrong, in a few words.
    pub title: String,
    /// The campaign that hunts it, with the default strategy and budget.
    pub spec: Spec,
}

impl Task {
    /// The task of a bug. `None` for a fix.
    ///
    /// ```
    /// use mutagen_bench::Task;
    /// use mutagen_bugs::Bug;
    ///
    /// let task = Task::of(&Bug::find("wasm-r3")?).expect("it is a bug");
    /// assert_eq!(task.spec.property(), "invocation");
    /// assert_eq!(Task::of(&Bug::find("wasm-f1")?), None);
    /// # Ok::<(), mutagen_bugs::UnknownBug>(())
    /// ```
    pub fn of(bug: &Bug) -> Option<Task> {
        Some(Task { id: bug.id(), title: bug.title(), spec: Spec::hunting(bug)? })
    }

    /// All tasks, in the order of the catalogue.
    pub fn all() -> Vec<Task> {
        Bug::all().iter().filter_map(Task::of).collect()
    }

    /// The task with this id.
    ///
    /// # Errors
    ///
    /// If there is no such task. The error names the nearest one.
    pub fn find(id: &str) -> Result<Task, Unknown> {
        Task::matching(id).map(|mut tasks| tasks.swap_remove(0))
    }

    /// The tasks whose id matches a pattern such as `stack-*` or `wasm-1?`.
    ///
    /// # Errors
    ///
    /// If no id matches. The error names the nearest one.
    ///
    /// ```
    /// use mutagen_bench::Task;
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

    /// Its workload.
    pub fn workload(&self) -> Workload {
        Workload::of(&self.id)
    }
}
