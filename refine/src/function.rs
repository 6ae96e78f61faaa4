//! Functions under test, and their mutants: the same function with other results in a few cases.

use crate::{CallLog, Switch};
use mutagen_engine::{Listable, Tiers};
use mutagen_weave::catch;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt::Debug;
use std::hash::Hash;
use std::rc::Rc;

/// Other results, each with the arguments that give it.
pub type Cases<A, R> = Vec<(A, R)>;

/// A function under test, with its name. Made by [`function`].
pub struct Function<S: Signature> {
    pub(crate) name: String,
    pub(crate) body: Rc<dyn Fn(S::Arguments) -> S::Result>,
    /// The calls that the log knows.
    pub(crate) calls: Rc<RefCell<FxHashMap<S::Arguments, u32>>>,
}

/// Names a function under test: anything of up to four arguments that takes them by value.
///
/// Arguments must be [`Listable`], `Eq`, `Hash` and `Debug`, results [`Listable`], `PartialEq` and `Debug`. The function must be
/// pure: the same arguments give the same result. Where it panics, it has no mutants.
///
/// ```
/// use mutagen_refine::function;
///
/// let not = function("not", |p: bool| !p);
/// let mutants: Vec<_> = not.mutants().values().collect();
/// // The function itself, and all that differ from it in one case or in both.
/// assert_eq!(mutants.len(), 4);
/// assert_eq!(mutants[1], [((false,), false)]);
/// ```
pub fn function<S: Signature>(name: impl Into<String>, body: impl Body<S>) -> Function<S> {
    Function { name: name.into(), body: body.on_tuples(), calls: Rc::default() }
}

/// The arguments of a function as a tuple.
pub trait Arguments: Clone + Eq + Hash + Debug + 'static {
    /// All ways to change a function by giving other results in a few cases, the smallest first and without repetition.
    /// `change` gives the other results for some arguments, with what belongs to them.
    ///
    /// Cases that share their first arguments pay for them only once: a function of two arguments is a function to
    /// functions of one.
    fn changes<C: Clone + 'static>(change: Rc<dyn Fn(Self) -> Tiers<Vec<C>>>) -> Tiers<Vec<C>>;
}

impl Arguments for () {
    fn changes<C: Clone + 'static>(change: Rc<dyn Fn(Self) -> Tiers<Vec<C>>>) -> Tiers<Vec<C>> {
        change(())
    }
}

/// The type of a function: `fn(A, B) -> R`.
pub trait Signature: 'static {
    /// The arguments.
    type Arguments: Arguments;
    /// The result.
    type Result: Listable + PartialEq + Debug;
    /// What properties call: `Box<dyn Fn(A, B) -> R>`.
    type Callable;

    /// Makes a function on tuples callable with arguments.
    fn callable(body: impl Fn(Self::Arguments) -> Self::Result + 'static) -> Self::Callable;
}

/// Functions that have this signature.
pub trait Body<S: Signature> {
    /// The function on tuples of arguments.
    fn on_tuples(self) -> Rc<dyn Fn(S::Arguments) -> S::Result>;
}

macro_rules! arities {
    ($first:ident $value:ident $(, $rest:ident $values:ident)*) => {
        impl<$first, $($rest),*> Arguments for ($first, $($rest,)*)
        where
            $first: Listable + Eq + Hash + Debug,
            $($rest: Listable + Eq + Hash + Debug,)*
        {
            fn changes<Case: Clone + 'static>(change: Rc<dyn Fn(Self) -> Tiers<Vec<Case>>>) -> Tiers<Vec<Case>> {
                changes(move |$value: $first| {
                    let change = Rc::clone(&change);
                    <($($rest,)*) as Arguments>::changes(Rc::new(move |($($values,)*)| {
                        change(($value.clone(), $($values,)*))
                    }))
                })
            }
        }

        impl<$first, $($rest,)* Output> Signature for fn($first, $($rest),*) -> Output
        where
            ($first, $($rest,)*): Arguments,
            $first: 'static,
            $($rest: 'static,)*
            Output: Listable + PartialEq + Debug,
        {
            type Arguments = ($first, $($rest,)*);
            type Result = Output;
            type Callable = Box<dyn Fn($first, $($rest),*) -> Output>;

            fn callable(body: impl Fn(Self::Arguments) -> Output + 'static) -> Self::Callable {
                Box::new(move |$value, $($values),*| body(($value, $($values,)*)))
            }
        }

        impl<$first, $($rest,)* Output, Fun> Body<fn($first, $($rest),*) -> Output> for Fun
        where
            fn($first, $($rest),*) -> Output: Signature<Arguments = ($first, $($rest,)*), Result = Output>,
            Fun: Fn($first, $($rest),*) -> Output + 'static,
        {
            fn on_tuples(self) -> Rc<dyn Fn(($first, $($rest,)*)) -> Output> {
                Rc::new(move |($value, $($values,)*)| self($value, $($values),*))
            }
        }

        arities!($($rest $values),*);
    };
    () => {};
}

