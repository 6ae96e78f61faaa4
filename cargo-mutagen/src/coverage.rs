//! `cargo mutagen coverage`.

use crate::arguments::CoverageArguments;
use crate::build::build;
use crate::child::{self, Ended};
use crate::error::Error;
use crate::exit::Code;
use crate::project::Project;
use crate::properties::{find, single};
use mutagen_engine::request::{Request, Task};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

mod html;
mod lcov;

/// What is known of a source file.
#[derive(Default)]
pub struct Source {
    /// For every line with a probe, how many values of the corpus reach it.
    pub lines: BTreeMap<u32, u64>,
    /// The functions by the line of their entry: name, and how many values reach it.
    pub functions: BTreeMap<u32, (String, u64)>,
}

impl Source {
    /// How many lines with probes are reached.
    pub fn reached(&self) -> usize {
        self.lines.values().filter(|count| **count > 0).count()
    }
}

/// The source files, by absolute path.
pub type Sources = BTreeMap<PathBuf, Source>;

/// Runs the corpus of a property and reports what it reaches.
pub fn run(arguments: &CoverageArguments) -> Result<Code, Error> {
    let project = Project::load(&arguments.build)?;
    let programs = build(&project, &arguments.build, false)?;
    let property = single(find(&programs)?, &arguments.name)?;
    let has_files = |folder: &str| {
        std::fs::read_dir(property.folder().join(folder)).is_ok_and(|mut files| files.next().is_some())
    };
    if !has_files("corpus") && !has_files("findings") {
        return Err(Error::NoCorpus { name: property.name().to_owned(), folder: property.folder() });
    }
    let default = || project.target_directory().join("coverage").join(property.name());
    let output = arguments.output.clone().unwrap_or_else(default);
    std::fs::create_dir_all(&output).map_err(|reason| Error::File { path: output.clone(), reason })?;
    let output = output.canonicalize().map_err(|reason| Error::File { path: output.clone(), reason })?;
    let probes = output.join("probes.txt");
    let Ended { status, other, .. } = child::ask(&property, &Request::new(Task::Cover(probes.clone())))?;
    if !status.success() {
        return Err(Error::Silent(other.join("\n")));
    }
    let text =
        std::fs::read_to_string(&probes).map_err(|reason| Error::File { path: probes.clone(), reason })?;
    let sources = read(&text, project.root(), &project.woven_directories()?);
    write(&output.join("lcov.info"), &lcov::report(property.name(), &sources))?;
    write(&output.join("index.html"), &html::report(&property.path, project.root(), &sources))?;
    let (reached, all) = sources
        .values()
        .fold((0, 0), |(reached, all), source| (reached + source.reached(), all + source.lines.len()));
    println!("{reached} of {all} lines are reached: {}", output.join("index.html").display());
    Ok(Code::Fine)
}

/// The lines that a property wrote: count, whether it is an entry, line, file, function. Only files of woven packages count:
/// code of the standard library and of macros is inlined into them.
fn read(text: &str, root: &Path, woven: &[PathBuf]) -> Sources {
    let mut sources = Sources::new();
    for row in text.lines() {
        let fields: Vec<&str> = row.splitn(5, '\t').collect();
        let [count, is_entry, line, file, function] = fields[..] else { continue };
        let (Ok(count), Ok(line)) = (count.parse::<u64>(), line.parse::<u32>()) else { continue };
        let file = root.join(file);
        if !woven.iter().any(|directory| file.starts_with(directory)) || !file.is_file() {
            continue;
        }
        let source = sources.entry(file).or_default();
        let known = source.lines.entry(line).or_default();
        *known = (*known).max(count);
        if is_entry == "1" {
            let known = source.functions.entry(line).or_insert_with(|| (function.to_owned(), 0));
            known.1 = known.1.max(count);
        }
    }
    sources
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    let unfinished = file.with_extension("part");
    let written = std::fs::write(&unfinished, text).and_then(|()| std::fs::rename(&unfinished, file));
    written.map_err(|reason| Error::File { path: file.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_as_often_as_its_most_frequent_probe_and_foreign_files_do_not() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let root = directory.path();
        std::fs::create_dir(root.join("src")).expect("it can be made");
        std::fs::write(root.join("src/lib.rs"), "fn f() {}\n").expect("it can be written");
        let text = "3\t1\t1\tsrc/lib.rs\tf\n0\t0\t1\tsrc/lib.rs\tf\n0\t0\t2\tsrc/lib.rs\tf\n9\t0\t7\t/rustc/x.rs\tg\n";
        let sources = read(text, root, &[root.to_owned()]);
        assert_eq!(sources.len(), 1);
        let source = &sources[&root.join("src/lib.rs")];
        assert_eq!(source.lines, BTreeMap::from([(1, 3), (2, 0)]));
        assert_eq!(source.functions, BTreeMap::from([(1, ("f".to_owned(), 3))]));
        let expected = format!(
            "TN:p\nSF:{}\nFN:1,f\nFNDA:3,f\nFNF:1\nFNH:1\nDA:1,3\nDA:2,0\nLF:2\nLH:1\nend_of_record\n",
            root.join("src/lib.rs").display()
        );
        assert_eq!(lcov::report("p", &sources), expected);
    }
}
