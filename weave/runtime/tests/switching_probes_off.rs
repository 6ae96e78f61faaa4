//! Switching probes off is for the whole program, so these tests have one of their own.

use mutagen_weave::{Recorder, probes};

/// Validates a small module.
fn validate() {
    let bytes = wat::parse_str("(module (func (param i64) (result i32) local.get 0 i64.eqz))")
        .expect("it is well-formed");
    wasmi::Module::validate(&wasmi::Engine::default(), &bytes).expect("it is valid");
}

#[test]
fn probes_that_are_switched_off_do_not_fire_and_come_back() {
    let is_parser = |name: &probes::Name| name.file == probes::UNSTABLE_FILE;
    let names = probes::names().expect("the test program names its probes");
    let parser_events = || {
        let mut recorder = Recorder::new(1 << 16);
        recorder.record(validate);
        recorder.events().iter().filter(|&&number| is_parser(&names[number as usize - 1])).count()
    };
    assert!(parser_events() > 0);
    let by_name = probes::switch_off(is_parser).expect("the test program names its probes");
    assert_eq!(parser_events(), 0);
    probes::switch_all_on();
    assert!(parser_events() > 0);
    let by_file = probes::switch_off_files(|file| file == probes::UNSTABLE_FILE)
        .expect("the test program names its probes");
    assert_eq!(parser_events(), 0);
    assert_eq!(by_file, by_name);
    probes::switch_all_on();
}
