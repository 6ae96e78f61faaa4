//! Types that somebody else defined: generated and mutated by way of a copy of their definition.

use crate::{Count, Generate, Mutable, NoText, RootMutants, Scope, Source, Text, TextError};
use std::marker::PhantomData;

/// The values of a foreign type, by way of its mirror `M`.
///
/// Rust lets nobody implement foreign traits for foreign types. So repeat the definition of the type, derive for that, and
/// name the original: `#[mutagen(remote = path)]` writes both conversions, and the compiler checks that the definitions are
/// the same. Properties take the mirror and convert it. A field of the foreign type names the mirror:
/// `#[mutagen(with = Mirror)]`. All mutants of the mirror, at all of its positions, are then root mutants of the type that has
/// the field.
///
/// ```
/// mod geometry {
///     #[derive(Clone, PartialEq, Debug)]
///     pub enum Shape {
///         Point,
///         Group(Vec<Shape>),
///         Circle { radius: u8 },
///     }
/// }
///
/// use mutagen_engine::{Generate, Mutable, MutantsConfig, Scope, mutants};
///
/// #[derive(Generate, Mutable, Clone, PartialEq, Debug)]
/// #[mutagen(remote = geometry::Shape)]
/// enum Shape {
///     Point,
///     Group(Vec<Shape>),
///     Circle { radius: u8 },
/// }
///
/// #[derive(Generate, Mutable, Clone, PartialEq, Debug)]
/// struct Drawing {
///     title: String,
///     #[mutagen(with = Shape)]
///     shape: geometry::Shape,
/// }
///
/// let drawing = Drawing { title: String::new(), shape: geometry::Shape::Circle { radius: 7 } };
/// let found: Vec<_> = mutants(&drawing, &MutantsConfig::default(), &Scope::new()).map(|(_, mutant)| mutant.shape).collect();
/// assert!(found.contains(&geometry::Shape::Point));
/// assert!(found.contains(&geometry::Shape::Circle { radius: 8 }));
///
/// let text = drawing.to_text().unwrap();
/// assert_eq!(text.to_string(), r#"Drawing { title: "", shape: Circle { radius: 7 } }"#);
/// assert_eq!(Drawing::from_text(&text).unwrap(), drawing);
/// ```
#[derive(Debug)]
pub struct Remote<M>(PhantomData<M>);

impl<M: Generate> Remote<M> {
    /// A value of about this size.
    pub fn generate<F>(source: &mut Source, size: usize) -> F
    where
        M: Into<F>,
    {
        M::generate(source, size).into()
    }

    /// The smallest value.
    pub fn smallest<F>() -> F
    where
        M: Into<F>,
    {
        M::smallest().into()
    }

    /// The text of the mirror.
    ///
    /// # Errors
    ///
    /// If the mirror has a part without text.
    pub fn to_text<F: Clone + Into<M>>(value: &F) -> Result<Text, NoText> {
        value.clone().into().to_text()
    }

    /// The value of a text.
    ///
    /// # Errors
    ///
    /// If the text is not one of the mirror.
    pub fn from_text<F>(text: &Text) -> Result<F, TextError>
    where
        M: Into<F>,
    {
        M::from_text(text).map(Into::into)
    }
}

impl<M, F> RootMutants<F> for Remote<M>
where
    M: Mutable + Into<F>,
    F: Clone + Into<M>,
{
    fn count(value: &F, scope: &Scope) -> Count {
        count_everywhere(&value.clone().into(), scope)
    }

    fn mutate(value: &mut F, number: usize, source: &mut Source) -> bool {
        let mut mirror: M = value.clone().into();
        let changed = mutate_somewhere(&mut mirror, number, source);
        if changed {
            *value = mirror.into();
        }
        changed
    }

    fn magnitude(value: &F) -> u64 {
        let mirror: M = value.clone().into();
        magnitude_everywhere(&mirror)
    }
}

/// How many mutants there are at all positions together.
pub(crate) fn count_everywhere(root: &dyn Mutable, scope: &Scope) -> Count {
    let below = (0..root.children()).map(|index| count_everywhere(root.child(index), scope));
    below.fold(root.count(scope), |sum, count| sum + count)
}

/// Becomes mutant `number` of those at all positions: the fixed ones of every position first, then the samplers.
pub(crate) fn mutate_somewhere(root: &mut dyn Mutable, number: usize, source: &mut Source) -> bool {
    let all = count_everywhere(root, source.scope());
    let (sampled, number) = match number.checked_sub(all.fixed) {
        None => (false, number),
        Some(number) => (true, number),
    };
    find_and_mutate(root, number, sampled, source).unwrap_or(false)
}

/// The mutant at the position that has it; or how many numbers are left after this part.
fn find_and_mutate(
    node: &mut dyn Mutable,
    number: usize,
    sampled: bool,
    source: &mut Source,
) -> Result<bool, usize> {
    let Count { fixed, sampled: samplers } = node.count(source.scope());
    let (first, amount) = if sampled { (fixed, samplers) } else { (0, fixed) };
    let mut left = match number.checked_sub(amount) {
        None => return Ok(node.mutate(first + number, source)),
        Some(left) => left,
    };
    for index in 0..node.children() {
        match find_and_mutate(node.child_mut(index), left, sampled, source) {
            Err(beyond) => left = beyond,
            found => return found,
        }
    }
    Err(left)
}

/// How far all positions together are from the smallest value; each position counts by itself, too.
pub(crate) fn magnitude_everywhere(root: &dyn Mutable) -> u64 {
    let below = (0..root.children()).map(|index| magnitude_everywhere(root.child(index)).saturating_add(1));
    below.fold(root.magnitude(), u64::saturating_add)
}
