//! Reports for people and programs: tables on a terminal, CSV, JSON and one HTML page.
//!
//! Every function here takes a [`Table`](crate::Table) and returns text. Effects are relative to a baseline,
//! which is one of the table's strategies, given by name.

mod bars;
mod dots;
mod files;
mod lines;
mod page;
mod series;
mod tables;
mod text;

use mutagen_report::draw::{markup, scale};

pub(crate) use files::{Row, csv};
pub use files::{cells_csv, curves_csv, json, summaries_csv, totals_csv};
pub use page::page;
pub use text::{comparison, terminal};
