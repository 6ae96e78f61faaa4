//! All sequences of choices, one after the other.

/// A sequence of choices, and a place in it. The next sequence differs in the last choice that has another alternative,
/// so that the sequences are those of a walk through the tree of choices, depth first.
#[derive(Clone, Debug, Default)]
pub(super) struct Enumeration {
    choices: Vec<Choice>,
    made: usize,
}

#[derive(Clone, Copy, Debug)]
struct Choice {
    taken: u64,
    alternatives: u64,
}

/// A choice among more alternatives than this one is cut down to a few: nobody wants to see all 2^64 of them.
const ALL: u64 = 1024;

impl Enumeration {
    pub(super) fn advance(&mut self) -> bool {
        self.choices.truncate(self.made);
        self.made = 0;
        while let Some(mut last) = self.choices.pop() {
            last.taken += 1;
            if last.taken < last.alternatives {
                self.choices.push(last);
                return true;
            }
        }
        false
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        if n <= ALL {
            return self.choose(n);
        }
        [0, n / 2, n - 1][self.choose(3) as usize]
    }

    pub(super) fn bits(&mut self) -> u64 {
        [0, 1 << 63, u64::MAX][self.choose(3) as usize]
    }

    /// Each index with a weight once, however large the weight.
    pub(super) fn weighted(&mut self, weights: &[u32]) -> usize {
        let possible = || (0..weights.len()).filter(|index| weights[*index] > 0);
        let chosen = self.choose(possible().count() as u64);
        possible().nth(chosen as usize).unwrap_or(0)
    }

    /// A choice without an alternative is none.
    fn choose(&mut self, alternatives: u64) -> u64 {
        if alternatives < 2 {
            return 0;
        }
        if self.made == self.choices.len() {
            self.choices.push(Choice { taken: 0, alternatives });
        }
        self.made += 1;
        self.choices[self.made - 1].taken
    }
}
