//! AFL's fork server, as a program that AFL tests must speak it, without a fork.
//!
//! AFL sends a word for every test, expects the number of the process that runs it, and then the status with which that
//! process ended. The number is only used to kill a test that takes too long. Here the tests are run by this process, which
//! must not be killed, so AFL gets a number that no process has.

use crate::Trace;
use mutagen_weave::SharedMemory;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU8, Ordering};

/// Where a tested program finds the ends of AFL's pipes.
const REQUESTS: u32 = 198;
const ANSWERS: u32 = 199;

/// What the server can do, in its first word. These are the words of AFL++ since version 3, which later ones understand.
const HELLO: u32 = 0x8000_0001;
const TELLS_MAP_SIZE: u32 = 0x4000_0000;
const TAKES_SHARED_INPUT: u32 = 0x0100_0000;

/// No process has this number: Linux stops far below.
const NO_PROCESS: i32 = i32::MAX;
/// The status of a process that ended well, and of one that aborted.
const ENDED: u32 = 0;
const ABORTED: u32 = 6;

/// The process that AFL started in place of a tested program, and the memory that AFL shares with it.
pub(super) struct Relay {
    pub(super) process: u32,
    pub(super) map: i32,
    pub(super) input: i32,
}

/// This program's end of the conversation with AFL.
pub(super) struct Server {
    requests: File,
    answers: File,
    map: SharedMemory,
    input: SharedMemory,
}

impl Server {
    /// Takes the ends of the pipes from the relay, and greets AFL. The map has `slots` bytes.
    pub(super) fn connect(relay: &Relay, slots: usize) -> io::Result<Self> {
        let path = |number: u32| format!("/proc/{}/fd/{number}", relay.process);
        let mut server = Server {
            requests: File::open(path(REQUESTS))?,
            answers: OpenOptions::new().write(true).open(path(ANSWERS))?,
            map: SharedMemory::attach(relay.map)?,
            input: SharedMemory::attach(relay.input)?,
        };
        let size = (slots as u32 - 1) << 1;
        server.say(HELLO | TELLS_MAP_SIZE | TAKES_SHARED_INPUT | size)?;
        // AFL confirms that it shares its input.
        server.hear()?;
        Ok(server)
    }

    /// The next byte string; `None` if AFL has hung up.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        self.hear().ok()?;
        self.say(NO_PROCESS as u32).ok()?;
        let bytes = self.input.bytes();
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(length.each_ref().map(load)) as usize;
        Some(rest.iter().take(length).map(load).collect())
    }

    /// Tells AFL what became of the last byte string. If AFL does not listen any more, the next request shows it.
    pub(super) fn answer(&mut self, trace: Trace<'_>, failed: bool) {
        let map = self.map.bytes();
        // AFL clears the map before every test.
        for slot in [0].iter().chain(trace.events).filter_map(|&probe| map.get(probe as usize)) {
            // A count that wraps to 0 would hide the probe.
            slot.store(load(slot).checked_add(1).unwrap_or(1), Ordering::Relaxed);
        }
        let _ = self.say(if failed { ABORTED } else { ENDED });
    }

    fn say(&mut self, word: u32) -> io::Result<()> {
        self.answers.write_all(&word.to_ne_bytes())
    }

    fn hear(&mut self) -> io::Result<u32> {
        let mut word = [0; 4];
        self.requests.read_exact(&mut word)?;
        Ok(u32::from_ne_bytes(word))
    }
}

fn load(byte: &AtomicU8) -> u8 {
    byte.load(Ordering::Relaxed)
}
