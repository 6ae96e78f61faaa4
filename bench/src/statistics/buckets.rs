//! Buckets of tasks, by how fast they are solved.

/// The bounds between buckets, in seconds.
pub const BOUNDS: [f64; 4] = [0.1, 1.0, 10.0, 60.0];

/// How well a strategy does at a task. A task is solved if *every* trial finds the bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bucket {
    /// Solved. The mean time is below the bound with this index (from 0); the index after the last bound
    /// means no less than the last bound.
    Solved(usize),
    /// Some trials found the bug.
    Partly,
    /// No trial found it.
    Unsolved,
}

impl Bucket {
    /// All buckets, the best first.
    pub fn all() -> Vec<Bucket> {
        (0..=BOUNDS.len()).map(Bucket::Solved).chain([Bucket::Partly, Bucket::Unsolved]).collect()
    }

    /// The bucket of a task at which `found` of `trials` trials found the bug, in this mean time in seconds.
    ///
    /// ```
    /// use mutagen_bench::statistics::Bucket;
    ///
    /// assert_eq!(Bucket::of(10, 10, 0.05).name(), "< 0.1 s");
    /// assert_eq!(Bucket::of(10, 10, 0.1).name(), "< 1 s");
    /// assert_eq!(Bucket::of(10, 10, 60.0).name(), "60 s or more");
    /// assert_eq!(Bucket::of(9, 10, 0.05), Bucket::Partly);
    /// assert_eq!(Bucket::of(0, 10, 20.0), Bucket::Unsolved);
    /// ```
    pub fn of(found: usize, trials: usize, mean_seconds: f64) -> Bucket {
        match found {
            0 => Bucket::Unsolved,
            _ if found < trials => Bucket::Partly,
            _ => Bucket::Solved(BOUNDS.iter().take_while(|bound| mean_seconds >= **bound).count()),
        }
    }

    /// Its name in files, without blanks.
    pub fn key(self) -> &'static str {
        const SOLVED: [&str; BOUNDS.len() + 1] = [
            "solved_below_0.1_s",
            "solved_below_1_s",
            "solved_below_10_s",
            "solved_below_60_s",
            "solved_in_60_s_or_more",
        ];
        match self {
            Bucket::Solved(index) => SOLVED[index.min(BOUNDS.len())],
            Bucket::Partly => "found_by_some_trials",
            Bucket::Unsolved => "never_found",
        }
    }

    /// Its name in charts.
    pub fn name(self) -> String {
        match self {
            Bucket::Solved(index) => match BOUNDS.get(index) {
                Some(bound) => format!("< {bound} s"),
                None => format!("{} s or more", BOUNDS[BOUNDS.len() - 1]),
            },
            Bucket::Partly => "some trials".to_owned(),
            Bucket::Unsolved => "never".to_owned(),
        }
    }
}
