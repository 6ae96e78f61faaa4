//! Engines in other processes: they say what engines in this one say, and their end proves nothing that it should not.

use std::{fs, io::Write as _};

use mutagen_oracles::{
    Agreement, Call, Ending, Engine, EngineEntry, Feature, Features, HostAction, HostPlan, Judgement,
    NanMode, Registry, Script, Settings, TrapKind, Validity, Value, Wasmi, judge, on_stack,
};

use crate::support::{f, wasm};

/// The settings for engines that do not canonicalise NaNs, with what all versions of Node have.
fn settings() -> Settings {
    Settings { nan: NanMode::Raw, features: Features::WASM2.with(Feature::TailCall), ..Settings::default() }
}

/// V8 with each of its compilers. None if there is no Node, which is said.
fn v8() -> Vec<Box<dyn Engine>> {
    let registry = Registry::default();
    let names = ["node", "node-turbofan"];
    let entries = names.map(|name| registry.find(name).expect("it is listed"));
    let present: Vec<&EngineEntry> = entries.into_iter().filter(|entry| entry.how_to_get.is_none()).collect();
    if present.is_empty() {
        writeln!(std::io::stderr(), "skipped: there is no Node on the PATH").expect("there is an output");
    }
    present.into_iter().map(|entry| entry.make(&settings()).expect("it starts")).collect()
}

/// What V8 with each of its compilers and wasmi make of a module. The last question's answer is that of V8.
fn judged(text: &str, calls: &[Call], hosts: &[HostPlan]) -> Vec<Judgement> {
    let (module, wasmi) = (wasm(text), Wasmi::new(&settings()));
    let script = Script { calls, hosts };
    let judge = |engine: Box<dyn Engine>| {
        on_stack(|| judge(&module, script, &engine, &wasmi, &settings())).expect("there is a thread")
    };
    v8().into_iter().map(judge).collect()
}

fn assert_equal(text: &str, calls: &[Call], hosts: &[HostPlan]) {
    for judgement in judged(text, calls, hosts) {
        assert_eq!(judgement.agreement, Agreement::Equal, "{:#?}", judgement.steps);
        assert_eq!(judgement.steps.len(), 2 + calls.len(), "{:#?}", judgement.steps);
    }
}

const NAN: u32 = 0x7fa0_0001;

#[test]
fn node_takes_and_gives_every_bit_of_every_type() {
    let text = r#"(module (global (import "" "") f64) (table (import "" "") 2 externref)
        (memory (export "memory") 1 3) (data (i32.const 4000) "data")
        (global (export "f32") (mut f32) (f32.const nan:0x200001)) (global (export "v") v128 (v128.const i64x2 1 2))
        (global (export "i64") (mut i64) (i64.const -7))
        (table (export "table") 3 funcref) (elem (table 1) (i32.const 1) func $f $g)
        (func $f (export "f") (param i32 f32 f64 i64 v128 externref funcref)
            (result funcref v128 i64 f64 f32 externref i32)
            (global.set 1 (local.get 1))
            (local.get 6) (local.get 4) (local.get 3) (local.get 2) (local.get 1) (local.get 5) (local.get 0))
        (func $g (export "g") (result i32) (memory.grow (i32.const 1)))
        (func (export "h") (result funcref) (table.set 0 (i32.const 0) (ref.null extern)) (ref.func $hidden))
        (func $hidden) (elem declare func $hidden))"#;
    let arguments = [
        Value::I32(7),
        Value::F32(NAN),
        Value::F64(0xfff0_0000_0000_0001),
        Value::I64(u64::MAX),
        Value::V128(u128::MAX - 5),
        Value::ExternRef(Some(9)),
        Value::FuncRef(Some(1)),
    ];
    let calls =
        [f(&arguments), Call::new("g", []), Call::new("g", []), Call::new("g", []), Call::new("h", [])];
    assert_equal(text, &calls, &[]);
}

