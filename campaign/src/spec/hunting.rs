//! The campaigns that can show each bug. No other module decides this.

use mutagen_bugs::{Bug, Entry, Kind, Subsystem, Witness};
use mutagen_engine::Strategy;
use mutagen_ifc::pairs::Pairs;
use mutagen_properties::{Direction, ModuleGenerator, Noninterference};
use mutagen_wasm_ast::{AddressType, Features, Function, Limits, Module, Stub};

use super::{EngineProperty, EngineSpec, FunctionType, Machine, MachineSpec, Spec, SpecError, SubjectSpec};

impl Spec {
    /// The campaign that hunts a bug: the property that its witnesses break, with the features that they use.
    /// `None` for a fix.
    ///
    /// ```
    /// use mutagen_bugs::Bug;
    /// use mutagen_campaign::Spec;
    ///
    /// let spec = Spec::hunting(&Bug::find("wasm-r3")?).expect("it is a bug");
    /// assert_eq!(spec.command_line(), "mutagen-wasm interpret --bug wasm-r3");
    /// assert_eq!(Spec::hunting(&Bug::find("wasm-f1")?), None);
    /// # Ok::<(), mutagen_bugs::UnknownBug>(())
    /// ```
    pub fn hunting(bug: &Bug) -> Option<Spec> {
        let machine = |machine| {
            let (property, generator) = (Noninterference::default(), Pairs::default());
            SubjectSpec::Machine(MachineSpec { machine, property, generator })
        };
        let subject = match bug {
            Bug::Woven(entry) if entry.kind == Kind::Fix => return None,
            Bug::Woven(entry) => SubjectSpec::Engines(engines(entry)),
            Bug::Stack(..) => machine(Machine::Stack),
            Bug::Register(..) => machine(Machine::Register),
        };
        Some(Spec { bug: Some(bug.id()), ..Spec::new(subject) })
    }

    /// Refuses to hunt a bug that this campaign cannot show.
    pub(super) fn require_that_it_shows(&self, bug: &Bug) -> Result<(), SpecError> {
        match Spec::hunting(bug) {
            None => Err(SpecError::BugIsFix(bug.id())),
            Some(can) if shows(&self.subject, &can.subject) => Ok(()),
            Some(_) => Err(Spec::elsewhere(bug)),
        }
    }

    /// The error for a bug that another command hunts.
    pub(crate) fn elsewhere(bug: &Bug) -> SpecError {
        let command = Spec::hunting(bug).map_or_else(String::new, |spec| spec.command_line());
        SpecError::BugElsewhere { id: bug.id(), of: bug.subsystem(), command }
    }
}

/// Whether a campaign on `subject` can show the bugs that a campaign on `made_for_it` shows.
fn shows(subject: &SubjectSpec, made_for_it: &SubjectSpec) -> bool {
    use EngineProperty::{Interpreter, InterpreterI32, Invocation, Turns, Validator};
    match (subject, made_for_it) {
        (SubjectSpec::Machine(own), SubjectSpec::Machine(other)) => own.machine == other.machine,
        (SubjectSpec::Engines(own), SubjectSpec::Engines(other)) => match (&own.property, &other.property) {
            (Validator { .. }, Validator { .. }) => true,
            (Validator { .. }, _) => false,
            // A module is validated before it is run, so running it shows validator bugs as well.
            (_, Validator { .. }) => true,
            (InterpreterI32 { .. } | Interpreter { .. } | Turns { .. }, Invocation { .. }) => false,
            _ => true,
        },
        _ => false,
    }
}

/// The property that the witnesses of an entry break, and their features.
fn engines(entry: &Entry) -> EngineSpec {
    let any = |shows: fn(&Witness) -> bool| entry.witnesses.iter().any(shows);
    let features = entry.witnesses.first().and_then(|witness| witness.features.parse().ok());
    let features: Features = features.unwrap_or(Features::WASM1);
    // In the language of the published study its search is quickest. Later features have rules about several sections, which
    // typed modules bring along.
    let generator = match Features::WASM1.includes(features) {
        true => ModuleGenerator::Derived,
        false => ModuleGenerator::Turns,
    };
    let signature = FunctionType::default();
    let property = match entry.subsystem {
        Subsystem::Validator if any(|witness| witness.on == "accepted") => {
            EngineProperty::Validator { direction: Direction::Accept, generator }
        }
        Subsystem::Validator => EngineProperty::Validator { direction: Direction::Both, generator },
        // A bug in the arguments that a host may pass is shown by calls only, not by the body of a function.
        Subsystem::Interpreter if any(is_about_arguments) => EngineProperty::Invocation { signature },
        Subsystem::Interpreter if !any(is_function) => {
            EngineProperty::Interpreter { generator: ModuleGenerator::Typed }
        }
        Subsystem::Interpreter => {
            let generator = Spec::functions_for(Some(&Strategy::default()));
            EngineProperty::InterpreterI32 { signature, generator }
        }
    };
    EngineSpec { features, ..EngineSpec::new(property) }
}

/// Whether the witness is a call of the one function of a stub module that the host is refused with or without the entry.
fn is_about_arguments(witness: &Witness) -> bool {
    let refused = witness.off == "refused" || witness.on == "refused";
    refused && witness.invoke == Some(Stub::FUNCTION)
}

/// Whether the witness is no more than a function in a stub module: it needs no second function, and nothing else that a stub
/// module does not have.
fn is_function(witness: &Witness) -> bool {
    let Ok(module) = Module::from_text(witness.module) else { return false };
    let Module { functions, types, imports, tables, memories, globals, start, elements, .. } = &module;
    let single = |function: &Function| {
        let ty = types.get(function.ty.get() as usize);
        ty.is_some_and(|ty| ty.results.len() <= 1)
    };
    let plain = |memory: &Limits| memory.address == AddressType::I32;
    witness.invoke.is_none_or(|name| name == Stub::FUNCTION)
        && matches!(&functions[..], [function] if single(function))
        && imports.is_empty()
        && tables.is_empty()
        && globals.is_empty()
        && elements.is_empty()
        && start.is_none()
        && memories.len() <= 1
        && memories.iter().all(plain)
}
