//! A difference between two engines with all that is needed to see it again: the module, the calls, the settings.

use std::path::Path;

use mutagen_oracles::{Call, Value as WasmValue};
use mutagen_wasm_ast::{Features, Module};
use serde::{Deserialize, Serialize};

use crate::exit_code::{Code, Failure};

/// The form of the JSON file. Raised when an older program could not read a newer file.
const FORMAT: u32 = 1;

/// What two engines differ on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The module.
    pub wasm: Vec<u8>,
    /// The rest.
    pub record: Record,
}

/// The JSON file of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The form of this file.
    pub format: u32,
    /// The program that wrote it.
    pub version: String,
    /// The property that fails.
    pub property: String,
    /// The injected bug.
    pub bug: Option<String>,
    /// Whether known bugs of the target were repaired although none was injected.
    #[serde(default)]
    pub fixes: bool,
    /// The features that are on.
    pub features: String,
    /// Which part differs, in a word.
    pub kind: String,
    /// What was asked when it differed.
    pub question: String,
    /// Which part differs.
    pub part: String,
    /// What the target answered.
    pub target: String,
    /// What the reference answered.
    pub reference: String,
    /// The calls, in order.
    pub calls: Vec<RecordedCall>,
    /// The module, in hexadecimal.
    pub wasm: String,
    /// The module as text.
    pub wat: String,
}

/// A call as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCall {
    /// The exported function.
    pub export: String,
    /// Its arguments, as `type:value`.
    pub arguments: Vec<String>,
}

impl Evidence {
    /// Puts evidence together.
    pub fn new(wasm: Vec<u8>, calls: &[Call], features: Features, property: &str, bug: Option<&str>) -> Self {
        let call = |call: &Call| RecordedCall {
            export: call.export.clone(),
            arguments: call.arguments.iter().map(WasmValue::to_string).collect(),
        };
        let record = Record {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            property: property.to_owned(),
            bug: bug.map(str::to_owned),
            fixes: false,
            features: features.to_string(),
            kind: String::new(),
            question: String::new(),
            part: String::new(),
            target: String::new(),
            reference: String::new(),
            calls: calls.iter().map(call).collect(),
            wasm: hexadecimal(&wasm),
            wat: text_of(&wasm),
        };
        Self { wasm, record }
    }

    /// Says whether known bugs of the target were repaired.
    #[must_use]
    pub fn repaired(mut self, fixes: bool) -> Self {
        self.record.fixes = fixes;
        self
    }

    /// Says what differs.
    #[must_use]
    pub fn differing(mut self, details: &[(String, String)], kind: &str) -> Self {
        let detail =
            |name: &str| details.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        self.record.kind = kind.to_owned();
        self.record.question = detail("question").unwrap_or_default();
        self.record.part = detail("part").unwrap_or_default();
        self.record.target = detail("target").unwrap_or_default();
        self.record.reference = detail("reference").unwrap_or_default();
        self
    }

    /// Reads the JSON file of a finding.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let unusable = |reason: String| Failure::new(Code::Unusable, format!("{}: {reason}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        let record: Record =
            serde_json::from_str(&text).map_err(|error| unusable(format!("this is no finding: {error}")))?;
        if record.format != FORMAT {
            return Err(unusable(format!(
                "written in form {}, this program reads form {FORMAT}",
                record.format
            )));
        }
        let wasm =
            bytes(&record.wasm).ok_or_else(|| unusable("the field `wasm` is not hexadecimal".into()))?;
        Ok(Self { wasm, record })
    }

    /// The calls.
    pub fn calls(&self) -> Result<Vec<Call>, String> {
        let call = |call: &RecordedCall| {
            let arguments: Result<Vec<WasmValue>, _> =
                call.arguments.iter().map(|text| text.parse()).collect();
            arguments
                .map(|arguments| Call::new(call.export.clone(), arguments))
                .map_err(|error| error.to_string())
        };
        self.record.calls.iter().map(call).collect()
    }

    /// The name of its files, without extension.
    pub fn file_name(&self) -> String {
        format!("{}-{}", self.record.kind, hash(&self.wasm))
    }

    /// The module as text.
    pub fn wat(&self) -> &str {
        &self.record.wat
    }

    /// The JSON file.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(&self.record).unwrap_or_default()
    }

    /// What an engine developer needs to see.
    pub fn shown(&self) -> String {
        let Record { question, part, target, reference, .. } = &self.record;
        format!(
            "{}\nasked:      {question}\ndiffers in: {part}\nwasmi:      {target}\nwasmtime:   {reference}",
            self.record.wat.trim_end()
        )
    }
}

/// The calls of the finding whose JSON file lies beside this module; none if there is no such file. The module itself may
/// have been changed since: what it is called with is still worth a try.
///
/// # Errors
///
/// If there is such a file and it is no finding: without its calls the module would be asked about something else.
pub fn calls_beside(module: &Path) -> Result<Vec<Call>, Failure> {
    let file = module.with_extension("json");
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let unusable = |reason| Failure::new(Code::Unusable, format!("{}: {reason}", file.display()));
    Evidence::read(&file)?.calls().map_err(unusable)
}

/// The text of a module; where it has none, a comment that says why.
pub fn text_of(wasm: &[u8]) -> String {
    let text = Module::decode(wasm)
        .map_err(|error| error.to_string())
        .and_then(|module| module.to_text().map_err(|error| error.to_string()));
    text.unwrap_or_else(|error| format!(";; the module cannot be printed: {error}\n"))
}

/// A short name for bytes (FNV-1a, 64 bits).
pub fn hash(bytes: &[u8]) -> String {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hexadecimal: &str) -> Option<Vec<u8>> {
    if !hexadecimal.len().is_multiple_of(2) || !hexadecimal.is_ascii() {
        return None;
    }
    let digits = |at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).ok();
    (0..hexadecimal.len()).step_by(2).map(digits).collect()
}
