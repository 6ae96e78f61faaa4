//! Whether two engines agree on which modules are valid.

use mutagen_features::Features;

use crate::{
    agreement::{Agreement, What, Why, differ, reference_panicked},
    answer::Validity,
    engine::Engine,
    guard::Guarded,
    limits::{explain_rejection, gate},
    scan::has_overlong_limits,
};

/// An engine, and what it says about the validity of a module.
pub struct Opinion<'a> {
    engine: &'a dyn Engine,
    validity: Validity,
}

impl<'a> Opinion<'a> {
    /// Asks the target.
    pub fn of_target(target: &'a dyn Engine, bytes: &[u8]) -> Self {
        Self { engine: target, validity: Guarded(target).validate(bytes) }
    }

    /// Asks the reference, after the target.
    ///
    /// Some engines accept what they then do not compile: their check of validity knows more features than are on.
    /// Compilation decides, but it takes long, so it is tried only where the target rejects a module: otherwise the
    /// engines would seem to differ. A module that the [gate](gate()) holds back is not compiled.
    pub fn of_reference(reference: &'a dyn Engine, bytes: &[u8], target: &Opinion<'_>) -> Self {
        let mut validity = Guarded(reference).validate(bytes);
        let differs = matches!(target.validity, Validity::Rejected(_)) && validity.is_accepted();
        if differs && gate(bytes).is_none() {
            validity = Guarded(reference).compiles(bytes);
        }
        Self { engine: reference, validity }
    }

    /// What the engine says.
    pub fn validity(&self) -> &Validity {
        &self.validity
    }
}

/// Compares whether a module is valid. A rejection that a limit of the rejecting engine explains is no finding.
pub fn compare_validity(
    bytes: &[u8],
    target: &Opinion<'_>,
    reference: &Opinion<'_>,
    features: Features,
) -> Agreement {
    let difference = || differ(What::Validity, &target.validity, &reference.validity);
    match (&target.validity, &reference.validity) {
        (Validity::Panicked(_), theirs) => differ(What::Panic, &target.validity, theirs),
        (_, Validity::Panicked(message)) => reference_panicked(message),
        (Validity::Unanswered(why), _) | (_, Validity::Unanswered(why)) => Agreement::Infra(why.clone()),
        (Validity::Accepted, Validity::Accepted) | (Validity::Rejected(_), Validity::Rejected(_)) => {
            Agreement::Equal
        }
        (Validity::Rejected(_), Validity::Accepted) => {
            one_sided(bytes, features, target.engine, difference())
        }
        (Validity::Accepted, Validity::Rejected(_)) => {
            one_sided(bytes, features, reference.engine, difference())
        }
    }
}

/// What it means that only the engine `by` rejects a module, or a function of it.
pub(crate) fn one_sided(
    bytes: &[u8],
    features: Features,
    by: &dyn Engine,
    otherwise: Agreement,
) -> Agreement {
    match explain_rejection(bytes, features, by) {
        Some(limit) => Agreement::Limit(limit),
        None if has_overlong_limits(bytes) => Agreement::Inconclusive(Why::OverlongLimits),
        None => otherwise,
    }
}
