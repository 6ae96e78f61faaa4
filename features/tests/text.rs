//! Sets of features as text and back.

use mutagen_features::{Feature, Features};

#[test]
fn every_set_comes_back_from_its_own_text_and_from_json() {
    let sets = Feature::ALL.iter().map(|feature| Features::NONE.with(*feature));
    for features in sets.chain([Features::NONE, Features::WASM1, Features::WASM2, Features::WASMI]) {
        assert_eq!(features.to_string().parse(), Ok(features));
        let json = serde_json::to_string(&features).expect("text can be stored");
        assert_eq!(json, format!("\"{features}\""));
        assert_eq!(serde_json::from_str::<Features>(&json).expect("it was just written"), features);
    }
}

#[test]
fn words_count_from_left_to_right() {
    let parsed = |text: &str| text.parse::<Features>();
    assert_eq!(parsed("wasm2, -simd"), Ok(Features::WASM2.without(Feature::Simd)));
    assert_eq!(parsed("-simd,wasm2"), Ok(Features::WASM2));
    assert_eq!(parsed("memory64"), parsed("+memory64"));
}

#[test]
fn a_feature_brings_what_it_builds_on_and_takes_along_what_builds_on_it() {
    let relaxed = Features::NONE.with(Feature::RelaxedSimd);
    assert!(relaxed.includes(Features::NONE.with(Feature::Simd)));
    assert_eq!(Features::WASMI.without(Feature::Simd).iter().count(), Feature::ALL.len() - 2);
}

#[test]
fn an_unknown_word_is_named_with_the_words_that_are_known() {
    for text in ["wasm2,+gc", "-wasm2", ""] {
        let message = text.parse::<Features>().expect_err("there is no such feature").to_string();
        let word = text.rsplit(',').next().unwrap_or_default();
        assert!(message.contains(&format!("`{word}`")) && message.contains("multi-value"), "{message}");
    }
    assert!(serde_json::from_str::<Features>("\"gc\"").is_err());
}
