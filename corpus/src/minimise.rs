//! The few modules that reach as much as all: a greedy set cover.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A set with a weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighed<T> {
    /// What is in it.
    pub elements: Vec<T>,
    /// What it costs to keep it.
    pub weight: u64,
}

/// Chooses sets, by their place in the list, that together have every element of all sets. Again and again, the set is taken
/// that adds most for its weight; of equals the lighter one, then the earlier one. At the end, sets are left out whose elements
/// others have as well, heavy ones first.
///
/// ```
/// use mutagen_corpus::{Weighed, minimise};
///
/// let set = |elements: &[u8], weight| Weighed { elements: elements.to_vec(), weight };
/// let sets = [set(&[1, 2], 10), set(&[1], 1), set(&[2, 3], 10), set(&[2, 3, 1], 12)];
/// assert_eq!(minimise(&sets), [1, 2]);
/// ```
pub fn minimise<T: Ord>(sets: &[Weighed<T>]) -> Vec<usize> {
    let sets = Numbered::new(sets);
    let chosen = sets.greedy();
    let mut needed = sets.without_surplus(chosen);
    needed.sort_unstable();
    needed
}

/// Sets of small numbers in place of elements.
struct Numbered {
    sets: Vec<Vec<usize>>,
    weights: Vec<u64>,
    elements: usize,
}

/// How good it is to take a set: the more new elements for its weight, the better.
#[derive(PartialEq, Eq)]
struct Gain {
    new: u64,
    weight: u64,
    place: Reverse<usize>,
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let ours = u128::from(self.new) * u128::from(other.weight);
        let theirs = u128::from(other.new) * u128::from(self.weight);
        let lighter = other.weight.cmp(&self.weight);
        ours.cmp(&theirs).then(lighter).then_with(|| self.place.cmp(&other.place))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Numbered {
    fn new<T: Ord>(sets: &[Weighed<T>]) -> Self {
        let mut numbers: BTreeMap<&T, usize> = BTreeMap::new();
        let mut numbered = Vec::new();
        for set in sets {
            let number = |element| {
                let next = numbers.len();
                *numbers.entry(element).or_insert(next)
            };
            let mut set: Vec<usize> = set.elements.iter().map(number).collect();
            set.sort_unstable();
            set.dedup();
            numbered.push(set);
        }
        Numbered {
            sets: numbered,
            // A set without weight would be infinitely good.
            weights: sets.iter().map(|set| set.weight.max(1)).collect(),
            elements: numbers.len(),
        }
    }

    fn gain(&self, place: usize, covered: &[bool]) -> Gain {
        let new = self.sets[place].iter().filter(|element| !covered[**element]).count() as u64;
        Gain { new, weight: self.weights[place], place: Reverse(place) }
    }

    /// Gains only fall as more is covered. So the best of the queue, if its gain is still what it was, is the best of all.
    fn greedy(&self) -> Vec<usize> {
        let mut covered = vec![false; self.elements];
        let mut queue: BinaryHeap<Gain> =
            (0..self.sets.len()).map(|place| self.gain(place, &covered)).collect();
        let mut chosen = Vec::new();
        while let Some(best) = queue.pop() {
            let Reverse(place) = best.place;
            let now = self.gain(place, &covered);
            if now.new == 0 {
                continue;
            }
            if now.new < best.new {
                queue.push(now);
                continue;
            }
            self.sets[place].iter().for_each(|element| covered[*element] = true);
            chosen.push(place);
        }
        chosen
    }

    /// The chosen sets without those that are not needed.
    fn without_surplus(&self, chosen: Vec<usize>) -> Vec<usize> {
        let mut times = vec![0_usize; self.elements];
        for place in &chosen {
            self.sets[*place].iter().for_each(|element| times[*element] += 1);
        }
        let mut heavy_first = chosen;
        heavy_first.sort_by_key(|place| (Reverse(self.weights[*place]), Reverse(*place)));
        heavy_first.retain(|place| {
            let needed = self.sets[*place].iter().any(|element| times[*element] == 1);
            if !needed {
                self.sets[*place].iter().for_each(|element| times[*element] -= 1);
            }
            needed
        });
        heavy_first
    }
}