#[test]
fn node_traps_as_others_do() {
    let text = r#"(module (memory 1) (table 2 funcref) (elem (i32.const 0) $f) (type $other (func (param i32)))
        (func $f (export "f") (unreachable))
        (func (export "divide") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
        (func (export "remainder") (param i32) (result i32) (i32.rem_u (i32.const 1) (local.get 0)))
        (func (export "truncate") (param f32) (result i32) (i32.trunc_f32_s (local.get 0)))
        (func (export "load") (result i32) (i32.load (i32.const 65533)))
        (func (export "fill") (memory.fill (i32.const 65530) (i32.const 1) (i32.const 9)))
        (func (export "get") (result funcref) (table.get (i32.const 2)))
        (func (export "call") (param i32) (call_indirect (local.get 0)))
        (func (export "other") (call_indirect (type $other) (i32.const 0) (i32.const 0))))"#;
    let one = |name: &str, argument| Call::new(name, [argument]);
    let calls = [
        f(&[]),
        Call::new("divide", [Value::I32(1), Value::I32(0)]),
        Call::new("divide", [Value::I32(1 << 31), Value::I32(u32::MAX)]),
        one("remainder", Value::I32(0)),
        one("truncate", Value::F32(NAN)),
        one("truncate", Value::F32(f32::MAX.to_bits())),
        Call::new("load", []),
        Call::new("fill", []),
        Call::new("get", []),
        one("call", Value::I32(0)),
        one("call", Value::I32(1)),
        one("call", Value::I32(2)),
        Call::new("other", []),
    ];
    assert_equal(text, &calls, &[]);
    for text in [
        "(module (memory 1) (data (i32.const 65536) \"a\"))",
        "(module (table 1 funcref) (elem (i32.const 1) $f) (func $f))",
        "(module (func $f (unreachable)) (start $f))",
    ] {
        for judgement in judged(text, &[], &[]) {
            assert_eq!(judgement.agreement, Agreement::Equal, "{text}: {:#?}", judgement.steps);
        }
    }
}

#[test]
fn host_functions_of_node_do_what_their_plans_say() {
    let text = r#"(module (import "" "" (func $h (param f32 v128 externref) (result f64 funcref i32)))
        (import "" "" (func $h2)) (import "" "" (memory 1 5)) (import "" "" (global (mut f32)))
        (table (export "t") 2 funcref) (global (export "g") (mut v128) (v128.const i64x2 3 4))
        (func (export "f") (param f32) (result f64 funcref i32)
            (call $h (local.get 0) (v128.const i64x2 5 6) (ref.null extern)))
        (func (export "twice") (param i32) (result i32)
            (if (i32.eq (local.get 0) (i32.const 13)) (then (unreachable)))
            (i32.mul (i32.const 2) (local.get 0)))
        (func (export "z") (call $h2)))"#;
    let turn = vec![
        HostAction::Write { memory: 0, address: 9, bytes: vec![1, 2, 3] },
        HostAction::Write { memory: 0, address: 65_535, bytes: vec![1, 2, 3] },
        HostAction::GrowMemory { memory: 0, pages: 1 },
        HostAction::GrowMemory { memory: 0, pages: 90 },
        HostAction::GrowTable { table: 0, elements: 2, value: Value::FuncRef(Some(1)) },
        HostAction::GrowTable { table: 0, elements: 1 << 40, value: Value::FuncRef(None) },
        HostAction::SetGlobal { global: 0, value: Value::F32(NAN) },
        HostAction::SetGlobal { global: 1, value: Value::V128(77) },
        HostAction::SetGlobal { global: 1, value: Value::I32(77) },
        HostAction::SetElement { table: 0, index: 1, value: Value::FuncRef(Some(0)) },
        HostAction::SetElement { table: 0, index: 99, value: Value::FuncRef(None) },
        HostAction::Call { function: 1, arguments: vec![Value::I32(21)] },
        HostAction::Call { function: 1, arguments: vec![Value::I32(13)] },
        HostAction::Call { function: 0, arguments: vec![Value::F32(NAN)] },
        HostAction::Return(vec![Value::F64(0x7ff0_0000_0000_0002), Value::FuncRef(Some(2))]),
    ];
    let hosts = [
        HostPlan { turns: vec![turn], repeats: true },
        HostPlan { turns: vec![vec![], vec![HostAction::Trap]], repeats: false },
    ];
    let calls = [f(&[Value::F32(NAN)]), Call::new("z", []), Call::new("z", []), f(&[Value::F32(0)])];
    assert_equal(text, &calls, &hosts);
}

