//! Run-time settings for generators and mutators.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::Arc;

/// Run-time settings that generators and mutators may ask for, such as the Wasm features that are on.
///
/// A small map from types to values, immutable and shared: cloning it is cheap.
///
/// ```
/// use mutagen_engine::Scope;
///
/// #[derive(Debug, PartialEq)]
/// struct Simd(bool);
///
/// let scope = Scope::new().with(Simd(true));
/// assert_eq!(scope.get::<Simd>(), Some(&Simd(true)));
/// assert_eq!(scope.get::<u8>(), None);
/// ```
#[derive(Clone, Default)]
pub struct Scope {
    /// `None` while nothing is set, so that an empty scope costs nothing. A list, because there are only a few.
    settings: Option<Arc<Vec<Setting>>>,
}

#[derive(Clone)]
struct Setting {
    key: TypeId,
    name: &'static str,
    value: Arc<dyn Any + Send + Sync>,
}

impl Scope {
    /// No settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a setting, or replaces the one of the same type.
    pub fn with<S: Send + Sync + 'static>(self, setting: S) -> Self {
        let key = TypeId::of::<S>();
        let mut settings = self.settings.map_or_else(Vec::new, Arc::unwrap_or_clone);
        settings.retain(|other| other.key != key);
        settings.push(Setting { key, name: type_name::<S>(), value: Arc::new(setting) });
        Self { settings: Some(Arc::new(settings)) }
    }

    /// The setting of type `S`, if there is one.
    pub fn get<S: 'static>(&self) -> Option<&S> {
        let key = TypeId::of::<S>();
        let setting = self.settings.as_ref()?.iter().find(|setting| setting.key == key)?;
        setting.value.downcast_ref()
    }

    /// The setting of type `S`, or its default.
    pub(crate) fn or_default<S: Copy + Default + 'static>(&self) -> S {
        self.get().copied().unwrap_or_default()
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.settings.iter().flat_map(|settings| settings.iter());
        f.debug_set().entries(settings.map(|setting| setting.name)).finish()
    }
}

/// Which mutants a sequence has. A setting of [`Scope`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SequenceMutants {
    /// At every index: remove, duplicate, swap with the next, insert the smallest, truncate; clear; splice a child's
    /// sequence in.
    #[default]
    Rich,
    /// What the original MUTAGEN does to a list, cell by cell: cut it off, drop the element, duplicate it, append the
    /// smallest; and, by sampling, insert random elements.
    Paper,
}

/// Which mutants a number has. A setting of [`Scope`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberMutants {
    /// Boundary values, the neighbours, and one random sample.
    #[default]
    Boundary,
    /// What the original MUTAGEN does: one random sample of a small number.
    Paper,
}

/// The size at which sampled mutants draw their random parts. A setting of [`Scope`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleSize(pub usize);

impl Default for SampleSize {
    fn default() -> Self {
        Self(10)
    }
}
