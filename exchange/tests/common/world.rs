//! The three ways in which workers can meet, as one thing to test.

use std::sync::Arc;
use std::time::Duration;

use mutagen_exchange::{
    Board, CampaignName, Cells, Directory, DirectoryCells, Error, Exchange, Memory, Terms,
};

/// A way to meet.
pub trait World: Sync {
    fn join_on(&self, terms: &Terms) -> Result<Box<dyn Exchange>, Error>;
    fn board(&self) -> Box<dyn Board + '_>;
    /// The cells, as one worker has them.
    fn cells(&self, lease: Duration) -> Arc<dyn Cells>;
    /// Puts bytes where a test with this key is expected. Returns whether that is possible: in memory, entries have no envelopes
    /// that could be damaged.
    fn plant(&self, key: &str, bytes: &[u8]) -> bool;
    /// Takes the place away, as far as it can be taken away.
    fn kill(&mut self);
    /// Brings it back.
    fn restart(&mut self);

    fn join(&self) -> Box<dyn Exchange> {
        self.join_on(&terms()).expect("a worker can join")
    }
}

pub fn terms() -> Terms {
    Terms::default().with("version", "1").with("target", "wasmi")
}

pub fn campaign() -> CampaignName {
    "conformance".parse().expect("this is a name")
}

#[derive(Default)]
pub struct InMemory {
    memory: Memory,
}

impl World for InMemory {
    fn join_on(&self, terms: &Terms) -> Result<Box<dyn Exchange>, Error> {
        Ok(Box::new(self.memory.join(terms)?))
    }

    fn board(&self) -> Box<dyn Board + '_> {
        Box::new(self.memory.clone())
    }

    fn cells(&self, lease: Duration) -> Arc<dyn Cells> {
        Arc::new(self.memory.cells(lease))
    }

    fn plant(&self, _: &str, _: &[u8]) -> bool {
        false
    }

    fn kill(&mut self) {}

    fn restart(&mut self) {}
}

pub struct InDirectory(pub tempfile::TempDir);

impl Default for InDirectory {
    fn default() -> Self {
        InDirectory(tempfile::tempdir().expect("a directory can be made"))
    }
}

impl InDirectory {
    fn path(&self, rest: &str) -> std::path::PathBuf {
        self.0.path().join("conformance").join(rest)
    }
}

impl World for InDirectory {
    fn join_on(&self, terms: &Terms) -> Result<Box<dyn Exchange>, Error> {
        Ok(Box::new(Directory::new(self.0.path(), &campaign()).join(terms)?))
    }

    fn board(&self) -> Box<dyn Board + '_> {
        Box::new(Directory::new(self.0.path(), &campaign()))
    }

    fn cells(&self, lease: Duration) -> Arc<dyn Cells> {
        Arc::new(DirectoryCells::new(self.0.path(), &campaign(), lease).expect("it can be used"))
    }

    fn plant(&self, key: &str, bytes: &[u8]) -> bool {
        // Numbered files of a worker that nobody knows.
        let folder = self.path("tests/stranger");
        std::fs::create_dir_all(&folder).expect("it can be made");
        let number = std::fs::read_dir(&folder).expect("it can be read").count() + 1;
        let content = [format!("{key}\n").as_bytes(), bytes].concat();
        std::fs::write(folder.join(format!("{number:012}")), content).expect("it can be written");
        true
    }

    /// What a file system does that is gone for a moment: nothing can be written.
    fn kill(&mut self) {
        std::fs::rename(self.path("tests"), self.path("away")).expect("it can be moved");
        std::fs::write(self.path("tests"), "").expect("it can be written");
    }

    fn restart(&mut self) {
        std::fs::remove_file(self.path("tests")).expect("it can be removed");
        std::fs::rename(self.path("away"), self.path("tests")).expect("it can be moved");
    }
}

#[cfg(feature = "hub")]
pub struct AtServer(pub super::server::Server);

#[cfg(feature = "hub")]
impl AtServer {
    pub fn start() -> Option<Self> {
        super::server::Server::start(&[]).map(AtServer)
    }

    pub fn hub(&self) -> mutagen_exchange::Hub {
        mutagen_exchange::Hub::connect(&self.0.address(), None, &campaign()).expect("the server is there")
    }
}

#[cfg(feature = "hub")]
impl World for AtServer {
    fn join_on(&self, terms: &Terms) -> Result<Box<dyn Exchange>, Error> {
        Ok(Box::new(self.hub().join(terms)?))
    }

    fn board(&self) -> Box<dyn Board + '_> {
        Box::new(self.hub())
    }

    fn cells(&self, lease: Duration) -> Arc<dyn Cells> {
        Arc::new(mutagen_exchange::HubCells::new(self.hub(), lease).expect("the server is there"))
    }

    fn plant(&self, key: &str, bytes: &[u8]) -> bool {
        self.0.publish(&format!("mutagen.conformance.tests.{key}"), bytes);
        true
    }

    fn kill(&mut self) {
        self.0.kill();
    }

    fn restart(&mut self) {
        self.0.restart();
    }
}
