//! Where the workers of a campaign meet, and what they need to get in.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Board, CampaignName, Cells, Directory, DirectoryCells, Error, Exchange, Memory, Terms};

/// The port of a NATS server that names none.
const PORT: u16 = 4222;

/// How a file of credentials begins.
const CREDENTIALS: &str = "-----BEGIN NATS USER JWT-----";

/// Where the workers of a campaign meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// In the memory of this process. Another process cannot be told of it.
    #[serde(skip)]
    Memory(Memory),
    /// In a directory.
    Directory(PathBuf),
    /// At a NATS server.
    Hub(Address, Option<Secret>),
}

/// The address of a NATS server: `nats://host:port`, or `tls://host:port`. It holds no secret, so it can be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address {
    host: String,
    port: u16,
    tls: bool,
}

impl Address {
    /// Whether the connection must be encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls
    }

    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        let bare = self.host.trim_matches(['[', ']']);
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        // What stands before an @ may be a secret, which no message shows.
        let shown = text.rsplit_once('@').map_or(text.to_owned(), |(_, rest)| format!("...@{rest}"));
        let wrong = |why: &str| Error::Address { address: shown.clone(), why: why.to_owned() };
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("it looks like nats://host:4222"))?;
        let tls = match scheme {
            "nats" => false,
            "tls" => true,
            _ => return Err(wrong("it begins with nats:// or tls://")),
        };
        if rest.contains('@') {
            return Err(wrong("a secret does not belong into an address, where others see it"));
        }
        let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if is_port(port) => {
                (host, port.parse().map_err(|_| wrong("a port is a number up to 65535"))?)
            }
            _ => (rest, PORT),
        };
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_letter) {
            return Err(wrong("the name of a machine stands behind ://, and at most a port behind that"));
        }
        Ok(Address { host: host.to_owned(), port, tls })
    }
}

impl TryFrom<String> for Address {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.to_string()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "tls" } else { "nats" };
        write!(formatter, "{scheme}://{}:{}", self.host, self.port)
    }
}

/// What lets a worker in: a token, or the content of a file of credentials. It is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Secret {
    /// A token.
    Token(String),
    /// A name and a password.
    Password(String, String),
    /// A file of credentials as NATS's own tools write it: who somebody is, and the key that proves it.
    Credentials(String),
}

impl Secret {
    /// Reads the content of a file: a token on one line, a name and a password on two, or credentials of NATS.
    pub fn read(content: &str) -> Option<Self> {
        if content.trim_start().starts_with(CREDENTIALS) {
            return Some(Secret::Credentials(content.to_owned()));
        }
        let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
        match (lines.next(), lines.next(), lines.next()) {
            (Some(token), None, _) => Some(Secret::Token(token.to_owned())),
            (Some(name), Some(password), None) => {
                Some(Secret::Password(name.to_owned(), password.to_owned()))
            }
            _ => None,
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(...)")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Memory(_) => formatter.write_str("memory"),
            Place::Directory(directory) => directory.display().fmt(formatter),
            Place::Hub(address, _) => address.fmt(formatter),
        }
    }
}

impl Place {
    /// Joins a campaign here as a worker.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms, or the place cannot be reached.
    pub fn join(&self, name: &CampaignName, terms: &Terms) -> Result<Box<dyn Exchange>, Error> {
        match self {
            Place::Memory(memory) => Ok(Box::new(memory.join(terms)?)),
            Place::Directory(directory) => Ok(Box::new(Directory::new(directory, name).join(terms)?)),
            #[cfg(feature = "hub")]
            Place::Hub(address, secret) => {
                Ok(Box::new(crate::Hub::connect(address, secret.as_ref(), name)?.join(terms)?))
            }
            #[cfg(not(feature = "hub"))]
            Place::Hub(..) => Err(Error::NotBuilt),
        }
    }

    /// Joins a campaign that this worker's campaign has joined before, even if the place cannot be reached now: entries wait
    /// until it can.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms.
    pub fn join_again(&self, name: &CampaignName, terms: &Terms) -> Result<Box<dyn Exchange>, Error> {
        #[cfg(feature = "hub")]
        if let Place::Hub(address, secret) = self {
            return Ok(Box::new(crate::Hub::join_again(address, secret.as_ref(), name, terms)));
        }
        self.join(name, terms)
    }

    /// Looks at a campaign here.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached.
    pub fn board(&self, name: &CampaignName) -> Result<Box<dyn Board>, Error> {
        match self {
            Place::Memory(memory) => Ok(Box::new(memory.clone())),
            Place::Directory(directory) => Ok(Box::new(Directory::new(directory, name))),
            #[cfg(feature = "hub")]
            Place::Hub(address, secret) => Ok(Box::new(crate::Hub::connect(address, secret.as_ref(), name)?)),
            #[cfg(not(feature = "hub"))]
            Place::Hub(..) => Err(Error::NotBuilt),
        }
    }

    /// The cells of a campaign here, if it has these terms.
    ///
    /// # Errors
    ///
    /// If the campaign has other terms, or the place cannot be reached.
    pub fn cells(
        &self,
        name: &CampaignName,
        terms: &Terms,
        lease: Duration,
    ) -> Result<Box<dyn Cells>, Error> {
        match self {
            Place::Memory(memory) => {
                memory.agree(terms)?;
                Ok(Box::new(memory.cells(lease)))
            }
            Place::Directory(directory) => {
                Directory::new(directory, name).agree(terms)?;
                Ok(Box::new(DirectoryCells::new(directory, name, lease)?))
            }
            #[cfg(feature = "hub")]
            Place::Hub(address, secret) => {
                let hub = crate::Hub::connect(address, secret.as_ref(), name)?;
                hub.agree(terms)?;
                Ok(Box::new(crate::HubCells::new(hub, lease)?))
            }
            #[cfg(not(feature = "hub"))]
            Place::Hub(..) => Err(Error::NotBuilt),
        }
    }

    /// Refuses a server on another machine without a secret.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn require_secret(&self) -> Result<(), Error> {
        match self {
            Place::Hub(address, None) if !address.is_loopback() => Err(Error::NoSecret(address.to_string())),
            _ => Ok(()),
        }
    }
}
