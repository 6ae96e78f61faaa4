//! Bugs of every kind that a campaign can hunt.

use mutagen_ifc::fault::Fault;
use mutagen_ifc::{register, stack};

use crate::catalogue::{self, Entry};
use crate::nearest::{did_you_mean, nearest};

/// A bug: an entry of the catalogue that is woven into the engine, or a fault in the rules of an IFC machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Bug {
    /// Woven into the engine.
    Woven(&'static Entry),
    /// A fault of the stack machine, and its number from 1.
    Stack(usize, Fault<stack::OpCode>),
    /// A fault of the register machine, and its number from 1.
    Register(usize, Fault<register::OpCode>),
}

impl Bug {
    /// All bugs: those of the catalogue, then the faults of both machines.
    pub fn all() -> Vec<Bug> {
        let woven = catalogue::entries().iter().map(Bug::Woven);
        let stack = (1..).zip(stack::faults()).map(|(number, fault)| Bug::Stack(number, fault));
        let register = (1..).zip(register::faults()).map(|(number, fault)| Bug::Register(number, fault));
        woven.chain(stack).chain(register).collect()
    }

    /// The bug with this id.
    ///
    /// # Errors
    ///
    /// If there is no such bug. The error names the nearest id.
    ///
    /// ```
    /// use mutagen_bugs::Bug;
    ///
    /// assert_eq!(Bug::find("wasm-6").unwrap().title(), "i64.eqz takes an i32");
    /// assert_eq!(Bug::find("stack-2").unwrap().title(), "BCall pc: L1 ∨ P -> P (L1 dropped)");
    /// assert_eq!(Bug::find("wasm6").unwrap_err().nearest.as_deref(), Some("wasm-6"));
    /// ```
    pub fn find(id: &str) -> Result<Bug, UnknownBug> {
        let all = Bug::all();
        match all.iter().find(|bug| bug.id() == id) {
            Some(bug) => Ok(bug.clone()),
            None => Err(UnknownBug { id: id.to_owned(), nearest: nearest(id, all.iter().map(Bug::id)) }),
        }
    }

    /// Its name on the command line: `wasm-6`, `stack-2`, `register-33`.
    pub fn id(&self) -> String {
        match self {
            Bug::Woven(entry) => entry.id.to_owned(),
            Bug::Stack(number, _) => format!("stack-{number}"),
            Bug::Register(number, _) => format!("register-{number}"),
        }
    }

    /// What goes wrong, in a few words.
    pub fn title(&self) -> String {
        match self {
            Bug::Woven(entry) => entry.title.to_owned(),
            Bug::Stack(_, fault) => fault.to_string(),
            Bug::Register(_, fault) => fault.to_string(),
        }
    }

    /// The part that it breaks.
    pub fn subsystem(&self) -> &'static str {
        match self {
            Bug::Woven(entry) => entry.subsystem.name(),
            Bug::Stack(..) => "stack machine",
            Bug::Register(..) => "register machine",
        }
    }
}

/// No bug has this id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no bug `{id}`{} (`mutagen-wasm bugs list` shows all)", did_you_mean(.nearest.as_deref()))]
pub struct UnknownBug {
    /// The id that was asked for.
    pub id: String,
    /// The known id that looks most like it, if one does.
    pub nearest: Option<String>,
}
