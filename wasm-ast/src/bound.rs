//! Modules that can be run to their end: calls that end, and memories and tables of a moderate size.

use mutagen_engine::Generate;

use crate::immediate::{MemArg, Offset};
use crate::index::GlobalIdx;
use crate::instr::{Block, BlockKind, Instr};
use crate::module::{Global, ImportItem, Module};
use crate::op::{I32Binary, I32Compare, I32Load, I32Store, I32Unary, Op};
use crate::spaces::Spaces;
use crate::stack::deep;
use crate::stub::Stub;
use crate::types::{BlockType, Bound, GlobalType, Limits, ValType};

/// Where a stub counts its steps: the last four bytes of its memory.
const COUNTER: u64 = 65_532;

impl Module {
    /// Makes every call end. Functions and loops count down a new global when they begin, and trap with `unreachable` after so many
    /// steps. The next call has as many again.
    ///
    /// A valid module stays valid. The code of loops and functions stays together, except for the count at its beginning.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let mut module = Module::from_text("(module (func (loop br 0)))")?;
    /// module.bound_calls(100);
    /// assert!(module.to_text()?.contains("i32.const 100"));
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn bound_calls(&mut self, steps: i32) {
        let counter = GlobalIdx::new(Spaces::of(self).globals.len() as u32);
        let ty = GlobalType { value: ValType::I32, mutable: true };
        self.globals.push(Global { ty, init: vec![Op::I32Const(steps)] });
        let count = count(counter, steps);
        for function in &mut self.functions {
            bound_loops(&mut function.body, &count);
            function.body.splice(0..0, count.iter().cloned());
        }
    }

    /// Brings memories with more pages, and tables with more elements, down to these sizes. Mutants have any size, but engines
    /// do not run those with a large one.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let mut module = Module::from_text("(module (memory 65536) (table 5 funcref))")?;
    /// module.limit_sizes(8, 100);
    /// assert_eq!((module.memories[0].min.0, module.tables[0].limits.min.0), (8, 5));
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn limit_sizes(&mut self, pages: u64, elements: u64) {
        let limit = |limits: &mut Limits, most: u64| limits.min = Bound(limits.min.0.min(most));
        self.memories.iter_mut().for_each(|memory| limit(memory, pages));
        self.tables.iter_mut().for_each(|table| limit(&mut table.limits, elements));
        for import in &mut self.imports {
            match &mut import.item {
                ImportItem::Memory(memory) => limit(memory, pages),
                ImportItem::Table(table) => limit(&mut table.limits, elements),
                ImportItem::Func(_) | ImportItem::Global(_) => {}
            }
        }
    }
}

impl Stub {
    /// Makes every call of the function end. The function and its loops count in the last bytes of the first page of memory when
    /// they begin, and trap with `unreachable` after so many steps. The next call has as many again.
    ///
    /// ```
    /// use mutagen_wasm_ast::{FuncType, Module, Stub};
    ///
    /// let endless = Module::from_text("(module (func (loop br 0)))")?.functions.remove(0);
    /// let mut stub = Stub { locals: endless.locals, body: endless.body };
    /// stub.bound_calls(100);
    /// assert!(stub.to_module(&FuncType::default()).to_text()?.contains("i32.const 100"));
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn bound_calls(&mut self, steps: i32) {
        let count = count_in_memory(steps);
        bound_loops(&mut self.body, &count);
        self.body.splice(0..0, count);
    }
}

/// The code that counts one step in the memory of a stub module, which starts with zero.
fn count_in_memory(steps: i32) -> Vec<Instr> {
    let place = MemArg { offset: Offset::new(COUNTER), ..MemArg::smallest() };
    let zero = Op::I32Const(0);
    let read = [zero.clone(), Op::I32Load(I32Load::I32Load, place)];
    let store = Op::I32Store(I32Store::I32Store, place);
    let ops = |ops: &[Op]| ops.iter().cloned().map(Instr::Op).collect::<Vec<Instr>>();
    let mut code = ops(&read);
    code.extend(ops(&[Op::I32Const(steps), Op::I32Compare(I32Compare::I32GeU)]));
    let exhausted = ops(&[zero.clone(), zero.clone(), store.clone(), Op::Unreachable]);
    code.push(Block::new(BlockKind::If, BlockType::Empty, exhausted).into());
    code.extend(ops(&[zero]).into_iter().chain(ops(&read)));
    code.extend(ops(&[Op::I32Const(1), Op::I32Binary(I32Binary::I32Add), store]));
    code
}

/// The code that counts one step.
fn count(counter: GlobalIdx, steps: i32) -> Vec<Instr> {
    let exhausted = [Op::I32Const(steps), Op::GlobalSet(counter), Op::Unreachable].map(Instr::Op);
    let step =
        [Op::GlobalGet(counter), Op::I32Const(1), Op::I32Binary(I32Binary::I32Sub), Op::GlobalSet(counter)];
    let mut code = vec![Op::GlobalGet(counter).into(), Op::I32Unary(I32Unary::I32Eqz).into()];
    code.push(Block::new(BlockKind::If, BlockType::Empty, exhausted.to_vec()).into());
    code.extend(step.map(Instr::Op));
    code
}

/// Lets all loops count.
fn bound_loops(body: &mut [Instr], count: &[Instr]) {
    for instr in body {
        let Instr::Block(block) = instr else { continue };
        deep(|| bound_loops(&mut block.body, count));
        match &mut block.kind {
            BlockKind::IfElse(otherwise) => deep(|| bound_loops(otherwise, count)),
            BlockKind::Loop => {
                block.body.splice(0..0, count.iter().cloned());
            }
            BlockKind::Block | BlockKind::If => {}
        }
    }
}
