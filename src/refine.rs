//! `mutagen-wasm refine`: which properties see which bugs, and which of them are enough.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use mutagen_bench::{CellStore, Plan, PlannedStrategy, Queue, RunEnded, Trial, Unknown, Workload, refine};
use mutagen_campaign::store::files::write;
use mutagen_oracles::Registry;

use crate::bench::run::{CellFlags, require_woven};
use crate::bench::shared::{fetch, run_queue};
use crate::exit_code::{Code, CommandError};
use crate::meeting::MeetingFlags;
use crate::{flags, say, signals};

/// The page for people.
const PAGE: &str = "report.html";

/// Shows which properties see which bugs, and which of them are enough
///
/// Runs a campaign for every bug and property, each in a process of its own. Shows the bugs that survive all properties, the
/// smallest sets of properties that catch all others, and what seems to follow from what. Results are stored campaign by
/// campaign: a run that was stopped for any reason continues when it is started again.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm refine --bugs 'wasm-1?'\n  \
    mutagen-wasm refine --bugs 'wasm-x*' --properties 'interpreter/*' --time 10s -o results\n  \
    mutagen-wasm refine --properties validator/accept,interpreter/results+traps\n  \
    mutagen-wasm refine ifc stack --time 2s\n  \
    mutagen-wasm refine -o results             continues what is stored there, or shows it again\n  \
    mutagen-wasm refine --bugs 'wasm-1?' --sync shared   shares the campaigns with other workers\n\n\
    Properties of engines: validator/accept, validator/reject, interpreter-i32/PARTS, interpreter/PARTS, invocation/PARTS.\n  \
    Parts are joined by +: validity, results, traps, memory, globals, tables, host-calls, exports. Without parts, all are compared.\n\n\
    Exit status:\n  0    every bug is seen by a property\n  1    a bug survives all properties\n  \
    2    the command line makes no sense\n  \
    4    the directory holds another plan, or another run is writing there\n  5    results could not be stored\n  \
    129, 130, 143  interrupted; start it again to continue")]
pub struct Arguments {
    #[command(subcommand)]
    of: Option<Of>,

    /// The bugs, by id; `*` and `?` are wildcards. May be repeated [default: all]
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', global = true)]
    bugs: Vec<String>,

    /// The properties, by name; `*` and `?` are wildcards. May be repeated [default: each direction and part alone]
    #[arg(long, value_name = "NAME", value_delimiter = ',', global = true)]
    properties: Vec<String>,

    /// The strategy of every campaign, such as `mutagen` or `random` [default: mutagen]
    #[arg(long, value_name = "NAME", value_parser = strategy, global = true)]
    strategy: Option<PlannedStrategy>,

    /// The time limit of each campaign, such as `20s` or `5m` [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = flags::duration, global = true)]
    time: Option<Duration>,

    /// Ends each campaign after this many tests, too
    #[arg(long, value_name = "N", value_parser = flags::tests, global = true)]
    tests: Option<u64>,

    /// The directory of the results. With --sync or --hub, they are fetched into it at the end
    #[arg(short, long, value_name = "DIR", default_value = "refine-results", global = true)]
    output: PathBuf,

    /// Prints only one JSON object on standard output, at the end
    #[arg(long, global = true)]
    json: bool,

    #[command(flatten)]
    cells: CellFlags,

    #[command(flatten)]
    meeting: MeetingFlags,
}

