//! Sets, bags and arrangements of enumerated elements.

use super::{Tier, Tiers};

/// Where an element is listed: its size, and its place among those of this size.
type Place = (usize, usize);

/// Which elements may come behind those that were taken.
#[derive(Clone, Copy)]
enum Rule {
    /// Those listed later.
    Later,
    /// Those listed later, and the last one again.
    NotEarlier,
    /// All that were not taken.
    Fresh,
}

impl Rule {
    fn allows(self, place: Place, taken: &[Place]) -> bool {
        match self {
            Rule::Later => taken.last().is_none_or(|last| place > *last),
            Rule::NotEarlier => taken.last().is_none_or(|last| place >= *last),
            Rule::Fresh => !taken.contains(&place),
        }
    }

    /// The size of the smallest element that it may allow.
    fn smallest(self, taken: &[Place]) -> usize {
        match self {
            Rule::Later | Rule::NotEarlier => taken.last().map_or(0, |(size, _)| *size),
            Rule::Fresh => 0,
        }
    }
}

/// A selection is larger by one for each element than its elements together.
impl<T: Clone + 'static> Tiers<T> {
    /// All sets of these values, as lists in the order of the enumeration.
    ///
    /// ```
    /// use mutagen_engine::Listable;
    ///
    /// let sets: Vec<_> = bool::tiers().sets().values().collect();
    /// assert_eq!(sets, [vec![], vec![false], vec![true], vec![false, true]]);
    /// ```
    pub fn sets(self) -> Tiers<Vec<T>> {
        select(self, Rule::Later)
    }

    /// All bags of these values, which are sets with repetition, as lists in the order of the enumeration.
    ///
    /// ```
    /// use mutagen_engine::Listable;
    ///
    /// let bags: Vec<_> = u8::tiers().bags().tier(4).collect();
    /// assert_eq!(bags, [vec![0, 0, 0, 0], vec![0, 0, 1], vec![0, 2], vec![1, 1], vec![3]]);
    /// ```
    pub fn bags(self) -> Tiers<Vec<T>> {
        select(self, Rule::NotEarlier)
    }

    /// All lists of these values without repetition, in every order.
    ///
    /// ```
    /// use mutagen_engine::Listable;
    ///
    /// let lists: Vec<_> = bool::tiers().arrangements().tier(2).collect();
    /// assert_eq!(lists, [[false, true], [true, false]]);
    /// ```
    pub fn arrangements(self) -> Tiers<Vec<T>> {
        select(self, Rule::Fresh)
    }
}

fn select<T: Clone + 'static>(elements: Tiers<T>, rule: Rule) -> Tiers<Vec<T>> {
    let elements = elements.remembered();
    let all = elements.clone();
    let goes_on = move |size| match rule {
        _ if size == 0 || all.goes_on(size) => true,
        Rule::NotEarlier => all.goes_on(0),
        // Nothing is larger than all elements together.
        Rule::Later | Rule::Fresh => {
            (0..size).map(|part| (part + 1) * all.tier(part).count()).sum::<usize>() >= size
        }
    };
    Tiers::new(move |size| selections(elements.clone(), rule, Vec::new(), size), goes_on)
}

/// What can be taken behind `taken` so that its size is `size`.
fn selections<T: Clone + 'static>(
    elements: Tiers<T>,
    rule: Rule,
    taken: Vec<Place>,
    size: usize,
) -> Tier<Vec<T>> {
    if size == 0 {
        return Box::new(std::iter::once(Vec::new()));
    }
    let parts = (rule.smallest(&taken)..size).take_while({
        let elements = elements.clone();
        move |part| elements.goes_on(*part)
    });
    Box::new(parts.flat_map(move |part| {
        let (elements, taken) = (elements.clone(), taken.clone());
        elements.tier(part).enumerate().flat_map(move |(index, element)| -> Tier<Vec<T>> {
            if !rule.allows((part, index), &taken) {
                return Box::new(std::iter::empty());
            }
            let taken = taken.iter().copied().chain([(part, index)]).collect();
            let rest = selections(elements.clone(), rule, taken, size - part - 1);
            Box::new(rest.map(move |mut rest| {
                rest.insert(0, element.clone());
                rest
            }))
        })
    }))
}
