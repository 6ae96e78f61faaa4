//! The engines behind features of cargo: they are listed in any case, and where they are compiled they answer as wasmi does.
//!
//! `cargo test --release -p mutagen-oracles --features all-engines --test oracles optional` runs all of this.

use mutagen_oracles::{
    Agreement, Call, Ending, Engine, EngineEntry, Features, HostAction, HostPlan, NanMode, Registry, Role,
    Script, Settings, TrapKind, Value, Wasmi, judge, on_stack,
};

use crate::support::{f, wasm};

/// The names, and the features of cargo by which they are had.
const OPTIONAL: [(&str, &str, bool); 6] = [
    ("wasmtime-pulley", "pulley", cfg!(feature = "pulley")),
    ("wasmtime-winch", "winch", cfg!(feature = "winch")),
    ("wasmi-1", "wasmi-1", cfg!(feature = "wasmi-1")),
    ("stitch", "stitch", cfg!(feature = "stitch")),
    ("sf-nano", "sf-nano", cfg!(feature = "sf-nano")),
    ("sf-nano-jit", "sf-nano", cfg!(feature = "sf-nano")),
];

/// Those that are compiled.
fn compiled() -> Vec<EngineEntry> {
    let registry = Registry::default();
    let names = OPTIONAL.iter().filter(|(_, _, is_compiled)| *is_compiled);
    names.map(|(name, _, _)| registry.find(name).expect("it is listed").clone()).collect()
}

/// The settings for an engine, with those of the usual features that it has.
fn settings(entry: &EngineEntry) -> Settings {
    let features = Settings::default().features & entry.features;
    Settings { nan: NanMode::Raw, features, ..Settings::default() }
}

/// Asks every engine that has these features, and wasmi.
fn assert_equal(text: &str, needs: Features, calls: &[Call], hosts: &[HostPlan]) {
    assert_equal_but(&[], text, needs, calls, hosts);
}

/// The same but for some engines.
fn assert_equal_but(but: &[&str], text: &str, needs: Features, calls: &[Call], hosts: &[HostPlan]) {
    let module = wasm(text);
    let asked = |entry: &&EngineEntry| entry.features.includes(needs) && !but.contains(&entry.name);
    for entry in compiled().iter().filter(asked) {
        let settings = settings(entry);
        let engine = entry.make(&settings).expect("it takes the settings");
        let (wasmi, script) = (Wasmi::new(&settings), Script { calls, hosts });
        let judged = on_stack(|| judge(&module, script, &engine, &wasmi, &settings));
        let judgement = judged.expect("there is a thread");
        assert_eq!(judgement.agreement, Agreement::Equal, "{}: {:#?}", entry.name, judgement.steps);
    }
}

/// What engines without `externref` and vectors have.
const COMMON: Features = Features::WASM1;

fn references() -> Features {
    Features::WASM1.with(mutagen_oracles::Feature::ReferenceTypes)
}

#[test]
fn each_is_listed_and_says_how_it_is_had() {
    let registry = Registry::default();
    for (name, feature, is_compiled) in OPTIONAL {
        let entry = registry.find(name).expect("it is listed");
        assert!(entry.roles.contains(&Role::Target) && !entry.about.is_empty(), "{name}");
        assert_eq!(entry.how_to_get.is_none(), is_compiled, "{name}");
        if !is_compiled {
            let error = entry.make(&settings(entry)).err().expect("it is missing").to_string();
            let advice = format!("this program has no engine `{name}`: build it with `--features {feature}`");
            assert_eq!(error, advice);
        }
    }
}

#[test]
fn each_takes_and_gives_every_bit() {
    let text = r#"(module (global (import "" "") f64) (memory (export "memory") 1 3) (data (i32.const 4000) "data")
        (global (export "f32") (mut f32) (f32.const nan:0x200001)) (global (export "i64") (mut i64) (i64.const -7))
        (func (export "f") (param i32 f32 f64 i64) (result i64)
            (global.set 1 (local.get 1)) (i32.store (i32.const 8) (local.get 0)) (i64.reinterpret_f64 (local.get 2)))
        (func (export "g") (result i32) (memory.grow (i32.const 1))))"#;
    let arguments =
        [Value::I32(7), Value::F32(0x7fa0_0001), Value::F64(0xfff0_0000_0000_0001), Value::I64(u64::MAX)];
    let calls = [f(&arguments), Call::new("g", []), Call::new("g", []), Call::new("g", [])];
    assert_equal(text, COMMON, &calls, &[]);
}

