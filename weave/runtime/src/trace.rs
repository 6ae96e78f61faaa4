//! The trace buffer: where probes leave their numbers.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
#[cfg(mutagen_gated)]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use crate::SharedMemory;

/// Where the probes of a thread write.
///
/// Plain cells of raw pointers. A probe must not call anything that was compiled with probes itself, because it would never
/// return. So it does not allocate, and everything that it calls is compiled in this crate, which has no probes.
struct Buffer {
    /// Where the next event goes and where the buffer ends. Equal, and null, while nothing is recorded.
    next: Cell<*mut u32>,
    end: Cell<*mut u32>,
    truncated: Cell<bool>,
    /// The memory in which only the last events are kept, if that is so.
    last: Cell<Option<Halves>>,
}

/// Memory that keeps the last events: a word that counts how often the halves were changed, and the two halves. Events go into
/// one of them until it is full, and then into the other, which is emptied first.
#[derive(Clone, Copy)]
struct Halves {
    turns: *mut u64,
    /// How many events fit into one half.
    length: usize,
}

impl Halves {
    /// The half into which events go after so many turns.
    fn half(self, turns: u64) -> (*mut u32, *mut u32) {
        // SAFETY: behind the word, the memory has room for two halves, by `record_into`.
        unsafe {
            let first: *mut u32 = self.turns.add(1).cast();
            let start = first.add((turns % 2) as usize * self.length);
            (start, start.add(self.length))
        }
    }
}

thread_local! {
    /// All in one place: a probe, which fires in the hottest loops, then looks up only one address.
    static BUFFER: Buffer = const {
        Buffer {
            next: Cell::new(ptr::null_mut()),
            end: Cell::new(ptr::null_mut()),
            truncated: Cell::new(false),
            last: Cell::new(None),
        }
    };
}

/// What is in a [`Buffer`]: its next place, its end, whether events were dropped, and where only the last ones are kept.
type Contents = (*mut u32, *mut u32, bool, Option<Halves>);

impl Buffer {
    /// Puts these in place of what this thread's buffer holds.
    fn exchange((next, end, truncated, last): Contents) -> Contents {
        BUFFER.with(|buffer| {
            (
                buffer.next.replace(next),
                buffer.end.replace(end),
                buffer.truncated.replace(truncated),
                buffer.last.replace(last),
            )
        })
    }

    /// Takes an event for which there is no room, or which nobody records. Apart from the callback, and never inlined into it:
    /// every probe would save the registers that this needs.
    #[cold]
    #[inline(never)]
    fn turn(&self, number: u32) {
        if number == 0 || self.next.get().is_null() {
            return;
        }
        let Some(halves) = self.last.get() else {
            self.truncated.set(true);
            return;
        };
        // SAFETY: the memory is lent for the time of the recording, and the half that is emptied lies in it and has room.
        unsafe {
            let turns = halves.turns.read_volatile().wrapping_add(1);
            let (start, end) = halves.half(turns);
            start.write_bytes(0, halves.length);
            halves.turns.write_volatile(turns);
            start.write(number);
            self.next.set(start.add(1));
            self.end.set(end);
        }
    }
}

/// Probes that `cargo mutagen` weaves read this before they call: it counts the recordings of all threads. Code that nobody
/// records, such as the engine's own where it is compiled inside a woven crate, then pays for a comparison and no call.
#[cfg(mutagen_gated)]
#[unsafe(no_mangle)]
static __sancov_should_track: AtomicU64 = AtomicU64::new(0);

#[cfg(mutagen_gated)]
fn open_gate() {
    __sancov_should_track.fetch_add(1, Ordering::Relaxed);
}

#[cfg(mutagen_gated)]
fn close_gate() {
    __sancov_should_track.fetch_sub(1, Ordering::Relaxed);
}

#[cfg(not(mutagen_gated))]
fn open_gate() {}

#[cfg(not(mutagen_gated))]
fn close_gate() {}

/// Called by every probe of a woven crate. A probe that is switched off holds 0.
///
/// # Safety
///
/// The compiler passes a pointer to the probe's own guard, which lives as long as the program.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_trace_pc_guard(guard: *mut u32) {
    BUFFER.with(|buffer| {
        // SAFETY: see above. Guards change only in `probes`, by atomic stores; a stale value is harmless.
        let number = unsafe { guard.read_volatile() };
        let next = buffer.next.get();
        // One comparison for two cases that are seldom: nothing is recorded, or the buffer is full.
        if next == buffer.end.get() {
            return buffer.turn(number);
        }
        if number == 0 {
            return;
        }
        // SAFETY: `next` lies inside the buffer that `Recorder::record` or `record_into` lent for the time of the recording,
        // since it is not null and has not reached the end.
        unsafe {
            next.write(number);
            buffer.next.set(next.add(1));
        }
    });
}

