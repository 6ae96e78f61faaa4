//! The last test, noted in memory that outlives this process: whoever finds the process dead can read which module an
//! engine was asked about, with which calls, and how many tests it had ended.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use mutagen_engine::{Verdict, stable};
use mutagen_oracles::{Asked, Call, HostPlan, Question, Value};
use mutagen_weave::SharedMemory;

use crate::Case;

/// The words at the beginning of the memory. What they do not say stands behind them: the module, the plans of its host
/// functions as JSON, and the calls, each beginning with a word of its own.
mod at {
    /// How many questions were asked.
    pub const QUESTIONS: usize = 0;
    /// What the engine was asked.
    pub const ASKED: usize = 1;
    /// The length of the module in bytes.
    pub const MODULE: usize = 2;
    /// The length of the plans in bytes.
    pub const HOSTS: usize = 3;
    /// How many calls were made.
    pub const CALLS: usize = 4;
    /// How many words the calls take.
    pub const CALL_WORDS: usize = 5;
    /// How many tests have ended, and how: a [`Tally`](super::Tally).
    pub const TALLY: usize = 6;
    /// What tells a tally that was written to its end from others.
    pub const TALLY_CHECK: usize = TALLY + 4;
    /// The name of the engine that is being asked, up to the first 0. Empty in between.
    pub const ENGINE: usize = TALLY_CHECK + 1;
    /// What stands behind these words.
    pub const CONTENT: usize = ENGINE + super::NAME_WORDS;
}

/// The words of an engine's name. Longer names are cut.
const NAME_WORDS: usize = 8;
/// The length of a module that did not fit.
const TOO_LARGE: u64 = u64::MAX;

/// Where the last test is noted, if it is. Clones share the place.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<OnceLock<LastTest>>);

impl Notes {
    /// The size of the memory, in bytes. What is not used of it takes no space. Tests that do not fit are not noted.
    pub const BYTES: u64 = 16 << 20;

    /// Notes the last test in this memory from now on. One thread at a time may run tests then.
    pub fn keep_in(&self, memory: SharedMemory) {
        // A second place would be of no use to anybody: the first one is being watched.
        self.0.get_or_init(|| LastTest { memory, module: AtomicUsize::new(0), calls: AtomicUsize::new(0) });
    }

    /// Notes what an engine is asked. A leading engine is asked first: the calls are noted as it is asked to make them.
    pub(crate) fn begin(&self, engine: &str, leads: bool, asked: Asked<'_>) {
        if let Some(last) = self.0.get() {
            last.begin(engine, leads, asked);
        }
    }

    /// Notes how many tests have ended.
    pub fn count(&self, tally: &Tally) {
        if let Some(last) = self.0.get() {
            let words = tally.words();
            words.iter().enumerate().for_each(|(place, word)| last.store(at::TALLY + place, *word));
            last.store(at::TALLY_CHECK, check(words));
        }
    }

    /// Notes that the engine has answered.
    pub(crate) fn end(&self) {
        if let Some(last) = self.0.get() {
            last.store(at::ENGINE, 0);
        }
    }
}

#[derive(Debug)]
struct LastTest {
    memory: SharedMemory,
    /// How many words the module takes.
    module: AtomicUsize,
    /// The word after the last call.
    calls: AtomicUsize,
}

impl LastTest {
    fn begin(&self, engine: &str, leads: bool, asked: Asked<'_>) {
        match asked {
            Asked::Validate(module) | Asked::Compile(module) => self.note_module(module),
            Asked::Instantiate(module, hosts) => {
                self.note_module(module);
                if leads {
                    self.note_hosts(hosts);
                }
            }
            Asked::Call(export, arguments) if leads => self.note_call(export, arguments),
            Asked::Call(..) | Asked::Start | Asked::Look => {}
        }
        self.store(at::ASKED, code(asked));
        let name = &engine.as_bytes()[..engine.len().min(NAME_WORDS * 8 - 1)];
        self.write(at::ENGINE, name);
        if name.len().is_multiple_of(8) {
            self.store(at::ENGINE + name.len() / 8, 0);
        }
        self.store(at::QUESTIONS, self.load(at::QUESTIONS).wrapping_add(1));
    }

