//! An alarm that also rings inside of one long generation.
//!
//! A guidance may work for minutes on one huge value. The clock and the flags of a campaign must be heard even then, so
//! sources ask now and then whether the time is up, and if it is, leave the generation by unwinding. That changes nothing
//! but when a campaign ends.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

thread_local! {
    /// The alarm of the campaign on this thread, while its guidance works.
    static SET: RefCell<Option<Alarm>> = const { RefCell::new(None) };
}

/// When to leave a generation.
#[derive(Default)]
pub(crate) struct Alarm {
    pub(crate) deadline: Option<Instant>,
    pub(crate) flags: Vec<Arc<AtomicBool>>,
}

/// What is thrown.
struct Rang;

impl Alarm {
    fn rings(&self) -> bool {
        self.flags.iter().any(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Runs `work` with the alarm set. `None` if it rang. The alarm comes back in any case.
    pub(crate) fn during<R>(&mut self, work: impl FnOnce() -> R) -> Option<R> {
        let outer = SET.replace(Some(std::mem::take(self)));
        let done = catch_unwind(AssertUnwindSafe(work));
        *self = SET.replace(outer).unwrap_or_default();
        match done {
            Ok(done) => Some(done),
            Err(thrown) if thrown.is::<Rang>() => None,
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// Leaves the generation if the alarm rings.
#[cold]
pub(crate) fn listen() {
    if SET.with_borrow(|set| set.as_ref().is_some_and(Alarm::rings)) {
        resume_unwind(Box::new(Rang));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn work_is_left_when_the_alarm_rings_and_only_then() {
        let flag = Arc::new(AtomicBool::new(false));
        let mut alarm = Alarm { deadline: None, flags: vec![Arc::clone(&flag)] };
        let work = || {
            listen();
            7
        };
        assert_eq!(alarm.during(work), Some(7));
        flag.store(true, Ordering::Relaxed);
        listen();
        assert_eq!(alarm.during(work), None);
        let mut late =
            Alarm { deadline: Instant::now().checked_sub(Duration::from_secs(1)), flags: Vec::new() };
        assert_eq!(late.during(work), None);
        assert_eq!(late.during(|| 8), Some(8), "nobody listened");
    }

    #[test]
    fn other_panics_go_on() {
        let mut alarm = Alarm { deadline: None, flags: Vec::new() };
        let thrown = catch_unwind(AssertUnwindSafe(|| alarm.during(|| resume_unwind(Box::new("other")))));
        assert_eq!(thrown.expect_err("it goes on").downcast_ref(), Some(&"other"));
        assert_eq!(alarm.during(|| 1), Some(1));
    }
}