#[test]
fn node_rejects_what_is_invalid_or_needs_features_that_are_off() {
    for (text, is_valid) in [
        ("(module (func (result i32) (i32.const 1)))", true),
        ("(module (func (result i32) (i64.const 1)))", false),
        ("(module (tag))", false),
    ] {
        for engine in v8() {
            assert_eq!(engine.validate(&wasm(text)).is_accepted(), is_valid, "{text}");
        }
    }
}

#[test]
fn what_runs_for_ever_is_out_of_fuel_before_node_is_asked() {
    let endless =
        wasm(r#"(module (func (export "f") (loop (br 0))) (func (export "g") (result i32) (i32.const 5)))"#);
    for engine in v8() {
        let mut instance = engine.instantiate(&endless).expect("it can be instantiated");
        assert_eq!(instance.call("g", &[]), Ending::Returned(vec![Value::I32(5)]));
        assert_eq!(instance.call("f", &[]), Ending::Trapped(TrapKind::OutOfFuel));
    }
}

/// An engine that says hello, waits for the first byte of a question, and then does what the words of a shell say.
#[cfg(unix)]
fn engine_that(does: &str) -> Box<dyn Engine> {
    let settings = Settings { features: Features::NONE, ..settings() };
    let asked = 4 + 1 + 4 + 4 + settings.features.to_string().len() + 1 + 3 * 8 + 3 * 4;
    let hello = r"\035\000\000\000\000\001\000\000\000\001\000\000\000x\003\000\000\0001.0\000\000\000\000\000\000\000\000\000\000\000\000";
    let script = format!("printf '{hello}'\ndd bs=1 count={} of=/dev/null 2>/dev/null\n{does}\n", asked + 1);
    let words: String = does.chars().filter(char::is_ascii_alphanumeric).collect();
    let file = std::env::temp_dir().join(format!("mutagen-engine-{}-{words}.sh", std::process::id()));
    fs::write(&file, script).expect("it can be written");
    let name = format!("process:sh {}", file.display());
    let registry = Registry::default();
    let entry = registry.find_chosen(&name).expect("every command has an entry");
    assert_eq!((entry.how_to_get, entry.version.as_str()), (None, "1.0"));
    entry.make(&settings).expect("it says hello")
}

#[cfg(unix)]
#[test]
fn the_end_of_a_process_is_a_panic_unless_somebody_else_ended_it() {
    let empty = b"\0asm\x01\0\0\0";
    let ended = |does: &str| {
        let engine = engine_that(does);
        // Each time another process is asked.
        [engine.validate(empty), engine.validate(empty)]
    };
    for validity in ended("exit 3") {
        assert_eq!(validity, Validity::Panicked("its process ended: exit status: 3".to_owned()));
    }
    for (does, said) in [
        ("kill -KILL $$", "its process was ended"),
        (r"printf '\001\000\000\000\143'", "does not keep to the protocol"),
        (r"printf '\377\377\377\377'", "does not keep to the protocol"),
    ] {
        for validity in ended(does) {
            assert!(
                matches!(&validity, Validity::Unanswered(why) if why.contains(said)),
                "{does}: {validity}"
            );
        }
    }
}

#[test]
fn a_command_that_does_not_answer_is_missing_and_says_what_it_must_do() {
    for command in ["process:/no/such/command", "process:cat /dev/null"] {
        let registry = Registry::default();
        let error = registry
            .find_chosen(command)
            .expect("it has an entry")
            .make(&settings())
            .err()
            .expect("it fails");
        assert!(error.to_string().contains("docs/engines-in-processes.md"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_process_that_does_not_answer_is_ended_and_proves_nothing() {
    let engine = engine_that("exec sleep 60");
    let validity = engine.validate(b"\0asm\x01\0\0\0");
    assert_eq!(validity, Validity::Unanswered("no answer within 20 seconds".to_owned()));
}

/// A script for a shell, as a plain command with this around it.
#[cfg(unix)]
fn plain(script: &str, around: impl Fn(&str) -> String) -> Box<dyn Engine> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    script.hash(&mut hasher);
    let (process, hash) = (std::process::id(), hasher.finish());
    let file = std::env::temp_dir().join(format!("mutagen-plain-{process}-{hash}.sh"));
    fs::write(&file, script).expect("it can be written");
    let name = around(&format!("sh {}", file.display()));
    let registry = Registry::default();
    assert!(registry.find(&name).is_err(), "nobody has chosen it");
    let entry = registry.find_chosen(&name).expect("every command has an entry");
    let compared = mutagen_oracles::Parts::only(mutagen_oracles::Part::Results);
    entry.make(&Settings { compared, ..settings() }).expect("nothing is started yet")
}

#[cfg(unix)]
#[test]
fn a_plain_command_says_by_its_exit_code_whether_a_module_is_valid() {
    // It rejects what is longer than eight bytes.
    let checks = r#"[ $(wc -c <"$1") = 8 ] || { echo "too long: $(wc -c <"$1")" >&2; exit 1; }"#;
    let engine = plain(checks, |command| format!("plain:{command}"));
    assert_eq!(engine.validate(b"\0asm\x01\0\0\0"), Validity::Accepted);
    let more = engine.validate(&wasm("(module (memory 1))"));
    assert!(matches!(&more, Validity::Rejected(why) if why.0.contains("too long")), "{more}");
    let ends = plain("kill -SEGV $$", |command| format!("plain:{command}"));
    assert!(matches!(ends.validate(b"\0asm\x01\0\0\0"), Validity::Panicked(_)));
    let missing = Registry::default();
    let missing = missing.find_chosen("plain:/no/such/command").expect("it has an entry");
    let missing = missing.make(&settings()).expect("nothing is started yet");
    assert!(matches!(missing.validate(b"\0asm\x01\0\0\0"), Validity::Unanswered(_)));
}

#[cfg(unix)]
#[test]
fn a_plain_command_is_asked_about_calls_that_nothing_came_before() {
    let runs = r#"case "$1" in
        check) exit 0 ;;
        sum) echo $(($2 + $3)) ;;
        divide) echo "trap: integer divide by zero" >&2; exit 3 ;;
        nan) echo nan ;;
        *) exit 9 ;;
        esac"#;
    let around =
        |command: &str| format!("plain:{command} check;{command} {{function}} {{arguments}} {{module}}");
    let engine = plain(runs, around);
    let text = r#"(module (func (export "sum") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
        (func (export "divide") (result i32) (i32.div_u (i32.const 1) (i32.const 0)))
        (func (export "nan") (result f32) (f32.const nan)) (func (export "other") (result f32) (f32.const nan)))"#;
    let call = |name: &str, arguments: &[Value]| {
        let mut instance = engine.instantiate(&wasm(text)).expect("it can be asked");
        [instance.call(name, arguments), instance.call(name, arguments)]
    };
    let [first, second] = call("sum", &[Value::I32(5), Value::I32(-7_i32 as u32)]);
    assert_eq!(first, Ending::Returned(vec![Value::I32(-2_i32 as u32)]));
    assert!(matches!(&second, Ending::Infra(why) if why.contains("remembers nothing")), "{second}");
    assert_eq!(call("divide", &[])[0], Ending::Trapped(TrapKind::DivisionByZero));
    for unknown in ["nan", "other"] {
        assert!(matches!(call(unknown, &[])[0], Ending::Infra(_)), "{unknown}");
    }
    assert!(matches!(call("none", &[])[0], Ending::Refused(_)));
    // What it runs for ever is not asked, and what it cannot show is not compared.
    let endless = engine.instantiate(&wasm(r#"(module (func (export "f") (loop (br 0))))"#));
    assert_eq!(endless.expect("it can be asked").call("f", &[]), Ending::Trapped(TrapKind::OutOfFuel));
    assert!(engine.instantiate(&wasm(r#"(module (import "m" "f" (func)))"#)).is_err());
}
