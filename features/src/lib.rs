//! The parts of WebAssembly that can be on or off.
//!
//! This is the one list of them. Generators use it to know what they may make, engines to know what to accept, and
//! users to say which of it they want:
//!
//! ```
//! use mutagen_features::{Feature, Features};
//!
//! let features: Features = "wasm2,-simd,+tail-call".parse()?;
//! assert!(features.contains(Feature::TailCall) && !features.contains(Feature::Simd));
//! assert_eq!(Features::WASM1.to_string(), "mutable-global");
//! # Ok::<(), mutagen_features::UnknownFeature>(())
//! ```

mod list;
mod set;
mod text;

pub use list::Feature;
pub use set::Features;
pub use text::UnknownFeature;
