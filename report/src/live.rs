//! The page of a running campaign, written again every few seconds by a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mutagen_campaign::store::files;
use mutagen_campaign::{Error, Results, State};

use crate::Page;

/// Keeps `report.html` in an output directory up to date while a campaign runs there.
///
/// It reads what the campaign stores, and nothing else: whoever runs the campaign, in one process or in several, need not know
/// of it.
pub struct Live {
    /// Dropping it ends the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<Page>>,
    directory: PathBuf,
}

impl Live {
    /// How often the page is written at most.
    pub const EVERY: Duration = Duration::from_secs(5);
    /// The page takes at most this part of the time.
    const PART: u32 = 20;

    /// Starts to write the page.
    pub fn start(directory: &Path) -> Self {
        let (stop, stopped) = channel::<()>();
        let place = directory.to_owned();
        let work = move || {
            let (mut page, mut pause) = (Page::default(), Self::EVERY);
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let started = Instant::now();
                // What cannot be stored now is tried again; the end of the campaign tells of it.
                let _ = write(&mut page, &place, true);
                pause = Self::EVERY.max(started.elapsed() * Self::PART);
            }
            page
        };
        let thread = std::thread::Builder::new().name("page".into()).spawn(work).ok();
        Live { stop: Some(stop), thread, directory: directory.to_owned() }
    }

    /// Writes the page of the campaign that has ended.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    pub fn finish(mut self) -> Result<(), Error> {
        let mut page = self.stop().unwrap_or_default();
        write(&mut page, &self.directory, false)
    }

    fn stop(&mut self) -> Option<Page> {
        self.stop.take();
        self.thread.take().and_then(|thread| thread.join().ok())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Writes the page. While a campaign runs, only if it holds the directory: earlier results stay as they are.
fn write(page: &mut Page, directory: &Path, running: bool) -> Result<(), Error> {
    let results = Results::read(directory)?;
    if running && results.state != State::Running {
        return Ok(());
    }
    files::write(&directory.join(Page::FILE), page.of(&results, None).as_bytes())
}
