//! Hosts agree on which argument lists a function takes: the property `invocation`.

use mutagen_engine::{Generate, Mutable, Outcome, Property, Scope, Source, Strategy};
use mutagen_oracles::{Call, EngineError, Validity, Value, Watched};
use mutagen_wasm_ast::{F32, F64, FuncType, Stub};

use crate::generators::suit_modules;
use crate::interpreter_i32::stub_of;
use crate::pair::{Context, Pair};
use crate::subject::{Case, Subject, WatchError, watch_target};

/// A function and any argument list: too short, too long, of wrong types.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub struct Invoked {
    /// The function.
    pub stub: Stub,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Argument {
    /// Of type i32.
    I32(i32),
    /// Of type i64.
    I64(i64),
    /// Of type f32.
    F32(F32),
    /// Of type f64.
    F64(F64),
}

impl Argument {
    /// The argument that passes this value, if there is one: vectors and references are not passed.
    ///
    /// ```
    /// use mutagen_oracles::Value;
    /// use mutagen_properties::Argument;
    ///
    /// let half = Value::F32(0.5f32.to_bits());
    /// assert_eq!(Argument::of(&half).map(|argument| argument.value()), Some(half));
    /// assert_eq!(Argument::of(&Value::V128(0)), None);
    /// ```
    pub fn of(value: &Value) -> Option<Self> {
        match *value {
            Value::I32(bits) => Some(Argument::I32(bits as i32)),
            Value::I64(bits) => Some(Argument::I64(bits as i64)),
            Value::F32(bits) => Some(Argument::F32(F32(bits))),
            Value::F64(bits) => Some(Argument::F64(F64(bits))),
            Value::V128(_) | Value::FuncRef(_) | Value::ExternRef(_) => None,
        }
    }

    /// The value that is passed.
    pub fn value(&self) -> Value {
        match self {
            Argument::I32(number) => Value::I32(*number as u32),
            Argument::I64(number) => Value::I64(*number as u64),
            Argument::F32(number) => Value::F32(number.0),
            Argument::F64(number) => Value::F64(number.0),
        }
    }
}

/// The property `invocation`: both engines carry the call out, or both refuse it.
pub struct Invocation {
    pair: Pair,
    ty: FuncType,
}

impl Invocation {
    /// The property for functions of this type.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn new(context: &Context, ty: FuncType) -> Result<Self, EngineError> {
        Ok(Self { pair: Pair::new(context)?, ty })
    }

    /// The call by which it is judged.
    pub fn call(invoked: &Invoked) -> Call {
        Call::new(Stub::FUNCTION, invoked.arguments.iter().map(Argument::value).collect::<Vec<_>>())
    }
}

impl Property<Invoked> for Invocation {
    fn check(&mut self, invoked: &Invoked) -> Outcome {
        let bytes = invoked.stub.to_module(&self.ty).encode();
        if let Some(barred) = self.pair.context.barred(&bytes) {
            return barred;
        }
        match self.pair.target_opinion(&bytes).validity() {
            Validity::Rejected(_) => Outcome::discarded(),
            _ => self.pair.confirmed(&bytes, &[Self::call(invoked)]),
        }
    }
}

/// Campaigns on the property `invocation`.
pub struct InvocationSubject {
    context: Context,
    ty: FuncType,
}

impl InvocationSubject {
    /// Campaigns on functions of this type.
    pub fn new(context: Context, ty: FuncType) -> Self {
        Self { context, ty }
    }
}

impl Subject for InvocationSubject {
    type Value = Invoked;
    type Property = Invocation;

    fn property(&self) -> Result<Invocation, EngineError> {
        Invocation::new(&self.context, self.ty.clone())
    }

    fn generate(&self, source: &mut Source, size: usize) -> Invoked {
        Invoked::generate(source, size)
    }

    fn scope(&self) -> Scope {
        Scope::new().with(self.context.settings.features)
    }

    fn suit(&self, strategy: Strategy) -> Strategy {
        suit_modules(strategy)
    }

    fn case(&self, invoked: &Invoked) -> Case {
        let wasm = invoked.stub.to_module(&self.ty).encode();
        Case::of(wasm, vec![Invocation::call(invoked)])
    }

    /// The arguments are those of the first call, or an empty list if there is no call. Returns `None` if
    /// their types are never generated.
    fn value(&self, case: &Case) -> Option<Invoked> {
        let Case::Module { calls, .. } = case else { return None };
        let arguments =
            calls.iter().take(1).flat_map(|call| &call.arguments).map(|given| Argument::of(&given.value()));
        Some(Invoked { stub: stub_of(case, &self.ty)?, arguments: arguments.collect::<Option<_>>()? })
    }

    fn module(&self, invoked: &Invoked) -> Option<Vec<u8>> {
        Some(invoked.stub.to_module(&self.ty).encode())
    }

    fn context(&self) -> Option<&Context> {
        Some(&self.context)
    }

    fn watch(&self) -> Result<(), WatchError> {
        watch_target(&self.context, Watched::Functions)
    }
}
