//! `cargo mutagen fuzz`.

use crate::arguments::FuzzArguments;
use crate::build::build;
use crate::child::{self, Line};
use crate::ended::{self, Culprit, End};
use crate::error::Error;
use crate::exit::Code;
use crate::project::Project;
use crate::properties::{Property, find, single};
use mutagen_engine::request::{Answer, Progress, Request, Task};
use mutagen_engine::{Afl, LibFuzzer, stable};
use std::collections::BTreeSet;
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
    if arguments.engine == "libfuzzer" {
        LibFuzzer::require()?;
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

/// The seed if none is given: another one for another corpus, so that a resumed run does not repeat the one before. It is 0 if
/// there is no corpus.
fn seed_of(property: &Property) -> u64 {
    let files = std::fs::read_dir(property.folder().join("corpus")).into_iter().flatten().flatten();
    let mut names: Vec<_> = files.map(|file| file.file_name()).collect();
    names.sort();
    let names = names.iter().flat_map(|name| name.as_encoded_bytes()).copied().collect::<Vec<u8>>();
    // Short enough to be typed.
    if names.is_empty() { 0 } else { stable::hash(&names) % 1_000_000 }
}

/// The processes, and what they have told.
struct Hunt {
    children: Vec<Child>,
    lines: Receiver<(usize, Line)>,
    progress: Vec<Progress>,
    /// The last lines that each printed, for a process that ends without an answer.
    other: Vec<Vec<String>>,
    stored: Option<PathBuf>,
    /// All about a counterexample that cannot be stored.
    unstored: Option<String>,
    /// The process that a test ended, and how.
    ended: Option<(usize, End)>,
    /// Stored counterexamples that are still open.
    known: BTreeSet<PathBuf>,
    /// What each process was asked.
    requests: Vec<Request>,
    started: Instant,
    /// When processes that still run are taken for stuck.
    deadline: Instant,
}

/// How much longer than their time and the longest test processes may take.
const GRACE: Duration = Duration::from_secs(30);

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
            unstored: None,
            ended: None,
            known: BTreeSet::new(),
            requests: Vec::new(),
            started: Instant::now(),
            deadline: Instant::now() + arguments.time + arguments.run.hang_limit + GRACE,
        };
        let first_seed = arguments.seed.unwrap_or_else(|| seed_of(property));
        for job in 0..jobs {
            let task = Task::Fuzz(arguments.engine.clone());
            let seed = Some(first_seed.wrapping_add(job));
            let seconds = Some(arguments.time.as_secs().max(1));
            let before = Some(ended::now());
            let request = arguments.run.of(Request { seed, seconds, before, ..Request::new(task) });
            let mut child = child::start(property, &request)?;
            hunt.requests.push(request);
            read(child.stdout.take(), job as usize, sender.clone());
            read(child.stderr.take(), job as usize, sender.clone());
            hunt.children.push(child);
        }
        Ok(hunt)
    }

    /// Follows the processes until all have ended, or one has found something.
    fn watch(&mut self, interrupted: &AtomicBool) {
        let mut shown = Instant::now();
        while self.stored.is_none() && self.unstored.is_none() && !interrupted.load(Ordering::Relaxed) {
            match self.lines.recv_timeout(Duration::from_millis(200)) {
                Ok((job, line)) => self.take(job, line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // They close their pipes a moment before they have ended.
                    self.children.iter_mut().for_each(|child| drop(child.wait()));
                    break;
                }
            }
            if shown.elapsed() > Duration::from_millis(200) {
                if std::io::stderr().is_terminal() {
                    eprint!("\r\x1b[2K{}", self.line());
                }
                shown = Instant::now();
                if shown > self.deadline || self.ended_by_a_test().is_some() {
                    break;
                }
            }
        }
        if std::io::stderr().is_terminal() {
            eprint!("\r\x1b[2K");
        }
    }

    /// The first process that a test ended, and how.
    fn ended_by_a_test(&mut self) -> Option<(usize, End)> {
        let end = |child: &mut Child| End::of(&child.try_wait().ok()??);
        self.children.iter_mut().enumerate().find_map(|(job, child)| Some((job, end(child)?)))
    }

    fn take(&mut self, job: usize, line: Line) {
        match line {
            Line::Answer(Answer::Progress(progress)) => self.progress[job] = progress,
            Line::Answer(Answer::Stored(file)) => self.stored = Some(file),
            Line::Answer(Answer::Note(note)) => eprintln!("note: {note}"),
            Line::Answer(Answer::Unstored(text)) => self.unstored = Some(text),
            Line::Answer(Answer::Known(file)) => drop(self.known.insert(file)),
            Line::Answer(Answer::Caught { .. } | Answer::Unreached | Answer::Hung { .. }) => {}
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
        // Those that are killed now did not end by themselves.
        self.ended = self.ended_by_a_test();
        for child in &mut self.children {
            let _ = child.kill();
        }
    }

    fn report(mut self, property: &Property, interrupted: bool) -> Result<Code, Error> {
        eprintln!("{} (seed {})", self.line(), self.requests[0].seed.unwrap_or(0));
        if let Some(file) = &self.stored {
            return show(property, file);
        }
        if let Some(text) = &self.unstored {
            println!("{text}");
            return Ok(Code::Found);
        }
        if interrupted {
            return Ok(Code::Interrupted);
        }
        if let Some((job, end)) = self.ended.take() {
            return self.find_culprit(property, job, &end);
        }
        let statuses: Vec<_> = self.children.iter_mut().map(|child| child.wait()).collect();
        let failed = |status: &std::io::Result<std::process::ExitStatus>| {
            !status.as_ref().is_ok_and(|status| status.success())
        };
        if let Some(job) = statuses.iter().position(failed) {
            println!("{}", self.other[job].join("\n"));
            let how = match &statuses[job] {
                _ if Instant::now() > self.deadline => "it did not end when its time was up".to_owned(),
                status => status.as_ref().map_or_else(ToString::to_string, ToString::to_string),
            };
            println!(
                "property `{}` ended its process ({how}); what it printed last stands above",
                property.path
            );
            return Ok(Code::Found);
        }
        if !self.known.is_empty() {
            println!("property `{}` still does not hold; nothing else was found. Known:", property.path);
            self.known.iter().for_each(|file| println!("  {}", file.display()));
            return Ok(Code::Found);
        }
        println!(
            "property `{}` held; its corpus is in {}",
            property.path,
            property.folder().join("corpus").display()
        );
        Ok(Code::Fine)
    }

    /// Finds the value that made the process of a job end.
    fn find_culprit(&self, property: &Property, job: usize, end: &End) -> Result<Code, Error> {
        eprintln!("A test ended its process. The same tests are run again, to see which it was.");
        let Progress { passed, discarded, .. } = self.progress[job];
        // Longer, because a busy machine may have become busier.
        let seconds = Some(3 * self.started.elapsed().as_secs() + 60);
        let request = Request { seconds, ..self.requests[job].clone() };
        Culprit::find(property, &request, end, passed + discarded)?.show(property);
        Ok(Code::Found)
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
