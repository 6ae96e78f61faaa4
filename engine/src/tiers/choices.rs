//! The enumeration of what a generator makes.

use super::{Tier, Tiers};
use crate::{Generator, Scope, Source};
use std::cell::RefCell;
use std::rc::Rc;

impl<T: 'static> Tiers<T> {
    /// Everything that a generator makes, by the size that it is given: all choices that it asks for, see
    /// [`Source::enumerating`]. Whatever generates also enumerates, but not without repetition: generators make small
    /// values at large sizes, too.
    ///
    /// ```
    /// use mutagen_engine::{Derived, Scope, Tiers};
    ///
    /// let lists: Tiers<Vec<bool>> = Tiers::of_generator(Derived, Scope::new());
    /// assert_eq!(lists.tier(1).collect::<Vec<_>>(), [vec![], vec![false], vec![true]]);
    /// ```
    pub fn of_generator(generator: impl Generator<T> + 'static, scope: Scope) -> Self {
        let generator = Rc::new(RefCell::new(generator));
        let tier = move |size| -> Tier<T> {
            let (generator, mut source) =
                (Rc::clone(&generator), Source::enumerating().with_scope(scope.clone()));
            let mut more = true;
            Box::new(std::iter::from_fn(move || {
                let value = more.then(|| generator.borrow_mut().generate(&mut source, size))?;
                more = source.advance();
                Some(value)
            }))
        };
        Self::new(tier, |_| true)
    }
}
