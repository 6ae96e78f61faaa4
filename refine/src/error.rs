//! Why there is nothing to report.

use thiserror::Error;

/// Why there is nothing to report.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was said about the functions.
    #[error("there are no properties: add one with `property(name, |function, arguments| ..)`")]
    NoProperties,
    /// The functions cannot be otherwise, or no mutant was allowed.
    #[error(
        "there are no mutants: either the budget is 0, or the functions have no other result to give; \
         raise `mutants(..)` or add one of your own with `mutant(name, function)`"
    )]
    NoMutants,
    /// No test was allowed.
    #[error("the budget of tests is 0, so that every mutant would survive: raise `tests(..)`")]
    NoTests,
    /// A property is false of the original functions: one of the two has a bug.
    #[error(
        "property {number} ({name}) is false of the original functions, so that one of the two has a bug; \
         counterexample: {arguments} ({reason})"
    )]
    OriginalFails {
        /// The number of the property, from 1 on.
        number: usize,
        /// Its name.
        name: String,
        /// The arguments of which it is false.
        arguments: String,
        /// What the property said.
        reason: String,
    },
    /// A property panics with the original functions.
    #[error(
        "property {number} ({name}) panics with the original functions: repair it, or leave out the arguments that it is not \
         about; arguments: {arguments} ({reason})"
    )]
    OriginalPanics {
        /// The number of the property, from 1 on.
        number: usize,
        /// Its name.
        name: String,
        /// The arguments with which it panics.
        arguments: String,
        /// The panic's message and place.
        reason: String,
    },
    /// No test runs the code that the switches change.
    #[error(
        "no test reaches the code behind {0}: check the ids, call that code in the functions under test, and build with the \
         rustc wrapper that weaves it"
    )]
    NotReached(String),
    /// More properties than a set of them can hold.
    #[error("{0} properties are more than the {limit} that can be compared at once: refine them in groups", limit = crate::PropertySet::MOST)]
    TooManyProperties(usize),
    /// The properties differ in so many ways that nobody would read the result.
    #[error(
        "the properties fall into more than {0} classes or minimal sets, which is more than anybody reads: \
         leave some properties out, or refine them in groups"
    )]
    TooManyClasses(usize),
}