    /// Notes a module, unless it is the one that was noted last.
    fn note_module(&self, module: &[u8]) {
        let length = self.load(at::MODULE);
        if length == module.len() as u64 && self.holds(at::CONTENT, module) {
            return;
        }
        // Until the new module is complete, there is none.
        self.store(at::MODULE, TOO_LARGE);
        self.forget_calls(0);
        if self.write(at::CONTENT, module) {
            self.module.store(words_of(module.len()), Ordering::Relaxed);
            self.forget_calls(0);
            self.store(at::MODULE, module.len() as u64);
        }
    }

    fn note_hosts(&self, hosts: &[HostPlan]) {
        let plans = if hosts.is_empty() { Vec::new() } else { serde_json::to_vec(hosts).unwrap_or_default() };
        let start = at::CONTENT + self.module.load(Ordering::Relaxed);
        let fits = self.write(start, &plans);
        self.forget_calls(if fits { plans.len() } else { 0 });
    }

    /// Forgets the calls. The plans of host functions take so many bytes.
    fn forget_calls(&self, hosts: usize) {
        self.store(at::CALLS, 0);
        self.store(at::CALL_WORDS, 0);
        self.store(at::HOSTS, hosts as u64);
        let start = at::CONTENT + self.module.load(Ordering::Relaxed) + words_of(hosts);
        self.calls.store(start, Ordering::Relaxed);
    }

    fn note_call(&self, export: &str, arguments: &[Value]) {
        let start = self.calls.load(Ordering::Relaxed);
        let length = 2 + words_of(export.len()) + 3 * arguments.len();
        if start + length > self.memory.words().len() {
            return;
        }
        self.store(start, export.len() as u64);
        self.store(start + 1, arguments.len() as u64);
        self.write(start + 2, export.as_bytes());
        let mut next = start + 2 + words_of(export.len());
        for argument in arguments {
            let (tag, bits) = bits_of(*argument);
            self.store(next, tag);
            self.store(next + 1, bits as u64);
            self.store(next + 2, (bits >> 64) as u64);
            next += 3;
        }
        self.calls.store(next, Ordering::Relaxed);
        self.store(at::CALL_WORDS, self.load(at::CALL_WORDS) + length as u64);
        self.store(at::CALLS, self.load(at::CALLS) + 1);
    }

    fn store(&self, word: usize, value: u64) {
        self.memory.words()[word].store(value, Ordering::Relaxed);
    }

    fn load(&self, word: usize) -> u64 {
        self.memory.words()[word].load(Ordering::Relaxed)
    }

    /// The words from this one on that these bytes take, if they fit.
    fn place(&self, start: usize, length: usize) -> Option<&[AtomicU64]> {
        self.memory.words().get(start..start + words_of(length))
    }

    /// Writes bytes from a word on. Returns whether they fit.
    fn write(&self, start: usize, bytes: &[u8]) -> bool {
        let Some(place) = self.place(start, bytes.len()) else { return false };
        for (word, value) in place.iter().zip(packed(bytes)) {
            word.store(value, Ordering::Relaxed);
        }
        true
    }

    /// Whether these bytes stand from a word on.
    fn holds(&self, start: usize, bytes: &[u8]) -> bool {
        let place = self.place(start, bytes.len());
        place.is_some_and(|place| {
            place.iter().zip(packed(bytes)).all(|(word, value)| word.load(Ordering::Relaxed) == value)
        })
    }
}

