//! How many cells an interpreter sets aside for a function.

use mutagen_features::Features;
use wasmparser::{FuncValidatorAllocations, FunctionBody, OperatorsReader, Parser, ValidPayload, Validator};

use super::{Scan, is_vector, wasm_features};

/// The greatest number of 64-bit cells that an interpreter such as wasmi sets aside for a function: those of its locals and
/// operands, and one more for each local. In a module with vectors, every operand counts as a vector. The module has to be
/// validated for this, so it is done only when an engine refused a module that is otherwise fine.
pub(crate) fn stack_cells(bytes: &[u8], features: Features) -> u64 {
    let mut validator = Validator::new_with_features(wasm_features(features));
    let operand = if Scan::of(bytes).has_vectors { VECTOR_CELLS } else { 1 };
    let mut most = 0;
    for payload in Parser::new(0).parse_all(bytes) {
        let Ok(payload) = payload else { break };
        match validator.payload(&payload) {
            Ok(ValidPayload::Func(function, body)) => {
                let validator = function.into_validator(FuncValidatorAllocations::default());
                most = most.max(cells_of_body(validator, &body, operand).unwrap_or(0));
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    most
}

const VECTOR_CELLS: u64 = 2;

fn cells_of_body<T: wasmparser::WasmModuleResources>(
    mut validator: wasmparser::FuncValidator<T>,
    body: &FunctionBody<'_>,
    operand: u64,
) -> wasmparser::Result<u64> {
    let mut reader = body.get_binary_reader();
    validator.read_locals(&mut reader)?;
    let locals = (0..validator.len_locals()).filter_map(|local| validator.get_local_type(local));
    let locals: u64 = locals.map(|ty| 1 + if is_vector(&ty) { VECTOR_CELLS } else { 1 }).sum();
    let mut height = 0;
    let mut operators = OperatorsReader::new(reader);
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        validator.op(offset, &operator)?;
        height = height.max(u64::from(validator.operand_stack_height()));
    }
    Ok(locals + operand * height)
}
