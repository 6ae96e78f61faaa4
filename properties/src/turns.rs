//! Two subjects in one campaign, which take turns: single functions and whole modules.
//!
//! Single functions are tested many times faster, and mutation goes deep into one body. Calls, tables, segments, imports and
//! several results need whole modules. A campaign that does both finds what either would find alone.

use std::sync::{Arc, OnceLock};

use mutagen_engine::{Guidance, Guided, OneOf, Outcome, Property, Scope, Source, Strategy, Turns};
use mutagen_oracles::{EngineError, probes_of};

use crate::pair::Context;
use crate::subject::{Case, Subject, WatchError, watch_target};

/// Campaigns on two subjects with the same engines, in turns. Each search is what it would be alone.
pub struct TurnsSubject<A, B> {
    first: Arc<A>,
    second: Arc<B>,
    /// How many tests a turn of each has.
    lengths: [usize; 2],
    /// The probes that each is about, if these are not all.
    probes: OnceLock<[Option<Arc<[bool]>>; 2]>,
}

impl<A: Subject, B: Subject> TurnsSubject<A, B> {
    /// Campaigns on both subjects, whose turns have so many tests.
    pub fn new(first: A, second: B, lengths: [usize; 2]) -> Self {
        TurnsSubject { first: Arc::new(first), second: Arc::new(second), lengths, probes: OnceLock::new() }
    }

    /// The probes that the subjects are about.
    fn read_probes(&self, context: &Context) -> Result<[Option<Arc<[bool]>>; 2], WatchError> {
        let target = context.target.make(&context.settings)?;
        let of = |watched| Ok::<_, WatchError>(probes_of(watched, &*target)?.map(Arc::from));
        Ok([of(self.first.watched())?, of(self.second.watched())?])
    }
}

/// The properties of both.
pub struct EitherProperty<P, Q> {
    first: P,
    second: Q,
}

impl<A, B, P: Property<A>, Q: Property<B>> Property<OneOf<A, B>> for EitherProperty<P, Q> {
    fn check(&mut self, value: &OneOf<A, B>) -> Outcome {
        match value {
            OneOf::First(value) => self.first.check(value),
            OneOf::Second(value) => self.second.check(value),
        }
    }

    fn late(&mut self, finish: bool) -> Option<(OneOf<A, B>, Outcome)> {
        let first = self.first.late(finish).map(|(value, outcome)| (OneOf::First(value), outcome));
        first.or_else(|| self.second.late(finish).map(|(value, outcome)| (OneOf::Second(value), outcome)))
    }
}

impl<A: Subject, B: Subject> Subject for TurnsSubject<A, B>
where
    A::Value: PartialEq,
    B::Value: PartialEq,
{
    type Value = OneOf<A::Value, B::Value>;
    type Property = EitherProperty<A::Property, B::Property>;

    fn property(&self) -> Result<Self::Property, EngineError> {
        Ok(EitherProperty { first: self.first.property()?, second: self.second.property()? })
    }

    fn judge(&self, property: &mut Self::Property, value: &Self::Value) -> Outcome {
        match value {
            OneOf::First(value) => self.first.judge(&mut property.first, value),
            OneOf::Second(value) => self.second.judge(&mut property.second, value),
        }
    }

    fn generate(&self, source: &mut Source, size: usize) -> Self::Value {
        if source.chance(1, 2) {
            OneOf::First(self.first.generate(source, size))
        } else {
            OneOf::Second(self.second.generate(source, size))
        }
    }

    fn scope(&self) -> Scope {
        self.first.scope()
    }

    /// Leaves the strategy as it is: each of the two adapts it to itself.
    fn suit(&self, strategy: Strategy) -> Strategy {
        strategy
    }

    fn guidance(self: &Arc<Self>, strategy: &Strategy, seed: u64) -> Box<dyn Guidance<Self::Value>> {
        let mut first = Guided::new(self.first.guidance(strategy, seed), OneOf::First, <Self::Value>::first);
        let mut second =
            Guided::new(self.second.guidance(strategy, seed), OneOf::Second, <Self::Value>::second);
        if let Some([ours, theirs]) = self.probes.get() {
            first = ours.iter().fold(first, |first, probes| first.seeing(Arc::clone(probes)));
            second = theirs.iter().fold(second, |second, probes| second.seeing(Arc::clone(probes)));
        }
        let [functions, modules] = self.lengths;
        Box::new(Turns::new().turn("functions", functions, first).turn("modules", modules, second))
    }

    fn case(&self, value: &Self::Value) -> Case {
        match value {
            OneOf::First(value) => self.first.case(value),
            OneOf::Second(value) => self.second.case(value),
        }
    }

    fn case_as_is(&self, value: &Self::Value) -> Case {
        match value {
            OneOf::First(value) => self.first.case_as_is(value),
            OneOf::Second(value) => self.second.case_as_is(value),
        }
    }

    fn value(&self, case: &Case) -> Option<Self::Value> {
        let first = self.first.value(case).map(OneOf::First);
        first.or_else(|| self.second.value(case).map(OneOf::Second))
    }

    fn module(&self, value: &Self::Value) -> Option<Vec<u8>> {
        match value {
            OneOf::First(value) => self.first.module(value),
            OneOf::Second(value) => self.second.module(value),
        }
    }

    fn with_module(&self, value: &Self::Value, wasm: &[u8]) -> Option<Self::Value> {
        match value {
            OneOf::First(value) => self.first.with_module(value, wasm).map(OneOf::First),
            OneOf::Second(value) => self.second.with_module(value, wasm).map(OneOf::Second),
        }
    }

    fn context(&self) -> Option<&Context> {
        self.first.context()
    }

    fn refused_modules(&self) -> Option<u64> {
        self.first.refused_modules().or_else(|| self.second.refused_modules())
    }

    fn watch(&self) -> Result<(), WatchError> {
        let Some(context) = self.context() else { return self.first.watch() };
        // All probes that either needs stay on. Each search sees its own.
        let probes = self.read_probes(context)?;
        self.probes.get_or_init(|| probes);
        watch_target(context, self.watched())
    }
}
