//! Small modules beside the one that is tested: what it imports comes from one, and others read what it shows.

use ::sf_nano_core::{
    Engine, Extern, Import, InstanceId, Module, RefValue, RuntimeWorld, Value as SfValue, WasmError,
};
use wasm_encoder::{
    CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function, FunctionSection, GlobalSection,
    GlobalType, HeapType, Ieee32, Ieee64, ImportSection, MemorySection, MemoryType, RefType, TableSection,
    TableType, TypeSection, ValType,
};

use super::access::SfNanoHandles;
use crate::{
    scan::External,
    value::{Value, ValueType},
    view::Item,
};

/// A memory: the first one of an instance that has no other.
#[derive(Clone, Copy)]
pub(super) struct Pages(pub InstanceId);

/// A table or a global: one of those that an instance has imported.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    instance: InstanceId,
    place: u32,
    pub ty: ValueType,
}

/// Makes the modules.
pub(super) struct Beside<'a> {
    pub world: &'a mut RuntimeWorld,
    pub engine: Engine,
}

impl Beside<'_> {
    fn instance(&mut self, bytes: &[u8], imports: &[Import]) -> Result<InstanceId, WasmError> {
        let module = Module::new("", bytes)?;
        self.world.instantiate(&self.engine, module, imports).map_err(|error| error.into_parts().1)
    }

    /// An instance that exports everything of these but functions, each by its place.
    ///
    /// The interpreter cannot pass on a global that it was given itself, so globals are made here.
    pub(super) fn provider(&mut self, wanted: &[External]) -> Result<InstanceId, WasmError> {
        self.instance(&provider(wanted), &[])
    }

    /// What can be seen of these, which have come from an instance. Functions are what `function` gives.
    pub(super) fn items(
        &mut self,
        externals: &[(External, Option<Extern>)],
        mut function: impl FnMut(usize) -> Option<RefValue>,
    ) -> Result<Vec<Option<Item<SfNanoHandles>>>, WasmError> {
        let named = |place: usize, value: &Extern| Import::new("", &place.to_string(), value.clone());
        let cells: Vec<Import> = (externals.iter().enumerate())
            .filter(|(_, (external, _))| is_cell(external))
            .filter_map(|(place, (_, value))| Some(named(place, value.as_ref()?)))
            .collect();
        let reader = match cells.is_empty() {
            true => None,
            false => Some(self.instance(&reader(externals), &cells)?),
        };
        let mut items = Vec::new();
        for (place, (external, value)) in externals.iter().enumerate() {
            items.push(match (external, value) {
                (External::Function(_), _) => function(place).map(Item::Function),
                (External::Memory { wide, .. }, Some(value)) => {
                    let memory = self.instance(&sees_memory(*wide), &[named(0, value)])?;
                    Some(Item::Memory(Pages(memory)))
                }
                (External::Table { null, .. }, Some(_)) => {
                    reader.map(|instance| Item::Table(Cell { instance, place: place as u32, ty: null.ty() }))
                }
                (External::Global { value, .. }, Some(_)) => reader
                    .map(|instance| Item::Global(Cell { instance, place: place as u32, ty: value.ty() })),
                _ => None,
            });
        }
        Ok(items)
    }

    /// The value of a global.
    pub(super) fn global(world: &RuntimeWorld, global: Cell) -> Option<SfValue> {
        world.instance(global.instance)?.get_global(&global.place.to_string()).ok()?
    }

    /// The elements of a table.
    pub(super) fn elements(world: &mut RuntimeWorld, table: Cell) -> Vec<SfValue> {
        let Cell { instance, place, .. } = table;
        let size = world.invoke(instance, &format!("size {place}"), &[]);
        let size = match size.as_deref() {
            Ok([SfValue::I64(size)]) => *size,
            _ => 0,
        };
        let get = format!("get {place}");
        let read = |index| world.invoke(instance, &get, &[SfValue::I64(index)]).ok()?.first().copied();
        (0..size).map_while(read).collect()
    }
}

fn is_cell(external: &External) -> bool {
    matches!(external, External::Table { .. } | External::Global { .. })
}

fn encoded(ty: ValueType) -> ValType {
    match ty {
        ValueType::I32 => ValType::I32,
        ValueType::I64 => ValType::I64,
        ValueType::F32 => ValType::F32,
        ValueType::F64 => ValType::F64,
        ValueType::V128 => ValType::V128,
        ValueType::FuncRef => ValType::FUNCREF,
        ValueType::ExternRef => ValType::EXTERNREF,
    }
}

fn reference(null: &Value) -> RefType {
    match null.ty() {
        ValueType::ExternRef => RefType::EXTERNREF,
        _ => RefType::FUNCREF,
    }
}

