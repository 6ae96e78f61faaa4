//! What is refined: a function, or several at once.

use crate::function::{Cases, Function, Signature};
use crate::run::CallLog;
use crate::switch::Switch;
use mutagen_engine::Tiers;

/// What is refined: a [`Function`], or a tuple of up to eight of them, which change together.
///
/// ```
/// use mutagen_refine::{UnderTest, function};
///
/// let functions = (function("not", |p: bool| !p), function("and", |p: bool, q: bool| p && q));
/// // Four functions in the place of `not` and sixteen in that of `and`: the originals are one of the pairs.
/// assert_eq!(functions.mutations().values().count(), 4 * 16);
/// ```
pub trait UnderTest: 'static {
    /// What properties call: `Box<dyn Fn(A) -> R>`, or a tuple of such functions.
    type Functions;
    /// How a mutant differs from the originals.
    type Mutation: Clone + 'static;

    /// All mutations, the smallest first and without repetition. The only one of size 0 changes nothing.
    fn mutations(&self) -> Tiers<Self::Mutation>;
    /// The functions with these changes.
    fn mutant(&self, mutation: Self::Mutation) -> Self::Functions;
    /// The functions without changes; they note their calls.
    fn recording(&self, log: &CallLog) -> Self::Functions;
    /// The functions with a bug switch on while they run.
    fn switched(&self, switch: &Switch) -> Self::Functions;
    /// Which of the calls in the log the mutation changes.
    fn changed_calls(&self, mutation: &Self::Mutation) -> Vec<u32>;
    /// The mutation for people, one equation for each change.
    fn describe(&self, mutation: &Self::Mutation) -> Vec<String>;
}

impl<S: Signature> UnderTest for Function<S> {
    type Functions = S::Callable;
    type Mutation = Cases<S::Arguments, S::Result>;

    fn mutations(&self) -> Tiers<Self::Mutation> {
        self.mutants()
    }

    fn mutant(&self, mutation: Self::Mutation) -> S::Callable {
        self.with(mutation)
    }

    fn recording(&self, log: &CallLog) -> S::Callable {
        Function::recording(self, log)
    }

    fn switched(&self, switch: &Switch) -> S::Callable {
        Function::switched(self, switch)
    }

    fn changed_calls(&self, mutation: &Self::Mutation) -> Vec<u32> {
        self.numbers(mutation)
    }

    fn describe(&self, mutation: &Self::Mutation) -> Vec<String> {
        Function::describe(self, mutation)
    }
}

macro_rules! tuples {
    ($first:ident $index:tt $a:ident $(, $rest:ident $indices:tt $b:ident)*) => {
        impl<$first: UnderTest, $($rest: UnderTest),*> UnderTest for ($first, $($rest,)*) {
            type Functions = ($first::Functions, $($rest::Functions,)*);
            type Mutation = ($first::Mutation, $($rest::Mutation,)*);

            fn mutations(&self) -> Tiers<Self::Mutation> {
                tuples!(@product self $index $a $(, $indices $b)*)
            }

            fn mutant(&self, mutation: Self::Mutation) -> Self::Functions {
                (self.$index.mutant(mutation.$index), $(self.$indices.mutant(mutation.$indices),)*)
            }

            fn recording(&self, log: &CallLog) -> Self::Functions {
                (self.$index.recording(log), $(self.$indices.recording(log),)*)
            }

            fn switched(&self, switch: &Switch) -> Self::Functions {
                (self.$index.switched(switch), $(self.$indices.switched(switch),)*)
            }

            fn changed_calls(&self, mutation: &Self::Mutation) -> Vec<u32> {
                let calls = [
                    self.$index.changed_calls(&mutation.$index),
                    $(self.$indices.changed_calls(&mutation.$indices)),*
                ];
                calls.concat()
            }

            fn describe(&self, mutation: &Self::Mutation) -> Vec<String> {
                let equations = [
                    self.$index.describe(&mutation.$index),
                    $(self.$indices.describe(&mutation.$indices)),*
                ];
                equations.concat()
            }
        }
    };
    // Right-nested pairs, made flat: the order is that of the first function's mutants by size.
    (@product $self:ident $($index:tt $a:ident),*) => {
        tuples!(@nested $self $($index),*).map(|tuples!(@pattern $($a),*)| ($($a,)*))
    };
    (@nested $self:ident $index:tt) => { $self.$index.mutations().remembered() };
    (@nested $self:ident $index:tt, $($rest:tt),+) => {
        $self.$index.mutations().remembered().and(tuples!(@nested $self $($rest),+))
    };
    (@pattern $a:ident) => { $a };
    (@pattern $a:ident, $($rest:ident),+) => { ($a, tuples!(@pattern $($rest),+)) };
}

tuples!(A 0 a);
tuples!(A 0 a, B 1 b);
tuples!(A 0 a, B 1 b, C 2 c);
tuples!(A 0 a, B 1 b, C 2 c, D 3 d);
tuples!(A 0 a, B 1 b, C 2 c, D 3 d, E 4 e);
tuples!(A 0 a, B 1 b, C 2 c, D 3 d, E 4 e, F 5 f);
tuples!(A 0 a, B 1 b, C 2 c, D 3 d, E 4 e, F 5 f, G 6 g);
tuples!(A 0 a, B 1 b, C 2 c, D 3 d, E 4 e, F 5 f, G 6 g, H 7 h);
