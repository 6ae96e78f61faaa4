//! Collections of modules: the corpus of a campaign, or files that a user has.
//!
//! | module | content |
//! |---|---|
//! | `collection` | reading the modules of output directories, directories and files |
//! | `covered` | what they reach in the target, by probe, line, function and file |
//! | `minimise` | the few of them that reach as much as all |
//! | `seeds` | importing modules of others: text, binary, scripts of the specification's test suite |
//! | `portrait` | one module: its text, features, sizes |

mod collection;
mod covered;
mod minimise;
mod portrait;
mod seeds;

pub use collection::Collection;
pub use covered::Covered;
pub use minimise::{Weighed, minimise};
pub use portrait::{Contents, Portrait};
pub use seeds::{LeftOut, MALFORMED, Seeds, import};
