//! Values out of choices.

use crate::Source;

/// A type whose values can be made from a [`Source`] of choices.
///
/// Derive it. The derived generator chooses uniformly (or by `#[mutagen(weight = N)]`) among the constructors; those with a
/// field that mentions the type itself only while the size lasts. Such fields get one size less, all others the same size.
///
/// ```
/// use mutagen_engine::{Generate, Source};
///
/// #[derive(Generate, Debug, PartialEq)]
/// enum Tree {
///     Leaf(i64),
///     Branch(Box<Tree>, i64, Box<Tree>),
/// }
///
/// assert_eq!(Tree::smallest(), Tree::Leaf(0));
/// assert!(matches!(Tree::generate(&mut Source::seeded(3), 0), Tree::Leaf(_)));
/// let _grown = Tree::generate(&mut Source::seeded(3), 5);
/// ```
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be generated",
    label = "does not implement `Generate`",
    note = "derive Generate for it too, or say what the field is filled with: `#[mutagen(skip, default = ..)]`"
)]
pub trait Generate {
    /// A value; recursive constructors only while `size` lasts. `size` 0 gives values without direct recursion.
    fn generate(source: &mut Source, size: usize) -> Self
    where
        Self: Sized;

    /// The smallest value: it fills fields when a mutant needs a part that its parent does not have.
    ///
    /// Derived: the constructor marked `#[mutagen(default)]`; else one of those that do not mention the type itself: one without a
    /// condition, then with the fewest fields of types that are defined elsewhere and may lead back, then with the fewest boxes, then with
    /// the fewest fields; the first declared on ties. Its fields are their own smallest (or their `default = expr`). Where types that
    /// contain each other have no end that way, it panics and says which one to mark.
    fn smallest() -> Self
    where
        Self: Sized;
}
