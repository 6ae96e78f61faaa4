//! The trace buffer: where probes leave their numbers.

use std::cell::Cell;
use std::ptr;

thread_local! {
    /// Where the next event goes and where the buffer ends. Equal, and null, while nothing is recorded.
    ///
    /// Plain cells of raw pointers: a probe must not call anything generic or allocating, which might have been
    /// compiled with probes itself and would then never return.
    static NEXT: Cell<*mut u32> = const { Cell::new(ptr::null_mut()) };
    static END: Cell<*mut u32> = const { Cell::new(ptr::null_mut()) };
    static TRUNCATED: Cell<bool> = const { Cell::new(false) };
}

/// Called by every probe of a woven crate. A probe that is switched off holds 0 and costs one load.
///
/// # Safety
///
/// The compiler passes a pointer to the probe's own guard, which lives as long as the program.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_trace_pc_guard(guard: *mut u32) {
    // SAFETY: see above. Guards change only in `probes`, by atomic stores; a stale value is harmless.
    let number = unsafe { guard.read_volatile() };
    if number == 0 {
        return;
    }
    let next = NEXT.get();
    if next == END.get() {
        if !next.is_null() {
            TRUNCATED.set(true);
        }
        return;
    }
    // SAFETY: `next` lies inside the buffer that `Recorder::record` lent for the time of the recording, since it is not
    // null and has not reached the end.
    unsafe {
        next.write(number);
        NEXT.set(next.add(1));
    }
}

/// Records the probes that fire on this thread while a closure runs.
///
/// The buffer has a fixed size; events that do not fit are dropped and [`truncated`](Self::truncated) says so.
/// Other threads, and this one outside [`record`](Self::record), lose next to nothing: their probes return at once.
#[derive(Debug)]
pub struct Recorder {
    buffer: Box<[u32]>,
    length: usize,
    truncated: bool,
}

impl Recorder {
    /// A recorder that keeps the first `capacity` events of a run.
    pub fn new(capacity: usize) -> Self {
        Self { buffer: vec![0; capacity].into(), length: 0, truncated: false }
    }

    /// Runs `body` and records the probes that fire meanwhile on this thread, also if it panics.
    ///
    /// A recording inside a recording takes the events for itself; the outer one goes on afterwards.
    pub fn record<R>(&mut self, body: impl FnOnce() -> R) -> R {
        let range = self.buffer.as_mut_ptr_range();
        let recording = Recording {
            outer: (
                NEXT.replace(range.start),
                END.replace(range.end),
                TRUNCATED.replace(self.buffer.is_empty()),
            ),
            recorder: self,
        };
        let result = body();
        drop(recording);
        result
    }

    /// The probes that fired in the last run, in order.
    pub fn events(&self) -> &[u32] {
        &self.buffer[..self.length]
    }

    /// Whether the last run fired more probes than fit.
    pub fn truncated(&self) -> bool {
        self.truncated
    }
}

/// A recording under way. Dropping it, also while unwinding, ends it.
struct Recording<'a> {
    recorder: &'a mut Recorder,
    outer: (*mut u32, *mut u32, bool),
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        let written = NEXT.replace(self.outer.0).addr() - self.recorder.buffer.as_ptr().addr();
        END.set(self.outer.1);
        self.recorder.length = written / size_of::<u32>();
        self.recorder.truncated = TRUNCATED.replace(self.outer.2);
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
