//! What people and programs read: tables on a terminal, CSV, JSON and one HTML page.
//!
//! Every function here takes a [`Table`](crate::bench::Table) and gives text. Effects are given against a baseline: the name
//! of a strategy of the table.

mod bars;
mod dots;
mod files;
mod lines;
mod markup;
mod page;
mod scale;
mod series;
mod tables;
mod text;

pub use files::{cells_csv, curves_csv, json, summaries_csv, totals_csv};
pub use page::page;
pub use text::{comparison, terminal};
