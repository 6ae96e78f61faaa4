//! The report in the format of lcov, which editors and servers read.

use super::Sources;
use std::fmt::Write;

pub fn report(test: &str, sources: &Sources) -> String {
    let mut text = String::new();
    for (file, source) in sources {
        let _ = writeln!(text, "TN:{test}\nSF:{}", file.display());
        for (line, (name, _)) in &source.functions {
            let _ = writeln!(text, "FN:{line},{name}");
        }
        for (name, count) in source.functions.values() {
            let _ = writeln!(text, "FNDA:{count},{name}");
        }
        let reached = source.functions.values().filter(|(_, count)| *count > 0).count();
        let _ = writeln!(text, "FNF:{}\nFNH:{reached}", source.functions.len());
        for (line, count) in &source.lines {
            let _ = writeln!(text, "DA:{line},{count}");
        }
        let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", source.lines.len(), source.reached());
    }
    text
}
