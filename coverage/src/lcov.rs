//! The form that `genhtml` and editors read.

use std::fmt::Write;

use crate::{Coverage, FunctionCoverage, Sources, Totals};

impl Coverage {
    /// The coverage as an lcov tracefile. Files have the paths at which they lie on this machine, if they do: tools that
    /// show the source look for it there.
    pub fn lcov(&self, sources: &Sources) -> String {
        let mut text = String::new();
        for (name, file) in self.files() {
            let path = sources.find(name).map_or_else(|| name.to_owned(), |path| path.display().to_string());
            let Totals { lines, functions } = file.totals();
            // Writing to a string never fails.
            let _ = writeln!(text, "TN:\nSF:{path}");
            for function in file.functions() {
                let _ = writeln!(text, "FN:{},{}", function.line, name_of(&function));
            }
            for function in file.functions() {
                let _ = writeln!(text, "FNDA:{},{}", function.tests, name_of(&function));
            }
            let _ = writeln!(text, "FNF:{}\nFNH:{}", functions.all, functions.reached);
            for (line, tests) in &file.lines {
                let _ = writeln!(text, "DA:{line},{tests}");
            }
            let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", lines.all, lines.reached);
        }
        text
    }
}

/// The name of a function without commas: `genhtml` takes what follows one for another field, and functions of one beginning for
/// one function.
fn name_of(function: &FunctionCoverage) -> String {
    function.name.replace(", ", ";").replace(',', ";")
}