#[test]
fn each_knows_the_same_functions_and_objects_by_reference() {
    let text = r#"(module (table (import "" "") 2 externref) (table (export "t") 3 funcref) (elem (table 1) (i32.const 1) func $b $a)
        (global (export "g") (mut externref) (ref.null extern)) (func $a) (func $b (export "b"))
        (func (export "f") (param funcref externref) (result funcref)
            (global.set 0 (local.get 1)) (table.set 0 (i32.const 1) (local.get 1)) (local.get 0))
        (func (export "h") (result funcref) (table.get 1 (i32.const 2))))"#;
    let calls = [
        f(&[Value::FuncRef(Some(0)), Value::ExternRef(Some(7))]),
        f(&[Value::FuncRef(None), Value::ExternRef(None)]),
        Call::new("h", []),
    ];
    assert_equal(text, references(), &calls, &[]);
}

#[test]
fn each_has_vectors_if_it_says_so() {
    let text = r#"(module (global (export "g") (mut v128) (v128.const i64x2 3 4))
        (func (export "f") (param v128) (result v128) (global.set 0 (local.get 0)) (i8x16.add (local.get 0) (v128.const i64x2 5 6))))"#;
    let needs = Features::WASM1.with(mutagen_oracles::Feature::Simd);
    assert_equal(text, needs, &[f(&[Value::V128(u128::MAX - 5)])], &[]);
}

#[test]
fn each_traps_as_others_do() {
    let text = r#"(module (memory 1) (table 3 funcref) (elem (i32.const 0) $f) (type $other (func (param i32)))
        (func $f (export "f") (unreachable))
        (func (export "divide") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
        (func (export "remainder") (param i32) (result i32) (i32.rem_u (i32.const 1) (local.get 0)))
        (func (export "truncate") (param f32) (result i32) (i32.trunc_f32_s (local.get 0)))
        (func (export "load") (result i32) (i32.load (i32.const 65533)))
        (func (export "call") (param i32) (call_indirect (local.get 0)))
        (func (export "other") (call_indirect (type $other) (i32.const 0) (i32.const 0))))"#;
    let copies = r#"(module (table 3 funcref) (func (export "f") (table.copy (i32.const 1) (i32.const 0) (i32.const 3))))"#;
    let needs = Features::WASM1.with(mutagen_oracles::Feature::BulkMemory);
    assert_equal(copies, needs, &[f(&[])], &[]);
    let one = |name: &str, argument| Call::new(name, [argument]);
    let calls = [
        f(&[]),
        Call::new("divide", [Value::I32(1), Value::I32(0)]),
        Call::new("divide", [Value::I32(1 << 31), Value::I32(u32::MAX)]),
        one("remainder", Value::I32(0)),
        one("truncate", Value::F32(0x7fa0_0001)),
        one("truncate", Value::F32(f32::MAX.to_bits())),
        Call::new("load", []),
        one("call", Value::I32(0)),
        one("call", Value::I32(1)),
        one("call", Value::I32(3)),
        Call::new("other", []),
    ];
    assert_equal(text, COMMON, &calls, &[]);
    for text in [
        r#"(module (import "" "" (memory 1)) (data (i32.const 3) "b") (data (i32.const 65536) "a"))"#,
        "(module (table 1 funcref) (elem (i32.const 1) $f) (func $f))",
        r#"(module (import "" "" (global $g (mut i32))) (func $f (global.set $g (i32.const 9)) (unreachable)) (start $f))"#,
    ] {
        assert_equal(text, needs, &[], &[]);
    }
}

