//! A plain command as an engine: it knows nothing of us, and is started anew for each question.
//!
//! `plain:CHECK` says by its exit code whether a module is valid. `plain:CHECK;RUN` also calls functions: `RUN` prints the results of
//! one call. Words of both may be `{module}`, the file, which is the last word if it does not occur; words of `RUN` may be
//! `{function}` and `{arguments}`.
//!
//! Such a command shows results alone, and each call starts from the beginning. So it is asked about a call only if nothing before
//! can have changed anything, and only where nothing else is compared; all else is inconclusive, not equal. So are NaNs, which it
//! prints without their bits, and traps for which it does not use the words of the specification's tests.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    answer::{Ending, Instantiation, Rejection, TrapKind, Validity},
    engine::{Engine, Function, Instance, Signature},
    engines::pace::Pace,
    host::HostPlan,
    parts::Part,
    scan::{External, Outline, needs_more_than, outline},
    settings::Settings,
    state::State,
    value::{Value, ValueType},
};

/// The longest time for one question. Whatever misses it is inconclusive.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often we look whether a command has ended.
const LOOK: Duration = Duration::from_millis(2);
/// At most so much is read of what a command prints.
const MOST_OUTPUT: usize = 1 << 16;

/// A plain command.
#[derive(Clone)]
pub(super) struct Plain {
    name: &'static str,
    settings: Settings,
    check: Vec<String>,
    run: Option<Vec<String>>,
}

/// How a command ended.
struct Ended {
    /// Whether it says yes. `None` if it was ended from outside or by a signal.
    code: Option<i32>,
    output: String,
    errors: String,
}

impl Plain {
    /// The command that follows `plain:`.
    pub(super) fn new(name: &'static str, command: &str, settings: &Settings) -> Self {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        let (check, run) = match command.split_once(';') {
            Some((check, run)) => (words(check), Some(words(run))),
            None => (words(command), None),
        };
        Self { name, settings: *settings, check, run }
    }

    fn check(&self, bytes: &[u8]) -> Validity {
        if needs_more_than(bytes, self.settings.features) {
            return Validity::Rejected(Rejection::new("it needs features that are off"));
        }
        match asked(&self.check, bytes, None) {
            Ok(Ended { code: Some(0), .. }) => Validity::Accepted,
            Ok(Ended { code: Some(_), output, errors }) => {
                let said = [errors, output].into_iter().find(|said| !said.trim().is_empty());
                let line = said.as_deref().unwrap_or("without a word").lines().next().unwrap_or_default();
                Validity::Rejected(Rejection::new(line.trim()))
            }
            Ok(Ended { code: None, .. }) => {
                Validity::Panicked("the command was ended by a signal".to_owned())
            }
            Err(why) => Validity::Unanswered(why),
        }
    }
}

impl Engine for Plain {
    fn name(&self) -> &str {
        self.name
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.check(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        let infra = |why: &str| Instantiation::ended(Ending::Infra(why.to_owned()), State::default());
        if let Validity::Rejected(reason) = self.check(bytes) {
            return Err(reason.into());
        }
        let run = self.run.clone().ok_or_else(|| infra("a plain command that only checks runs nothing"))?;
        let (outline, _) = outline(bytes).ok_or_else(|| infra("the module has what nobody here knows"))?;
        let Outline { imports, exports } = outline;
        if !imports.is_empty() {
            return Err(infra("a plain command has nothing to import"));
        }
        let shows = |external: &External| {
            let part = match external {
                External::Function(_) => return false,
                External::Memory { .. } => Part::Memory,
                External::Table { .. } => Part::Tables,
                External::Global { .. } => Part::Globals,
            };
            self.settings.compared.contains(part)
        };
        if exports.iter().any(|(_, external)| shows(external)) {
            return Err(infra("a plain command does not show memories, tables and globals"));
        }
        let pace = Pace::of(&self.settings, bytes, &[])
            .map_err(|ending| Instantiation::ended(ending, State::default()))?;
        Ok(Box::new(PlainInstance { run, bytes: bytes.to_vec(), exports, pace, called: false }))
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        let _ = hosts;
        self.instantiate(bytes)
    }
}

/// What is kept of a module.
struct PlainInstance {
    run: Vec<String>,
    bytes: Vec<u8>,
    exports: Vec<(String, External)>,
    pace: Pace,
    /// Whether a call may have changed something.
    called: bool,
}

impl PlainInstance {
    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let infra = |why: &str| Ending::Infra(why.to_owned());
        let signature = self.exports.iter().find_map(|(export, external)| match external {
            External::Function(signature) if export == name => Some(signature.clone()),
            _ => None,
        });
        let refused = || Ending::Refused("there is no such function, or the arguments do not fit".to_owned());
        let signature = signature.filter(|signature| signature.takes(arguments)).ok_or_else(refused)?;
        if std::mem::replace(&mut self.called, true) {
            return Err(infra("a plain command remembers nothing of the calls before"));
        }
        self.pace.call(name, arguments)?;
        let texts: Option<Vec<String>> = arguments.iter().map(text_of).collect();
        let texts = texts.ok_or_else(|| infra("these arguments cannot be written as numbers"))?;
        let ended = asked(&self.run, &self.bytes, Some((name, &texts))).map_err(Ending::Infra)?;
        match ended.code {
            None => Err(Ending::Panicked("the command was ended by a signal".to_owned())),
            Some(0) => results(&ended.output, &signature)
                .ok_or_else(|| infra("what the command printed is no result")),
            Some(_) => {
                let kind = trap_of(&format!("{} {}", ended.errors, ended.output));
                Err(kind.map_or_else(|| infra("the command failed without a known trap"), Ending::Trapped))
            }
        }
    }
}

