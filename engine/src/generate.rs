//! Makes values out of choices.

use crate::Source;

/// A type whose values can be made from a [`Source`] of choices.
///
/// Derive it. The derived generator chooses uniformly (or by `#[mutagen(weight = N)]`) among the constructors. At size 0 it
/// leaves out those with a field that mentions the type itself. Such fields get a size that is one less, all others the
/// same size.
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
    /// A value of about this size. Size 0 gives values without direct recursion.
    fn generate(source: &mut Source, size: usize) -> Self
    where
        Self: Sized;

    /// The smallest value: it fills fields when a mutant needs a part that its parent does not have.
    ///
    /// Derived, it is the constructor marked `#[mutagen(default)]`. Without a mark, it is one that does not mention the
    /// type itself, chosen by these rules, in this order:
    ///
    /// 1. it has no condition;
    /// 2. it has the fewest fields of types that are defined elsewhere and may lead back;
    /// 3. it has the fewest boxes;
    /// 4. it has the fewest fields;
    /// 5. it is declared first.
    ///
    /// Its fields have their own smallest values, or their `default = expr`.
    ///
    /// # Panics
    ///
    /// If types contain each other so that there is no end. The message says which type to mark.
    fn smallest() -> Self
    where
        Self: Sized;
}