/// How many words so many bytes take.
fn words_of(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

/// The bytes as words, the last one filled up with 0.
fn packed(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

fn code(asked: Asked<'_>) -> u64 {
    match asked {
        Asked::Validate(_) => 0,
        Asked::Compile(_) | Asked::Instantiate(..) | Asked::Start => 1,
        Asked::Call(..) | Asked::Look => 2,
    }
}

/// A value as a tag and bits. A reference that is not null has its number above a bit that says so.
fn bits_of(value: Value) -> (u64, u128) {
    let reference = |number: Option<u32>| number.map_or(0, |number| u128::from(number) << 1 | 1);
    match value {
        Value::I32(bits) => (0, bits.into()),
        Value::I64(bits) => (1, bits.into()),
        Value::F32(bits) => (2, bits.into()),
        Value::F64(bits) => (3, bits.into()),
        Value::V128(bits) => (4, bits),
        Value::FuncRef(number) => (5, reference(number)),
        Value::ExternRef(number) => (6, reference(number)),
    }
}

/// The value of a tag and bits. Bits that do not fit the tag are cut: they come from the same program.
fn value_of(tag: u64, bits: u128) -> Option<Value> {
    let reference = (bits & 1 == 1).then_some((bits >> 1) as u32);
    Some(match tag {
        0 => Value::I32(bits as u32),
        1 => Value::I64(bits as u64),
        2 => Value::F32(bits as u32),
        3 => Value::F64(bits as u64),
        4 => Value::V128(bits),
        5 => Value::FuncRef(reference),
        6 => Value::ExternRef(reference),
        _ => return None,
    })
}

/// What a process had noted, read by another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The engine that was being asked. `None` if no question was open.
    pub engine: Option<String>,
    /// The last question.
    pub question: Question,
    /// The module, the calls that were made, the last of which may not have ended, and the plans of host functions.
    pub case: Case,
}

/// How far a process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pulse {
    /// How many questions it has asked.
    pub questions: u64,
    /// Whether an engine is being asked.
    pub is_asking: bool,
}

impl Pulse {
    /// How far the process is that notes its tests in this file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(file: &File) -> io::Result<Self> {
        let header = Words::read(file, 0, at::CONTENT)?;
        Ok(Pulse { questions: header.0[at::QUESTIONS], is_asking: header.0[at::ENGINE] != 0 })
    }
}

/// How many tests a process has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that were run.
    pub tests: u64,
    /// Tests in which the property held.
    pub passed: u64,
    /// Tests that were discarded.
    pub discarded: u64,
    /// The discarded tests from which nothing can be concluded.
    pub inconclusive: u64,
}

impl Tally {
    /// Counts a test that ended like this.
    pub fn add(&mut self, verdict: &Verdict) {
        self.tests += 1;
        self.passed += u64::from(matches!(verdict, Verdict::Passed));
        self.discarded += u64::from(matches!(verdict, Verdict::Discarded | Verdict::Inconclusive(_)));
        self.inconclusive += u64::from(matches!(verdict, Verdict::Inconclusive(_)));
    }

    /// What the process had counted that notes its tests in this file. `None` if the file has no count, or a damaged one: the
    /// process may have ended while it wrote.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read(file: &File) -> io::Result<Option<Self>> {
        let words = Words::read(file, at::TALLY, at::ENGINE - at::TALLY)?.0;
        let [tests, passed, discarded, inconclusive, noted] = words[..] else { return Ok(None) };
        let tally = Tally { tests, passed, discarded, inconclusive };
        Ok((check(tally.words()) == noted).then_some(tally))
    }

    fn words(&self) -> [u64; 4] {
        [self.tests, self.passed, self.discarded, self.inconclusive]
    }
}

/// A word that follows from the others. Four zeros do not give 0, so an empty file holds no tally.
fn check(words: [u64; 4]) -> u64 {
    let mix = |sum: u64, word| sum.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word;
    words.into_iter().fold(0x6d75_7461_6765_6e21, mix)
}

impl Noted {
    /// The hash of the module, by which it can be [barred](crate::Barred).
    pub fn hash(&self) -> Option<u64> {
        match &self.case {
            Case::Module { wasm, .. } => Some(stable::hash(wasm)),
            Case::States(_) => None,
        }
    }

