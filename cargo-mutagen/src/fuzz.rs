//! `cargo mutagen fuzz`.

use crate::arguments::FuzzArguments;
use crate::build::build;
use crate::child::{self, Line};
use crate::error::Error;
use crate::exit::Code;
use crate::project::Project;
use crate::properties::{Property, find, single};
use mutagen_engine::Afl;
use mutagen_engine::request::{Answer, Progress, Request, Task};
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Tests one property in several processes at once, until one of them finds something or the time is up.
pub fn run(arguments: &FuzzArguments) -> Result<Code, Error> {
    if arguments.engine == "afl" {
        Afl::require()?;
    }
    let project = Project::load(&arguments.build)?;
    let programs = build(&project, &arguments.build, false)?;
    let property = single(find(&programs)?, &arguments.name)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler an interrupt still ends everything; only the summary is missing then.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));

    let mut hunt = Hunt::start(&property, arguments)?;
    hunt.watch(&interrupted);
    hunt.stop();
    hunt.report(&property, interrupted.load(Ordering::Relaxed))
}

/// The processes, and what they have told.
struct Hunt {
    children: Vec<Child>,
    lines: Receiver<(usize, Line)>,
    progress: Vec<Progress>,
    /// The last lines that each printed, for a process that ends without an answer.
    other: Vec<Vec<String>>,
    stored: Option<PathBuf>,
    started: Instant,
}

/// How many lines of a process are kept.
const KEPT_LINES: usize = 60;

impl Hunt {
    fn start(property: &Property, arguments: &FuzzArguments) -> Result<Self, Error> {
        let jobs = arguments.jobs.max(1);
        let (sender, lines) = channel();
        let mut hunt = Hunt {
            children: Vec::new(),
            lines,
            progress: vec![Progress::default(); jobs as usize],
            other: vec![Vec::new(); jobs as usize],
            stored: None,
            started: Instant::now(),
        };
        for job in 0..jobs {
            let task = Task::Fuzz(arguments.engine.clone());
            let seed = Some(arguments.seed.wrapping_add(job));
            let seconds = Some(arguments.time.as_secs().max(1));
            let mut child = child::start(property, &Request { seed, seconds, ..Request::new(task) })?;
            read(child.stdout.take(), job as usize, sender.clone());
            read(child.stderr.take(), job as usize, sender.clone());
            hunt.children.push(child);
        }
        Ok(hunt)
    }

    /// Follows the processes until all have ended, or one has found something.
    fn watch(&mut self, interrupted: &AtomicBool) {
        let mut shown = Instant::now();
        while self.stored.is_none() && !interrupted.load(Ordering::Relaxed) {
            match self.lines.recv_timeout(Duration::from_millis(200)) {
                Ok((job, line)) => self.take(job, line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if shown.elapsed() > Duration::from_millis(200) && std::io::stderr().is_terminal() {
                eprint!("\r\x1b[2K{}", self.line());
                shown = Instant::now();
            }
        }
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[2K");
        }
    }

    fn take(&mut self, job: usize, line: Line) {
        match line {
            Line::Answer(Answer::Progress(progress)) => self.progress[job] = progress,
            Line::Answer(Answer::Stored(file)) => self.stored = Some(file),
            Line::Answer(Answer::Note(note)) => eprintln!("note: {note}"),
            Line::Answer(Answer::Caught { .. }) => {}
            Line::Other(line) => {
                let lines = &mut self.other[job];
                if lines.len() == KEPT_LINES {
                    lines.remove(0);
                }
                lines.push(line);
            }
        }
    }

    /// How far all of them are together.
    fn line(&self) -> String {
        let sum = |part: fn(&Progress) -> u64| self.progress.iter().map(part).sum::<u64>();
        let most = |part: fn(&Progress) -> u64| self.progress.iter().map(part).max().unwrap_or(0);
        let (passed, discarded) = (sum(|progress| progress.passed), sum(|progress| progress.discarded));
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = (passed + discarded) as f64 / seconds.max(0.001);
        format!(
            "{seconds:.0} s: {} tests ({rate:.0}/s), {passed} passed, {discarded} discarded, {} edges, corpus {}",
            passed + discarded,
            most(|progress| progress.known),
            most(|progress| progress.corpus),
        )
    }

    fn stop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
        }
    }

    fn report(mut self, property: &Property, interrupted: bool) -> Result<Code, Error> {
        let statuses: Vec<_> = self.children.iter_mut().map(|child| child.wait()).collect();
        eprintln!("{}", self.line());
        if let Some(file) = &self.stored {
            return show(property, file);
        }
        if interrupted {
            return Ok(Code::Interrupted);
        }
        let failed = |status: &std::io::Result<std::process::ExitStatus>| {
            !status.as_ref().is_ok_and(|status| status.success())
        };
        if let Some(job) = statuses.iter().position(failed) {
            println!("{}", self.other[job].join("\n"));
            let how = statuses[job].as_ref().map_or_else(ToString::to_string, ToString::to_string);
            println!(
                "property `{}` ended its process ({how}); what it printed last stands above",
                property.path
            );
            return Ok(Code::Found);
        }
        println!(
            "property `{}` held; its corpus is in {}",
            property.path,
            property.folder().join("corpus").display()
        );
        Ok(Code::Fine)
    }
}

/// Shows a stored counterexample.
fn show(property: &Property, file: &Path) -> Result<Code, Error> {
    let text =
        std::fs::read_to_string(file).map_err(|reason| Error::File { path: file.to_owned(), reason })?;
    println!("property `{}` does not hold\n\n{text}", property.path);
    println!("stored in: {}", file.display());
    println!("rerun with: cargo test {}", property.test());
    Ok(Code::Found)
}

/// Sends the lines of a pipe, from a thread of its own.
fn read(pipe: Option<impl Read + Send + 'static>, job: usize, sender: Sender<(usize, Line)>) {
    std::thread::spawn(move || {
        let lines = pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).flatten();
        for line in lines {
            if sender.send((job, child::sort(&line))).is_err() {
                return;
            }
        }
    });
}
