//! Decoding of malformed and damaged bytes.

use mutagen_wasm_ast::{Features, Module};

use crate::corpus::{damaged_modules, valid_modules};

/// Decodes the bytes. A decoded module must survive a round trip, and an error must say where and why.
fn decode(bytes: &[u8]) {
    match Module::decode(bytes) {
        Ok(module) => assert_eq!(Module::decode(&module.encode()), Ok(module)),
        Err(error) => assert!(error.offset() <= bytes.len() && error.to_string().len() > 20, "{error}"),
    }
}

#[test]
fn every_truncation_of_a_module_decodes_or_is_refused() {
    for bytes in valid_modules(Features::WASMI, 50) {
        (0..bytes.len()).for_each(|length| decode(&bytes[..length]));
    }
}

#[test]
fn damaged_modules_decode_or_are_refused() {
    damaged_modules(200_000).for_each(|bytes| decode(&bytes));
}

const HEADER: &[u8] = b"\0asm\x01\0\0\0";

fn with_header(sections: &[u8]) -> Vec<u8> {
    [HEADER, sections].concat()
}

#[test]
fn malformed_modules_are_refused_with_a_reason() {
    let cases: [(&str, Vec<u8>, &str); 16] = [
        ("nothing", vec![], "empty"),
        ("half a header", HEADER[..6].to_vec(), "unexpected end"),
        ("another magic number", b"\0bsm\x01\0\0\0".to_vec(), "magic"),
        ("another version", b"\0asm\x02\0\0\0".to_vec(), "version"),
        ("a component", b"\0asm\x0d\0\x01\0".to_vec(), "component, not a core module"),
        ("a number in six bytes", with_header(b"\x01\x80\x80\x80\x80\x80\0\0"), "too long"),
        ("a section that is too long", with_header(b"\x01\xff\xff\xff\xff\x0f"), "unexpected end"),
        ("a section that is too short", with_header(b"\x01\x03\x01\x60\0\0"), "unexpected end"),
        ("a count without content", with_header(b"\x01\x05\xff\xff\xff\xff\x0f"), "unexpected end"),
        ("a section twice", with_header(b"\x01\x01\0\x01\x01\0"), "out of order"),
        ("sections out of order", with_header(b"\x03\x01\0\x01\x01\0"), "out of order"),
        ("an unknown section", with_header(b"\x20\0"), "unknown section 32"),
        (
            "a function without code",
            with_header(b"\x01\x04\x01\x60\0\0\x03\x02\x01\0"),
            "code section is absent",
        ),
        ("a wrong data count", with_header(b"\x0c\x01\x02\x0b\x01\0"), "data count"),
        ("a name that is no UTF-8", with_header(b"\x07\x05\x01\x01\xff\0\0"), "UTF-8"),
        ("two modules", [HEADER, HEADER].concat(), "expected section"),
    ];
    for (case, bytes, reason) in cases {
        let error = Module::decode(&bytes).expect_err(case);
        assert!(error.to_string().contains(reason), "{case}: {error}");
        assert_eq!(error.unsupported(), None, "{case}");
    }
}

#[test]
fn features_that_the_ast_does_not_have_are_named() {
    let cases = [
        ("(module (type (struct)))", "gc"),
        ("(module (rec (type (func)) (type (func))))", "gc"),
        ("(module (func (param anyref)))", "gc"),
        ("(module (func ref.null any drop))", "gc"),
        ("(module (func (param (ref func))))", "function-references"),
        ("(module (table 1 funcref (ref.null func)))", "function-references"),
        ("(module (func (param funcref) local.get 0 ref.as_non_null drop))", "function-references"),
        ("(module (tag))", "exceptions"),
        ("(module (import \"\" \"\" (tag)))", "exceptions"),
        ("(module (func throw_ref))", "exceptions"),
        ("(module (memory 1 1 shared))", "threads"),
        ("(module (memory 1) (func (drop (i32.atomic.load (i32.const 0)))))", "threads"),
        ("(module (memory 1 (pagesize 1)))", "custom-page-sizes"),
        ("(module (type $f (func)) (type (cont $f)))", "stack-switching"),
    ];
    for (text, feature) in cases {
        let bytes = wat::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = Module::decode(&bytes).expect_err(text);
        assert_eq!(error.unsupported(), Some(feature), "{text}: {error}");
        assert!(error.offset() >= 8 && error.to_string().contains(feature), "{text}: {error}");
    }
}

#[test]
fn garbage_in_custom_sections_is_kept_and_printed_around() {
    let bytes = with_header(b"\0\x08\x04name\xff\x80\x01");
    let module = Module::decode(&bytes).expect("custom sections never make a module malformed");
    assert_eq!(module.encode(), bytes);
    assert!(module.to_text().is_ok());
}

#[test]
fn text_and_binary_are_told_apart_by_their_first_byte() {
    assert_eq!(Module::read(b"(module)").as_ref(), Ok(&Module::default()));
    assert_eq!(Module::read(HEADER).as_ref(), Ok(&Module::default()));
    assert!(Module::read(b"").expect_err("nothing is no module").to_string().contains("empty"));
    assert!(
        Module::read(b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8")
            .expect_err("this is neither")
            .to_string()
            .contains("magic")
    );
    let error = Module::read(b"(module\n  (func i32.bad))").expect_err("there is no such instruction");
    assert!(error.to_string().contains("2:9"), "{error}");
}
