//! Memory that another process shares with this one.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU64};

/// Memory that another process may read and write at any time, so its parts are atomic.
///
/// AFL makes a segment of System V shared memory; a file that both processes map does as well, and keeps what a process that
/// died has written.
///
/// ```
/// use mutagen_weave::SharedMemory;
/// use std::sync::atomic::Ordering;
///
/// // No process has made a segment with this number.
/// assert!(SharedMemory::attach(i32::MAX).is_err());
///
/// let file = tempfile::tempfile()?;
/// file.set_len(4096)?;
/// SharedMemory::map(&file)?.words()[1].store(7, Ordering::Relaxed);
/// assert_eq!(SharedMemory::map(&file)?.bytes()[8].load(Ordering::Relaxed), 7);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedMemory {
    start: NonNull<AtomicU8>,
    length: usize,
    kind: Kind,
}

/// How the memory was had, and so how it is given back.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Segment,
    Mapping,
}

// SAFETY: the memory stays where it is until this is dropped, on whichever thread, and its parts are only touched atomically.
unsafe impl Send for SharedMemory {}
// SAFETY: as above; shared references only give atomics.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// Attaches the segment of System V shared memory with this number.
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
        Self::new(start, about.shm_segsz as usize, Kind::Segment)
    }

    /// Maps a file, all of it. It must not become shorter while it is mapped: touching what is gone ends the process.
    ///
    /// # Errors
    ///
    /// If the file is empty, cannot be both read and written, or cannot be mapped.
    pub fn map(file: &File) -> io::Result<Self> {
        Self::map_part(file, 0..file.metadata()?.len())
    }

    /// Maps a part of a file. It must not become shorter while it is mapped.
    ///
    /// # Errors
    ///
    /// If the part is empty, is not in the file or does not begin with a page, or the file cannot be both read and written.
    pub fn map_part(file: &File, part: Range<u64>) -> io::Result<Self> {
        if part.end > file.metadata()?.len() {
            return Err(io::Error::other("the file is too short"));
        }
        let length = usize::try_from(part.end.saturating_sub(part.start)).map_err(io::Error::other)?;
        let offset = i64::try_from(part.start).map_err(io::Error::other)?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a null address lets the system choose a free one; the new mapping overlaps nothing of ours.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_SHARED, file.as_raw_fd(), offset)
        };
        Self::new(start, length, Kind::Mapping)
    }

    fn new(start: *mut libc::c_void, length: usize, kind: Kind) -> io::Result<Self> {
        // Both calls report errors as the address -1.
        if start as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::InvalidData)?;
        Ok(SharedMemory { start, length, kind })
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[AtomicU8] {
        // SAFETY: the memory has `length` bytes and stays as long as `self` lives. `AtomicU8` has the layout of a byte, and
        // any byte is valid.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// The same memory in words of eight bytes. Bytes after the last whole word are left out.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: as for bytes; the system places shared memory at the beginning of a page, so words are aligned. Bytes and
        // words may overlap: both are atomic, and nobody uses both on the same memory at the same time.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.length / size_of::<u64>()) }
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        let start = self.start.as_ptr().cast();
        match self.kind {
            // SAFETY: this is the address that `shmat` gave, and nothing borrows from it any more. It can only fail for
            // other addresses.
            Kind::Segment => unsafe { libc::shmdt(start) },
            // SAFETY: these are the address and the length of a mapping that `mmap` gave, and nothing borrows from it.
            Kind::Mapping => unsafe { libc::munmap(start, self.length) },
        };
    }
}

/// Reserves the space of a part of a file, so that writing there through [mapped memory](SharedMemory::map) cannot fail for want
/// of it.
///
/// # Errors
///
/// If there is not so much space, or the file is of a kind that has none.
pub fn reserve(file: &File, part: Range<u64>) -> io::Result<()> {
    let start = i64::try_from(part.start).map_err(io::Error::other)?;
    let length = i64::try_from(part.end.saturating_sub(part.start)).map_err(io::Error::other)?;
    // SAFETY: this touches no memory of ours.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), start, length) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
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

    #[test]
    fn what_is_written_to_a_mapped_file_is_in_the_file() {
        use std::os::unix::fs::FileExt;
        let file = tempfile::tempfile().expect("there is a temporary directory");
        file.set_len(20).expect("there is space");
        let mapped = SharedMemory::map(&file).expect("it can be mapped");
        assert_eq!((mapped.bytes().len(), mapped.words().len()), (20, 2));
        mapped.words()[1].store(u64::from_le_bytes(*b"eight by"), Ordering::Relaxed);
        drop(mapped);
        let mut read = [0; 8];
        file.read_exact_at(&mut read, 8).expect("it is long enough");
        assert_eq!(&read, b"eight by");
    }

    #[test]
    fn what_is_reserved_takes_its_space_at_once() {
        use std::os::unix::fs::MetadataExt;
        let file = tempfile::tempfile().expect("there is a temporary directory");
        file.set_len(1 << 20).expect("there is space");
        let taken = || file.metadata().expect("it is there").blocks() * 512;
        let before = taken();
        reserve(&file, 4096..4096 + (1 << 16)).expect("there is space");
        assert!(taken() >= before + (1 << 16), "{before} {}", taken());
        assert!(reserve(&file, 0..u64::MAX).is_err());
    }

    #[test]
    fn an_empty_file_cannot_be_mapped() {
        let file = tempfile::tempfile().expect("there is a temporary directory");
        assert!(SharedMemory::map(&file).is_err());
    }
}
