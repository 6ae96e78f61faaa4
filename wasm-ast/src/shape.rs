//! The shape of a module: the module without its numbers, bytes and names.

use std::any::Any;

use mutagen_engine::{Generate, Mutable};

use crate::bytes::{Bytes, Name};
use crate::immediate::{Align, F32, F64, Lane, Lanes, Offset, V128};
use crate::index::{DataIdx, ElemIdx, FuncIdx, GlobalIdx, LabelIdx, LocalIdx, MemIdx, TableIdx, TypeIdx};
use crate::module::{LocalCount, Module};
use crate::stack::deep;
use crate::types::Bound;

impl Module {
    /// The module with all constants, indices, bytes and names blanked out. Instructions and types are kept.
    /// The result may or may not be valid.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let shape = |text| Module::from_text(text).map(|module| module.shape());
    /// let add = shape("(module (func (export \"f\") (param i32) (result i32) local.get 0 i32.const 5 i32.add))")?;
    /// assert_eq!(add, shape("(module (func (export \"add\") (param i32) (result i32) local.get 0 i32.const 7 i32.add))")?);
    /// assert_ne!(add, shape("(module (func (export \"f\") (param i32) (result i32) local.get 0 i32.const 5 i32.sub))")?);
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> Module {
        let mut shape = self.clone();
        blank(&mut shape);
        shape
    }
}

/// Blanks out a part of a module, or all parts below it.
fn blank(part: &mut dyn Mutable) {
    if BLANKED.iter().any(|blanked| blanked(part.as_any_mut())) {
        return;
    }
    for child in 0..part.children() {
        deep(|| blank(part.child_mut(child)));
    }
}

/// The types that are blanked out.
const BLANKED: [fn(&mut dyn Any) -> bool; 22] = [
    smallest::<i32>,
    smallest::<i64>,
    smallest::<F32>,
    smallest::<F64>,
    smallest::<V128>,
    smallest::<Lanes>,
    smallest::<Lane>,
    smallest::<Align>,
    smallest::<Offset>,
    smallest::<TypeIdx>,
    smallest::<FuncIdx>,
    smallest::<TableIdx>,
    smallest::<MemIdx>,
    smallest::<GlobalIdx>,
    smallest::<ElemIdx>,
    smallest::<DataIdx>,
    smallest::<LocalIdx>,
    smallest::<LabelIdx>,
    smallest::<Bound>,
    smallest::<LocalCount>,
    smallest::<Bytes>,
    smallest::<Name>,
];

/// Sets a part of type `T` to the smallest value of that type, and says whether it was of type `T`.
fn smallest<T: Generate + 'static>(part: &mut dyn Any) -> bool {
    part.downcast_mut::<T>().map(|part| *part = T::smallest()).is_some()
}
