//! Several guidances in turns.

use super::{Figures, Guidance, Other};
use crate::{Record, Trace, Verdict};
use std::cmp::Reverse;
use std::sync::Arc;

/// Lets several guidances take turns: each gives a fixed number of tests, then the next one does.
///
/// A guidance learns only from its own tests, so each searches exactly as it would alone. That is the point: a
/// search for one sort of value does not disturb that for another. Examples of the user's are learned by all, tests of other workers
/// by the player that gives such tests.
///
/// ```
/// use mutagen_engine::{Campaign, Guided, OneOf, Random, Turns};
///
/// type Value = OneOf<u8, bool>;
/// let numbers = Guided::new(Random::new(1), OneOf::First, Value::first);
/// let truths = Guided::new(Random::new(1), OneOf::Second, Value::second);
/// let mut guidance = Turns::new().turn("numbers", 3, numbers).turn("truths", 1, truths);
///
/// let mut order = String::new();
/// let report = Campaign::new(1).tests(8).run(&mut guidance, &mut |value: &Value| {
///     order.push(if value.first().is_some() { 'n' } else { 't' });
///     true
/// });
/// assert_eq!(order, "nnntnnnt");
/// assert_eq!(report.figures.counts["tests of numbers"], 6);
/// ```
pub struct Turns<T> {
    players: Vec<Player<T>>,
    /// Whose turn it is, and how many tests of the turn are left.
    turn: usize,
    left: usize,
    /// Whether the value that is learned next comes from the player in turn.
    given: bool,
}

/// A guidance that takes turns.
struct Player<T> {
    name: &'static str,
    guidance: Box<dyn Guidance<T>>,
    /// How many tests a turn of it has.
    length: usize,
    tests: u64,
}

impl<T> Turns<T> {
    /// Nobody takes turns yet.
    pub fn new() -> Self {
        Turns { players: Vec::new(), turn: 0, left: 0, given: false }
    }

    /// Adds a guidance, whose turns have this many tests, at least one. Its name is for the figures.
    pub fn turn(mut self, name: &'static str, tests: usize, guidance: impl Guidance<T> + 'static) -> Self {
        let length = tests.max(1);
        if self.players.is_empty() {
            self.left = length;
        }
        self.players.push(Player { name, guidance: Box::new(guidance), length, tests: 0 });
        self
    }

    /// Hands the turn to the next player that has something left to test.
    fn pass_on(&mut self) {
        let all = self.players.len();
        let able = |place: &usize| !self.players[*place].guidance.is_exhausted();
        let next = (1..=all).map(|step| (self.turn + step) % all).find(able);
        self.turn = next.unwrap_or(self.turn);
        self.left = self.players[self.turn].length;
    }

    fn sum(&self, figure: impl Fn(&dyn Guidance<T>) -> u64) -> u64 {
        self.players.iter().map(|player| figure(&*player.guidance)).sum()
    }
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Guidance<T> for Turns<T> {
    /// # Panics
    ///
    /// If nobody takes turns.
    fn next(&mut self) -> T {
        assert!(!self.players.is_empty(), "somebody must take turns: add a guidance with `turn`");
        if self.left == 0 || self.players[self.turn].guidance.is_exhausted() {
            self.pass_on();
        }
        self.left -= 1;
        self.given = true;
        let player = &mut self.players[self.turn];
        player.tests += 1;
        player.guidance.next()
    }

    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        if std::mem::take(&mut self.given) {
            return self.players[self.turn].guidance.learn(value, verdict, trace);
        }
        let mut interesting = false;
        for player in &mut self.players {
            interesting |= player.guidance.learn(value, verdict, trace);
        }
        interesting
    }

    /// The parts of all players are numbered through, also if these take turns themselves.
    fn part(&self) -> usize {
        self.turn + self.players.len() * self.players[self.turn].guidance.part()
    }

    /// Only the player learns that would have given it: for the others, it is no test of their sort.
    fn learn_from_other(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>, other: Other) -> bool {
        let count = self.players.len();
        let player = &mut self.players[other.part % count];
        player.guidance.learn_from_other(value, verdict, trace, Other { part: other.part / count, ..other })
    }

