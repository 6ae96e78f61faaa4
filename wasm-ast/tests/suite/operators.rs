//! Compares the table of instructions with wasmparser's.

use std::collections::{BTreeMap, BTreeSet};

use mutagen_engine::{Generate, Mutable, MutantsConfig, Scope, mutants};
use mutagen_wasm_ast::{Features, FuncType, Function, Instr, Limits, LocalIdx, Module, Op, TypeIdx, ValType};
use wasmparser::{Parser, Payload};

use crate::census::{OPERATORS, name};
use crate::corpus::validate;

/// A module with one function of this type and body, and a memory, which many instructions need.
fn function(ty: FuncType, body: Vec<Instr>) -> Module {
    let function = Function { ty: TypeIdx::new(0), locals: vec![], body };
    Module {
        types: vec![ty],
        functions: vec![function],
        memories: vec![Limits::at_least(1)],
        ..Module::default()
    }
}

/// The operators that a body encodes to, without the last `end`.
fn operators(body: &[Instr]) -> Vec<&'static str> {
    let bytes = function(FuncType::default(), body.to_vec()).encode();
    let bodies = Parser::new(0).parse_all(&bytes).filter_map(|payload| match payload {
        Ok(Payload::CodeSectionEntry(body)) => Some(body),
        _ => None,
    });
    let read = bodies.flat_map(|body| body.get_operators_reader().expect("the body is well-formed"));
    let mut names: Vec<_> =
        read.map(|operator| name(&operator.expect("the operator is well-formed"))).collect();
    names.pop();
    names
}

/// All operators that mutation of a body of one instruction reaches, with an example body for each.
fn reachable(features: Features) -> BTreeMap<&'static str, Vec<Instr>> {
    let scope = Scope::new().with(features);
    let first = vec![Instr::smallest()];
    let mut found = BTreeMap::from([("Unreachable", first.clone())]);
    let mut frontier = vec![first];
    while let Some(body) = frontier.pop() {
        for (_, mutant) in
            mutants(&body, &MutantsConfig::default(), &scope).filter(|(_, mutant)| mutant.len() == 1)
        {
            let new: Vec<_> =
                operators(&mutant).into_iter().filter(|name| !found.contains_key(name)).collect();
            if !new.is_empty() {
                found.extend(new.into_iter().map(|name| (name, mutant.clone())));
                frontier.push(mutant);
            }
        }
    }
    found
}

fn of_proposals(proposals: &[&str]) -> BTreeSet<&'static str> {
    let chosen = OPERATORS.iter().filter(|(_, proposal, _)| proposals.contains(proposal));
    chosen.map(|(name, ..)| *name).collect()
}

const WASM2: [&str; 6] =
    ["mvp", "sign_extension", "saturating_float_to_int", "bulk_memory", "reference_types", "simd"];

#[test]
fn mutation_reaches_every_instruction_of_the_feature_set_and_no_other() {
    let wasmi = [&WASM2[..], &["tail_call", "relaxed_simd", "wide_arithmetic"]].concat();
    for (features, proposals) in
        [(Features::WASM1, &WASM2[..1]), (Features::WASM2, &WASM2), (Features::WASMI, &wasmi)]
    {
        let found: BTreeSet<_> = reachable(features).into_keys().collect();
        let expected = of_proposals(proposals);
        let difference: Vec<_> = found.symmetric_difference(&expected).collect();
        assert!(difference.is_empty(), "{features}: {difference:?}");
    }
}

#[test]
fn single_features_bring_their_instructions() {
    let features: Features = "wasm1,+sign-extension".parse().expect("the names are known");
    let found: BTreeSet<_> = reachable(features).into_keys().collect();
    assert_eq!(found, of_proposals(&["mvp", "sign_extension"]));
}

#[test]
fn every_instruction_goes_back_to_the_smallest_one() {
    let scope = Scope::new();
    for (name, body) in reachable(Features::WASMI) {
        let back = mutants(&body, &MutantsConfig::default(), &scope)
            .any(|(_, mutant)| mutant == [Instr::smallest()]);
        assert!(back || body == [Instr::smallest()], "{name} does not");
    }
}

const TYPES: [ValType; 5] = [ValType::I32, ValType::I64, ValType::F32, ValType::F64, ValType::V128];

/// All sequences of this many types.
fn sequences(length: usize) -> Vec<Vec<ValType>> {
    (0..length).fold(vec![vec![]], |shorter, _| {
        let longer = shorter.iter().flat_map(|types| TYPES.map(|ty| [&types[..], &[ty]].concat()));
        longer.collect()
    })
}

/// All function types for which the body is valid that pushes the operands and executes the instruction.
fn signatures(op: &Op, (inputs, outputs): (usize, usize)) -> BTreeSet<String> {
    let results = sequences(outputs);
    let types = sequences(inputs)
        .into_iter()
        .flat_map(|params| results.iter().map(move |results| FuncType::new(params.clone(), results.clone())));
    let valid = types.filter(|ty| {
        let operands = (0..inputs).map(|index| Op::LocalGet(LocalIdx::new(index as u32)).into());
        let body = operands.chain([op.clone().into()]).collect();
        validate(&function(ty.clone(), body).encode(), Features::WASMI).is_ok()
    });
    valid.map(|ty| format!("{ty:?}")).collect()
}

#[test]
fn instructions_of_one_group_have_one_stack_signature() {
    let mut groups: BTreeMap<String, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    for (operator, body) in reachable(Features::WASMI) {
        let arity = OPERATORS.iter().find(|(name, ..)| *name == operator).and_then(|(.., arity)| *arity);
        let (Some(arity), [Instr::Op(op)]) = (arity, &body[..]) else { continue };
        if is_group(op) {
            let debug = format!("{op:?}");
            let constructor = debug.split('(').next().unwrap_or_default().to_owned();
            groups.entry(constructor).or_default().insert(operator, signatures(op, arity));
        }
    }
    assert_eq!(groups.len(), 40);
    for (group, members) in groups {
        let distinct: BTreeSet<_> = members.values().collect();
        assert!(distinct.len() == 1 && !distinct.contains(&BTreeSet::new()), "{group}: {members:#?}");
    }
}

/// Whether the constructor holds a group. Then its first field has the name of an operator.
fn is_group(op: &Op) -> bool {
    let debug = format!("{op:?}");
    let inner = debug.split(['(', ')', ',']).nth(1).unwrap_or_default();
    op.children() > 0 && OPERATORS.iter().any(|(name, ..)| *name == inner)
}

#[test]
fn instructions_are_small() {
    assert_eq!(size_of::<Instr>(), 16);
}
