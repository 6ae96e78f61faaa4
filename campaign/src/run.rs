//! Running a campaign: search, shrink, confirm, attribute, store. One driver for engines and machines.
//!
//! When engines seem to differ, the property confirms the difference and attributes it to the injected bug. A difference that
//! is not due to the bug must not end the campaign. The driver shrinks a finding and stores it.

mod collect;
mod driver;
mod engines;
mod given;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mutagen_oracles::Registry;
use mutagen_properties::{
    FunctionSubject, InvocationSubject, ModuleSubject, RegisterSubject, StackSubject, TurnsSubject,
    ValidatorSubject,
};

use crate::store::Disk;
use crate::{
    CampaignReport, Earlier, EngineProperty, EngineSpec, Error, Machine, MachineSpec, Observer, Silent, Spec,
    SubjectSpec,
};

use driver::Driver;
pub(crate) use engines::{context, register_fault, stack_fault};
pub use engines::{context_of, engines_of};

/// What a campaign needs besides its spec.
pub struct Setup<'a> {
    /// The engines to choose from.
    pub engines: &'a Registry,
    /// Modules to start from, or directories of them.
    pub inputs: Vec<PathBuf>,
    /// The output directory, and what to do with earlier results there.
    pub output: Option<(PathBuf, Earlier)>,
    /// The file of known groups. Without one, that of the output directory is used, if there is one.
    pub known: Option<PathBuf>,
    /// The disk of the output directory.
    pub disk: Disk,
    /// The campaign stops soon after this is set.
    pub interrupt: Arc<AtomicBool>,
    /// The observer of its progress.
    pub observer: Box<dyn Observer + Send + 'a>,
}

impl<'a> Setup<'a> {
    /// A setup without inputs, output or observer.
    pub fn new(engines: &'a Registry) -> Self {
        let (inputs, output, known, interrupt) = (Vec::new(), None, None, Arc::default());
        let disk = Disk::default();
        Setup { engines, inputs, output, known, disk, interrupt, observer: Box::new(Silent) }
    }
}

/// The result of running a campaign.
#[derive(Debug)]
pub struct Ran {
    /// The report.
    pub report: CampaignReport,
    /// Whether everything could be stored.
    pub stored: Result<(), Error>,
    /// Whether some of the inputs could not be used.
    pub left_out: bool,
}

/// Runs a campaign.
///
/// Call it [on a stack](mutagen_oracles::on_stack) of known size: engines need one.
///
/// # Errors
///
/// If something is wrong with the spec, the inputs or the output directory. These errors are returned before
/// the first test.
pub fn run(spec: &Spec, setup: Setup<'_>) -> Result<Ran, Error> {
    spec.check()?;
    match &spec.subject {
        SubjectSpec::Engines(engines) => run_engines(spec, engines, setup),
        SubjectSpec::Machine(machine) => run_machine(spec, machine, setup),
    }
}

fn run_engines(spec: &Spec, engines: &EngineSpec, setup: Setup<'_>) -> Result<Ran, Error> {
    let context = context(spec, engines, setup.engines)?;
    match &engines.property {
        EngineProperty::Validator { direction, generator } => {
            Driver::new(spec, ValidatorSubject::new(context, *direction, *generator), setup)?.run()
        }
        EngineProperty::InterpreterI32 { signature, generator } => {
            Driver::new(spec, FunctionSubject::new(context, signature.0.clone(), *generator), setup)?.run()
        }
        EngineProperty::Interpreter { generator } => {
            Driver::new(spec, ModuleSubject::new(context, *generator), setup)?.run()
        }
        EngineProperty::Turns { signature, functions, modules, split } => {
            let functions = FunctionSubject::new(context.clone(), signature.0.clone(), *functions);
            let modules = ModuleSubject::new(context, *modules);
            Driver::new(spec, TurnsSubject::new(functions, modules, split.lengths()), setup)?.run()
        }
        EngineProperty::Invocation { signature } => {
            Driver::new(spec, InvocationSubject::new(context, signature.0.clone()), setup)?.run()
        }
    }
}

fn run_machine(spec: &Spec, machine: &MachineSpec, setup: Setup<'_>) -> Result<Ran, Error> {
    let MachineSpec { machine, property, generator } = *machine;
    let strategy = spec.strategy.clone().unwrap_or_default();
    match machine {
        Machine::Stack => {
            let subject = StackSubject::new(property, generator, stack_fault(spec)?, &strategy);
            Driver::new(spec, subject, setup)?.run()
        }
        Machine::Register => {
            let subject = RegisterSubject::new(generator, register_fault(spec)?, &strategy);
            Driver::new(spec, subject, setup)?.run()
        }
    }
}