fn memory_type(wide: bool, minimum: u64, maximum: Option<u64>) -> MemoryType {
    MemoryType { minimum, maximum, memory64: wide, shared: false, page_size_log2: None }
}

fn table_type(null: &Value, wide: bool, minimum: u64, maximum: Option<u64>) -> TableType {
    TableType { element_type: reference(null), table64: wide, minimum, maximum, shared: false }
}

fn global_type(value: &Value, mutable: bool) -> GlobalType {
    GlobalType { val_type: encoded(value.ty()), mutable, shared: false }
}

/// A module that defines what is imported, but for functions.
fn provider(wanted: &[External]) -> Vec<u8> {
    let (mut tables, mut memories) = (TableSection::new(), MemorySection::new());
    let (mut globals, mut exports) = (GlobalSection::new(), ExportSection::new());
    for (place, external) in wanted.iter().enumerate() {
        let (kind, index) = match external {
            External::Function(_) => continue,
            External::Memory { wide, initial, maximum } => {
                memories.memory(memory_type(*wide, *initial, *maximum));
                (ExportKind::Memory, memories.len() - 1)
            }
            External::Table { wide, initial, maximum, null } => {
                tables.table(table_type(null, *wide, *initial, *maximum));
                (ExportKind::Table, tables.len() - 1)
            }
            External::Global { value, mutable } => {
                globals.global(global_type(value, *mutable), &constant(value));
                (ExportKind::Global, globals.len() - 1)
            }
        };
        exports.export(&place.to_string(), kind, index);
    }
    let mut module = wasm_encoder::Module::new();
    module.section(&tables).section(&memories).section(&globals).section(&exports);
    module.finish()
}

/// A value as the first one of a global. References are null.
fn constant(value: &Value) -> ConstExpr {
    match *value {
        Value::I32(bits) => ConstExpr::i32_const(bits as i32),
        Value::I64(bits) => ConstExpr::i64_const(bits as i64),
        Value::F32(bits) => ConstExpr::f32_const(Ieee32::new(bits)),
        Value::F64(bits) => ConstExpr::f64_const(Ieee64::new(bits)),
        Value::V128(bits) => ConstExpr::v128_const(bits as i128),
        Value::FuncRef(_) => ConstExpr::ref_null(HeapType::FUNC),
        Value::ExternRef(_) => ConstExpr::ref_null(HeapType::EXTERN),
    }
}

/// A module whose first memory is the one that it imports.
fn sees_memory(wide: bool) -> Vec<u8> {
    let mut imports = ImportSection::new();
    imports.import("", "0", memory_type(wide, 0, None));
    let mut module = wasm_encoder::Module::new();
    module.section(&imports);
    module.finish()
}

/// A module that imports tables and globals by their places. It exports the globals again, and reads the tables.
fn reader(externals: &[(External, Option<Extern>)]) -> Vec<u8> {
    let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
    let (mut functions, mut exports, mut code) =
        (FunctionSection::new(), ExportSection::new(), CodeSection::new());
    let (mut globals, mut tables) = (0, 0);
    for (place, (external, value)) in externals.iter().enumerate() {
        if value.is_none() {
            continue;
        }
        let name = place.to_string();
        match external {
            External::Global { value, mutable } => {
                imports.import("", &name, EntityType::Global(global_type(value, *mutable)));
                exports.export(&name, ExportKind::Global, globals);
                globals += 1;
            }
            External::Table { wide, null, .. } => {
                imports.import("", &name, EntityType::Table(table_type(null, *wide, 0, None)));
                types.ty().function([], [ValType::I64]);
                types.ty().function([ValType::I64], [encoded(null.ty())]);
                for (what, body) in [("size", size(tables, *wide)), ("get", get(tables, *wide))] {
                    exports.export(&format!("{what} {place}"), ExportKind::Func, functions.len());
                    functions.function(functions.len());
                    code.function(&body);
                }
                tables += 1;
            }
            External::Function(_) | External::Memory { .. } => {}
        }
    }
    let mut module = wasm_encoder::Module::new();
    module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
    module.finish()
}

fn size(table: u32, wide: bool) -> Function {
    let mut function = Function::new([]);
    let mut code = function.instructions();
    code.table_size(table);
    if !wide {
        code.i64_extend_i32_u();
    }
    code.end();
    function
}

fn get(table: u32, wide: bool) -> Function {
    let mut function = Function::new([]);
    let mut code = function.instructions();
    code.local_get(0);
    if !wide {
        code.i32_wrap_i64();
    }
    code.table_get(table).end();
    function
}
