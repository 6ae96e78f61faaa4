//! `cargo mutagen bugs`: hand-made mutants of the user's own code.

use crate::arguments::BugsArguments;
use crate::build::build;
use crate::child::{self, Ended};
use crate::ended::{Culprit, End};
use crate::error::Error;
use crate::exit::Code;
use crate::project::{Project, bugs_directory};
use crate::properties::{Property, find, paths};
use mutagen_engine::request::{Answer, Request, Task};
use mutagen_refine::{Fate, KillMatrix, RefineReport};
use mutagen_weaver::catalogue::{self, Entry};

/// Injects each bug and lets the properties hunt it.
pub fn run(arguments: &BugsArguments) -> Result<Code, Error> {
    let project = Project::load(&arguments.build)?;
    let bugs = bugs(&project, arguments.filter.as_deref())?;
    let programs = build(&project, &arguments.build, true)?;
    let properties = find(&programs)?;
    if arguments.refine {
        return refine(&bugs, &properties, arguments);
    }
    let mut survivors = Vec::new();
    for bug in &bugs {
        let hunters = hunters(bug, &properties)?;
        match hunt(bug, &hunters, arguments)? {
            Hunted::Caught(how) => println!("{}: {how}", bug.id),
            Hunted::Missed { reached } => {
                let why = if reached { "" } else { " (no test came to the place that it changes)" };
                println!("{}: NOT CAUGHT: {}{why}", bug.id, bug.title);
                survivors.push(bug);
            }
        }
    }
    println!("cargo mutagen: {} of {} bugs caught", bugs.len() - survivors.len(), bugs.len());
    Ok(if survivors.is_empty() { Code::Fine } else { Code::Found })
}

/// What became of a bug.
enum Hunted {
    /// A property caught it, in this way.
    Caught(String),
    /// Nobody did. Whether a test came to a place where it changes something.
    Missed { reached: bool },
}

/// The catalogues of all packages that have one.
fn bugs(project: &Project, filter: Option<&str>) -> Result<Vec<Entry>, Error> {
    let mut bugs = Vec::new();
    let directories = project.members().map(|member| (member, bugs_directory(member)));
    for (member, directory) in directories.filter(|(_, directory)| directory.is_dir()) {
        bugs.extend(catalogue::in_directory(&directory, &member.name).map_err(Error::Catalogue)?);
    }
    if bugs.is_empty() {
        return Err(Error::NoBugs(project.root().join("mutagen/bugs")));
    }
    if let Some(filter) = filter {
        let known = bugs.iter().map(|bug| bug.id.clone()).collect();
        bugs.retain(|bug| bug.id.contains(filter));
        if bugs.is_empty() {
            return Err(Error::NoSuchBug { filter: filter.to_owned(), known });
        }
    }
    Ok(bugs)
}

/// The properties that hunt a bug: those that it names, or all.
fn hunters<'a>(bug: &Entry, properties: &'a [Property]) -> Result<Vec<&'a Property>, Error> {
    if bug.properties.is_empty() {
        return Ok(properties.iter().collect());
    }
    let find = |name: &String| {
        let found = properties.iter().find(|property| property.name() == name || property.path == *name);
        found.ok_or_else(|| Error::BugWithoutProperty {
            bug: bug.id.clone(),
            property: name.clone(),
            known: paths(properties),
        })
    };
    bug.properties.iter().map(find).collect()
}

/// Lets every property hunt every bug, and says which of the properties are enough.
fn refine(bugs: &[Entry], properties: &[Property], arguments: &BugsArguments) -> Result<Code, Error> {
    let mut matrix = KillMatrix::new(paths(properties));
    for bug in bugs {
        let mut fates = Vec::new();
        for property in properties {
            let caught = catch(bug, property, arguments)?;
            fates.push(if matches!(caught, Hunted::Caught(_)) { Fate::Killed } else { Fate::Survived });
        }
        matrix.push(format!("{}: {}", bug.id, bug.title), fates);
    }
    let report = RefineReport::of(matrix)?;
    print!("{}\n{report}", report.matrix());
    Ok(if report.is_complete() { Code::Fine } else { Code::Found })
}

/// Lets the hunters hunt the bug, until one has caught it.
fn hunt(bug: &Entry, hunters: &[&Property], arguments: &BugsArguments) -> Result<Hunted, Error> {
    let mut reached = false;
    for property in hunters {
        match catch(bug, property, arguments)? {
            Hunted::Missed { reached: here } => reached |= here,
            caught => return Ok(caught),
        }
    }
    Ok(Hunted::Missed { reached })
}

/// Whether and how the property catches the bug.
fn catch(bug: &Entry, property: &Property, arguments: &BugsArguments) -> Result<Hunted, Error> {
    let task = Task::Hunt(bug.id.clone());
    let request = Request { seed: arguments.seed, tests: arguments.tests, ..Request::new(task) };
    let request = arguments.run.of(request);
    let Ended { answers, status, other } = child::ask(property, &request)?;
    let name = property.name();
    let reached = !answers.contains(&Answer::Unreached);
    for answer in answers {
        if let Answer::Caught { tests, micros, value } = answer {
            let seconds = micros as f64 / 1e6;
            return Ok(Hunted::Caught(format!(
                "caught by {name} after {tests} tests ({seconds:.3} s): {value}"
            )));
        }
    }
    // A bug that ends the process or makes it hang is caught, too.
    if let Some(end) = End::of(&status) {
        let culprit = Culprit::find_without_storing(property, &request, &end, 0)?;
        let value = culprit.value().unwrap_or_else(|| "for an unknown value".to_owned());
        return Ok(Hunted::Caught(format!("caught by {name}, {}: {value}", culprit.how())));
    }
    if status.success() { Ok(Hunted::Missed { reached }) } else { Err(Error::Silent(other.join("\n"))) }
}
