//! The form for a terminal.

use std::fmt::Write;

use crate::{Coverage, Share, Totals, package_of};

impl Coverage {
    /// The figures by package and file, one line each.
    pub fn table(&self) -> String {
        let width = self.files().map(|(name, _)| name.len() + 2).max().unwrap_or(0).max("everything".len());
        let row = |name: &str, totals: Totals| {
            format!("{name:<width$}  {}  {}\n", share(totals.lines), share(totals.functions))
        };
        let mut text = format!("{:<width$}  {:>21}  {:>21}\n", "", "lines", "functions");
        for (package, totals) in self.packages() {
            text += &row(package, totals);
            for (name, file) in self.files().filter(|(name, _)| package_of(name) == package) {
                let short = name.strip_prefix(package).unwrap_or(name).trim_start_matches('/');
                // Writing to a string never fails.
                let _ = write!(text, "{}", row(&format!("  {short}"), file.totals()));
            }
        }
        text + &row("everything", self.totals())
    }
}

fn share(share: Share) -> String {
    format!("{:>6} of {:<6} {:>3.0} %", share.reached, share.all, share.percent().floor())
}
