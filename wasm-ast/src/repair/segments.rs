//! Repairs globals and segments: everything with constant expressions.

use super::constant;
use super::context::{Context, nearest};
use crate::features::Feature;
use crate::index::{FuncIdx, TableIdx};
use crate::module::{ConstExpr, Data, Element};
use crate::op::Op;
use crate::types::RefType;

pub(super) fn repair(context: &mut Context<'_>) {
    let mut globals = std::mem::take(&mut context.module.globals);
    for global in &mut globals {
        constant::repair(&mut global.init, global.ty.value, context);
    }
    context.module.globals = globals;
    let mut elements = std::mem::take(&mut context.module.elements);
    elements.retain_mut(|element| repair_element(element, context));
    context.module.elements = elements;
    let mut data = std::mem::take(&mut context.module.data);
    data.retain_mut(|data| repair_data(data, context));
    context.module.data = data;
}

/// Repairs the segment. Returns false if it cannot be valid with these features.
fn repair_element(element: &mut Element, context: &mut Context<'_>) -> bool {
    if !context.on(Feature::ReferenceTypes) {
        without_exprs(element);
    }
    let bulk = context.on(Feature::BulkMemory);
    let ty = element.reference();
    match element {
        Element::Active { .. } | Element::ActiveExprs { .. } => {
            let Some(table) = context.table(TableIdx::new(0), ty) else { return false };
            if table != TableIdx::new(0) {
                name_table(element, table);
            }
            repair_offset(element, table, context);
        }
        Element::ActiveIn { table, .. } | Element::ActiveExprsIn { table, .. } => {
            let Some(existing) = context.table(*table, ty) else { return false };
            *table = existing;
            repair_offset(element, existing, context);
        }
        _ if !bulk => return false,
        _ => {}
    }
    repair_items(element, ty, context);
    true
}

/// Turns a list of expressions into a list of functions.
fn without_exprs(element: &mut Element) {
    let functions = |exprs: &mut Vec<ConstExpr>| {
        let refers = |op: &Op| if let Op::RefFunc(function) = op { Some(*function) } else { None };
        exprs.iter().filter_map(|expr| expr.iter().find_map(refers)).collect()
    };
    *element = match element {
        Element::ActiveExprs { offset, exprs } | Element::ActiveExprsIn { offset, exprs, .. } => {
            Element::Active { offset: std::mem::take(offset), functions: functions(exprs) }
        }
        Element::PassiveExprs { exprs, .. } => Element::Passive { functions: functions(exprs) },
        Element::DeclaredExprs { exprs, .. } => Element::Declared { functions: functions(exprs) },
        _ => return,
    };
}

/// Turns a segment for table 0 into one with an explicit table.
fn name_table(element: &mut Element, table: TableIdx) {
    *element = match element {
        Element::Active { offset, functions } => {
            Element::ActiveIn { table, offset: std::mem::take(offset), functions: std::mem::take(functions) }
        }
        Element::ActiveExprs { offset, exprs } => Element::ActiveExprsIn {
            table,
            offset: std::mem::take(offset),
            ty: RefType::FuncRef,
            exprs: std::mem::take(exprs),
        },
        _ => return,
    };
}

fn repair_offset(element: &mut Element, table: TableIdx, context: &Context<'_>) {
    let ty = context.spaces.tables[table.get() as usize].limits.address.value();
    match element {
        Element::Active { offset, .. }
        | Element::ActiveIn { offset, .. }
        | Element::ActiveExprs { offset, .. }
        | Element::ActiveExprsIn { offset, .. } => constant::repair(offset, ty, context),
        _ => {}
    }
}

fn repair_items(element: &mut Element, ty: RefType, context: &Context<'_>) {
    match element {
        Element::Active { functions, .. }
        | Element::ActiveIn { functions, .. }
        | Element::Passive { functions }
        | Element::Declared { functions } => functions.retain_mut(|function| {
            let existing = nearest(function.get(), context.spaces.functions.len());
            existing.inspect(|existing| *function = FuncIdx::new(*existing)).is_some()
        }),
        Element::ActiveExprs { exprs, .. }
        | Element::ActiveExprsIn { exprs, .. }
        | Element::PassiveExprs { exprs, .. }
        | Element::DeclaredExprs { exprs, .. } => {
            exprs.iter_mut().for_each(|expr| constant::repair(expr, ty.into(), context));
        }
    }
}

fn repair_data(data: &mut Data, context: &mut Context<'_>) -> bool {
    match data {
        Data::Passive { .. } => context.on(Feature::BulkMemory),
        Data::Active { memory, offset, .. } => {
            let Some(existing) = context.memory(*memory) else { return false };
            *memory = existing;
            let address = context.spaces.memories[existing.get() as usize].address;
            constant::repair(offset, address.value(), context);
            true
        }
    }
}
