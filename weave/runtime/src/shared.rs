//! Memory that another process shares with this one, as AFL does it.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU8;

/// A segment of System V shared memory that another process made.
///
/// The other process may write to it at any time, so its bytes are atomic.
///
/// ```
/// use mutagen_weave::SharedMemory;
///
/// // No process has made a segment with this number.
/// assert!(SharedMemory::attach(i32::MAX).is_err());
/// ```
#[derive(Debug)]
pub struct SharedMemory {
    start: NonNull<AtomicU8>,
    length: usize,
}

// SAFETY: the segment stays attached until this is dropped, on whichever thread, and its bytes are only touched atomically.
unsafe impl Send for SharedMemory {}

impl SharedMemory {
    /// Attaches the segment with this number.
    ///
    /// # Errors
    ///
    /// If there is no such segment, or it belongs to somebody else.
    pub fn attach(id: i32) -> io::Result<Self> {
        // SAFETY: an all-zero `shmid_ds` is a valid value of that plain C struct.
        let mut about: libc::shmid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: `about` is valid for writing; `IPC_STAT` does nothing else.
        if unsafe { libc::shmctl(id, libc::IPC_STAT, &mut about) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a null address lets the system choose a free one.
        let start = unsafe { libc::shmat(id, std::ptr::null(), 0) };
        // The system reports errors as the address -1.
        if start as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::InvalidData)?;
        Ok(SharedMemory { start, length: about.shm_segsz as usize })
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: the segment has `length` bytes and stays attached as long as `self` lives. `AtomicU8` has the layout of
        // a byte, and any byte is valid.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: this is the address that `shmat` gave, and nothing borrows from it any more. It can only fail for
        // other addresses.
        unsafe { libc::shmdt(self.start.as_ptr().cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    /// A segment of this many bytes that goes away with the last process that uses it.
    fn segment(length: usize) -> (i32, SharedMemory) {
        // SAFETY: makes a new segment; touches no memory of ours.
        let id = unsafe { libc::shmget(libc::IPC_PRIVATE, length, libc::IPC_CREAT | 0o600) };
        let shared = SharedMemory::attach(id).expect("it was made just now");
        (id, shared)
    }

    fn remove(id: i32) {
        // SAFETY: removing reads no memory of ours.
        unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
    }

    #[test]
    fn what_is_written_through_one_attachment_is_read_through_another() {
        let (id, one) = segment(100);
        let other = SharedMemory::attach(id).expect("it is there");
        remove(id);
        one.bytes()[99].store(7, Ordering::Relaxed);
        assert_eq!((other.bytes().len(), other.bytes()[99].load(Ordering::Relaxed)), (100, 7));
    }

    #[test]
    fn a_segment_that_is_gone_cannot_be_attached() {
        let (id, shared) = segment(1);
        remove(id);
        drop(shared);
        assert!(SharedMemory::attach(id).is_err());
    }
}
