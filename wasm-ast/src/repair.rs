//! Repair: makes an invalid mutant valid again and keeps as much of it as possible.
//!
//! Repair is one pass over the module, in the order in which a validator reads it. Valid parts are left
//! alone, so a valid module does not change. Invalid parts are brought into range, converted, completed or
//! dropped, whichever changes least.
//!
//! `context` holds the definitions that code can refer to, and adds missing ones. `sections`, `segments` and
//! `constant` repair everything outside functions. `body` walks through a function with a `stack` that
//! remembers which instruction made each value, and `operator` knows the operands of each instruction.

mod body;
mod constant;
mod context;
mod control;
mod conversion;
mod operator;
mod reference;
mod sections;
mod segments;
mod stack;

use std::mem;

use crate::features::Features;
use crate::index::TypeIdx;
use crate::module::{Function, Module};
use crate::stub::Stub;
use crate::types::FuncType;
use context::Context;

impl Module {
    /// Makes the module valid with these features by a small change. A valid module stays as it is.
    ///
    /// Surplus operands are dropped, missing ones are inserted, and those of the wrong type are converted.
    /// Indices are brought into range. Types, tables, memories, globals and segments are added if something
    /// refers to one and there is none. Code that needs other features is removed.
    ///
    /// ```
    /// use mutagen_wasm_ast::{Features, Module};
    ///
    /// let text = "(module (func (param i32 i64) (result i64) local.get 0 local.get 1 i64.add i32.load drop))";
    /// let mut module = Module::from_text(text)?;
    /// module.repair(Features::WASM1);
    /// let text = module.to_text()?;
    /// assert!(text.contains("i64.extend_i32_s") && text.contains("i32.wrap_i64") && text.contains("(memory"));
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn repair(&mut self, features: Features) {
        sections::repair_types(self, features);
        sections::repair_imports(self, features);
        sections::repair_definitions(self, features);
        let mut functions = mem::take(&mut self.functions);
        let mut context = Context::new(self, &functions, features);
        segments::repair(&mut context);
        sections::repair_exports(&mut context);
        sections::repair_start(&mut context);
        for function in &mut functions {
            body::repair(function, &mut context);
        }
        context.finish();
        self.functions = functions;
    }
}

impl Stub {
    /// Makes the locals and body of a function of type `ty` valid with these features, in the module that
    /// [`Stub::to_module`] puts it into. That module stays as it is: instructions that refer to something it
    /// does not have are removed from the body.
    ///
    /// ```
    /// use mutagen_wasm_ast::{Features, FuncType, I32Binary, Op, Stub, ValType};
    ///
    /// let mut stub = Stub { locals: vec![], body: vec![Op::I32Binary(I32Binary::I32Add).into()] };
    /// stub.repair(&FuncType::new([ValType::I32], [ValType::I32]), Features::WASM1);
    /// assert_eq!(stub.body.len(), 3, "two operands and the sum: {:?}", stub.body);
    /// ```
    pub fn repair(&mut self, ty: &FuncType, features: Features) {
        let mut module = Stub::default().to_module(ty);
        let functions = mem::take(&mut module.functions);
        let mut context = Context::fixed(&mut module, &functions, features);
        let (locals, body) = (mem::take(&mut self.locals), mem::take(&mut self.body));
        let mut function = Function { ty: TypeIdx::new(0), locals, body };
        body::repair(&mut function, &mut context);
        (self.locals, self.body) = (function.locals, function.body);
    }
}
