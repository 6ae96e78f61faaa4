//! Secrecy labels: the operations that both machines need.

use std::fmt::{Debug, Display};

/// A finite lattice of secrecy labels.
///
/// ```
/// use mutagen_ifc::lattice::Lattice;
/// use mutagen_ifc::register::Label;
///
/// assert_eq!(Label::M1.join(Label::M2), Label::H);
/// assert!(!Label::M1.flows_to(Label::M2));
/// ```
pub trait Lattice: Copy + Eq + Debug + Display + 'static {
    /// The public label, which flows everywhere.
    const BOTTOM: Self;

    /// The least label above both.
    fn join(self, other: Self) -> Self;

    /// The same label, by a separate branch for each label.
    ///
    /// Labels are data, but coverage guidance sees only control flow. This makes labels visible to it.
    fn told_apart(self) -> Self;

    /// Whether data labelled `self` may flow to a place labelled `other`.
    fn flows_to(self, other: Self) -> bool;
}
