//! What cannot be derived is refused, with a reason and a way out. The expected messages are in `ui/*.stderr`.

#[test]
fn impossible_derives_say_why_and_what_to_do() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
