//! Random modules and their traces, shared by the test and the example that compare traces.

use std::collections::BTreeMap;
use std::fmt;

use mutagen_engine::{Generate, Scope, Source};
use mutagen_oracles::{Engine, Settings, Wasmi, Wrapped};
use mutagen_properties::{Functions, Injection, boundary_arguments};
use mutagen_wasm_ast::{Features, Module, Stub};
use mutagen_weave::{Recorder, probes};

/// How many modules are compared.
const MODULES: u64 = 2_000;

/// Binary modules: whole ones, mostly invalid, and functions in a stub module, which get further.
pub fn random_modules() -> Vec<Vec<u8>> {
    let ty = Functions::paper_type();
    let module = |seed: u64| {
        let mut source = Source::seeded(seed).with_scope(Scope::new().with(Features::WASM2));
        let size = (seed % 6) as usize;
        if seed.is_multiple_of(2) {
            Module::generate(&mut source, size).encode()
        } else {
            Stub::generate(&mut source, size).to_module(&ty).encode()
        }
    };
    (0..MODULES).map(module).collect()
}

/// Switches off the probes that do not fire in the same way each time.
pub fn switch_unstable_probes_off() {
    probes::switch_off_unstable().expect("the program names its probes");
}

/// A recorder with room for the longest trace.
pub fn recorder() -> Recorder {
    Recorder::new(1 << 20)
}

/// The trace of validating a module and, if it is valid, of running all its exports.
pub fn trace<'a>(recorder: &'a mut Recorder, bytes: &[u8], bug: Option<&'static str>) -> &'a [u32] {
    let settings = Settings { features: Features::WASM2, ..Settings::default() };
    let target = Wrapped::new(Wasmi::new(&settings), Injection { bug, fixes: Vec::new() });
    recorder.record(|| {
        if !target.validate(bytes).is_accepted() {
            return;
        }
        let Ok(mut instance) = target.instantiate(bytes) else { return };
        for function in instance.exports() {
            for list in boundary_arguments(&function.signature.parameters) {
                instance.call(&function.name, &list);
            }
        }
    });
    assert!(!recorder.truncated(), "the recorder is too small");
    recorder.events()
}

/// A digest of traces that does not depend on how probes are numbered.
#[derive(Default)]
pub struct Digest {
    names: BTreeMap<u32, u64>,
    hash: u64,
    events: u64,
    traces: u64,
}

impl Digest {
    /// Adds a trace to the digest.
    pub fn add(&mut self, trace: &[u32]) {
        for &number in trace {
            let fresh = self.names.len() as u64;
            let name = *self.names.entry(number).or_insert(fresh);
            self.hash = (self.hash.rotate_left(5) ^ name).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        self.events += trace.len() as u64;
        self.traces += 1;
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { names, hash, events, traces } = self;
        write!(formatter, "{traces} traces, {events} events of {} probes, digest {hash:016x}", names.len())
    }
}
