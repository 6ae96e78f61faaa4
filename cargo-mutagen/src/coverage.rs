//! `cargo mutagen coverage`.

use crate::arguments::CoverageArguments;
use crate::build::build;
use crate::child::{self, Ended};
use crate::error::Error;
use crate::exit::Code;
use crate::project::Project;
use crate::properties::{find, single};
use mutagen_coverage::{Coverage, Hits, Sources};
use mutagen_engine::request::{Request, Task};
use mutagen_weave::probes::Name;
use std::path::{Path, PathBuf};

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
    let default = || project.target_directory().join("coverage").join(property.inside());
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
    let woven = project.woven_directories()?;
    let (names, hits) = read(&text, project.root(), &woven);
    let coverage = Coverage::new(&names, &hits);
    let above = woven.iter().filter_map(|directory| directory.parent());
    let sources = above.fold(Sources::default(), |sources, directory| sources.with(directory.to_owned()));
    write(&output.join("lcov.info"), &coverage.lcov(&sources))?;
    let title = format!("What the corpus of {} reaches", property.path);
    write(&output.join("index.html"), &coverage.page(&title, &sources))?;
    let lines = coverage.totals().lines;
    println!("{} of {} lines are reached: {}", lines.reached, lines.all, output.join("index.html").display());
    Ok(Code::Fine)
}

/// The probes and runs that a property wrote. A probe in a woven package gets that package's name and the path from it on;
/// all others, in the standard library and in macros, lose their line, because they are nobody's to cover.
fn read(text: &str, root: &Path, woven: &[PathBuf]) -> (Vec<Name>, Hits) {
    let (mut names, mut runs) = (Vec::new(), Vec::new());
    for row in text.lines() {
        let fields: Vec<&str> = row.splitn(5, '\t').collect();
        match fields[..] {
            ["probe", is_entry, line, file, function] => {
                let place = place(&root.join(file), woven);
                let line = if place.is_some() { line.parse().unwrap_or(0) } else { 0 };
                let (package, file) = place.unwrap_or_default();
                names.push(Name {
                    package,
                    function: function.to_owned(),
                    file,
                    line,
                    is_entry: is_entry == "1",
                });
            }
            _ => runs
                .push(row.split('\t').skip(1).filter_map(|probe| probe.parse().ok()).collect::<Vec<u32>>()),
        }
    }
    let mut hits = Hits::new(names.len());
    runs.iter().for_each(|run| hits.add(run));
    (names, hits)
}

/// The name of the woven package that has the file, and the file's path that begins with it.
fn place(file: &Path, woven: &[PathBuf]) -> Option<(String, String)> {
    // Packages may lie inside of one another: the innermost has the file.
    let directories = woven.iter().filter(|directory| file.starts_with(directory));
    let directory = directories.max_by_key(|directory| directory.components().count())?;
    let package = directory.file_name()?.to_string_lossy().into_owned();
    let inside = file.strip_prefix(directory).ok()?;
    Some((package.clone(), format!("{package}/{}", inside.display())))
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
    fn only_lines_of_woven_packages_count_each_under_the_innermost_package() {
        let text = "probe\t1\t1\tsrc/lib.rs\tf\nprobe\t0\t2\t/w/inner/src/a.rs\tg\nprobe\t0\t7\t/rustc/x.rs\th\n\
                    run\t1\t3\nrun\t1\n";
        let (names, hits) = read(text, Path::new("/w"), &["/w".into(), "/w/inner".into()]);
        let files: Vec<(&str, u32)> = names.iter().map(|name| (name.file.as_str(), name.line)).collect();
        assert_eq!(files, [("w/src/lib.rs", 1), ("inner/src/a.rs", 2), ("", 0)]);
        assert_eq!(hits.tests().collect::<Vec<_>>(), [2, 0, 1]);
    }
}
