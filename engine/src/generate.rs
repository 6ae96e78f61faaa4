//! Makes values out of choices.

use crate::{NoText, Source, Text, TextError};

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

    /// The value as text that [`from_text`](Generate::from_text) reads back: how counterexamples are stored.
    ///
    /// Derived, it has the names of constructors and fields. Fields that are skipped and have a default are left out.
    ///
    /// # Errors
    ///
    /// If the value has a part of a type that was implemented by hand and without these two methods.
    fn to_text(&self) -> Result<Text, NoText> {
        Err(NoText::of::<Self>())
    }

    /// The value that was written by [`to_text`](Generate::to_text).
    ///
    /// # Errors
    ///
    /// If the text is not a value of the type, because the type has changed since.
    fn from_text(text: &Text) -> Result<Self, TextError>
    where
        Self: Sized,
    {
        Err(text.error(NoText::of::<Self>().to_string()))
    }
}