    /// What the file holds. `None` if that is no test: none was begun, or it was too large.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    ///
    /// ```
    /// use mutagen_properties::{Notes, Noted};
    ///
    /// let file = tempfile::tempfile()?;
    /// file.set_len(Notes::BYTES)?;
    /// assert_eq!(Noted::read(&file)?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read(file: &File) -> io::Result<Option<Self>> {
        let header = Words::read(file, 0, at::CONTENT)?;
        // An engine that writes where it should not may have written here.
        let length = |word: usize| {
            usize::try_from(header.0[word]).ok().filter(|length| *length as u64 <= Notes::BYTES)
        };
        let lengths = (length(at::MODULE), length(at::HOSTS), length(at::CALL_WORDS));
        let (Some(module), Some(hosts), Some(calls)) = lengths else { return Ok(None) };
        if header.0[at::QUESTIONS] == 0 {
            return Ok(None);
        }
        let content = Words::read(file, at::CONTENT, words_of(module) + words_of(hosts) + calls)?;
        let (module_words, rest) = content.0.split_at(words_of(module));
        let (host_words, mut call_words) = rest.split_at(words_of(hosts));
        let hosts = bytes_of(host_words, hosts);
        let hosts = if hosts.is_empty() { Vec::new() } else { serde_json::from_slice(&hosts)? };
        let calls = (0..header.0[at::CALLS]).map_while(|_| call_of(&mut call_words)).collect::<Vec<_>>();
        let name = bytes_of(&header.0[at::ENGINE..], NAME_WORDS * 8);
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let question = match (header.0[at::ASKED], calls.last()) {
            (0, _) => Question::Validate,
            (2, Some(call)) => Question::Call(call.clone()),
            _ => Question::Instantiate,
        };
        Ok(Some(Noted {
            engine: (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned()),
            question,
            case: Case::Module { wasm: bytes_of(module_words, module), calls, hosts },
        }))
    }
}

/// Words of the memory, in a file.
struct Words(Vec<u64>);

impl Words {
    fn read(file: &File, start: usize, count: usize) -> io::Result<Self> {
        let mut bytes = vec![0; count * 8];
        file.read_exact_at(&mut bytes, start as u64 * 8)?;
        let word = |chunk: &[u8]| chunk.try_into().map(u64::from_le_bytes).unwrap_or_default();
        Ok(Words(bytes.chunks(8).map(word).collect()))
    }
}

/// The first bytes of these words.
fn bytes_of(words: &[u64], length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(length);
    bytes
}

