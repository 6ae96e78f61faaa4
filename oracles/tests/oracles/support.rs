//! Shorthands for tests, and an engine that lies.

use std::sync::Arc;

use mutagen_oracles::{
    Agreement, Call, Ending, Engine, Function, HostPlan, Instance, Instantiation, Judgement, Settings, State,
    Validity, Value, Wasmi, Wasmtime, Which, judge, on_stack,
};

/// A module from its text.
pub fn wasm(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("the test's module is well-formed text")
}

pub fn wasmtime(settings: &Settings) -> Wasmtime {
    Wasmtime::new(settings).expect("wasmtime takes these settings")
}

/// A call of the function `f`.
pub fn f(arguments: &[Value]) -> Call {
    Call::new("f", arguments)
}

/// The judgement on a module by wasmi and wasmtime.
pub fn judge_bytes(settings: &Settings, bytes: &[u8], calls: &[Call]) -> Judgement {
    let (wasmi, wasmtime) = (Wasmi::new(settings), wasmtime(settings));
    on_stack(|| judge(bytes, calls, &wasmi, &wasmtime, settings)).expect("there is a thread")
}

/// The judgement on a module by wasmi and wasmtime, with the usual settings.
pub fn judge_text(text: &str, calls: &[Call]) -> Judgement {
    judge_bytes(&Settings::default(), &wasm(text), calls)
}

/// The agreement on a module by wasmi and wasmtime, with the usual settings.
pub fn agreement(text: &str, calls: &[Call]) -> Agreement {
    judge_text(text, calls).agreement
}

/// What the target answered to the last question.
pub fn last_answer(judgement: &Judgement) -> String {
    judgement.steps.last().expect("something was asked").target.to_string()
}

/// Lies of an engine: each changes one kind of answer.
#[derive(Clone)]
pub struct Lies {
    pub validity: Arc<dyn Fn(Validity) -> Validity + Send + Sync>,
    pub instantiation: Arc<dyn Fn(Instantiation) -> Instantiation + Send + Sync>,
    pub ending: Arc<dyn Fn(Ending) -> Ending + Send + Sync>,
    pub state: Arc<dyn Fn(State) -> State + Send + Sync>,
    pub memory: Arc<dyn Fn(Vec<u8>) -> Vec<u8> + Send + Sync>,
    pub table: Arc<dyn Fn(Vec<Value>) -> Vec<Value> + Send + Sync>,
    pub exports: Arc<dyn Fn(Vec<Function>) -> Vec<Function> + Send + Sync>,
    pub limit: Arc<dyn Fn(Option<u64>) -> Option<u64> + Send + Sync>,
    pub drop: Arc<dyn Fn() + Send + Sync>,
}

impl Default for Lies {
    fn default() -> Self {
        Self {
            validity: Arc::new(|it| it),
            instantiation: Arc::new(|it| it),
            ending: Arc::new(|it| it),
            state: Arc::new(|it| it),
            memory: Arc::new(|it| it),
            table: Arc::new(|it| it),
            exports: Arc::new(|it| it),
            limit: Arc::new(|it| it),
            drop: Arc::new(|| ()),
        }
    }
}

/// An engine that is honest but for its lies.
pub struct Liar {
    pub engine: Wasmi,
    pub lies: Lies,
    /// Whether its host functions do nothing, whatever their plans say.
    pub forgets_plans: bool,
}

impl Liar {
    pub fn new(lies: Lies) -> Self {
        Self { engine: Wasmi::new(&Settings::default()), lies, forgets_plans: false }
    }

    /// An engine whose host functions do nothing.
    pub fn forgetful() -> Self {
        Self { forgets_plans: true, ..Self::new(Lies::default()) }
    }

    /// The judgement on a module with this engine as the target, and with the honest one as the reference.
    pub fn as_target(&self, text: &str, calls: &[Call]) -> Agreement {
        self.as_target_with(&Settings::default(), text, calls)
    }

    /// The same with other settings.
    pub fn as_target_with(&self, settings: &Settings, text: &str, calls: &[Call]) -> Agreement {
        judge(&wasm(text), calls, self, &self.engine, settings).agreement
    }

    /// The judgement on a module with this engine as the reference, and with the honest one as the target.
    pub fn as_reference(&self, text: &str, calls: &[Call]) -> Agreement {
        judge(&wasm(text), calls, &self.engine, self, &Settings::default()).agreement
    }
}

impl Engine for Liar {
    fn name(&self) -> &str {
        "liar"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        (self.lies.validity)(self.engine.validate(bytes))
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.instantiate_with(bytes, &[])
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        let hosts = if self.forgets_plans { &[] } else { hosts };
        match self.engine.instantiate_with(bytes, hosts) {
            Ok(instance) => Ok(Box::new(LyingInstance { instance, lies: self.lies.clone() })),
            Err(failure) => Err((self.lies.instantiation)(failure)),
        }
    }

    fn limit(&self, which: Which) -> Option<u64> {
        (self.lies.limit)(self.engine.limit(which))
    }
}

struct LyingInstance {
    instance: Box<dyn Instance>,
    lies: Lies,
}

impl Instance for LyingInstance {
    fn exports(&self) -> Vec<Function> {
        (self.lies.exports)(self.instance.exports())
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        (self.lies.ending)(self.instance.call(name, arguments))
    }

    fn state(&mut self) -> State {
        (self.lies.state)(self.instance.state())
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        (self.lies.memory)(self.instance.memory(index))
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        (self.lies.table)(self.instance.table(index))
    }
}

impl Drop for LyingInstance {
    fn drop(&mut self) {
        (self.lies.drop)();
    }
}
