//! How often probes were reached.

/// For every probe, how many tests reached it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    tests: Vec<u64>,
    /// For every probe, the last test that reached it: a probe counts once for a test.
    last: Vec<u64>,
    /// The number of the present test.
    test: u64,
}

impl Hits {
    /// No test yet, of a program with so many probes.
    pub fn new(probes: usize) -> Self {
        Hits { tests: vec![0; probes], last: vec![0; probes], test: 0 }
    }

    /// Counts one test by its trace: the numbers of the probes that fired, from 1.
    pub fn add(&mut self, trace: &[u32]) {
        self.test += 1;
        for &probe in trace {
            let Some(index) = (probe as usize).checked_sub(1) else { continue };
            if let Some(last) = self.last.get_mut(index)
                && *last != self.test
            {
                *last = self.test;
                self.tests[index] += 1;
            }
        }
    }

    /// How many probes some test reached.
    pub fn reached(&self) -> usize {
        self.tests.iter().filter(|tests| **tests > 0).count()
    }

    /// For every probe, how many tests reached it.
    pub fn tests(&self) -> impl Iterator<Item = u64> {
        self.tests.iter().copied()
    }
}
