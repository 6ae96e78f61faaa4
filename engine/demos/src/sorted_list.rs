//! Insertion into a sorted list, by binary search.

use crate::Demo;
use mutagen_engine::{Generate, Mutable, Outcome};

/// A list, and what is to be inserted into it.
#[cfg_attr(
    feature = "race",
    derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator, proptest_derive::Arbitrary)
)]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub struct Case {
    /// The list. It should be sorted.
    pub list: Vec<i32>,
    /// The new element.
    pub element: i32,
}

bugs! {
    /// What can be wrong with [`insert`].
    pub enum Bug {
        /// The element always goes to the end.
        Appends,
        /// The element takes the place of the next larger one.
        Replaces,
        /// An element that is there already is not inserted again.
        DropsDuplicates,
        /// The search never looks at the last element.
        MissesTheLast,
        /// The search goes the wrong way in the lower half of long lists.
        TurnsTheWrongWay,
        /// A list that fills its storage of four elements loses the last one when it grows.
        LosesOneWhenGrowing,
    }
}

/// Inserts an element into a sorted list so that it stays sorted.
pub fn insert(bug: Option<Bug>, element: i32, list: &[i32]) -> Vec<i32> {
    let place = if bug == Some(Appends) { list.len() } else { search(bug, element, list) };
    let mut result = grown(bug, list);
    match result.get_mut(place) {
        Some(found) if bug == Some(Replaces) => *found = element,
        Some(found) if bug == Some(DropsDuplicates) && *found == element => {}
        Some(_) => result.insert(place, element),
        None => result.push(element),
    }
    result
}

/// The index of the first element that is not smaller.
fn search(bug: Option<Bug>, element: i32, list: &[i32]) -> usize {
    let mut low = 0;
    let mut high = list.len();
    if bug == Some(MissesTheLast) && high > 1 {
        high -= 1;
    }
    while low < high {
        let middle = (low + high) / 2;
        let confused = bug == Some(TurnsTheWrongWay) && list.len() > 4 && middle < 2;
        if (list[middle] < element) != confused {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// A copy with room for one more.
fn grown(bug: Option<Bug>, list: &[i32]) -> Vec<i32> {
    let mut copy = Vec::with_capacity(list.len() + 1);
    copy.extend_from_slice(list);
    if bug == Some(LosesOneWhenGrowing) && list.len() == 4 {
        copy.pop();
    }
    copy
}

/// The precondition.
pub fn is_sorted(list: &[i32]) -> bool {
    let mut rest = list;
    while let [first, second, ..] = rest {
        if first > second {
            return false;
        }
        rest = &rest[1..];
    }
    true
}

/// Whether inserting gave a sorted list with one more `element` and all that was there.
fn is_right(case: &Case, result: &[i32]) -> bool {
    let Some(place) = result.iter().position(|element| *element == case.element) else { return false };
    let without = result[..place].iter().chain(&result[place + 1..]);
    is_sorted(result) && without.eq(&case.list)
}

impl Demo for Bug {
    const NAME: &'static str = "sorted list";
    const ALL: &'static [Self] = Self::LIST;
    type Case = Case;

    fn check(bug: Option<Self>, case: &Case) -> Outcome {
        if !is_sorted(&case.list) {
            return Outcome::discarded();
        }
        is_right(case, &insert(bug, case.element, &case.list)).into()
    }
}