/// Records the probes that fire on this thread while a closure runs.
///
/// The buffer has a fixed size; events that do not fit are dropped and [`truncated`](Self::truncated) says so.
/// Other threads, and this one outside [`record`](Self::record), lose next to no time: their probes return at once.
#[derive(Debug)]
pub struct Recorder {
    /// Probes write here. Only the first `length` places of it are set: clearing all of them would take longer than a short
    /// campaign.
    buffer: Box<[MaybeUninit<u32>]>,
    length: usize,
    truncated: bool,
}

impl Recorder {
    /// A recorder that keeps the first `capacity` events of a run.
    pub fn new(capacity: usize) -> Self {
        Self { buffer: Box::new_uninit_slice(capacity), length: 0, truncated: false }
    }

    /// Runs `body` and records the probes that fire meanwhile on this thread, also if it panics.
    ///
    /// A recording inside a recording takes the events for itself; the outer one goes on afterwards.
    pub fn record<R>(&mut self, body: impl FnOnce() -> R) -> R {
        let range = self.buffer.as_mut_ptr_range();
        let outer = Buffer::exchange((range.start.cast(), range.end.cast(), self.buffer.is_empty(), None));
        let recording = Recording { recorder: self, outer };
        open_gate();
        let result = body();
        drop(recording);
        result
    }

    /// The probes that fired in the last run, in order.
    pub fn events(&self) -> &[u32] {
        let set = &self.buffer[..self.length];
        // SAFETY: probes have written all places before the one that was next when the recording ended.
        unsafe { &*(ptr::from_ref(set) as *const [u32]) }
    }

    /// Whether the last run fired more probes than fit.
    pub fn truncated(&self) -> bool {
        self.truncated
    }
}

/// Runs `body`. The last probes that fire meanwhile on this thread leave their numbers in this memory, where another process can
/// read them with [`last_events`] even if this one dies.
pub fn record_into<R>(memory: &SharedMemory, body: impl FnOnce() -> R) -> R {
    let words = memory.words();
    // Two places in each word, for two halves.
    let halves = Halves { turns: words.as_ptr().cast_mut().cast(), length: words.len().saturating_sub(1) };
    let contents = if halves.length == 0 {
        (ptr::null_mut(), ptr::null_mut(), false, None)
    } else {
        words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        let (start, end) = halves.half(0);
        (start, end, false, Some(halves))
    };
    // Ends also while unwinding. The memory is borrowed until then.
    let recording = Into(Buffer::exchange(contents));
    open_gate();
    let result = body();
    drop(recording);
    result
}

/// The last events, at most so many, that a process left in memory with these bytes. It need not have ended its recording.
pub fn last_events(memory: &[u8], most: usize) -> Vec<u32> {
    let Some((turns, events)) =
        memory.split_first_chunk().map(|(word, rest)| (u64::from_le_bytes(*word), rest))
    else {
        return Vec::new();
    };
    let events: Vec<u32> = events
        .chunks_exact(4)
        .map(|event| u32::from_le_bytes([event[0], event[1], event[2], event[3]]))
        .collect();
    let (first, second) = events.split_at(events.len() / 2);
    let (now, before) = if turns.is_multiple_of(2) { (first, second) } else { (second, first) };
    // No event is 0, so the first 0 ends those of a half.
    let set = |half: &[u32]| half.iter().position(|event| *event == 0).unwrap_or(half.len());
    let mut last = before[..set(before)].to_vec();
    last.extend(&now[..set(now)]);
    last.split_off(last.len().saturating_sub(most))
}

/// Runs `body` as an attempt. If it gives nothing, a recording around it is as if it had not run, unless that recording keeps
/// only the last events.
///
/// ```
/// use mutagen_weave::attempt;
///
/// let quick: Option<u32> = attempt(|| None);
/// assert_eq!(quick.unwrap_or_else(|| 6 * 7), 42);
/// ```
pub fn attempt<R>(body: impl FnOnce() -> Option<R>) -> Option<R> {
    let before = BUFFER.with(|buffer| (buffer.next.get(), buffer.truncated.get()));
    let result = body();
    if result.is_none() {
        BUFFER.with(|buffer| {
            // Those before the attempt may be gone by now.
            if buffer.last.get().is_none() {
                buffer.next.set(before.0);
                buffer.truncated.set(before.1);
            }
        });
    }
    result
}

/// A recording into shared memory, with what was recorded around it.
struct Into(Contents);

impl Drop for Into {
    fn drop(&mut self) {
        close_gate();
        Buffer::exchange(self.0);
    }
}

