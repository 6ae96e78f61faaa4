//! The scope limits mutation to its features; and the order of mutants.

use mutagen_engine::{Generate, Mutable, MutantsConfig, NumberMutants, Scope, Source};
use mutagen_wasm_ast::{
    Align, Bound, Bytes, F32, F64, Feature, Features, FuncIdx, Lane, MemIdx, Name, Offset, TableIdx, V128,
};

use crate::corpus::generated_modules;

/// All fixed mutants, in order.
fn mutants<T: Mutable + Clone>(value: &T, scope: &Scope) -> Vec<T> {
    let mut source = Source::seeded(0).with_scope(scope.clone());
    let numbers = 0..value.count(scope).fixed;
    numbers
        .filter_map(|number| {
            let mut mutant = value.clone();
            mutant.mutate(number, &mut source).then_some(mutant)
        })
        .collect()
}

fn all(value: impl Mutable + Clone + std::fmt::Debug) -> String {
    format!("{:?}", mutants(&value, &Scope::new()))
}

#[test]
fn generated_modules_need_what_the_scope_allows() {
    let needed = |features| {
        let modules = generated_modules(features, 3).take(20_000);
        modules.fold(Features::NONE, |needed, module| needed | module.features())
    };
    // These features allow no new constructors, but more results, memories and tables, or arithmetic in new
    // places.
    let free = "wasm1,multi-value,multi-memory,reference-types,extended-const".parse::<Features>();
    assert!(free.expect("the names are known").includes(needed(Features::WASM1)));
    assert_eq!(needed(Features::WASMI), Features::WASMI);
}

#[test]
fn indices_mutate_to_neighbours_and_small_numbers() {
    let index = |numbers: &[u32]| numbers.iter().copied().map(FuncIdx::new).collect::<Vec<_>>();
    assert_eq!(mutants(&FuncIdx::new(9), &Scope::new()), index(&[8, 10, 0, 1, 2, 3]));
    assert_eq!(mutants(&FuncIdx::new(0), &Scope::new()), index(&[1, 2, 3]));
}

#[test]
fn indices_that_need_a_feature_stay_zero_without_it() {
    let wasm1 = Scope::new().with(Features::WASM1);
    assert_eq!(mutants(&MemIdx::new(0), &wasm1), []);
    assert_eq!(mutants(&TableIdx::new(0), &wasm1), []);
    assert_eq!(mutants(&MemIdx::new(5), &wasm1), [MemIdx::new(0)]);
    assert!(
        mutants(&MemIdx::new(0), &Scope::new().with(Features::NONE.with(Feature::MultiMemory))).len() > 1
    );
}

#[test]
fn numbers_mutate_to_boundaries() {
    assert!(all(F32(0)).contains("0x80000000 = -0.0") && all(F32(0)).contains("0x7fc00001 = NaN"));
    assert!(all(F64(0)).contains("= inf") && all(F64(0)).contains("0x7ff8000000000001 = NaN"));
    assert_eq!(mutants(&Align::smallest(), &Scope::new()).len(), 5);
    assert!(all(Lane(3)).contains("Lane(16)"));
    assert!(all(Offset::new(0)).contains("Offset(4294967295), Offset(4294967296)"));
    assert!(all(Bound(7)).contains("Bound(6), Bound(8), Bound(0)"));
    assert!(all(V128::smallest()).contains("[255, 255"));
}

#[test]
fn wide_numbers_need_memory64() {
    let wasm2 = Scope::new().with(Features::WASM2);
    let narrow = |limit: u64| limit <= u32::MAX.into();
    assert!(mutants(&Bound(1), &wasm2).iter().all(|bound| narrow(bound.0)));
    assert!(mutants(&Offset::new(1), &wasm2).iter().all(|offset| narrow(offset.get())));
}

#[test]
fn long_content_has_few_mutants() {
    assert_eq!(mutants(&Bytes(vec![1; 100_000]), &Scope::new()).len(), 5);
    assert_eq!(mutants(&Bytes(vec![]), &Scope::new()), [Bytes(vec![0]), Bytes(vec![0xff])]);
    assert_eq!(mutants(&Name::from("a"), &Scope::new()).len(), 3);
}

#[test]
fn the_style_of_the_paper_draws_every_number_at_random() {
    let scope = Scope::new().with(NumberMutants::Paper);
    let count = FuncIdx::new(3).count(&scope);
    assert_eq!((count.fixed, count.sampled), (0, 1));
    let mut source = Source::seeded(1).with_scope(scope);
    let mut index = FuncIdx::new(100);
    assert!(index.mutate(0, &mut source) && index.get() <= 10);
}

#[test]
fn mutants_are_never_equal_to_their_parent() {
    let config = MutantsConfig { shuffle: true, ..MutantsConfig::default() };
    for module in generated_modules(Features::WASMI, 5).take(200) {
        let mutants = mutagen_engine::mutants(&module, &config, &Scope::new());
        assert!(mutants.take(200).all(|(_, mutant)| mutant != module));
    }
}
