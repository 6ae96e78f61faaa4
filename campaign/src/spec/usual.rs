//! What a campaign on engines tests unless a flag says otherwise. The command line asks here, and so does the text of a spec,
//! which leaves out what is usual.

use mutagen_bugs::Bug;
use mutagen_engine::Strategy;
use mutagen_oracles::Registry;
use mutagen_properties::{Direction, FunctionGenerator, ModuleGenerator};
use mutagen_wasm_ast::Features;

use super::{EngineProperty, EngineSpec, FunctionType, GuidanceName, Spec, Split, SubjectSpec};

/// A property of two engines, without its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyName {
    /// Both accept the same modules.
    Validator,
    /// Both compute the same with one function in a stub module.
    InterpreterI32,
    /// Both compute the same with every exported function of any module.
    Interpreter,
    /// The last two in turns.
    Turns,
    /// Both accept the same argument lists.
    Invocation,
}

/// What decides what is usual.
#[derive(Clone, Copy, Debug)]
pub struct Usual<'a> {
    /// The guidance, by its name.
    pub guidance: GuidanceName,
    /// The strategy. `None` if the guidance does not search.
    pub strategy: Option<&'a Strategy>,
    /// The bug that is hunted.
    pub bug: Option<&'a Bug>,
}

impl Usual<'_> {
    /// The property of `interpret`: the one that shows the bug. Without a bug, functions and modules in turns. Guidances
    /// that make modules or only read them test modules.
    pub fn interpreted(&self) -> PropertyName {
        match self.hunted().map(|hunted| hunted.property.kind()) {
            _ if self.guidance.needs_modules() || self.strategy.is_none() => PropertyName::Interpreter,
            // Running a module shows bugs of the validator as well.
            None | Some(PropertyName::Validator) => PropertyName::Turns,
            Some(shows_it) => shows_it,
        }
    }

    /// The property with its usual settings.
    pub fn property(&self, name: PropertyName) -> EngineProperty {
        let (signature, functions) = (FunctionType::default(), Spec::functions_for(self.strategy));
        match (name, self.hunted().map(|hunted| hunted.property)) {
            (PropertyName::Validator, Some(EngineProperty::Validator { direction, generator })) => {
                EngineProperty::Validator { direction, generator: self.modules(generator) }
            }
            (PropertyName::Validator, _) => EngineProperty::Validator {
                direction: Direction::Both,
                generator: self.modules(ModuleGenerator::Turns),
            },
            (PropertyName::InterpreterI32, _) => {
                EngineProperty::InterpreterI32 { signature, generator: functions }
            }
            (PropertyName::Interpreter, _) => {
                EngineProperty::Interpreter { generator: self.modules(ModuleGenerator::Typed) }
            }
            (PropertyName::Turns, _) => EngineProperty::Turns {
                signature,
                functions: repairing(functions),
                modules: self.modules(ModuleGenerator::Typed),
                split: Split::default(),
            },
            (PropertyName::Invocation, _) => EngineProperty::Invocation { signature },
        }
    }

    /// The features: those that show the bug, or else all that both engines have. `None` if an engine is not among those
    /// to choose from.
    pub fn features(&self, target: &str, reference: &str, engines: &Registry) -> Option<Features> {
        if let Some(hunted) = self.hunted() {
            return Some(hunted.features);
        }
        let [target, reference] = [engines.find(target).ok()?, engines.find(reference).ok()?];
        Some(target.features & reference.features)
    }

    /// The generator of modules: that of the guidance, or `ours` if the search is our own. The other guidances, and MUTAGEN
    /// as published, were measured with the derived one.
    fn modules(&self, ours: ModuleGenerator) -> ModuleGenerator {
        match Spec::functions_for(self.strategy) {
            _ if self.guidance.needs_modules() => self.guidance.modules(),
            FunctionGenerator::Typed | FunctionGenerator::Repaired => ours,
            FunctionGenerator::Derived => ModuleGenerator::Derived,
        }
    }

    /// The engines of the campaign that is made for the bug.
    fn hunted(&self) -> Option<EngineSpec> {
        match Spec::hunting(self.bug?)?.subject {
            SubjectSpec::Engines(engines) => Some(engines),
            SubjectSpec::Machine(_) => None,
        }
    }
}

/// The generator of functions that take turns with modules. Mutants of functions are repaired, as those of modules are: so
/// nearly every test of a campaign without a bug runs to a comparison.
fn repairing(functions: FunctionGenerator) -> FunctionGenerator {
    match functions {
        FunctionGenerator::Typed => FunctionGenerator::Repaired,
        other => other,
    }
}

impl EngineProperty {
    /// The property, without its settings.
    pub fn kind(&self) -> PropertyName {
        match self {
            EngineProperty::Validator { .. } => PropertyName::Validator,
            EngineProperty::InterpreterI32 { .. } => PropertyName::InterpreterI32,
            EngineProperty::Interpreter { .. } => PropertyName::Interpreter,
            EngineProperty::Turns { .. } => PropertyName::Turns,
            EngineProperty::Invocation { .. } => PropertyName::Invocation,
        }
    }
}

impl PropertyName {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PropertyName::Validator => "validator",
            PropertyName::InterpreterI32 => "interpreter-i32",
            PropertyName::Interpreter => "interpreter",
            PropertyName::Turns => "turns",
            PropertyName::Invocation => "invocation",
        }
    }
}
