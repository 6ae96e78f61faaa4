//! Panics as values: caught, kept off the terminal, and told with message and place.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// A panic that [`catch`] caught.
///
/// It is shown as its message and the name of the file, without directories, so that the text is the same on every
/// machine: `index out of bounds (parser.rs:12)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// The message, or `a panic without a message` if the panic carries something other than text.
    pub message: String,
    /// Where the panic was raised; `None` for one that was only passed on, see [`std::panic::resume_unwind`].
    pub place: Option<Place>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path of the file, as the compiler knows it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl Place {
    /// The name of the file without its directories.
    ///
    /// ```
    /// use mutagen_weave::Place;
    ///
    /// let place = Place { file: "wasmi-2.0.0/src/engine.rs".into(), line: 7 };
    /// assert_eq!(place.file_name(), "engine.rs");
    /// ```
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.place {
            Some(place) => write!(formatter, " ({}:{})", place.file_name(), place.line),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Panic {}

thread_local! {
    /// How many calls of `catch` this thread is inside of. There, a panic is an answer and not news for the terminal.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Where panics were raised that are still on their way to their `catch`, each with its depth, innermost last. There
    /// can be several: one may be raised and caught while another one unwinds the stack.
    static PLACES: RefCell<Vec<(usize, Place)>> = const { RefCell::new(Vec::new()) };
}

/// Runs `body` and gives what it returns; if it panics, gives the panic and prints nothing.
///
/// Calls may be nested, and each thread is on its own. Panics outside of `catch` are reported as ever: the hook that was
/// installed before the first call still gets them. What `body` left half done when it panicked stays half done.
///
/// ```
/// let panic = mutagen_weave::catch(|| panic!("no such export")).unwrap_err();
/// assert_eq!(panic.message, "no such export");
/// assert!(panic.place.is_some());
/// assert_eq!(mutagen_weave::catch(|| 6 * 7), Ok(42));
/// ```
///
/// # Errors
///
/// The panic of `body`.
pub fn catch<R>(body: impl FnOnce() -> R) -> Result<R, Panic> {
    install_hook();
    let depth = DEPTH.get() + 1;
    DEPTH.set(depth);
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    DEPTH.set(depth - 1);
    result.map_err(|payload| Panic { message: message(payload.as_ref()), place: take_place(depth) })
}

/// Puts a hook before the present one, once per process. It is silent on threads that are inside `catch`.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| match DEPTH.get() {
            0 => usual(info),
            depth => note_place(depth, info),
        }));
    });
}

fn note_place(depth: usize, info: &PanicHookInfo<'_>) {
    // A panic that something else caught on its way has left its place behind.
    drop(take_place(depth));
    if let Some(location) = info.location() {
        let place = Place { file: location.file().to_owned(), line: location.line() };
        PLACES.with_borrow_mut(|places| places.push((depth, place)));
    }
}

/// The place of the panic that arrives at this depth. Forgets those of deeper ones.
fn take_place(depth: usize) -> Option<Place> {
    PLACES.with_borrow_mut(|places| {
        let at = places.iter().position(|(other, _)| *other >= depth)?;
        places.drain(at..).find_map(|(other, place)| (other == depth).then_some(place))
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