impl Instance for PlainInstance {
    fn exports(&self) -> Vec<Function> {
        let function = |(name, external): &(String, External)| match external {
            External::Function(signature) => {
                Some(Function { name: name.clone(), signature: signature.clone() })
            }
            _ => None,
        };
        self.exports.iter().filter_map(function).collect()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.try_call(name, arguments).map_or_else(|ending| ending, Ending::Returned)
    }

    fn state(&mut self) -> State {
        State::default()
    }

    fn memory(&mut self, _: usize) -> Vec<u8> {
        Vec::new()
    }

    fn table(&mut self, _: usize) -> Vec<Value> {
        Vec::new()
    }
}

/// A value as commands read it. `None` for what has no such form: references, vectors, NaNs.
fn text_of(value: &Value) -> Option<String> {
    match *value {
        Value::I32(bits) => Some((bits as i32).to_string()),
        Value::I64(bits) => Some((bits as i64).to_string()),
        Value::F32(bits) => {
            Some(f32::from_bits(bits)).filter(|it| it.is_finite()).map(|it| format!("{it:?}"))
        }
        Value::F64(bits) => {
            Some(f64::from_bits(bits)).filter(|it| it.is_finite()).map(|it| format!("{it:?}"))
        }
        Value::V128(_) | Value::FuncRef(_) | Value::ExternRef(_) => None,
    }
}

/// The results of a function, which stand in the output with nothing but white space between them.
fn results(output: &str, signature: &Signature) -> Option<Vec<Value>> {
    let words: Vec<&str> = output.split_whitespace().collect();
    if words.len() != signature.results.len() {
        return None;
    }
    words.into_iter().zip(&signature.results).map(|(word, ty)| result(word, *ty)).collect()
}

/// A number, signed or not. A NaN is none, since its bits are not known.
fn result(word: &str, ty: ValueType) -> Option<Value> {
    match ty {
        ValueType::I32 => {
            let bits = word.parse::<i32>().map(|it| it as u32).or_else(|_| word.parse::<u32>());
            bits.ok().map(Value::I32)
        }
        ValueType::I64 => {
            let bits = word.parse::<i64>().map(|it| it as u64).or_else(|_| word.parse::<u64>());
            bits.ok().map(Value::I64)
        }
        ValueType::F32 => {
            let number = word.parse::<f32>().ok().filter(|it| !it.is_nan())?;
            Some(Value::F32(number.to_bits()))
        }
        ValueType::F64 => {
            let number = word.parse::<f64>().ok().filter(|it| !it.is_nan())?;
            Some(Value::F64(number.to_bits()))
        }
        ValueType::V128 | ValueType::FuncRef | ValueType::ExternRef => None,
    }
}

/// The words of the specification's tests, and what they stand for.
const TRAPS: &[(&str, TrapKind)] = &[
    ("integer divide by zero", TrapKind::DivisionByZero),
    ("integer overflow", TrapKind::IntegerOverflow),
    ("invalid conversion to integer", TrapKind::InvalidConversion),
    ("out of bounds memory access", TrapKind::MemoryOutOfBounds),
    ("out of bounds table access", TrapKind::TableOutOfBounds),
    ("undefined element", TrapKind::TableOutOfBounds),
    ("uninitialized element", TrapKind::IndirectCallNull),
    ("indirect call type mismatch", TrapKind::IndirectCallSignature),
    ("call stack exhausted", TrapKind::StackExhausted),
    ("unreachable", TrapKind::Unreachable),
];

fn trap_of(said: &str) -> Option<TrapKind> {
    TRAPS.iter().find(|(words, _)| said.contains(words)).map(|(_, kind)| *kind)
}

/// A folder for one question, which is gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("mutagen-plain-{}-{number}", process::id()));
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left lies in a folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Starts a command about a module, or about a call of a function with these arguments.
fn asked(words: &[String], bytes: &[u8], call: Option<(&str, &[String])>) -> Result<Ended, String> {
    let failed = |error: std::io::Error| format!("the command cannot be asked: {error}");
    let folder = Folder::new().map_err(failed)?;
    let place = |name: &str| folder.0.join(name);
    let module = place("module.wasm");
    fs::write(&module, bytes).map_err(failed)?;
    let words = filled(words, &module, call);
    let (program, rest) = words.split_first().ok_or("the command has no words")?;
    let printed = |name: &str| File::create(place(name)).map(Stdio::from);
    let mut child = Command::new(program)
        .args(rest)
        .stdin(Stdio::null())
        .stdout(printed("output").map_err(failed)?)
        .stderr(printed("errors").map_err(failed)?)
        .spawn()
        .map_err(failed)?;
    let since = Instant::now();
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if since.elapsed() > PATIENCE => {
                // If it is gone already, there is nothing to do.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} seconds", PATIENCE.as_secs()));
            }
            None => thread::sleep(LOOK),
        }
    };
    let read = |name: &str| {
        let bytes = fs::read(place(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_OUTPUT)]).into_owned()
    };
    Ok(Ended { code: status.code(), output: read("output"), errors: read("errors") })
}

/// The words with what they stand for.
fn filled(words: &[String], module: &Path, call: Option<(&str, &[String])>) -> Vec<String> {
    const MODULE: &str = "{module}";
    let (function, arguments) = call.unwrap_or_default();
    let path = module.to_string_lossy();
    let mut filled: Vec<String> = Vec::new();
    for word in words {
        match word.as_str() {
            "{arguments}" => filled.extend_from_slice(arguments),
            word => filled.push(word.replace("{function}", function).replace(MODULE, &path)),
        }
    }
    if !words.iter().any(|word| word.contains(MODULE)) {
        filled.push(path.into_owned());
    }
    filled
}