#[test]
fn host_functions_of_each_are_called_with_what_they_get_and_return_or_trap() {
    let text = r#"(module (import "a" "b" (func $h (param i32 i64 f32 f64) (result f64))) (import "a" "b" (func $h2 (result i32)))
        (import "a" "b" (memory 1 5)) (import "a" "b" (global (mut f32)))
        (func $start (i32.store (i32.const 8) (call $h2))) (start $start)
        (func (export "f") (param f32) (result f64) (call $h (i32.const 5) (i64.const 6) (local.get 0) (f64.const 7)))
        (func (export "z") (result i32) (call $h2)))"#;
    let returns = HostAction::Return(vec![Value::F64(0x7ff0_0000_0000_0002)]);
    let hosts = [
        HostPlan { turns: vec![vec![], vec![returns]], repeats: true },
        HostPlan { turns: vec![vec![], vec![], vec![HostAction::Trap]], repeats: false },
    ];
    let returning = [hosts[0].clone()];
    let calls = [
        f(&[Value::F32(0x7fa0_0001)]),
        Call::new("z", []),
        Call::new("z", []),
        f(&[Value::F32(0)]),
        Call::new("start", []),
    ];
    assert_equal(text, COMMON, &calls, &[]);
    assert_equal(text, COMMON, &calls, &returning);
    // It panics there, so it is not asked.
    assert_equal_but(&["stitch"], text, COMMON, &calls, &hosts);
}

