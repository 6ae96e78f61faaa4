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

/// wasmparser accepts a data count section without the feature that brought it.
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
