//! What tests reach in woven code, and what they never reach.
//!
//! Probes say which edges of the code a test takes. This crate counts them over many tests ([`Hits`]), turns the counts into
//! lines and functions ([`Coverage`]), and shows the result in three forms: [`lcov`](Coverage::lcov) for other tools,
//! [`table`](Coverage::table) for a terminal, and [`page`](Coverage::page) for a browser, with the source itself where it
//! lies on this machine ([`Sources`]).
//!
//! ```
//! use mutagen_coverage::{Coverage, Hits, Sources};
//! use mutagen_weave::probes::Name;
//!
//! let probe = |function: &str, line| Name {
//!     package: "demo-1.0.0".into(),
//!     function: function.into(),
//!     file: "demo-1.0.0/src/lib.rs".into(),
//!     line,
//!     is_entry: true,
//! };
//! let names = [probe("demo::reached", 3), probe("demo::never", 9)];
//! let mut hits = Hits::new(names.len());
//! // One test, in which probe 1 fired twice.
//! hits.add(&[1, 1]);
//! let coverage = Coverage::new(&names, &hits);
//! assert_eq!((coverage.totals().lines.reached, coverage.totals().lines.all), (1, 2));
//! assert!(coverage.unreached().any(|(_, function)| function.name == "demo::never"));
//! assert!(coverage.lcov(&Sources::default()).contains("DA:3,1\nDA:9,0\n"));
//! ```
//!
//! A line is known only if the compiler left a probe on it, so lines between two probes belong to neither: the figures are
//! about lines with probes, and so are those of `lcov` files made here.

mod escape;
mod hits;
mod lcov;
mod page;
mod sources;
mod table;

use std::collections::BTreeMap;

use mutagen_weave::probes::Name;

pub use hits::Hits;
pub use sources::Sources;

/// What was reached, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    files: BTreeMap<String, FileCoverage>,
}

/// What was reached in one source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// How many tests reached each line that has a probe.
    pub lines: BTreeMap<u32, u64>,
    /// The functions with probes, by line and name.
    functions: BTreeMap<(u32, String), u64>,
}

/// A function of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// Its name with its path, without type arguments.
    pub name: String,
    /// The first line of it that has a probe.
    pub line: u32,
    /// How many tests reached it.
    pub tests: u64,
}

/// So many of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many were reached.
    pub reached: usize,
    /// How many there are.
    pub all: usize,
}

/// The figures of a file, a package or everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Lines with probes.
    pub lines: Share,
    /// Functions with probes.
    pub functions: Share,
}

impl Coverage {
    /// The coverage of the probes with these names.
    ///
    /// Left out are probes without a line, and those in code of the standard library that was compiled into a woven package:
    /// nobody looks for bugs there.
    pub fn new(names: &[Name], hits: &Hits) -> Self {
        // A function is a name in a file. Each of its copies, one for each choice of type arguments, has probes of its own.
        let mut functions: BTreeMap<(&str, String), (u32, u64)> = BTreeMap::new();
        let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
        for (name, tests) in names.iter().zip(hits.tests()) {
            if name.line == 0 || name.package.is_empty() || name.file.starts_with('/') {
                continue;
            }
            let line = files.entry(name.file.clone()).or_default().lines.entry(name.line).or_default();
            *line = (*line).max(tests);
            let function = match plain(&name.function) {
                unnamed if unnamed.is_empty() => format!("unnamed at line {}", name.line),
                named => named,
            };
            let function = functions.entry((&name.file, function));
            let (first, reached) = function.or_insert((name.line, 0));
            (*first, *reached) = ((*first).min(name.line), (*reached).max(tests));
        }
        for ((file, name), (line, tests)) in functions {
            if let Some(file) = files.get_mut(file) {
                file.functions.insert((line, name), tests);
            }
        }
        Coverage { files }
    }

    /// The files, by name: the package's name and the path in it.
    pub fn files(&self) -> impl Iterator<Item = (&str, &FileCoverage)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file))
    }

    /// The figures of everything.
    pub fn totals(&self) -> Totals {
        self.files.values().map(FileCoverage::totals).sum()
    }

    /// The figures by package.
    pub fn packages(&self) -> BTreeMap<&str, Totals> {
        let mut packages: BTreeMap<&str, Totals> = BTreeMap::new();
        for (name, file) in self.files() {
            let package = packages.entry(package_of(name)).or_default();
            *package = [*package, file.totals()].into_iter().sum();
        }
        packages
    }

    /// The functions that no test reached, each with its file.
    pub fn unreached(&self) -> impl Iterator<Item = (&str, FunctionCoverage)> {
        self.files().flat_map(|(name, file)| {
            file.functions().filter(|function| function.tests == 0).map(move |function| (name, function))
        })
    }
}

impl FileCoverage {
    /// The figures of the file.
    pub fn totals(&self) -> Totals {
        Totals { lines: Share::of(self.lines.values()), functions: Share::of(self.functions.values()) }
    }

    /// The functions with probes, in the order of their lines.
    pub fn functions(&self) -> impl Iterator<Item = FunctionCoverage> {
        self.functions.iter().map(|((line, name), tests)| FunctionCoverage {
            name: name.clone(),
            line: *line,
            tests: *tests,
        })
    }
}

impl Share {
    fn of<'a>(tests: impl Iterator<Item = &'a u64>) -> Self {
        tests.fold(Share::default(), |share, tests| Share {
            reached: share.reached + usize::from(*tests > 0),
            all: share.all + 1,
        })
    }

    /// In percent; 100 if there is nothing to reach.
    pub fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { 100.0 * self.reached as f64 / self.all as f64 }
    }
}

impl std::iter::Sum for Totals {
    fn sum<I: Iterator<Item = Totals>>(totals: I) -> Totals {
        let add = |a: Share, b: Share| Share { reached: a.reached + b.reached, all: a.all + b.all };
        totals.fold(Totals::default(), |sum, one| Totals {
            lines: add(sum.lines, one.lines),
            functions: add(sum.functions, one.functions),
        })
    }
}

/// The package of a file: the first part of its path.
fn package_of(file: &str) -> &str {
    file.split('/').next().unwrap_or(file)
}

/// A function's name without type arguments, so that all copies of a generic function are one function. The type of an
/// `impl`, which stands in brackets at the beginning of a name, is part of the name.
pub fn plain(function: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    let mut rest = function;
    // `<T as Trait>::name` and `<T>::name`: the type stays.
    if let Some(inner) = function.strip_prefix('<') {
        plain.push('<');
        rest = inner;
    }
    let mut before = ' ';
    for letter in rest.chars() {
        match letter {
            '<' => depth += 1,
            // The end of the leading type. An arrow of a function type ends nothing.
            '>' if depth == 0 => plain.push('>'),
            '>' if before != '-' => depth -= 1,
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
        before = letter;
    }
    plain.replace("::::", "::").trim_end_matches("::").to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn copies_of_a_generic_function_have_one_name() {
        for (name, expected) in [
            ("demo::f", "demo::f"),
            ("demo::f::<u8>", "demo::f"),
            ("demo::f::<alloc::vec::Vec<u8>>::{closure#0}", "demo::f::{closure#0}"),
            ("<demo::T<u8> as core::fmt::Debug>::fmt", "<demo::T as core::fmt::Debug>::fmt"),
            ("<demo::T>::new::<fn(u8) -> u8>", "<demo::T>::new"),
        ] {
            assert_eq!(plain(name), expected, "{name}");
        }
    }
}
