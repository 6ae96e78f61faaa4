//! Results of a campaign, in the forms that others take.
//!
//! A report starts from [`Results`](mutagen_campaign::Results): an output directory that was read back, or the report of a
//! campaign that has just ended. [`Format`] turns them into one text: Markdown for an issue, SARIF and JUnit for tools,
//! HTML for a browser. [`annotations`] are the lines that GitHub shows beside a change. [`bundle`] writes a directory for each
//! group of findings, with everything that the maintainer of an engine needs. [`Live`] keeps the page of a running
//! campaign up to date, and [`Server`] shows it to a browser.
//!
//! ```
//! use mutagen_bugs::Bug;
//! use mutagen_campaign::{Results, Setup, Spec, run};
//! use mutagen_oracles::{Registry, on_stack};
//! use mutagen_report::Format;
//!
//! let spec = Spec::hunting(&Bug::find("wasm-3")?).expect("a bug can be hunted");
//! let engines = Registry::default();
//! let ran = on_stack(|| run(&spec, Setup::new(&engines)))??;
//! let text = Format::Markdown.render(&Results::from(ran.report));
//! assert!(text.contains("```wat"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | content |
//! |---|---|
//! | `format` | the choice of a form |
//! | `markdown`, `sarif`, `junit` | the forms for people and tools |
//! | `annotations` | lines for GitHub |
//! | `told` | what all forms say of a finding |
//! | `paragraph` | the section of the specification that decides a difference |
//! | `bundle` | a directory for each group |
//! | `draw` | elements of HTML and SVG, scales and charts; the benchmark draws with them, too |
//! | `page`, `live`, `serve` | the page of a campaign |

pub mod annotations;
mod bundle;
pub mod draw;
mod format;
mod junit;
mod live;
mod markdown;
mod page;
mod paragraph;
mod sarif;
mod serve;
mod told;

pub use bundle::{PublicCrate, bundle, public_crate};
pub use format::Format;
pub use live::Live;
pub use page::Page;
pub use paragraph::{Paragraph, paragraphs};
pub use serve::Server;
