//! How an engine joins: it implements two traits, has an entry in the registry, and is then used by its name. This one only
//! runs modules without imports whose functions take nothing and return one constant, which it reads off the bytes.

use mutagen_oracles::{
    Agreement, Call, Ending, Engine, EngineEntry, EngineError, Features, Function, Instance, Instantiation,
    Registry, Rejection, Settings, Signature, State, Validity, Value, ValueType, judge,
};

use crate::support::wasm;

/// The engine: it has no state, and it gets its opinion on validity by looking for what it can run.
struct Constants;

impl Engine for Constants {
    fn name(&self) -> &str {
        "constants"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        constant(bytes).into()
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        Ok(Box::new(Constant(constant(bytes)?)))
    }
}

/// The constant of `(module (func (export "f") (result i32) (i32.const N)))` with `N` from 0 to 63.
fn constant(bytes: &[u8]) -> Result<u32, Rejection> {
    match bytes.strip_prefix(b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7f\x03\x02\x01\0\x07\x05\x01\x01f\0\0")
    {
        Some([0x0a, 6, 1, 4, 0, 0x41, number @ 0..64, 0x0b]) => Ok(u32::from(*number)),
        _ => Err(Rejection::new("not a constant function")),
    }
}

/// An instance, which is its constant.
struct Constant(u32);

impl Instance for Constant {
    fn exports(&self) -> Vec<Function> {
        let signature = Signature { parameters: Vec::new(), results: vec![ValueType::I32] };
        vec![Function { name: "f".to_owned(), signature }]
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        match (name, arguments) {
            ("f", []) => Ending::Returned(vec![Value::I32(self.0)]),
            _ => Ending::Refused("only `f` can be called, without arguments".to_owned()),
        }
    }

    fn state(&mut self) -> State {
        State::default()
    }

    fn memory(&mut self, _: usize) -> Vec<u8> {
        Vec::new()
    }

    fn table(&mut self, _: usize) -> Vec<Value> {
        Vec::new()
    }
}

fn registry() -> Registry {
    let make = |_: &Settings| -> Result<Box<dyn Engine>, EngineError> { Ok(Box::new(Constants)) };
    let entry = EngineEntry::new("constants", "1.0", make).features(Features::WASM1);
    Registry::default().with(entry.about("runs constant functions"))
}

#[test]
fn an_engine_of_ones_own_is_compared_by_its_name() {
    let settings = Settings { features: Features::WASM1, ..Settings::default() };
    let engine = |name| registry().find(name).expect("it is known").make(&settings).expect("it is there");
    let (ours, wasmi) = (engine("constants"), engine("wasmi"));
    let agreement = |text: &str| {
        let calls = [Call::new("f", []), Call::new("f", [Value::I32(1)]), Call::new("g", [])];
        judge(&wasm(text), &calls, &ours, &wasmi, &settings).agreement
    };
    assert_eq!(agreement(r#"(module (func (export "f") (result i32) (i32.const 7)))"#), Agreement::Equal);
    assert!(agreement(r#"(module (func (export "f") (result i64) (i64.const 7)))"#).is_finding());
}

#[test]
fn an_engine_that_cannot_keep_a_module_compiled_still_makes_many_instances_of_it() {
    let module = wasm(r#"(module (func (export "f") (result i32) (i32.const 63)))"#);
    let compiled = Constants.compile(&module).expect("it is kept");
    for _ in 0..2 {
        let ending = compiled.instantiate().expect("it can be run").call("f", &[]);
        assert_eq!(ending, Ending::Returned(vec![Value::I32(63)]));
    }
}
