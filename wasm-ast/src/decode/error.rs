//! Why bytes cannot be decoded.

use std::fmt;

/// Why bytes could not be decoded, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Inner {
    offset: usize,
    reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    Malformed(String),
    Unsupported(String),
}

impl DecodeError {
    /// The offset of the byte at which decoding failed.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The name of the unsupported feature that the module uses, if that is the reason.
    pub fn unsupported(&self) -> Option<&str> {
        match &self.0.reason {
            Reason::Unsupported(feature) => Some(feature),
            Reason::Malformed(_) => None,
        }
    }

    #[cold]
    pub(super) fn malformed(offset: usize, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { offset, reason: Reason::Malformed(message.into()) }))
    }

    /// `feature` as wasmparser or the table spells it, with underscores or hyphens.
    #[cold]
    pub(super) fn missing(offset: usize, feature: &str) -> Self {
        Self(Box::new(Inner { offset, reason: Reason::Unsupported(feature.replace('_', "-")) }))
    }
}

impl From<wasmparser::Error> for DecodeError {
    fn from(error: wasmparser::Error) -> Self {
        Self::malformed(error.offset(), error.message())
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.reason {
            Reason::Malformed(message) => write!(f, "malformed module: {message}")?,
            Reason::Unsupported(feature) => write!(f, "module uses {feature}, which is not supported")?,
        }
        write!(f, " (at byte {:#x})", self.0.offset)
    }
}

impl std::error::Error for DecodeError {}
