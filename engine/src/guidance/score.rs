//! AFL's score of an input: how much work it is worth.

/// Averages over the runs so far, against which an input is judged.
///
/// AFL compares execution times. Here the number of events in the trace stands for the time, so that the same campaign
/// gives the same scores on any machine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scores {
    lengths: Average,
    sizes: Average,
}

#[derive(Clone, Copy, Debug, Default)]
struct Average {
    sum: u64,
    count: u64,
}

impl Average {
    fn add(&mut self, number: usize) {
        self.sum += number as u64;
        self.count += 1;
    }

    /// Rounded down, as in AFL.
    fn get(self) -> u64 {
        self.sum / self.count.max(1)
    }
}

impl Scores {
    const LOWEST: u64 = 5;
    const HIGHEST: u64 = 1600;

    /// Takes in the trace length of any run.
    pub(super) fn ran(&mut self, length: usize) {
        self.lengths.add(length);
    }

    /// Takes in how many keys a kept run hit.
    pub(super) fn kept(&mut self, size: usize) {
        self.sizes.add(size);
    }

    /// The score of an input: 100 for an average one. Short runs and runs that hit many keys are worth more. The result is
    /// `percent` of the score.
    pub(super) fn score(&self, length: usize, size: usize, percent: u64) -> u64 {
        let by_length = length_factor(length as u64, self.lengths.get());
        let by_size = size_factor(size as u64, self.sizes.get());
        // All three factors are in hundredths; the fraction is cut off once, at the end.
        (100 * by_length * by_size * percent / 1_000_000).clamp(Self::LOWEST, Self::HIGHEST)
    }
}

fn length_factor(length: u64, average: u64) -> u64 {
    match length {
        _ if length > 10 * average => 10,
        _ if length > 4 * average => 25,
        _ if length > 2 * average => 50,
        _ if 3 * length > 4 * average => 75,
        _ if 4 * length < average => 300,
        _ if 3 * length < average => 200,
        _ if 2 * length < average => 150,
        _ => 100,
    }
}

fn size_factor(size: u64, average: u64) -> u64 {
    match size {
        _ if 3 * size > 10 * average => 300,
        _ if size > 2 * average => 200,
        _ if 3 * size > 4 * average => 150,
        _ if 3 * size < average => 25,
        _ if 2 * size < average => 50,
        _ if 3 * size < 2 * average => 75,
        _ => 100,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores() -> Scores {
        Scores { lengths: Average { sum: 120, count: 1 }, sizes: Average { sum: 60, count: 1 } }
    }

    #[test]
    fn the_shorter_a_run_the_more_it_is_worth() {
        let by_length = [1201, 1200, 481, 480, 241, 240, 161, 160, 60, 59, 40, 39, 30, 29]
            .map(|length| scores().score(length, 60, 100));
        assert_eq!(by_length, [10, 25, 25, 50, 50, 75, 75, 100, 100, 150, 150, 200, 200, 300]);
    }

    #[test]
    fn the_more_a_run_hits_the_more_it_is_worth() {
        let by_size =
            [201, 200, 121, 120, 81, 80, 40, 39, 30, 29, 20, 19].map(|size| scores().score(120, size, 100));
        assert_eq!(by_size, [300, 200, 200, 150, 150, 100, 100, 75, 75, 50, 50, 25]);
    }

    #[test]
    fn scores_have_bounds_and_fractions_are_cut_off() {
        assert_eq!(scores().score(1, 1000, 100), 900);
        assert_eq!(scores().score(161, 60, 33), 24, "24.75");
        assert_eq!(scores().score(2000, 1, 33), Scores::LOWEST);
        assert_eq!(Scores::default().score(0, 0, 100), 100, "no run to compare with");
    }

    #[test]
    fn averages_are_those_of_all_runs_and_of_kept_ones() {
        let mut scores = Scores::default();
        [10, 20, 31].into_iter().for_each(|length| scores.ran(length));
        [4, 9].into_iter().for_each(|size| scores.kept(size));
        assert_eq!((scores.lengths.get(), scores.sizes.get()), (20, 6));
    }
}
