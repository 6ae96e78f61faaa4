//! What people and programs read: tables on a terminal, CSV, JSON and one HTML page.

mod text;

pub use text::{comparison, terminal};
