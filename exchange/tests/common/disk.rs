//! A small disk that can be full.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// A file system of its own, in memory.
pub struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// Mounts one. Says so if that is not allowed here.
    pub fn mount() -> Option<Self> {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"])
            .arg(directory.path())
            .output()
            .is_ok_and(|done| done.status.success());
        if !mounted {
            let why = "skipped: the disk is never full, since none can be mounted here";
            writeln!(std::io::stderr(), "{why}").expect("there is an output");
        }
        mounted.then_some(SmallDisk(directory))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes all room that is left.
    pub fn fill(&self) {
        let mut file = fs::File::create(self.path().join("filler")).expect("it can be made");
        for size in [1 << 20, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Gives it back.
    pub fn free(&self) {
        fs::remove_file(self.path().join("filler")).expect("it can be removed");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let done = Command::new("umount").arg("--lazy").arg(self.path()).status();
        assert!(done.is_ok_and(|status| status.success()) || thread_panics(), "it can be unmounted");
    }
}

fn thread_panics() -> bool {
    std::thread::panicking()
}
