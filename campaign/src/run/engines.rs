//! The engines and machines of a spec, with the injected bug and fixes.

use mutagen_bugs::{Bug, Entry, Kind, fixes};
use mutagen_ifc::fault::Fault;
use mutagen_ifc::{register, stack};
use mutagen_oracles::{NanMode, Registry, Settings};
use mutagen_properties::{Context, Injection, Pair, require_bugs};

use crate::{EngineSpec, Error, Spec, SpecError, SubjectSpec};

/// The engines of a spec, with the injection into the target.
///
/// # Errors
///
/// If the spec is not about engines, or names a bug or an engine that does not exist.
pub fn context_of(spec: &Spec, registry: &Registry) -> Result<Context, Error> {
    match &spec.subject {
        SubjectSpec::Engines(engines) => context(spec, engines, registry),
        SubjectSpec::Machine(_) => Err(SpecError::NoEngines.into()),
    }
}

/// The engines of a spec, ready to be asked.
///
/// # Errors
///
/// The errors of [`context_of`], and if an engine refuses the settings.
pub fn engines_of(spec: &Spec, registry: &Registry) -> Result<Pair, Error> {
    Ok(Pair::new(&context_of(spec, registry)?)?)
}

pub(crate) fn context(spec: &Spec, engines: &EngineSpec, registry: &Registry) -> Result<Context, Error> {
    let EngineSpec { features, nans: nan, compare: compared, .. } = *engines;
    // What repairs wasmi says to other engines the same in words in which none of their known faults shows.
    let mends = engines.fixes;
    let settings = Settings { features, nan, compared, mends, ..Settings::default() };
    let (target, reference) = (registry.find(&engines.target)?, registry.find(&engines.reference)?);
    if nan == NanMode::Deterministic
        && let Some(raw) = [target, reference].into_iter().find(|engine| !engine.canonicalises)
    {
        return Err(SpecError::RawNans(raw.name).into());
    }
    let bug = match &spec.bug {
        Some(id) => Some(woven(&Bug::find(id).map_err(SpecError::from)?)?),
        None => None,
    };
    if bug.is_some() {
        require_bugs(&*target.make(&settings)?)?;
    }
    let first_opinions =
        engines.advisers().map(|name| registry.find(name).cloned()).collect::<Result<Vec<_>, _>>()?;
    let context = Context::of(target, reference, settings).find_twin(registry).find_voters(registry);
    let is_new = |name: &&String| **name != engines.target && **name != engines.reference;
    let third_opinion = engines.third_opinion.as_ref().filter(is_new);
    let third_opinion = third_opinion.map(|name| registry.find(name)).transpose()?.cloned();
    let context = Context { first_opinions, third_opinion, ..context };
    Ok(context.inject(injection(bug, engines.fixes)))
}

/// The catalogue's entry of a bug that is woven into the engine.
fn woven(bug: &Bug) -> Result<&'static Entry, SpecError> {
    match bug {
        Bug::Woven(entry) if entry.kind == Kind::Fix => Err(SpecError::BugIsFix(bug.id())),
        Bug::Woven(entry) => Ok(entry),
        other => Err(Spec::elsewhere(other)),
    }
}

/// The injection for hunting `bug`: the bug, and the fixes of known bugs of the published engine, so that
/// these do not hide it. Without a bug, the engine is as published, unless `repaired` is set: then all fixes are on.
fn injection(bug: Option<&'static Entry>, repaired: bool) -> Injection {
    let fixes = fixes().filter(|_| bug.is_some() || repaired).map(|fix| fix.id).collect();
    Injection { bug: bug.map(|bug| bug.id), fixes }
}

/// The fault of the stack machine that a spec asks for.
pub(crate) fn stack_fault(spec: &Spec) -> Result<Option<Fault<stack::OpCode>>, SpecError> {
    match spec.bug()? {
        Some(Bug::Stack(_, fault)) => Ok(Some(fault)),
        Some(other) => Err(Spec::elsewhere(&other)),
        None => Ok(None),
    }
}

/// The fault of the register machine that a spec asks for.
pub(crate) fn register_fault(spec: &Spec) -> Result<Option<Fault<register::OpCode>>, SpecError> {
    match spec.bug()? {
        Some(Bug::Register(_, fault)) => Ok(Some(fault)),
        Some(other) => Err(Spec::elsewhere(&other)),
        None => Ok(None),
    }
}
