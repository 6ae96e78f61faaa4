//! The subject of a spec. No other module maps one to the other.

use mutagen_oracles::Registry;
use mutagen_properties::{
    FunctionSubject, InvocationSubject, ModuleSubject, RegisterSubject, StackSubject, Subject, TurnsSubject,
    ValidatorSubject,
};

use super::{context, register_fault, stack_fault};
use crate::{EngineProperty, EngineSpec, Error, Machine, MachineSpec, Spec, SubjectSpec};

/// What is done with the subject of a spec, whichever type it has.
pub(crate) trait Visitor {
    /// What it gives.
    type Result;

    /// Does it.
    fn subject<S: Subject>(self, subject: S) -> Self::Result;
}

/// Makes the subject of a spec for a visitor.
///
/// # Errors
///
/// If the spec names a bug or an engine that does not exist, or an engine refuses the settings.
pub(crate) fn visit<T, V>(spec: &Spec, registry: &Registry, visitor: V) -> Result<T, Error>
where
    V: Visitor<Result = Result<T, Error>>,
{
    match &spec.subject {
        SubjectSpec::Engines(engines) => visit_engines(spec, engines, registry, visitor),
        SubjectSpec::Machine(machine) => visit_machine(spec, machine, visitor),
    }
}

fn visit_engines<T, V>(spec: &Spec, engines: &EngineSpec, registry: &Registry, visitor: V) -> Result<T, Error>
where
    V: Visitor<Result = Result<T, Error>>,
{
    let context = context(spec, engines, registry)?;
    match &engines.property {
        EngineProperty::Validator { direction, generator } => {
            visitor.subject(ValidatorSubject::new(context, *direction, *generator))
        }
        EngineProperty::InterpreterI32 { signature, generator } => {
            visitor.subject(FunctionSubject::new(context, signature.0.clone(), *generator))
        }
        EngineProperty::Interpreter { generator } => visitor.subject(ModuleSubject::new(context, *generator)),
        EngineProperty::Turns { signature, functions, modules, split } => {
            let functions = FunctionSubject::new(context.clone(), signature.0.clone(), *functions);
            let modules = ModuleSubject::new(context, *modules);
            visitor.subject(TurnsSubject::new(functions, modules, split.lengths()))
        }
        EngineProperty::Invocation { signature } => {
            visitor.subject(InvocationSubject::new(context, signature.0.clone()))
        }
    }
}

fn visit_machine<T, V>(spec: &Spec, machine: &MachineSpec, visitor: V) -> Result<T, Error>
where
    V: Visitor<Result = Result<T, Error>>,
{
    let MachineSpec { machine, property, generator } = *machine;
    let strategy = spec.strategy.clone().unwrap_or_default();
    match machine {
        Machine::Stack => {
            visitor.subject(StackSubject::new(property, generator, stack_fault(spec)?, &strategy))
        }
        Machine::Register => {
            visitor.subject(RegisterSubject::new(generator, register_fault(spec)?, &strategy))
        }
    }
}