#[test]
fn what_host_functions_of_an_engine_cannot_do_is_inconclusive() {
    let module = wasm(r#"(module (import "" "" (func)) (memory (export "m") 1))"#);
    let plan = |action| [HostPlan { turns: vec![vec![action]], repeats: false }];
    let writes = plan(HostAction::Write { memory: 0, address: 0, bytes: vec![1] });
    let grows = plan(HostAction::GrowMemory { memory: 0, pages: 1 });
    for (name, plans) in [
        ("stitch", plan(HostAction::Trap)),
        ("stitch", grows),
        ("sf-nano", writes.clone()),
        ("sf-nano-jit", writes),
    ] {
        let Some(entry) = compiled().into_iter().find(|entry| entry.name == name) else { continue };
        let engine = entry.make(&settings(&entry)).expect("it takes the settings");
        let ending = match engine.instantiate_with(&module, &plans).err() {
            Some(mutagen_oracles::Instantiation::Ended { ending, .. }) => Some(ending),
            _ => None,
        };
        assert!(matches!(ending, Some(Ending::Infra(_))), "{name}: {ending:?}");
    }
}

#[test]
fn what_runs_for_ever_is_out_of_fuel_in_each() {
    let endless =
        wasm(r#"(module (func (export "f") (loop (br 0))) (func (export "g") (result i32) (i32.const 5)))"#);
    for entry in compiled() {
        let engine = entry.make(&settings(&entry)).expect("it takes the settings");
        let ask = || {
            let mut instance = engine.instantiate(&endless).expect("it can be instantiated");
            assert_eq!(instance.call("g", &[]), Ending::Returned(vec![Value::I32(5)]), "{}", entry.name);
            assert_eq!(instance.call("f", &[]), Ending::Trapped(TrapKind::OutOfFuel), "{}", entry.name);
        };
        on_stack(ask).expect("there is a thread");
    }
}

#[test]
fn endless_recursion_exhausts_the_stack_of_each() {
    let recursive = wasm(
        r#"(module (func $f (export "f") (param i64) (result i64) (i64.add (call $f (local.get 0)) (local.get 0))))"#,
    );
    for entry in compiled() {
        let engine = entry.make(&settings(&entry)).expect("it takes the settings");
        let ask = || {
            let mut instance = engine.instantiate(&recursive).expect("it can be instantiated");
            instance.call("f", &[Value::I64(1)])
        };
        let ending = on_stack(ask).expect("there is a thread");
        let is_fine = matches!(ending, Ending::Trapped(TrapKind::StackExhausted | TrapKind::OutOfFuel));
        assert!(is_fine, "{}: {ending}", entry.name);
    }
}

#[test]
fn memories_and_tables_of_each_grow_as_far_as_in_others() {
    let text = r#"(module (memory (export "m") 1) (func (export "f") (param i32) (result i32) (memory.grow (local.get 0))))"#;
    for pages in [1, 254, 255, 256, u32::MAX] {
        assert_equal(text, COMMON, &[f(&[Value::I32(pages)]), f(&[Value::I32(0)])], &[]);
    }
}

#[test]
fn each_rejects_what_needs_features_that_are_off() {
    let extends = wasm("(module (func (param i32) (result i32) (i32.extend8_s (local.get 0))))");
    for entry in compiled() {
        let settings = Settings { features: Features::WASM1, ..settings(&entry) };
        let without = entry.make(&settings).expect("it takes the settings");
        assert!(!without.validate(&extends).is_accepted(), "{}", entry.name);
        assert!(without.validate(&wasm("(module (func (param i32)))")).is_accepted(), "{}", entry.name);
        assert!(!without.validate(&wasm("(module (func (result i32)))")).is_accepted(), "{}", entry.name);
    }
}

/// A function whose code goes on behind its end.
const GOES_ON: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x06\x01\x04\0\x0b\x01\x0b";

#[test]
fn the_difference_in_validity_that_is_documented_is_there() {
    let stitch = compiled().into_iter().find(|entry| entry.name == "stitch");
    let Some(entry) = stitch else { return };
    let settings = settings(&entry);
    let stitch = entry.make(&settings).expect("it takes the settings");
    assert!(stitch.validate(GOES_ON).is_accepted());
    assert!(!Wasmi::new(&settings).validate(GOES_ON).is_accepted());
}

/// The modules of `docs/discrepancies.md`, what they are called with, and what an engine says of each.
const DIFFERENCES: [(&str, &str, &[Value], &str); 16] = [
    (
        "stitch",
        r#"(module (func (export "f") (param i32) (result i32) (i32.add (i32.clz (local.get 0)) (ref.is_null (ref.null func)))))"#,
        &[Value::I32(0)],
        "panicked: no suitable instruction found",
    ),
    (
        "stitch",
        r#"(module (table 1 funcref) (func (export "f") (result i32) (ref.is_null (table.get 0 (i32.const 0)))))"#,
        &[],
        "panicked: called `Option::unwrap()` on a `None` value",
    ),
    (
        "stitch",
        r#"(module (func (export "f") (param i32) (result i32) (i32.clz (local.get 0))
            (if (result i32) (local.get 0) (then (i32.clz (local.get 0))) (else (local.get 0))) (drop)))"#,
        &[Value::I32(0)],
        "returned [i32:0]",
    ),
    (
        "stitch",
        r#"(module (func (export "f") (param i64) (result i32) (local i64)
            (i64.eqz (local.get 0)) (local.set 1 (i64.const 2))
            (block (loop (local.set 1 (i64.sub (local.get 1) (i64.const 1)))
                (br_if 1 (i32.eqz (i32.wrap_i64 (local.get 1)))) (br 0)))))"#,
        &[Value::I64(0)],
        "returned [i32:0]",
    ),
    (
        "wasmi-1",
        r#"(module (memory i64 1 0x1000000000000) (func (export "f") (result i32) (i32.load offset=1 (i64.const 0))))"#,
        &[],
        "trapped: out of bounds memory access",
    ),
    (
        "stitch",
        r#"(module (func (export "f") (param f32) (result f32) (local.get 0) (local.get 0) (drop)))"#,
        &[Value::F32(0)],
        "panicked: index out of bounds",
    ),
    (
        "sf-nano",
        r#"(module (func (export "f") (result i32) (local funcref) (ref.is_null (local.get 0))))"#,
        &[],
        "returned [i32:0]",
    ),
    (
        "sf-nano-jit",
        r#"(module (func (export "f") (result i32) (local funcref) (ref.is_null (local.get 0))))"#,
        &[],
        "returned [i32:0]",
    ),
    (
        "sf-nano-jit",
        r#"(module (func (export "f") (param i32) (result i32) (local i32)
            (local.get 1) (local.set 1 (local.get 0)) (br_if 0 (local.get 0))))"#,
        &[Value::I32(7)],
        "returned [i32:7]",
    ),
    (
        "sf-nano-jit",
        r#"(module (memory 1) (data (i32.const 0) "abc")
            (func (export "f") (memory.init 0 (i32.const 9) (i32.const 0) (i32.const 2))))"#,
        &[],
        "returned []",
    ),
    (
        "sf-nano-jit",
        r#"(module (func (export "f") (param f32) (result v128) (v128.const i32x4 0 0 0 0) (br_if 0 (i32.const 0))))"#,
        &[Value::F32(0)],
        "",
    ),
    (
        "stitch",
        r#"(module (func (export "f") (param i32) (result i32)
            (local.get 0) (i32.const 7) (local.get 0) (br_if 0) (drop)))"#,
        &[Value::I32(0)],
        "panicked: index out of bounds",
    ),
    (
        "sf-nano",
        r#"(module (func (export "f") (param f32) (result i32) (i32.trunc_f64_s (f64.promote_f32 (local.get 0)))))"#,
        &[Value::F32(0xff80_0000)],
        "returned [i32:0]",
    ),
    (
        "sf-nano-jit",
        r#"(module (func (export "f") (result i64) (i64.trunc_f32_s (f32.const 0x1p+63))))"#,
        &[],
        "returned [i64:9223372036854775807]",
    ),
    (
        "sf-nano-jit",
        r#"(module (func (export "f") (result i32) (i32.trunc_f32_s (f32.const 0x1p+31))))"#,
        &[],
        "returned [i32:2147483647]",
    ),
    (
        "sf-nano-jit",
        r#"(module (func (export "f") (param i32 f32) (result i32)
            (if (result v128) (i32.reinterpret_f32 (local.get 1))
                (then (v128.const i32x4 0 0 0 0)) (else (f64x2.splat (f64.promote_f32 (local.get 1)))))
            (v128.any_true)))"#,
        &[Value::I32(0), Value::F32(0)],
        "",
    ),
];

