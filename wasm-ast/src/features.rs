//! WebAssembly features: a setting for generation and mutation, and a measure of modules.

use mutagen_engine::Scope;

pub use mutagen_features::{Feature, Features, UnknownFeature};

/// The features that the scope allows; all of them if it has no such setting.
pub(crate) fn allowed_by(scope: &Scope) -> Features {
    scope.get::<Features>().copied().unwrap_or(Features::WASMI)
}

macro_rules! define_conditions {
    ($($(#[$doc:meta])* $feature:ident $name:ident;)*) => {
        /// Conditions on a scope: one for each feature, and `wasm1`, which always holds.
        #[allow(dead_code, reason = "not every feature rules a constructor of its own")]
        pub(crate) mod when {
            use super::{Feature, Scope, allowed_by};

            pub(crate) fn wasm1(_: &Scope) -> bool {
                true
            }
            $(pub(crate) fn $name(scope: &Scope) -> bool {
                allowed_by(scope).contains(Feature::$feature)
            })*
        }

        /// The features that an instruction needs, by the name of the feature that introduced it.
        #[allow(dead_code, reason = "not every feature brings instructions")]
        pub(crate) mod needs {
            use super::{Feature, Features};

            pub(crate) const fn wasm1() -> Features {
                Features::NONE
            }
            $(pub(crate) const fn $name() -> Features {
                Features::NONE.with(Feature::$feature)
            })*
        }
    };
}

mutagen_features::with_features!(define_conditions);
