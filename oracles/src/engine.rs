//! What an engine can be asked.
//!
//! An adapter for one more engine is one file that implements [`Engine`] and [`Instance`]; everything else has a
//! default.

use std::sync::Arc;

use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    host::HostPlan,
    limits::Which,
    state::State,
    value::{Value, ValueType},
};

/// Parameters and results of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Types of the parameters.
    pub parameters: Vec<ValueType>,
    /// Types of the results.
    pub results: Vec<ValueType>,
}

impl Signature {
    /// Whether a call with these arguments is well-typed.
    pub fn takes(&self, arguments: &[Value]) -> bool {
        self.parameters.len() == arguments.len()
            && self.parameters.iter().zip(arguments).all(|(ty, value)| *ty == value.ty())
    }
}

/// An exported function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// The name of the export.
    pub name: String,
    /// Its type.
    pub signature: Signature,
}

/// An engine under test, or the one that it is compared with.
///
/// An implementation may let panics of the engine pass: [`Guarded`](crate::Guarded) catches them for all.
pub trait Engine: Send + Sync {
    /// The engine's name, for reports: the name by which the [registry](crate::Registry) knows it.
    fn name(&self) -> &str;

    /// Whether the module is valid. Nothing is executed.
    fn validate(&self, bytes: &[u8]) -> Validity;

    /// Compiles the module, gives it stubs for its imports, and runs its start function.
    ///
    /// # Errors
    ///
    /// Why there is no instance.
    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation>;

    /// The same with host functions in place of stubs: the imported function with number N does what plan N says.
    ///
    /// An engine without an implementation cannot be asked about modules whose host functions have a plan: that is
    /// inconclusive.
    ///
    /// # Errors
    ///
    /// Why there is no instance.
    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        if hosts.is_empty() {
            return self.instantiate(bytes);
        }
        let ending = Ending::Infra(format!("{} has no host functions that do something", self.name()));
        Err(Instantiation::ended(ending, State::default()))
    }

    /// Compiles a module that will be instantiated many times.
    ///
    /// Without an implementation, the bytes are kept and each instance is made by [`Engine::instantiate`]: nothing is
    /// gained, and what cannot be compiled is rejected only then.
    ///
    /// # Errors
    ///
    /// Why the engine does not compile the module: it is invalid, or it exceeds a limit of the engine.
    fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
        Ok(Box::new(Kept { engine: self, bytes: bytes.to_vec() }))
    }

    /// The most of something that this engine takes; `None` if it has no such limit or none is known.
    ///
    /// A module that only this engine rejects is no finding if it exceeds one of these limits. Many engines have those of
    /// [`web_limit`](crate::web_limit).
    fn limit(&self, _which: Which) -> Option<u64> {
        None
    }

    /// The source files of this engine that deal with single functions, by how their names begin, where the engine is
    /// woven: campaigns that vary one function [watch](crate::watch) these files alone. Empty: all of them.
    fn function_code(&self) -> &'static [&'static str] {
        &[]
    }
}

/// A compiled module, from which any number of fresh instances can be made.
pub trait Compiled {
    /// A fresh instance: memories, tables and globals are as the module says, whatever earlier instances did.
    ///
    /// # Errors
    ///
    /// Why there is no instance.
    fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation>;
}

/// A module of an engine that has no way to keep it compiled.
struct Kept<'a, E: ?Sized> {
    engine: &'a E,
    bytes: Vec<u8>,
}

impl<E: Engine + ?Sized> Compiled for Kept<'_, E> {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation> {
        self.engine.instantiate(&self.bytes)
    }
}

/// A module that came alive in an engine.
pub trait Instance {
    /// The exported functions, sorted by name.
    fn exports(&self) -> Vec<Function>;

    /// Calls an exported function, with fresh fuel.
    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending;

    /// Everything that can be seen from outside: imported things first, then exported ones sorted by name.
    fn state(&mut self) -> State;

    /// The bytes of `state().memories[index]`.
    fn memory(&mut self, index: usize) -> Vec<u8>;

    /// The elements of `state().tables[index]`.
    fn table(&mut self, index: usize) -> Vec<Value>;

    /// The fuel that all calls together used, by the engine's own count. 0 if it does not say.
    fn fuel_used(&self) -> u64 {
        0
    }
}

/// Whatever points to an engine is an engine.
macro_rules! forward_to_engine {
    ($($pointer:ty),*) => {
        $(impl<E: Engine + ?Sized> Engine for $pointer {
            fn name(&self) -> &str {
                (**self).name()
            }

            fn validate(&self, bytes: &[u8]) -> Validity {
                (**self).validate(bytes)
            }

            fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
                (**self).instantiate(bytes)
            }

            fn instantiate_with(
                &self,
                bytes: &[u8],
                hosts: &[HostPlan],
            ) -> Result<Box<dyn Instance>, Instantiation> {
                (**self).instantiate_with(bytes, hosts)
            }

            fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
                (**self).compile(bytes)
            }

            fn limit(&self, which: Which) -> Option<u64> {
                (**self).limit(which)
            }

            fn function_code(&self) -> &'static [&'static str] {
                (**self).function_code()
            }
        })*
    };
}

forward_to_engine!(&E, Box<E>, Arc<E>);
