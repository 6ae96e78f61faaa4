//! What should happen: the reference is asked again, and its answers become assertions.

use mutagen_campaign::{Executable, Finding, ModuleFinding, Replayed, replay};
use mutagen_oracles::{
    Agreement, Call, Ending, Instance, Instantiation, Question, Registry, Settings, Signature, State, Step,
    TrapKind, Validity, Value, What,
};
use mutagen_wasm_ast::Module;

use super::host::{Host, Kind, Place};

/// What should happen with the module of a finding.
#[derive(Clone, Debug)]
pub enum Expected {
    /// It is invalid, for this reason.
    Invalid(String),
    /// It is valid, and nothing was run.
    Valid,
    /// Instantiating it ends like this.
    NotInstantiated {
        /// What it imports.
        host: Host,
        /// How it ends.
        ending: Ending,
    },
    /// These calls are made.
    Run {
        /// What it imports.
        host: Host,
        /// The calls, in order.
        calls: Vec<Asked>,
        /// What is left behind, where the engines differ in that.
        left: Option<Left>,
        /// What the engines differ in and no assertion can tell.
        untold: Option<String>,
    },
    /// Why it cannot be said with assertions.
    Unsaid(String),
}

/// A call and how it ends.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The exported function.
    pub export: String,
    /// The arguments.
    pub arguments: Vec<Value>,
    /// How it ends.
    pub ending: Ending,
}

/// A part of the state after the last call.
#[derive(Clone, Debug)]
pub enum Left {
    /// The byte at an address of a memory; `None` if the memory is smaller.
    Byte {
        /// The memory.
        place: Place,
        /// Whether its addresses have 64 bits.
        wide: bool,
        /// The address.
        address: u64,
        /// The byte.
        byte: Option<u8>,
    },
    /// The value of a global.
    Global {
        /// The global.
        place: Place,
        /// Its value.
        value: Value,
    },
    /// The element of a table; `None` if the table is smaller.
    Element {
        /// The table.
        place: Place,
        /// Whether its indices have 64 bits.
        wide: bool,
        /// The index.
        index: u64,
        /// The element.
        element: Option<Value>,
    },
    /// An exported function.
    Export {
        /// Its name.
        name: String,
        /// Its type; `None` if a correct engine exports no such function.
        signature: Option<Signature>,
    },
}

impl Expected {
    /// Asks the engines of a finding again.
    pub fn of(finding: &ModuleFinding, engines: &Registry) -> Self {
        match Self::ask(finding, engines) {
            Ok(expected) => expected,
            Err(why) => Self::Unsaid(why),
        }
    }

    fn ask(finding: &ModuleFinding, engines: &Registry) -> Result<Self, String> {
        let settings = Settings {
            features: finding.features,
            nan: finding.nans,
            compared: finding.compare,
            ..Settings::default()
        };
        let entry = engines.find(&finding.reference_engine).map_err(|error| error.to_string())?;
        let reference = entry.make(&settings).map_err(|error| error.to_string())?;
        match reference.validate(&finding.wasm) {
            Validity::Rejected(reason) => return Ok(Self::Invalid(reason.0)),
            Validity::Panicked(message) => return Err(format!("{} panics: {message}", entry.name)),
            Validity::Unanswered(why) => return Err(format!("{} could not be asked: {why}", entry.name)),
            Validity::Accepted if finding.question == Question::Validate.to_string() => {
                return Ok(Self::Valid);
            }
            Validity::Accepted => {}
        }
        let module = Module::decode(&finding.wasm).map_err(|error| error.to_string())?;
        let (calls, what) = asked(finding, engines)?;
        let is_strict = what == Some(What::HostCalls);
        let host = |state: &State| Host::of(&module, &finding.hosts, state, is_strict);
        let mut instance = match reference.instantiate_with(&finding.wasm, &finding.hosts) {
            Ok(instance) => instance,
            Err(Instantiation::Ended { ending, state }) => {
                return Ok(Self::NotInstantiated { host: host(&state)?, ending });
            }
            Err(Instantiation::Rejected(reason)) => {
                return Err(format!("{} does not compile it: {reason}", entry.name));
            }
        };
        let mut results = Vec::new();
        let answer = |call: Call| {
            let arguments: Vec<Value> =
                call.arguments.iter().map(|argument| argument.resolve(&results)).collect();
            let ending = instance.call(&call.export, &arguments);
            results.push(if let Ending::Returned(values) = &ending { values.clone() } else { Vec::new() });
            Asked { export: call.export, arguments, ending }
        };
        // An engine without fuel would not come back from what follows.
        let ends = |asked: &Asked| !matches!(asked.ending, Ending::Trapped(TrapKind::OutOfFuel));
        let all = calls.len();
        let calls: Vec<Asked> = calls.into_iter().map(answer).take_while(ends).collect();
        let endless = (calls.len() < all)
            .then(|| format!("call {} takes more fuel than {} has", calls.len(), entry.name));
        if let Some(endless) = endless.as_ref().filter(|_| calls.is_empty()) {
            return Err(endless.clone());
        }
        let host = host(&instance.state())?;
        let left = what.as_ref().and_then(|what| left(&mut *instance, what, &module, &host));
        let untold = what.and_then(|what| untold(&what, &calls, left.as_ref(), finding)).or(endless);
        Ok(Self::Run { host, calls, left, untold })
    }
}

