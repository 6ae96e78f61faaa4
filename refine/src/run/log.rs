//! Which calls a test makes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The calls that the functions under test receive, as numbers: equal calls have equal numbers.
#[derive(Clone, Debug, Default)]
pub struct CallLog(Rc<Calls>);

#[derive(Debug, Default)]
struct Calls {
    numbers: Cell<u32>,
    noted: RefCell<Vec<u32>>,
}

impl CallLog {
    /// A number that no other call has.
    pub(crate) fn new_number(&self) -> u32 {
        self.0.numbers.replace(self.0.numbers.get() + 1)
    }

    /// Notes that the call of this number was made.
    pub(crate) fn note(&self, number: u32) {
        self.0.noted.borrow_mut().push(number);
    }

    /// The calls since the last time, each once.
    pub(crate) fn take(&self) -> Vec<u32> {
        let mut noted = self.0.noted.take();
        noted.sort_unstable();
        noted.dedup();
        noted
    }
}
