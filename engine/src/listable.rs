//! Types whose values can be listed.

mod containers;
mod products;
mod scalars;

use crate::Tiers;

/// A type whose values can be listed, the smallest first, each exactly once.
///
/// Derive it. The values of an enum are those of its variants in the order of declaration; a variant without fields has size 0, and
/// one with fields is larger by one than its fields together. A struct is an enum with one variant.
///
/// | type | size |
/// |---|---|
/// | `()`, `bool` | 0 |
/// | unsigned numbers | the number |
/// | signed numbers | the place in 0, 1, -1, 2, -2, ... |
/// | floats, characters | the place in a list that begins with simple ones |
/// | `Option` | 0 for `None`, one more than the value for `Some` |
/// | `Result`, `Box`, tuples, arrays | the parts together |
/// | lists, sets, text | one for each element, and the elements together |
/// | maps | one for each entry, and keys and values together |
///
/// ```
/// use mutagen_engine::Listable;
///
/// #[derive(Listable, Clone, PartialEq, Debug)]
/// enum Tree {
///     Leaf,
///     Node(Box<Tree>, bool, Box<Tree>),
/// }
///
/// let amounts: Vec<usize> = (0..5).map(|size| Tree::tiers().tier(size).count()).collect();
/// assert_eq!(amounts, [1, 2, 8, 40, 224]);
/// ```
///
/// `#[mutagen(skip)]` leaves a variant out; a field with `#[mutagen(skip, default = ..)]` is always the default. A variant
/// under a condition (`when = ..`) cannot be listed: what there is must not depend on who asks.
///
/// ## Invariants
///
/// No value is listed twice, and each tier is finite.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be listed",
    label = "does not implement `Listable`",
    note = "derive Listable for it too"
)]
pub trait Listable: Clone + 'static {
    /// All values, by size.
    fn tiers() -> Tiers<Self>;
}
