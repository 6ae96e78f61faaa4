//! Random mutants of types with constructors, as FuzzChick derives them: one option out of all, each as likely.

use super::{Combination, Constructed, Constructor, Kind, OWN, Part, Parts, Spare, rebuild};
use crate::Source;

/// What a new constructor is made of: parts of the old one, each with its field, and random parts for the other fields.
pub struct Renewal<'a, 'b> {
    spares: &'a mut [Spare<'b>],
    /// For each field the index of its part, if there is one.
    places: std::vec::IntoIter<Option<usize>>,
    /// Where random parts come from.
    pub source: &'a mut Source,
    /// How large they are.
    pub size: usize,
}

impl Renewal<'_, '_> {
    /// The part for the next field, if it takes one over.
    pub fn part<T: 'static>(&mut self) -> Option<Part<T>> {
        let place = self.places.next()??;
        self.spares.get_mut(place)?.1.downcast_mut::<Option<Part<T>>>()?.take()
    }
}

/// For types with several constructors: the value mutates a field, becomes a field of its own type, or gets another
/// constructor. A value that can do none of these becomes a random one.
pub fn mutate_randomly<T: Constructed + crate::Generate>(
    value: &mut T,
    source: &mut Source,
    size: usize,
    mutate_field: impl FnOnce(&mut T, usize, &mut Source),
) {
    let own = value.constructor();
    let origin = &T::CONSTRUCTORS[own];
    let (fields, returned) = (origin.kinds.len(), origin.parts(OWN));
    let targets = conversions::<T>(own, source);
    match source.below((fields + returned + targets.len()).max(1)) {
        _ if fields + targets.len() == 0 => *value = T::generate(source, size),
        field if field < fields => mutate_field(value, field, source),
        number if number < fields + returned => {
            let combination = Combination { number: number - fields, amount: returned };
            rebuild(value, |spares| Parts { spares, combination }.returned());
        }
        number => {
            let target = targets[number - fields - returned];
            let places = places(origin.kinds, T::CONSTRUCTORS[target].kinds).unwrap_or_default();
            rebuild(value, |spares| {
                let places = places.clone().into_iter();
                T::renew(target, &mut Renewal { spares, places, source: &mut *source, size })
            });
        }
    }
}

/// For types with one constructor: the value mutates a field. A value without fields becomes a random one.
pub fn mutate_field_randomly<T: crate::Generate>(
    value: &mut T,
    fields: usize,
    source: &mut Source,
    size: usize,
    mutate_field: impl FnOnce(&mut T, usize, &mut Source),
) {
    match fields {
        0 => *value = T::generate(source, size),
        _ => mutate_field(value, source.below(fields), source),
    }
}

/// The other constructors that this one converts to in the scope of the source.
fn conversions<T: Constructed>(own: usize, source: &Source) -> Vec<usize> {
    let conditions = T::conditions(source.scope());
    let targets = T::CONSTRUCTORS.iter().enumerate();
    let converts = |(index, target): &(usize, &Constructor)| {
        *index != own
            && target.is_target(conditions.as_ref())
            && fit(T::CONSTRUCTORS[own].kinds, target.kinds)
    };
    targets.filter(converts).map(|(index, _)| index).collect()
}

/// Whether one of the two has the fields of the other, in this order.
fn fit(one: &[Kind], other: &[Kind]) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut many = many.iter();
    few.iter().all(|kind| many.any(|other| other == kind))
}

/// For each field of `target`, the index of the part of `origin` that it gets. Parts go to the first field that fits.
fn places(origin: &[Kind], target: &[Kind]) -> Option<Vec<Option<usize>>> {
    if origin.len() >= target.len() {
        return Some(embedded(target, origin)?.into_iter().map(Some).collect());
    }
    let mut places = vec![None; target.len()];
    for (part, field) in embedded(origin, target)?.into_iter().enumerate() {
        places[field] = Some(part);
    }
    Some(places)
}

/// For each of `few` the index of its like among `many`, in order.
fn embedded(few: &[Kind], many: &[Kind]) -> Option<Vec<usize>> {
    let mut many = many.iter().enumerate();
    few.iter().map(|kind| many.find(|(_, other)| *other == kind).map(|(index, _)| index)).collect()
}
