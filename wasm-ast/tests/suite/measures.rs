//! Size, depth and features.

use mutagen_wasm_ast::{DataCount, Feature, Features, Module};

use crate::corpus::{SETS, valid_modules, validate};

#[test]
fn size_counts_instructions_and_depth_counts_blocks() {
    let text = "(module (func) (func i32.const 1 (if (then nop (block (loop))) (else drop)) unreachable))";
    let module = Module::from_text(text).expect("the text is well-formed");
    assert_eq!((module.instructions(), module.depth()), (7, 3));
}

#[test]
fn a_shape_knows_instructions_and_types_and_no_number_or_name() {
    let shape = |n: u32, name: &str, ty: &str, operator: &str| {
        let text = format!(
            r#"(module (import "{name}" "{name}" (func (param {ty})))
              (memory 1{n}) (memory {n} 2{n}) (table {n} funcref) (table 3 funcref)
              (global (mut {ty}) ({ty}.const {n})) (global (mut {ty}) ({ty}.const 3))
              (elem (table {n}) (i32.const {n}) func {n}) (elem declare func {n})
              (data (i32.const {n}) "{name}") (data "{name}") (export "{name}" (func {n}))
              (func (param {ty} {ty}) (local {ty}) (block (block (br_if {n} (i32.const {n})) (br_table {n} 0 (i32.const 0))))
                (global.set {n} (local.get {n})) (call {n} ({ty}.const {n}))
                (drop (i64.const {n})) (drop (f32.const {n})) (drop (f64.const {n}))
                (drop (i32.load {n} offset={n} align={n} (i32.const 0))) (memory.init {n} {n} (i32.const 0) (i32.const 0) (i32.const 0))
                (data.drop {n}) (elem.drop {n}) (drop (table.size {n})) (drop (ref.func {n}))
                (drop (i8x16.shuffle {n} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 {n} (v128.const i32x4 {n} 0 0 {n}) (v128.const i64x2 0 0)))
                (drop (i8x16.extract_lane_s {n} (v128.const i64x2 {n} {n})))
                (drop ({operator} (local.get {n}) (local.get {n}))))
              (func (local i32)))"#
        );
        Module::from_text(&text).expect("the text is well-formed").shape()
    };
    let plain = shape(1, "a", "i32", "i32.add");
    assert_eq!(shape(2, "b", "i32", "i32.add"), plain);
    assert_ne!(shape(1, "a", "i32", "i32.sub"), plain);
    assert_ne!(shape(1, "a", "f32", "i32.add"), plain);
    assert_eq!(plain.shape(), plain);
}

#[test]
fn a_valid_module_is_valid_with_the_features_it_needs_and_with_no_fewer() {
    for features in SETS {
        for bytes in valid_modules(features, 1_000) {
            let module = Module::decode(&bytes).expect("valid modules decode");
            let needed = module.features();
            assert!(features.includes(needed));
            assert_eq!(validate(&module.encode(), needed), Ok(()), "needs {needed}");
            for feature in needed.iter().filter(|feature| !taken_for_granted(*feature, &module)) {
                let fewer = needed.without(feature);
                assert!(validate(&module.encode(), fewer).is_err(), "does not need {feature:?}");
            }
        }
    }
}

/// wasmparser accepts a data count section without the feature that introduced it.
fn taken_for_granted(feature: Feature, module: &Module) -> bool {
    feature == Feature::BulkMemory && module.data_count == DataCount::Present
}

#[test]
fn features_are_parsed_from_left_to_right_and_unknown_ones_teach_the_known() {
    let parse = |text: &str| text.parse::<Features>();
    assert_eq!(parse("wasm1"), Ok(Features::WASM1));
    assert_eq!(parse("wasmi,-relaxed-simd,-simd,+relaxed-simd"), Ok(Features::WASMI));
    assert_eq!(
        parse("wasm2 , -simd").map(|features| features.to_string()).as_deref(),
        Ok("mutable-global,multi-value,sign-extension,saturating-float-to-int,bulk-memory,reference-types")
    );
    let error = parse("wasm2,+threads").expect_err("threads are not modelled").to_string();
    assert!(
        error.contains("`+threads`") && error.contains("wasmi") && error.contains("tail-call"),
        "{error}"
    );
    for features in SETS {
        assert_eq!(parse(&features.to_string()), Ok(features));
    }
}