#[test]
fn documented_differences_of_sf_nano_do_not_show_in_other_words() {
    let text = r#"(module
        (func (export "f") (param f32 f64) (result i32) (local i32 f32) (i32.trunc_f64_s (f64.promote_f32 (local.get 0))))
        (func (export "g") (param f32 f64) (result i32) (i32.trunc_f32_u (f32.demote_f64 (local.get 1))))
        (func (export "h") (param f32 f64) (result i32) (local i64 funcref) (ref.is_null (local.get 3))))"#;
    let arguments = [[Value::F32(0xff80_0000), Value::F64(0)], [Value::F32(0), Value::F64(0xfff0 << 48)]];
    let calls = arguments.map(|both| ["f", "g", "h"].map(|name| Call::new(name, both))).concat();
    for entry in compiled().into_iter().filter(|entry| entry.name.starts_with("sf-nano")) {
        let settings = Settings { mends: true, ..settings(&entry) };
        let engine = entry.make(&settings).expect("it takes the settings");
        let (module, wasmi) = (wasm(text), Wasmi::new(&settings));
        let judged = on_stack(|| judge(&module, &calls, &engine, &wasmi, &settings));
        let judgement = judged.expect("there is a thread");
        assert_eq!(judgement.agreement, Agreement::Equal, "{}: {:#?}", entry.name, judgement.steps);
    }
}

#[test]
fn the_differences_that_are_documented_are_there() {
    for (name, text, arguments, said) in DIFFERENCES {
        let Some(entry) = compiled().into_iter().find(|entry| entry.name == name) else { continue };
        let settings = settings(&entry);
        let engine = entry.make(&settings).expect("it takes the settings");
        let (module, calls, wasmi) = (wasm(text), [f(arguments)], Wasmi::new(&settings));
        let judged = on_stack(|| judge(&module, &calls, &engine, &wasmi, &settings));
        let judgement = judged.expect("there is a thread");
        assert!(judgement.agreement.is_finding(), "{name}: {text}: {:#?}", judgement.steps);
        let last = &judgement.steps.last().expect("something was asked").target;
        assert!(last.to_string().starts_with(said), "{name}: {text}: {last}");
    }
}
