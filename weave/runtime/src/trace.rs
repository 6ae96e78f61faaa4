//! The trace buffer: where probes leave their numbers.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;

use crate::SharedMemory;
#[cfg(mutagen_gated)]
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the probes of a thread write.
///
/// Plain cells of raw pointers. A probe must not call anything that was compiled with probes itself, because it would never
/// return. So it does not allocate, and everything that it calls is compiled in this crate, which has no probes.
struct Buffer {
    /// Where the next event goes and where the buffer ends. Equal, and null, while nothing is recorded.
    next: Cell<*mut u32>,
    end: Cell<*mut u32>,
    truncated: Cell<bool>,
}

thread_local! {
    /// All in one place: a probe, which fires in the hottest loops, then looks up only one address.
    static BUFFER: Buffer = const {
        Buffer { next: Cell::new(ptr::null_mut()), end: Cell::new(ptr::null_mut()), truncated: Cell::new(false) }
    };
}

/// What is in a [`Buffer`]: its next place, its end, and whether events were dropped.
type Contents = (*mut u32, *mut u32, bool);

impl Buffer {
    /// Puts these in place of what this thread's buffer holds.
    fn exchange((next, end, truncated): Contents) -> Contents {
        BUFFER.with(|buffer| {
            (buffer.next.replace(next), buffer.end.replace(end), buffer.truncated.replace(truncated))
        })
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
            if number != 0 && !next.is_null() {
                buffer.truncated.set(true);
            }
            return;
        }
        if number == 0 {
            return;
        }
        // SAFETY: `next` lies inside the buffer that `Recorder::record` lent for the time of the recording, since it is
        // not null and has not reached the end.
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
        let outer = Buffer::exchange((range.start.cast(), range.end.cast(), self.buffer.is_empty()));
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

/// Runs `body`. The probes that fire meanwhile on this thread leave their numbers in this memory, from its beginning on, where
/// another process can read them even if this one dies. No number is 0, so the first 0 ends them; what does not fit is dropped.
pub fn record_into<R>(memory: &SharedMemory, body: impl FnOnce() -> R) -> R {
    let start: *mut u32 = memory.words().as_ptr().cast_mut().cast();
    // SAFETY: the memory has so many words of eight bytes, so the end is one past its last number.
    let end = unsafe { start.add(memory.words().len() * 2) };
    // Ends also while unwinding. The memory is borrowed until then.
    let _recording = Into(Buffer::exchange((start, end, false)));
    body()
}

/// Runs `body` as an attempt. If it gives nothing, a recording around it is as if it had not run.
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
            buffer.next.set(before.0);
            buffer.truncated.set(before.1);
        });
    }
    result
}

/// A recording into shared memory, with what was recorded around it.
struct Into(Contents);

impl Drop for Into {
    fn drop(&mut self) {
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
        let (next, _, truncated) = Buffer::exchange(self.outer);
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
    fn what_is_recorded_into_shared_memory_can_be_read_by_others() {
        use std::sync::atomic::Ordering;
        let file = tempfile::tempfile().expect("there is a temporary directory");
        file.set_len(16).expect("there is space");
        let memory = SharedMemory::map(&file).expect("it can be mapped");
        let other = SharedMemory::map(&file).expect("it can be mapped again");
        record_into(&memory, || [7, 0, 8, 9].map(fire));
        fire(10);
        let words = [0, 1].map(|word| other.words()[word].load(Ordering::Relaxed));
        assert_eq!(words, [7 | 8 << 32, 9]);
        // What does not fit is dropped.
        record_into(&memory, || [1, 2, 3, 4, 5].map(fire));
        assert_eq!(other.words()[1].load(Ordering::Relaxed), 3 | 4 << 32);
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
