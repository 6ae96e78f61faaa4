//! Secrecy labels: what both machines ask of their label types.

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

    /// The same label, reached on a branch of its own.
    ///
    /// Labels are data, and coverage guidance sees control flow alone. This turns one into the other.
    fn told_apart(self) -> Self;

    /// Whether data labelled `self` may end up where `other` is expected.
    fn flows_to(self, other: Self) -> bool;
}