    /// The figures of the first guidance with those of the others added, and how many tests each gave.
    fn figures(&self) -> Figures {
        let mut figures = self.players.iter().map(|player| player.guidance.figures());
        let mut sum = figures.next().unwrap_or_default();
        figures.for_each(|others| sum.merge(others));
        self.players
            .iter()
            .fold(sum, |sum, player| sum.count(&format!("tests of {}", player.name), player.tests))
    }

    fn wants_traces(&self) -> bool {
        self.players.iter().any(|player| player.guidance.wants_traces())
    }

    fn resets(&self) -> u64 {
        self.sum(|guidance| guidance.resets())
    }

    fn queued(&self) -> u64 {
        self.sum(|guidance| guidance.queued())
    }

    fn known(&self) -> u64 {
        self.sum(|guidance| guidance.known())
    }

    fn is_exhausted(&self) -> bool {
        self.players.iter().all(|player| player.guidance.is_exhausted())
    }

    fn trouble(&self) -> Option<String> {
        self.players.iter().find_map(|player| player.guidance.trouble())
    }

    fn records(&self) -> Vec<Record<T>> {
        let mut records: Vec<_> = self.players.iter().flat_map(|player| player.guidance.records()).collect();
        records.sort_by_key(|record| Reverse(record.amount));
        records.truncate(Record::<T>::MOST);
        records
    }
}

/// A guidance for values of one type, used where values of several types are tested. It learns from its own type alone.
///
/// It may also be told to see only some probes. Then it searches as it would if the others did not exist.
pub struct Guided<G, A, T> {
    guidance: G,
    wrap: fn(A) -> T,
    unwrap: fn(&T) -> Option<&A>,
    seen: Option<Arc<[bool]>>,
    /// The events that are seen, kept to reuse the memory.
    events: Vec<u32>,
}

impl<G: Guidance<A>, A, T> Guided<G, A, T> {
    /// The guidance on values that `wrap` makes and `unwrap` recognises.
    pub fn new(guidance: G, wrap: fn(A) -> T, unwrap: fn(&T) -> Option<&A>) -> Self {
        Guided { guidance, wrap, unwrap, seen: None, events: Vec::new() }
    }

    /// Sees only these probes: the probe with number `n` if element `n - 1` is true.
    pub fn seeing(mut self, probes: Arc<[bool]>) -> Self {
        self.seen = Some(probes);
        self
    }
}

/// The events of a trace that are seen, with memory that is used again.
fn seen_of<'a>(seen: Option<&[bool]>, events: &'a mut Vec<u32>, trace: Trace<'a>) -> &'a [u32] {
    let Some(seen) = seen else { return trace.events };
    let is_seen = |event: &u32| seen.get(*event as usize - 1).copied().unwrap_or(false);
    events.clear();
    events.extend(trace.events.iter().copied().filter(is_seen));
    events
}

impl<G: Guidance<A>, A, T> Guidance<T> for Guided<G, A, T> {
    fn next(&mut self) -> T {
        (self.wrap)(self.guidance.next())
    }

    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let Some(value) = (self.unwrap)(value) else { return false };
        let events = seen_of(self.seen.as_deref(), &mut self.events, trace);
        self.guidance.learn(value, verdict, Trace { events, ..trace })
    }

    fn part(&self) -> usize {
        self.guidance.part()
    }

    fn learn_from_other(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>, other: Other) -> bool {
        let Some(value) = (self.unwrap)(value) else { return false };
        let events = seen_of(self.seen.as_deref(), &mut self.events, trace);
        self.guidance.learn_from_other(value, verdict, Trace { events, ..trace }, other)
    }

    fn figures(&self) -> Figures {
        self.guidance.figures()
    }

    fn wants_traces(&self) -> bool {
        self.guidance.wants_traces()
    }

    fn resets(&self) -> u64 {
        self.guidance.resets()
    }

    fn queued(&self) -> u64 {
        self.guidance.queued()
    }

    fn known(&self) -> u64 {
        self.guidance.known()
    }

    fn is_exhausted(&self) -> bool {
        self.guidance.is_exhausted()
    }

    fn trouble(&self) -> Option<String> {
        self.guidance.trouble()
    }

    fn records(&self) -> Vec<Record<T>> {
        let wrapped = |record: Record<A>| {
            let Record { value, amount, unit, tests } = record;
            Record { value: (self.wrap)(value), amount, unit, tests }
        };
        self.guidance.records().into_iter().map(wrapped).collect()
    }
}
