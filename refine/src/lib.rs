#![doc = include_str!("../README.md")]

// Functions, their mutants, and what properties say about them.
mod function;
mod properties;
mod refine;
mod run;
mod switch;
mod under_test;
mod word;

// What a kill matrix says about the properties, wherever it comes from.
mod analysis;
mod error;
mod matrix;
mod report;

pub use function::{Arguments, Body, Cases, Function, Signature, function};
pub use refine::Refine;
pub use run::CallLog;
pub use switch::Switch;
pub use under_test::UnderTest;
pub use word::Word;

pub use analysis::{Analysis, Class, Conjecture, PropertySet, Relation, Strength};
pub use error::Error;
pub use matrix::{Fate, KillMatrix};
pub use report::{Effort, RefineReport};