/// Takes a call from the words.
fn call_of(words: &mut &[u64]) -> Option<Call> {
    let [name, arguments, rest @ ..] = *words else { return None };
    let (name, arguments) = (usize::try_from(*name).ok()?, usize::try_from(*arguments).ok()?);
    let (export, rest) = rest.split_at_checked(words_of(name))?;
    let (values, rest) = rest.split_at_checked(arguments.checked_mul(3)?)?;
    *words = rest;
    let value = |words: &[u64]| value_of(words[0], u128::from(words[2]) << 64 | u128::from(words[1]));
    let values: Vec<Value> = values.chunks(3).map(value).collect::<Option<_>>()?;
    Some(Call::new(String::from_utf8_lossy(&bytes_of(export, name)), values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mutagen_oracles::HostAction;

    fn notes() -> (File, Notes) {
        let file = tempfile::tempfile().expect("there is a temporary directory");
        file.set_len(1 << 12).expect("there is space");
        let notes = Notes::default();
        notes.keep_in(SharedMemory::map(&file).expect("it can be mapped"));
        (file, notes)
    }

    fn noted(file: &File) -> Option<Noted> {
        Noted::read(file).expect("it can be read")
    }

    #[test]
    fn module_host_functions_and_calls_of_the_leading_engine_are_noted() {
        let (file, notes) = notes();
        let hosts = [HostPlan { turns: vec![vec![HostAction::Trap]], repeats: true }];
        let values = [
            Value::I32(u32::MAX),
            Value::I64(1 << 63),
            Value::F32(5),
            Value::F64(6),
            Value::V128(u128::MAX - 1),
            Value::FuncRef(Some(0)),
            Value::FuncRef(None),
            Value::ExternRef(Some(u32::MAX)),
        ];
        notes.begin("leads", true, Asked::Validate(b"a module"));
        notes.begin("leads", true, Asked::Instantiate(b"a module", &hosts));
        notes.begin("follows", false, Asked::Instantiate(b"a module", &hosts));
        notes.begin("leads", true, Asked::Call("first", &[]));
        notes.begin("follows", false, Asked::Call("first", &[]));
        notes.begin("leads", true, Asked::Call("a function", &values));
        let noted = noted(&file).expect("a test was begun");
        let calls = vec![Call::new("first", []), Call::new("a function", values)];
        assert_eq!(noted.engine.as_deref(), Some("leads"));
        assert_eq!(noted.question, Question::Call(calls[1].clone()));
        assert_eq!(noted.case, Case::Module { wasm: b"a module".to_vec(), calls, hosts: hosts.to_vec() });
    }

    #[test]
    fn memory_that_was_written_over_holds_no_test_and_is_not_believed() {
        let (file, notes) = notes();
        notes.begin("e", true, Asked::Instantiate(b"one", &[]));
        for byte in 0..=u8::MAX {
            for word in 0..at::CONTENT {
                file.write_all_at(&[byte; 8], word as u64 * 8).expect("there is space");
                // Lengths that the file does not have are an error or no test; no length is allocated as it stands.
                let _ = Noted::read(&file);
            }
        }
        assert_eq!(noted(&file), None);
    }

    #[test]
    fn another_module_or_a_new_instance_begins_without_calls() {
        let (file, notes) = notes();
        let calls = |file: &File| match noted(file).expect("a test was begun").case {
            Case::Module { calls, .. } => calls.len(),
            Case::States(_) => panic!("these are modules"),
        };
        notes.begin("e", true, Asked::Instantiate(b"one", &[]));
        notes.begin("e", true, Asked::Call("f", &[]));
        assert_eq!(calls(&file), 1);
        notes.begin("e", true, Asked::Instantiate(b"one", &[]));
        assert_eq!(calls(&file), 0);
        notes.begin("e", true, Asked::Call("f", &[]));
        notes.begin("e", true, Asked::Validate(b"two"));
        assert_eq!(calls(&file), 0);
    }

    #[test]
    fn the_pulse_tells_questions_and_whether_one_is_open() {
        let (file, notes) = notes();
        let pulse = || Pulse::read(&file).expect("it can be read");
        assert_eq!(pulse(), Pulse::default());
        // A name of eight letters fills a word.
        notes.begin("wasmtime", true, Asked::Validate(b"m"));
        assert_eq!(pulse(), Pulse { questions: 1, is_asking: true });
        assert_eq!(noted(&file).and_then(|noted| noted.engine).as_deref(), Some("wasmtime"));
        notes.end();
        assert_eq!(pulse(), Pulse { questions: 1, is_asking: false });
        assert_eq!(noted(&file).expect("it stays").engine, None);
    }

    #[test]
    fn a_tally_is_read_as_it_was_noted_and_one_that_is_damaged_is_not_read() {
        let (file, notes) = notes();
        let read = || Tally::read(&file).expect("it can be read");
        assert_eq!(read(), None);
        let mut tally = Tally::default();
        let verdicts =
            [Verdict::Passed, Verdict::Discarded, Verdict::Inconclusive("fuel".into()), Verdict::Passed];
        for verdict in verdicts {
            tally.add(&verdict);
            notes.count(&tally);
            assert_eq!(read(), Some(tally));
        }
        assert_eq!(tally, Tally { tests: 4, passed: 2, discarded: 2, inconclusive: 1 });
        for word in at::TALLY..=at::TALLY_CHECK {
            notes.count(&tally);
            file.write_all_at(&[7; 8], word as u64 * 8).expect("there is space");
            assert_eq!(read(), None, "{word}");
        }
    }

    #[test]
    fn a_module_that_does_not_fit_is_not_noted_and_the_next_one_is() {
        let (file, notes) = notes();
        notes.begin("e", true, Asked::Validate(&[7; 5000]));
        assert_eq!(noted(&file), None);
        assert!(Pulse::read(&file).expect("it can be read").is_asking);
        notes.begin("e", true, Asked::Validate(b"small"));
        assert!(noted(&file).is_some());
    }
}
