//! The campaigns that can show each bug. No other module decides this.

use mutagen_bugs::{Bug, Entry, Kind, Subsystem, Witness};
use mutagen_engine::Strategy;
use mutagen_ifc::pairs::Pairs;
use mutagen_properties::{Direction, ModuleGenerator, Noninterference};
use mutagen_wasm_ast::Features;

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
    /// assert_eq!(spec.command_line(), "mutagen-wasm interpret --property invocation --bug wasm-r3");
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
    use EngineProperty::{Interpreter, InterpreterI32, Invocation, Validator};
    match (subject, made_for_it) {
        (SubjectSpec::Machine(own), SubjectSpec::Machine(other)) => own.machine == other.machine,
        (SubjectSpec::Engines(own), SubjectSpec::Engines(other)) => match (&own.property, &other.property) {
            (Validator { .. }, Validator { .. }) => true,
            (Validator { .. }, _) => false,
            // A module is validated before it is run, so running it shows validator bugs as well.
            (_, Validator { .. }) => true,
            (InterpreterI32 { .. } | Interpreter { .. }, Invocation { .. }) => false,
            _ => true,
        },
        _ => false,
    }
}

/// The property that the witnesses of an entry break, and their features.
fn engines(entry: &Entry) -> EngineSpec {
    let any = |shows: fn(&Witness) -> bool| entry.witnesses.iter().any(shows);
    let generator = ModuleGenerator::default();
    let signature = FunctionType::default();
    let property = match entry.subsystem {
        Subsystem::Validator if any(|witness| witness.on == "accepted") => {
            EngineProperty::Validator { direction: Direction::Accept, generator }
        }
        Subsystem::Validator => EngineProperty::Validator { direction: Direction::Both, generator },
        // A bug in the arguments that a host may pass is shown by calls only, not by the body of a function.
        Subsystem::Interpreter if any(|witness| witness.off == "refused" || witness.on == "refused") => {
            EngineProperty::Invocation { signature }
        }
        Subsystem::Interpreter => {
            let generator = Spec::functions_for(Some(&Strategy::default()));
            EngineProperty::InterpreterI32 { signature, generator }
        }
    };
    let features = entry.witnesses.first().and_then(|witness| witness.features.parse().ok());
    EngineSpec { features: features.unwrap_or(Features::WASM1), ..EngineSpec::new(property) }
}
