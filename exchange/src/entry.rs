//! What is carried: bytes with a name, in an envelope that shows damage.

use mutagen_engine::stable;

/// The largest entry, in bytes: a NATS server takes messages of up to a mebibyte, and the envelope needs a little.
pub const MOST_BYTES: usize = (1 << 20) - 4096;

/// The first words of an envelope, with the number of its format. It is raised when older programs could not read newer ones.
const FORMAT: &str = "mutagen-entry 2";

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// A test that showed something new. Its key is the hash of its bytes.
    Test,
    /// A finding. Its key says what it is about, so that each thing is stored once.
    Finding,
}

impl Topic {
    /// The name of the topic in paths and subjects.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Topic::Test => "tests",
            Topic::Finding => "findings",
        }
    }
}

/// Something for the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is about.
    pub topic: Topic,
    /// What tells it from others of the topic.
    pub key: u64,
    /// Which of several searches of its worker gave a test.
    pub part: u8,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Entry {
    /// A test.
    pub fn test(bytes: Vec<u8>) -> Self {
        Entry { topic: Topic::Test, key: stable::hash(&bytes), part: 0, bytes }
    }

    /// The same, given by this one of several searches.
    #[must_use]
    pub fn of_part(self, part: u8) -> Self {
        Entry { part, ..self }
    }

    /// A finding about the thing with this key.
    pub fn finding(key: u64, bytes: Vec<u8>) -> Self {
        Entry { topic: Topic::Finding, key, part: 0, bytes }
    }

    /// The key as it stands in names.
    pub(crate) fn name(&self) -> String {
        name_of(self.key)
    }

    /// The entry in its envelope.
    pub(crate) fn sealed(&self) -> Vec<u8> {
        sealed(&[&[self.part], &self.bytes[..]].concat())
    }

    /// Opens an envelope that was found under this key. `None` if it is damaged, or not ours.
    pub(crate) fn open(topic: Topic, key: u64, envelope: &[u8]) -> Option<Self> {
        let content = opened(envelope)?;
        let (part, bytes) = content.split_first()?;
        let is_whole = topic == Topic::Finding || stable::hash(bytes) == key;
        is_whole.then(|| Entry { topic, key, part: *part, bytes: bytes.to_vec() })
    }
}

/// A key as it stands in names.
pub(crate) fn name_of(key: u64) -> String {
    format!("{key:016x}")
}

/// The key that such a name stands for.
pub(crate) fn key_of(name: &str) -> Option<u64> {
    let is_key = name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_key.then(|| u64::from_str_radix(name, 16).ok()).flatten()
}

/// Bytes in an envelope: a line with format, hash and length, and the bytes.
pub(crate) fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut envelope = format!("{FORMAT} {:016x} {}\n", stable::hash(bytes), bytes.len()).into_bytes();
    envelope.extend_from_slice(bytes);
    envelope
}

/// The bytes in an envelope. `None` if it is damaged, or of another format.
pub(crate) fn opened(envelope: &[u8]) -> Option<Vec<u8>> {
    let end = envelope.iter().position(|byte| *byte == b'\n')?;
    let (line, bytes) = (std::str::from_utf8(&envelope[..end]).ok()?, &envelope[end + 1..]);
    let expected = format!("{FORMAT} {:016x} {}", stable::hash(bytes), bytes.len());
    (line == expected).then(|| bytes.to_vec())
}
