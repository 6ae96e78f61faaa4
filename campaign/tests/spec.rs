//! Specs: their names and commands, and which of them are refused.

use mutagen_bugs::Bug;
use mutagen_campaign::{GuidanceName, Spec, SpecError, SubjectSpec};
use mutagen_properties::Noninterference;

/// The campaign that hunts a bug.
fn hunting(id: &str) -> Spec {
    Spec::hunting(&Bug::find(id).expect("it exists")).expect("it is a bug")
}

#[test]
fn every_bug_has_a_campaign_that_may_hunt_it_and_that_reads_back_as_it_was_written() {
    let specs: Vec<Spec> = Bug::all().iter().filter_map(Spec::hunting).collect();
    assert!(specs.len() > 100);
    for spec in specs {
        spec.check().unwrap_or_else(|error| panic!("{}: {error}", spec.command_line()));
        let text = serde_json::to_string(&spec).expect("it can be written");
        assert_eq!(Spec::read(&text).expect("it can be read"), spec);
    }
}

#[test]
fn a_bug_that_a_campaign_cannot_show_is_refused_with_the_command_that_can() {
    let refused = |of: &str, bug: &str| {
        let spec = Spec { bug: Some(bug.to_owned()), ..hunting(of) };
        spec.check().expect_err("it cannot show it").to_string()
    };
    assert!(refused("wasm-6", "wasm-11").ends_with("hunt it with `mutagen-wasm interpret --bug wasm-11`"));
    let about_arguments = "`mutagen-wasm interpret --bug wasm-r3`";
    assert!(refused("wasm-6", "wasm-r3").ends_with(about_arguments));
    assert!(refused("wasm-11", "wasm-r3").ends_with(about_arguments));
    assert!(refused("stack-1", "register-1").contains("ifc register --bug register-1"));
    assert!(refused("wasm-6", "wasm-f1").contains("--fixes"));
    // A module is validated before it is run, so this bug can be found.
    let spec = Spec { bug: Some("wasm-6".to_owned()), ..hunting("wasm-11") };
    assert!(spec.check().is_ok());
}

#[test]
fn a_spec_of_another_form_or_with_unknown_fields_is_refused() {
    let mut json = serde_json::to_value(hunting("wasm-6")).expect("it can be written");
    json["format"] = 99.into();
    json["more"] = true.into();
    assert!(matches!(Spec::read(&json.to_string()), Err(SpecError::Format(99))));
    json["format"] = Spec::FORMAT.into();
    assert!(matches!(Spec::read(&json.to_string()), Err(SpecError::Unreadable(_))));
}

#[test]
fn a_spec_that_no_command_line_can_ask_for_is_refused() {
    let refuses = |change: fn(&mut Spec)| {
        let mut spec = hunting("register-1");
        change(&mut spec);
        matches!(spec.check(), Err(SpecError::Range(_)))
    };
    assert!(!refuses(|_| ()));
    assert!(refuses(|spec| spec.jobs = 0) && refuses(|spec| spec.jobs = u16::MAX));
    assert!(refuses(|spec| spec.budget.tests = Some(0)));
    assert!(refuses(|spec| spec.budget.time = Some(std::time::Duration::ZERO)));
    assert!(refuses(|spec| spec.budget.max_discard_ratio = Some(0)));
    assert!(refuses(|spec| {
        let SubjectSpec::Machine(machine) = &mut spec.subject else { panic!("it is about a machine") };
        machine.property = Noninterference::Eeni;
    }));
}

#[test]
fn every_guidance_is_described_and_only_those_of_wasm_smith_need_modules() {
    for guidance in GuidanceName::all() {
        assert!(!guidance.about().is_empty(), "{guidance}");
        assert_eq!(guidance.needs_modules(), guidance.name().starts_with("smith"));
        assert_eq!(GuidanceName::find(guidance.name()).expect("it is listed"), guidance);
    }
    let error = GuidanceName::find("smiht").expect_err("there is none").to_string();
    assert!(error.contains("`smiht`") && error.contains("smith-zest"), "{error}");
}

#[test]
fn a_bug_in_the_arguments_is_hunted_by_calls_and_a_lost_export_in_whole_modules() {
    assert_eq!(hunting("wasm-r3").property(), "invocation");
    assert_eq!(hunting("wasm-z1").property(), "interpreter");
}

#[test]
fn a_spec_of_before_there_were_parts_compares_all_of_them() {
    let spec = hunting("wasm-11");
    let mut stored = serde_json::to_value(&spec).expect("it can be written");
    let engines = stored["subject"]["engines"].as_object_mut().expect("it is about engines");
    assert_eq!(engines.remove("compare"), Some("all".into()));
    assert_eq!(Spec::read(&stored.to_string()).expect("it can be read"), spec);
}

#[test]
fn a_spec_of_before_there_were_first_opinions_asks_for_none() {
    let spec = hunting("wasm-11");
    assert_eq!(spec.command_line(), "mutagen-wasm interpret --bug wasm-11", "they are usual");
    let mut stored = serde_json::to_value(&spec).expect("it can be written");
    let engines = stored["subject"]["engines"].as_object_mut().expect("it is about engines");
    assert_eq!(engines.remove("first_opinion"), Some("dlr,tinywasm".into()));
    let old = Spec::read(&stored.to_string()).expect("it can be read");
    assert_eq!(old.command_line(), "mutagen-wasm interpret --first-opinion none --bug wasm-11");
    let validates = serde_json::to_value(hunting("wasm-6")).expect("it can be written");
    assert_eq!(validates["subject"]["engines"].get("first_opinion"), None);
}

#[test]
fn a_validator_has_no_parts_to_choose_from() {
    let mut spec = hunting("wasm-6");
    let SubjectSpec::Engines(engines) = &mut spec.subject else { panic!("it is about engines") };
    engines.compare = "results".parse().expect("it is a part");
    let message = spec.check().expect_err("validators only compare validity").to_string();
    assert!(message.contains("validators have no parts"), "{message}");
}
