//! What of a module can be seen from outside, and how more of it becomes visible.

use crate::bytes::Name;
use crate::features::{Feature, Features};
use crate::index::{FuncIdx, GlobalIdx, MemIdx, TableIdx};
use crate::instr::Instr;
use crate::module::{Export, ExportItem, Module};
use crate::op::Op;
use crate::spaces::Spaces;
use crate::stack::deep;
use crate::types::{FuncType, GlobalType, RefType};

/// What of a module can be seen from outside: imports in their order, then exports in the order of their names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Surface {
    /// The types of imported functions.
    pub imported_functions: Vec<FuncType>,
    /// The exported functions.
    pub functions: Vec<ExportedFunction>,
    /// The number of memories.
    pub memories: usize,
    /// The types of the elements of tables.
    pub tables: Vec<RefType>,
    /// The types of globals.
    pub globals: Vec<GlobalType>,
}

/// An exported function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportedFunction {
    /// The name of the export.
    pub name: String,
    /// The function.
    pub index: FuncIdx,
    /// Its type.
    pub ty: FuncType,
}

impl Module {
    /// What can be seen from outside. Exports of things that do not exist are left out.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let text = r#"(module (import "" "" (memory 1)) (func (export "b")) (func (export "a") (param i32)))"#;
    /// let surface = Module::from_text(text)?.surface();
    /// assert_eq!(surface.memories, 1);
    /// assert_eq!(surface.functions[0].name, "a");
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn surface(&self) -> Surface {
        let spaces = Spaces::of(self);
        let function = |index: usize| {
            let ty = spaces.functions.get(index)?;
            Some(self.types.get(ty.get() as usize).cloned().unwrap_or_default())
        };
        let imported = |all: usize, own: usize| all - own;
        let tables = imported(spaces.tables.len(), self.tables.len());
        let globals = imported(spaces.globals.len(), self.globals.len());
        let mut surface = Surface {
            imported_functions: (0..spaces.imported_functions).filter_map(function).collect(),
            functions: Vec::new(),
            memories: imported(spaces.memories.len(), self.memories.len()),
            tables: spaces.tables[..tables].iter().map(|table| table.element).collect(),
            globals: spaces.globals[..globals].to_vec(),
        };
        let mut exports: Vec<&Export> = self.exports.iter().collect();
        exports.sort_by(|a, b| a.name.0.cmp(&b.name.0));
        for Export { name, item } in exports {
            match item {
                ExportItem::Func(index) => {
                    let ty = function(index.get() as usize);
                    let exported = |ty| ExportedFunction { name: name.0.clone(), index: *index, ty };
                    surface.functions.extend(ty.map(exported));
                }
                ExportItem::Table(index) => {
                    let table = spaces.tables.get(index.get() as usize);
                    surface.tables.extend(table.map(|table| table.element));
                }
                ExportItem::Memory(index) => {
                    surface.memories += usize::from((index.get() as usize) < spaces.memories.len());
                }
                ExportItem::Global(index) => surface.globals.extend(spaces.globals.get(index.get() as usize)),
            }
        }
        surface
    }

    /// Exports every memory, table and global that is neither imported nor exported, so that all state can be seen.
    /// Without the feature for it, mutable globals stay hidden. A valid module stays valid, and an invalid one invalid.
    ///
    /// Functions are not exported: exporting one also declares it, and would make references valid that are not.
    ///
    /// ```
    /// use mutagen_wasm_ast::{Features, Module};
    ///
    /// let mut module = Module::from_text("(module (memory 1) (global (mut i32) (i32.const 0)) (func))")?;
    /// module.expose(Features::WASM1);
    /// let names: Vec<&str> = module.exports.iter().map(|export| export.name.0.as_str()).collect();
    /// assert_eq!(names, ["memory 0", "global 0"]);
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn expose(&mut self, features: Features) {
        let spaces = Spaces::of(self);
        let own = |all: usize, own: usize| (all - own) as u32..all as u32;
        let tables = own(spaces.tables.len(), self.tables.len());
        let memories = own(spaces.memories.len(), self.memories.len());
        let globals = own(spaces.globals.len(), self.globals.len());
        let shared = |index: &u32| {
            features.contains(Feature::MutableGlobal) || !spaces.globals[*index as usize].mutable
        };
        let hidden: Vec<(String, ExportItem)> = memories
            .map(|index| (format!("memory {index}"), ExportItem::Memory(MemIdx::new(index))))
            .chain(tables.map(|index| (format!("table {index}"), ExportItem::Table(TableIdx::new(index)))))
            .chain(
                globals
                    .filter(shared)
                    .map(|index| (format!("global {index}"), ExportItem::Global(GlobalIdx::new(index)))),
            )
            .filter(|(_, item)| !self.exports.iter().any(|export| export.item == *item))
            .collect();
        for (mut name, item) in hidden {
            while self.exports.iter().any(|export| export.name.0 == name) {
                name.push('\'');
            }
            self.exports.push(Export { name: Name(name), item });
        }
    }

    /// The constants in functions and in the initial values of globals, in order, at most `most` of them.
    pub fn constants(&self, most: usize) -> Vec<&Op> {
        let mut found = Vec::new();
        for global in &self.globals {
            found.extend(global.init.iter().filter(|op| is_constant(op)));
        }
        for function in &self.functions {
            collect(&function.body, most, &mut found);
        }
        found.truncate(most);
        found
    }
}

fn collect<'a>(body: &'a [Instr], most: usize, found: &mut Vec<&'a Op>) {
    for instr in body {
        match instr {
            _ if found.len() >= most => return,
            Instr::Op(op) if is_constant(op) => found.push(op),
            Instr::Op(_) => {}
            Instr::Block(block) => deep(|| {
                collect(&block.body, most, found);
                collect(block.otherwise().unwrap_or_default(), most, found);
            }),
        }
    }
}

fn is_constant(op: &Op) -> bool {
    matches!(op, Op::I32Const(_) | Op::I64Const(_) | Op::F32Const(_) | Op::F64Const(_) | Op::V128Const(_))
}
