//! The engines that are compiled only for those who ask for them, each behind a feature of cargo. They are listed in any case.

#![allow(clippy::let_and_return, reason = "what follows a description depends on the features of cargo")]

use mutagen_features::{Feature, Features};

use crate::{
    registry::{EngineEntry, Lineage, Role},
    settings::Settings,
};

pub(super) const PULLEY: &str = "wasmtime-pulley";
pub(super) const WINCH: &str = "wasmtime-winch";
pub(super) const WASMI_1: &str = "wasmi-1";
pub(super) const STITCH: &str = "stitch";
pub(super) const SF_NANO: &str = "sf-nano";
pub(super) const SF_NANO_JIT: &str = "sf-nano-jit";

/// All of them.
pub(super) fn entries() -> Vec<EngineEntry> {
    vec![pulley(), winch(), wasmi_1(), stitch(), sf_nano(), sf_nano_jit()]
}

fn listed(name: &'static str, version: &str, how_to_get: &'static str, about: &'static str) -> EngineEntry {
    EngineEntry::missing(name, version, how_to_get).roles(&[Role::Target, Role::Reference]).about(about)
}

const WASMTIME: Lineage = Lineage { validation: "wasmparser", execution: "wasmtime" };

fn pulley() -> EngineEntry {
    let about = "wasmtime's interpreter: the optimiser of its compiler, and no machine code";
    let entry = listed(PULLEY, "48.0.8", "build it with `--features pulley`", about).lineage(WASMTIME);
    #[cfg(feature = "pulley")]
    let entry = entry.linked(|settings| Ok(Box::new(super::Wasmtime::pulley(settings)?)));
    entry
}

/// It has no `externref`, so it gets no reference types at all: no feature of ours parts the two.
fn winch() -> EngineEntry {
    let features = Features::WASMI
        .without(Feature::ReferenceTypes)
        .without(Feature::TailCall)
        .without(Feature::RelaxedSimd);
    let about = "wasmtime's compiler in one pass, which traps by signals of the processor";
    let entry = listed(WINCH, "48.0.8", "build it with `--features winch`", about)
        .lineage(WASMTIME)
        .features(features)
        .with_raw_nans();
    #[cfg(feature = "winch")]
    let entry = entry.linked(|settings| Ok(Box::new(super::Wasmtime::winch(settings)?)));
    entry
}

fn wasmi_1() -> EngineEntry {
    let about = "an interpreter: the version before, with another translator and executor";
    let entry = listed(WASMI_1, "1.1.0", "build it with `--features wasmi-1`", about)
        .lineage(Lineage { validation: "wasmparser", execution: "wasmi-1" })
        .with_raw_nans();
    #[cfg(feature = "wasmi-1")]
    let entry = entry.linked(|settings| Ok(Box::new(super::wasmi_1::WasmiOne::new(settings))));
    entry
}

fn stitch() -> EngineEntry {
    let about = "an interpreter of threaded code, with a validator of its own";
    let entry = listed(STITCH, "0.1.0", "build it with `--features stitch`", about)
        .features(Features::WASM2.without(Feature::Simd))
        .with_raw_nans()
        .may_end_the_process()
        .without_fuel();
    #[cfg(feature = "stitch")]
    let entry = entry.linked(|settings| Ok(Box::new(super::stitch::Stitch::new(settings))));
    entry
}

/// Both ways share what comes before and after the code: validator, instances, memories.
const SF_NANO_LINE: Lineage = Lineage { validation: "sf-nano", execution: "sf-nano" };

fn sf_nano() -> EngineEntry {
    let about = "an interpreter whose handlers are generated, with a validator of its own";
    let entry = listed(SF_NANO, "0.6.0", "build it with `--features sf-nano`", about)
        .features(Settings::default().features.without(Feature::Simd))
        .lineage(SF_NANO_LINE)
        .with_raw_nans()
        .may_end_the_process()
        .without_fuel();
    #[cfg(feature = "sf-nano")]
    let entry = entry.linked(super::sf_nano::SfNano::interpreter);
    entry.twin(SF_NANO_JIT)
}

fn sf_nano_jit() -> EngineEntry {
    let about = "the same library's compiler";
    let entry = listed(SF_NANO_JIT, "0.6.0", "build it with `--features sf-nano`", about)
        .features(Settings::default().features)
        .lineage(SF_NANO_LINE)
        .with_raw_nans()
        .may_end_the_process()
        .without_fuel();
    #[cfg(feature = "sf-nano")]
    let entry = entry.linked(super::sf_nano::SfNano::compiler);
    entry
}
