//! The bugs of the demos, hunted by `mutagen-engine` and by other property-testing libraries.
//!
//! Every contender is a guidance under one driver, the engine's [`Campaign`](mutagen_engine::Campaign): it gives values, the
//! driver checks and counts them, and stops at the first that fails. Nothing is shrunk. [`Contender`] lists them,
//! [`hunt`] runs one of them on one bug, [`Race`] runs them all and stores what came of it, and [`page`] shows it.

mod contender;
mod hunt;
mod page;
mod race;
mod results;
mod smart;
mod standings;

pub use contender::{Contender, UnknownContender};
pub use hunt::{BugOfDemo, Trial, bugs, hunt};
pub use page::page;
pub use race::{Race, RaceError};
pub use results::{Results, ResultsError, Row};
pub use smart::Smart;
pub use standings::{Cell, Standing, Standings};