arities!(A a, B b, C c, D d);

/// All changes of a function of one argument: for each set of arguments every combination of `change`s, except for the empty set.
fn changes<A: Listable, C: Clone + 'static>(
    change: impl Fn(A) -> Tiers<Vec<C>> + Clone + 'static,
) -> Tiers<Vec<C>> {
    let can_change = {
        let change = change.clone();
        move |argument: &A| change(argument.clone()).goes_on(0)
    };
    let combinations = move |arguments: Vec<A>| {
        Tiers::all_of(arguments.into_iter().map(&change).collect()).map(|cases| cases.concat())
    };
    // A mutant is larger by one than what changes: size 0 is the function itself.
    A::tiers().filter(can_change).sets().flat_map(combinations).without_the_first()
}

impl<S: Signature> Function<S> {
    /// All mutants as the cases in which they differ, the smallest first and without repetition. The first is the function itself, the only one
    /// of size 0. The sizes of arguments and results decide how large a mutant is, and each case adds one.
    pub fn mutants(&self) -> Tiers<Cases<S::Arguments, S::Result>> {
        let (body, results) = (Rc::clone(&self.body), S::Result::tiers().remembered());
        if results.values().nth(1).is_none() {
            return Tiers::once(Vec::new());
        }
        let others = move |arguments: S::Arguments| match catch(|| body(arguments.clone())) {
            Err(_) => Tiers::empty(),
            Ok(result) => results
                .clone()
                .filter(move |other| *other != result)
                .map(move |other| vec![(arguments.clone(), other)]),
        };
        Tiers::once(Vec::new()).or(S::Arguments::changes(Rc::new(others)).delayed())
    }

    /// The function with other results in these cases.
    pub(crate) fn with(&self, cases: Cases<S::Arguments, S::Result>) -> S::Callable {
        let body = Rc::clone(&self.body);
        S::callable(move |arguments| match cases.iter().find(|(changed, _)| *changed == arguments) {
            Some((_, result)) => result.clone(),
            None => body(arguments),
        })
    }

    /// The function, which notes each call in `log`.
    pub(crate) fn recording(&self, log: &CallLog) -> S::Callable {
        let (body, calls, log) = (Rc::clone(&self.body), Rc::clone(&self.calls), log.clone());
        S::callable(move |arguments| {
            let number = *calls.borrow_mut().entry(arguments.clone()).or_insert_with(|| log.new_number());
            log.note(number);
            body(arguments)
        })
    }

    /// The function with a bug switch on while it runs.
    pub(crate) fn switched(&self, switch: &Switch) -> S::Callable {
        let (body, switch) = (Rc::clone(&self.body), switch.clone());
        S::callable(move |arguments| switch.during(|| body(arguments)))
    }

    /// The numbers of the calls in these cases, of those that were ever made.
    pub(crate) fn numbers(&self, cases: &Cases<S::Arguments, S::Result>) -> Vec<u32> {
        let calls = self.calls.borrow();
        cases.iter().filter_map(|(arguments, _)| calls.get(arguments).copied()).collect()
    }

    /// The cases as equations: `not(true) = true`.
    pub(crate) fn describe(&self, cases: &Cases<S::Arguments, S::Result>) -> Vec<String> {
        let equation = |(arguments, result): &(S::Arguments, S::Result)| {
            let arguments = format!("{arguments:?}");
            // The tuple of one argument has a comma behind it.
            let arguments = arguments.strip_suffix(",)").map_or(arguments.clone(), |one| format!("{one})"));
            format!("{}{arguments} = {result:?}", self.name)
        };
        cases.iter().map(equation).collect()
    }
}
