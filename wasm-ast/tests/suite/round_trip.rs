//! Encoding and decoding are inverse to each other.

use mutagen_engine::{MutantsConfig, Scope, mutants};
use mutagen_wasm_ast::{Bytes, Custom, Customs, Features, Module};

use crate::corpus::{SETS, generated_modules, valid_modules, validate};

fn assert_round_trip(module: &Module) {
    let decoded = Module::decode(&module.encode()).unwrap_or_else(|error| panic!("{error}\n{module:#?}"));
    assert_eq!(&decoded, module);
}

#[test]
fn every_generated_module_decodes_as_it_was() {
    for features in SETS {
        generated_modules(features, 1).take(100_000).for_each(|module| assert_round_trip(&module));
    }
}

#[test]
fn every_mutant_decodes_as_it_was() {
    for features in SETS {
        let scope = Scope::new().with(features);
        for (seed, module) in (0..).zip(generated_modules(features, 2).take(1_000)) {
            let config = MutantsConfig { seed, shuffle: true, ..MutantsConfig::default() };
            mutants(&module, &config, &scope).take(100).for_each(|(_, mutant)| assert_round_trip(&mutant));
        }
    }
}

#[test]
fn encoding_what_was_decoded_reaches_a_fixed_point_in_one_step_and_stays_valid() {
    for features in SETS {
        for bytes in valid_modules(features, 1_000) {
            let module = Module::decode(&bytes).expect("valid modules of the feature set decode");
            let encoded = module.encode();
            assert_eq!(validate(&encoded, features), Ok(()));
            assert_eq!(Module::decode(&encoded).map(|module| module.encode()), Ok(encoded));
            assert_round_trip(&module);
        }
    }
}

#[test]
fn printed_text_reads_back_to_a_module_that_prints_the_same() {
    for bytes in valid_modules(Features::WASMI, 300) {
        let module = Module::decode(&bytes).expect("valid modules decode");
        let text = module.to_text().expect("valid modules print");
        let read = Module::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read.to_text().expect("valid modules print"), text);
    }
}

fn custom(name: &str) -> Custom {
    Custom { name: name.into(), bytes: Bytes(name.bytes().rev().collect()) }
}

#[test]
fn custom_sections_keep_their_place_whatever_else_there_is() {
    let places =
        |mask: usize, name: &str| (mask & 1 == 1).then(|| custom(name)).into_iter().collect::<Vec<_>>();
    let others = [
        "(module)",
        "(module (memory 1))",
        "(module (func))",
        "(module (data \"\"))",
        "(module (type (func)))",
    ];
    for text in others {
        for mask in 0..8 {
            let customs = Customs {
                first: places(mask, "first"),
                before_code: places(mask >> 1, "middle"),
                last: places(mask >> 2, "last"),
            };
            assert_round_trip(&Module {
                customs,
                ..Module::from_text(text).expect("the text is well-formed")
            });
        }
    }
}

#[test]
fn custom_sections_in_other_places_are_kept_in_order() {
    let text = r#"(module (@custom "a" (before first) "1") (type (func)) (@custom "b" (after type) "2")
        (func) (@custom "c" (after func) "3") (memory 1) (@custom "d" (after code) "4"))"#;
    let customs = Module::from_text(text).expect("the text is well-formed").customs;
    let names = |customs: &[Custom]| customs.iter().map(|custom| custom.name.0.clone()).collect::<String>();
    assert_eq!([names(&customs.first), names(&customs.before_code), names(&customs.last)], ["a", "bc", "d"]);
}

#[test]
fn invalid_but_well_formed_modules_decode() {
    let texts = [
        "(module (func i32.add))",
        "(module (func br 7))",
        "(module (global i32 i64.div_s local.get 3))",
        "(module (func (result i32) select (result i32 i64)))",
        "(module (memory 70000) (func (drop (i32.load align=16 (i32.const 0)))))",
        "(module (export \"a\" (func 5)) (export \"a\" (memory 0)) (start 9))",
    ];
    for text in texts {
        let module = Module::from_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(validate(&module.encode(), Features::WASMI).is_err(), "{text} is valid");
        assert_round_trip(&module);
    }
}