#[derive(Subcommand)]
enum Of {
    /// The noninterference properties of an information-flow-control machine, and its faults
    #[command(after_help = "Examples:\n  mutagen-wasm refine ifc stack --time 2s\n  \
        mutagen-wasm refine ifc stack --bugs 'stack-1?' --properties ssni,eeni\n  \
        mutagen-wasm refine ifc register\n\n\
        Properties: ssni, msni, eeni; the register machine only has ssni")]
    Ifc {
        /// Which machine
        machine: MachineName,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum MachineName {
    /// 8 instructions, 2 labels, 20 faults
    Stack,
    /// 20 instructions, 4 labels, memory, calls, 33 faults
    Register,
}

fn strategy(text: &str) -> Result<PlannedStrategy, String> {
    text.parse().map_err(|unknown: Unknown| unknown.to_string())
}

impl Arguments {
    fn workload(&self) -> Workload {
        match self.of {
            None => Workload::Wasm,
            Some(Of::Ifc { machine: MachineName::Stack }) => Workload::Stack,
            Some(Of::Ifc { machine: MachineName::Register }) => Workload::Register,
        }
    }

    /// The plan of the flags. `None` if they ask for nothing.
    fn wished(&self) -> Result<Option<Plan>, CommandError> {
        let Arguments { bugs, properties, strategy, time, tests, .. } = self;
        let wish = refine::Wish {
            bugs: bugs.clone(),
            properties: properties.clone(),
            strategy: strategy.clone(),
            time: *time,
            tests: *tests,
        };
        let is_given = self.of.is_some() || wish != refine::Wish::default();
        let plan = || refine::plan(self.workload(), &wish).map_err(CommandError::usage);
        is_given.then(plan).transpose()
    }

    /// The plan of the flags, else the one that was settled before, else the plan for everything.
    fn plan(&self, settled: Option<Plan>) -> Result<Plan, CommandError> {
        let everything =
            || refine::plan(self.workload(), &refine::Wish::default()).map_err(CommandError::usage);
        self.wished()?.or(settled).map_or_else(everything, Ok)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    require_woven(engines)?;
    let Arguments { cells, output, .. } = arguments;
    let store = CellStore::at(output);
    let sharing = arguments.meeting.sharing()?;
    let settled = match &sharing {
        Some(sharing) => refine::of_properties(Queue::plan(sharing)?, sharing.place.to_string())?,
        None => refine::stored(&store)?,
    };
    let plan = arguments.plan(settled)?;
    let _lock = store.lock(cells.shard)?;
    let ended = match &sharing {
        Some(sharing) => {
            let queue = Queue::join(sharing, plan.clone())?;
            store.keep_plan(&plan)?;
            let ended = run_queue(&queue, cells)?;
            fetch(&queue, &store)?;
            ended
        }
        None => {
            store.keep_plan(&plan)?;
            let (open, _) = cells.open_cells(&plan, &store)?;
            if !cells.quiet {
                say::note(budget(&plan, open.len(), cells.jobs()));
            }
            cells.run(&open, &store)?
        }
    };
    if ended == RunEnded::Interrupted {
        let words = format!("mutagen-wasm refine -o {} {}", output.display(), arguments.meeting.words());
        say::note(format!("interrupted; to go on: {}", words.trim_end()));
        return Ok(signals::interrupted());
    }
    report(arguments, &plan, &store.read(&plan)?.trials, engines)
}

/// What is going to be run, and how long that takes at most.
fn budget(plan: &Plan, open: usize, jobs: usize) -> String {
    let longest = Duration::from_secs_f64((open as f64 * plan.limit / jobs as f64).ceil());
    format!(
        "bugs: {}, properties: {}, campaigns to run: {open}, of at most {} s each, {jobs} at once: about {} at most",
        plan.tasks.len(),
        plan.properties.len(),
        plan.limit,
        humantime::format_duration(longest)
    )
}

/// Prints the report, and stores it in every form.
fn report(
    arguments: &Arguments,
    plan: &Plan,
    trials: &[Trial],
    engines: &Registry,
) -> Result<Code, CommandError> {
    let crossed = refine::Crossed::all(trials, engines)?;
    let report = refine::report(plan, trials, &crossed)?;
    let text = format!("{report}\nWhich property (column) sees which bug:\n{}", report.matrix());
    let json = refine::json(plan, &report, trials, &crossed);
    let title = format!("Which property sees which bug: {}", Workload::of(&plan.tasks[0]).title());
    for (name, content) in [
        ("report.txt", text.clone()),
        ("report.json", format!("{json:#}\n")),
        ("campaigns.csv", refine::csv(trials)),
        (PAGE, report.to_html(&title)),
    ] {
        write(&arguments.output.join(name), content.as_bytes())?;
    }
    if arguments.json {
        say::out(json)?;
    } else {
        say::out(text)?;
    }
    if !arguments.cells.quiet {
        say::note(format!("the same with pictures: {}", arguments.output.join(PAGE).display()));
    }
    Ok(if report.is_complete() { Code::Fine } else { Code::Finding })
}