/// What the engines differ in and no assertion can tell.
fn untold(what: &What, calls: &[Asked], left: Option<&Left>, finding: &ModuleFinding) -> Option<String> {
    let results = calls.last().map(|asked| &asked.ending);
    let value = match (what, left) {
        (What::Memory(..) | What::Global(_) | What::Table(..) | What::Export(_), None) => {
            return Some(format!(
                "the engines differ in {what}, which cannot be seen from outside of the module"
            ));
        }
        (_, Some(Left::Global { value, .. } | Left::Element { element: Some(value), .. })) => Some(value),
        (What::Result(number), _) => match results {
            Some(Ending::Returned(values)) => values.get(*number),
            _ => None,
        },
        _ => None,
    };
    // Null is told from a function, but no function from another.
    let differs = matches!(value, Some(Value::FuncRef(Some(_))))
        && finding.target.contains("funcref:")
        && !finding.target.contains("funcref:null");
    differs.then(|| {
        format!(
            "the engines differ in which function {what} refers to, which nothing outside of them can ask"
        )
    })
}

/// The calls that both engines were asked until they differed, now or when the finding was made, and what they differ in. Calls that tell nothing, because
/// the target ran out of fuel or stack, are left out.
fn asked(finding: &ModuleFinding, engines: &Registry) -> Result<(Vec<Call>, Option<What>), String> {
    let whole = Finding::Module(Box::new(finding.clone()));
    let known = finding.calls().map_err(|error| error.to_string())?;
    if whole.ends_the_process() {
        // The target is not asked again: the reference answers all calls, and the target ends a process in one of them.
        return Ok((known, None));
    }
    let program = Executable::this().map_err(|error| error.to_string())?;
    let replayed = replay(&whole, engines, &program).map_err(|error| error.to_string())?;
    let Replayed::Module { judgement, .. } = replayed else {
        return Err("this is no finding about what engines answer".to_owned());
    };
    let what = match judgement.agreement {
        Agreement::Differ(difference) => Some(difference.what),
        other => return Err(format!("asked again, the engines no longer differ: {other}")),
    };
    // A panic of the target settles the matter before the reference is asked.
    let settles = |number: usize| number + 1 == judgement.steps.len();
    let calls = judgement.steps.iter().enumerate().filter_map(|(number, step)| match &step.question {
        Question::Call(call) if step.reference.is_some() || settles(number) => Some(call.clone()),
        _ => None,
    });
    let calls: Vec<Call> = calls.chain(later(&known, &judgement.steps, &finding.question)).collect();
    // If the target fails before the first call, an engine that translates functions later fails at one of them.
    let calls = if calls.is_empty() { known } else { calls };
    Ok((calls, what))
}

/// The calls after those that were asked again, up to the one that differed when the finding was made. A target that reads what
/// was left in its memory may differ sooner in this process than there, and in a third one only where it differed at first.
fn later(known: &[Call], again: &[Step], question: &str) -> Vec<Call> {
    let asked = again.iter().filter(|step| matches!(step.question, Question::Call(_))).count();
    let differed = known.iter().rposition(|call| Question::Call(call.clone()).to_string() == question);
    differed.and_then(|last| known.get(asked..=last)).unwrap_or_default().to_vec()
}

/// What is left behind, if the engines differ in it and it can be seen.
fn left(instance: &mut dyn Instance, what: &What, module: &Module, host: &Host) -> Option<Left> {
    let state = instance.state();
    let place = |kind, number: usize, name: &String| match host.places(kind).get(number) {
        Some(import) => Some(Place::Import(*import)),
        None => {
            module.exports.iter().any(|export| export.name.0 == *name).then(|| Place::Export(name.clone()))
        }
    };
    match what {
        What::Memory(name, address) => {
            let number = state.memories.iter().position(|memory| *memory.name == **name)?;
            let bytes = instance.memory(number);
            let byte = usize::try_from(*address).ok().and_then(|address| bytes.get(address)).copied();
            let place = place(Kind::Memory, number, name)?;
            Some(Left::Byte { place, wide: is_wide(module), address: *address, byte })
        }
        What::Global(name) => {
            let number = state.globals.iter().position(|global| *global.name == **name)?;
            Some(Left::Global {
                place: place(Kind::Global, number, name)?,
                value: state.globals[number].value,
            })
        }
        What::Table(name, index) => {
            let number = state.tables.iter().position(|table| *table.name == **name)?;
            let elements = instance.table(number);
            let element = usize::try_from(*index).ok().and_then(|index| elements.get(index)).copied();
            let place = place(Kind::Table, number, name)?;
            Some(Left::Element { place, wide: is_wide(module), index: *index, element })
        }
        What::Export(name) => {
            let exported = instance.exports().into_iter().find(|function| function.name == *name);
            Some(Left::Export { name: name.clone(), signature: exported.map(|function| function.signature) })
        }
        _ => None,
    }
}

/// Whether something in the module has 64-bit addresses.
fn is_wide(module: &Module) -> bool {
    module.features().contains(mutagen_oracles::Feature::Memory64)
}