/// A recording under way. Dropping it, also while unwinding, ends it.
struct Recording<'a> {
    recorder: &'a mut Recorder,
    outer: Contents,
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        close_gate();
        let (next, _, truncated, _) = Buffer::exchange(self.outer);
        self.recorder.length = (next.addr() - self.recorder.buffer.as_ptr().addr()) / size_of::<u32>();
        self.recorder.truncated = truncated;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fires a probe as a woven crate would.
    fn fire(number: u32) {
        let mut guard = number;
        // SAFETY: the guard lives longer than the call.
        unsafe { __sanitizer_cov_trace_pc_guard(&mut guard) }
    }

    #[test]
    fn probes_are_recorded_in_order_and_only_while_recording() {
        let mut recorder = Recorder::new(8);
        fire(1);
        recorder.record(|| [2, 0, 3, 2].map(fire));
        fire(4);
        assert_eq!(recorder.events(), [2, 3, 2]);
        assert!(!recorder.truncated());
    }

    #[test]
    fn a_full_buffer_keeps_the_first_events_and_says_so() {
        let mut recorder = Recorder::new(2);
        recorder.record(|| [1, 2, 3].map(fire));
        assert_eq!(recorder.events(), [1, 2]);
        assert!(recorder.truncated());
        recorder.record(|| [5, 6].map(fire));
        assert_eq!(recorder.events(), [5, 6]);
        assert!(!recorder.truncated());
    }

    #[test]
    fn the_last_events_in_shared_memory_can_be_read_by_others() {
        use std::os::unix::fs::FileExt;
        let file = tempfile::tempfile().expect("there is a temporary directory");
        // A word, and two halves of four events.
        file.set_len(40).expect("there is space");
        let memory = SharedMemory::map(&file).expect("it can be mapped");
        let last = |most| {
            let mut bytes = [0; 40];
            file.read_exact_at(&mut bytes, 0).expect("it is long enough");
            last_events(&bytes, most)
        };
        assert_eq!(last(9), [0; 0]);
        record_into(&memory, || [7, 0, 8, 9].map(fire));
        fire(10);
        assert_eq!((last(9), last(2)), (vec![7, 8, 9], vec![8, 9]));
        for count in 1..30_u32 {
            record_into(&memory, || (1..=count).for_each(fire));
            let kept = last(9);
            assert_eq!(kept, (count + 1 - kept.len() as u32..=count).collect::<Vec<_>>());
            assert!(kept.len() as u32 >= count.min(4), "{kept:?}");
        }
        // What an attempt fired did happen, and may have taken the place of what was before.
        record_into(&memory, || {
            [1, 2, 3].into_iter().for_each(fire);
            assert!(
                attempt(|| {
                    (4..11).for_each(fire);
                    None::<()>
                })
                .is_none()
            );
            fire(11);
        });
        assert_eq!(last(3), [9, 10, 11]);
    }

    #[test]
    fn an_empty_buffer_records_nothing() {
        let mut recorder = Recorder::new(0);
        recorder.record(|| fire(1));
        assert!(recorder.events().is_empty());
    }

    #[test]
    fn a_panic_ends_the_recording_and_keeps_what_came_before() {
        let mut recorder = Recorder::new(8);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            recorder.record(|| {
                fire(7);
                std::panic::resume_unwind(Box::new(()));
            })
        }));
        assert!(panicked.is_err());
        fire(8);
        assert_eq!(recorder.events(), [7]);
    }

    #[test]
    fn a_recording_inside_a_recording_takes_its_own_events() {
        let (mut outer, mut inner) = (Recorder::new(8), Recorder::new(8));
        outer.record(|| {
            fire(1);
            inner.record(|| fire(2));
            fire(3);
        });
        assert_eq!((outer.events(), inner.events()), (&[1, 3][..], &[2][..]));
    }

    #[test]
    fn an_attempt_that_gives_nothing_leaves_no_events() {
        let mut recorder = Recorder::new(3);
        recorder.record(|| {
            fire(1);
            let gives = |probes: &[u32], answer: Option<u8>| {
                attempt(|| {
                    probes.iter().copied().for_each(fire);
                    answer
                })
            };
            assert_eq!(gives(&[2], Some(7)), Some(7));
            assert_eq!(gives(&[3, 4], None), None);
            fire(5);
        });
        assert_eq!((recorder.events(), recorder.truncated()), (&[1, 2, 5][..], false));
    }

    #[test]
    fn threads_record_apart() {
        let mut here = Recorder::new(8);
        here.record(|| {
            std::thread::spawn(|| {
                let mut there = Recorder::new(8);
                there.record(|| fire(9));
                assert_eq!(there.events(), [9]);
                fire(10);
            })
            .join()
            .expect("the thread's assertion holds");
            fire(1);
        });
        assert_eq!(here.events(), [1]);
    }
}
