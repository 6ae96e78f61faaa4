//! Hosts agree on which argument lists a function takes: the property `invocation`.

use mutagen_engine::{Generate, Mutable, Outcome, Property};
use mutagen_oracles::{Call, Validity, Value};
use mutagen_wasm_ast::{F32, F64, FuncType, Stub};

use crate::pair::{Context, Pair};

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
            Value::V128(_) | Value::FuncRef { .. } | Value::ExternRef(_) => None,
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
    /// If the reference refuses the settings.
    pub fn new(context: &Context, ty: FuncType) -> Result<Self, String> {
        Ok(Self { pair: Pair::new(context)?, ty })
    }

    /// The engines.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// The call by which it is judged.
    pub fn call(invoked: &Invoked) -> Call {
        Call::new(Stub::FUNCTION, invoked.arguments.iter().map(Argument::value).collect::<Vec<_>>())
    }
}

impl Property<Invoked> for Invocation {
    fn check(&mut self, invoked: &Invoked) -> Outcome {
        let bytes = invoked.stub.to_module(&self.ty).encode();
        match self.pair.target_validity(&bytes) {
            Validity::Rejected(_) => Outcome::discarded(),
            _ => self.pair.confirmed(&bytes, &[Self::call(invoked)]),
        }
    }
}
