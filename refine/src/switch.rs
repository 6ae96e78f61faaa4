//! Mutants that are woven into the code.

use mutagen_weave::{Switched, switch_on};
use std::cell::Cell;
use std::rc::Rc;

/// A bug switch that is on while functions under test run.
#[derive(Clone, Debug)]
pub struct Switch {
    id: Rc<str>,
    reached: Rc<Cell<bool>>,
}

impl Switch {
    pub(crate) fn new(id: &str) -> Self {
        Switch { id: id.into(), reached: Rc::default() }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Whether the code behind the switch ever ran.
    pub(crate) fn is_reached(&self) -> bool {
        self.reached.get()
    }

    /// Runs `body` with the switch on.
    pub(crate) fn during<R>(&self, body: impl FnOnce() -> R) -> R {
        let _on = On { switched: switch_on([&*self.id]), reached: &self.reached };
        body()
    }
}

/// A switch that is on. It notes whether it was reached even if the code behind it panics.
struct On<'a> {
    switched: Switched,
    reached: &'a Cell<bool>,
}

impl Drop for On<'_> {
    fn drop(&mut self) {
        self.reached.set(self.reached.get() || self.switched.was_reached());
    }
}
