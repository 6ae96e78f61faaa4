//! Modules that are malformed, invalid, huge or deeply nested: each gets the answer that is its due, in bounded memory, and
//! none ends the program.

#[path = "common/binary.rs"]
mod binary;
#[path = "common/program.rs"]
mod program;
#[path = "common/verdicts.rs"]
mod verdicts;

use std::fs::File;

use binary::{HEADER, HUGE, function, items, leb, module, section, with_function, with_section_of_code};
use mutagen_wasm_ast::Module;
use program::{run_at, run_in};
use verdicts::{
    ACCEPTED, Case, assert_accepted, assert_instantiation, assert_refused, assert_rejected, directory_with,
    judged,
};

/// The binary form of a module, or of the fields of one.
fn wasm(text: &str) -> Vec<u8> {
    Module::assemble(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_header_that_is_cut_off_or_foreign_is_refused_or_rejected() {
    assert_refused(&[
        ("0 bytes", vec![], "the file is empty"),
        ("1 byte", HEADER[..1].to_vec(), "ends inside the first word"),
        ("2 bytes", HEADER[..2].to_vec(), "ends inside the first word"),
        ("3 bytes", HEADER[..3].to_vec(), "ends inside the first word"),
        ("another magic number", b"\0asn\x01\0\0\0".to_vec(), "no binary module"),
        ("a component", b"\0asm\x0d\0\x01\0".to_vec(), "component, not a core module"),
        ("a component as text", b"(component)".to_vec(), "component, not a core module"),
    ]);
    assert_rejected(&[
        ("4 bytes", HEADER[..4].to_vec(), "unexpected end"),
        ("5 bytes", HEADER[..5].to_vec(), "unexpected end"),
        ("6 bytes", HEADER[..6].to_vec(), "unexpected end"),
        ("7 bytes", HEADER[..7].to_vec(), "unexpected end"),
        ("version 0", b"\0asm\0\0\0\0".to_vec(), "unknown binary version"),
        ("version 2", b"\0asm\x02\0\0\0".to_vec(), "unknown binary version"),
        ("version 13", b"\0asm\x0d\0\0\0".to_vec(), "unknown binary version"),
    ]);
}

#[test]
fn numbers_may_have_as_many_bytes_as_their_type_needs_and_no_more() {
    let section_size = |size: &[u8]| [HEADER, b"\x01", size, b"\x01\x60\0\0"].concat();
    let constant = |number: &[u8]| function(&[b"\0\x42", number, b"\x1a\x0b"]);
    let (u32_padded, i64_padded) = (b"\x84\x80\x80\x80", [0x80; 9]);
    assert_accepted(&[
        ("5 bytes of 32 bits", section_size(&[&u32_padded[..], b"\0"].concat()), "equal"),
        ("10 bytes of 64 bits", constant(&[&i64_padded[..], b"\0"].concat()), "equal"),
    ]);
    assert_rejected(&[
        ("6 bytes of 32 bits", section_size(&[&u32_padded[..], b"\x80\0"].concat()), "too long"),
        ("33 bits", section_size(&[&u32_padded[..], b"\x10"].concat()), "too large"),
        ("11 bytes of 64 bits", constant(&[&i64_padded[..], b"\x80\0"].concat()), "too long"),
        ("65 bits", constant(&[&i64_padded[..], b"\x02"].concat()), "too large"),
    ]);
}

#[test]
fn sizes_and_counts_that_promise_more_than_there_is_are_rejected_in_little_memory() {
    let types = b"\x01\x60\0\0";
    let promise = |id| module(&[section(id, &[HUGE, b"\0"])]);
    assert_rejected(&[
        ("a section beyond the end", [HEADER, b"\x01\x64", types].concat(), "unexpected end"),
        ("a section that ends too early", [HEADER, b"\x01\x03", types].concat(), "unexpected end"),
        ("a section of 4 GiB", [HEADER, b"\x01", HUGE, types].concat(), "unexpected end"),
        ("a body of 4 GiB", with_section_of_code(&[b"\x01", HUGE, b"\0\x0b"]), "unexpected end"),
        ("types", promise(1), "types count"),
        ("imports", promise(2), "imports count"),
        ("functions", promise(3), "functions count"),
        ("tables", promise(4), "tables count"),
        ("memories", promise(5), "memories count"),
        ("globals", promise(6), "globals count"),
        ("exports", promise(7), "exports count"),
        ("elements", promise(9), "element segments count"),
        ("bodies", promise(10), "code section"),
        ("data", promise(11), "data segments count"),
        ("parameters", module(&[section(1, &[b"\x01\x60", HUGE, b"\0"])]), "params size"),
        ("a name", module(&[section(7, &[b"\x01", HUGE, b"x"])]), "string size"),
        ("runs of locals", function(&[HUGE, b"\x0b"]), "unexpected end"),
        ("locals in one run", function(&[b"\x01", HUGE, b"\x7f\x0b"]), "too many locals"),
        ("targets of br_table", function(&[b"\0\x41\0\x0e", HUGE, b"\0\x0b"]), "br_table size"),
        ("functions of an element", module(&[section(9, &[b"\x01\x01\0", HUGE, b"\0"])]), "unexpected end"),
        ("bytes of data", module(&[section(11, &[b"\x01\x01", HUGE, b"\0"])]), "unexpected end"),
    ]);
    let names = module(&[section(0, &[b"\x04name\x01", HUGE, b"\0"])]);
    assert_accepted(&[("names, which nobody counts", names, "equal")]);
}

#[test]
fn sections_that_do_not_fit_together_are_rejected() {
    let (types, functions) = (|| section(1, &[b"\x01\x60\0\0"]), || section(3, &[b"\x01\0"]));
    let body = b"\x02\0\x0b";
    assert_rejected(&[
        ("a section twice", module(&[types(), types()]), "out of order"),
        ("sections out of order", module(&[section(3, &[b"\0"]), types()]), "out of order"),
        ("an unknown section", module(&[section(32, &[])]), "malformed section id"),
        ("a function without a body", module(&[types(), functions()]), "inconsistent lengths"),
        ("a body without a function", module(&[types(), section(10, &[b"\x01", body])]), "without function"),
        ("two bodies of one function", with_section_of_code(&[b"\x02", body, body]), "inconsistent lengths"),
        (
            "more data than was counted",
            module(&[section(12, &[b"\x01"]), section(11, &[b"\x02\x01\0\x01\0"])]),
            "data count",
        ),
        (
            "less data than was counted",
            module(&[section(12, &[b"\x02"]), section(11, &[b"\x01\x01\0"])]),
            "data count",
        ),
        ("counted data that is not there", module(&[section(12, &[b"\x01"])]), "data count"),
        ("garbage at the end", [&module(&[types()])[..], b"garbage"].concat(), "unexpected end"),
        ("two modules", [HEADER, HEADER].concat(), "unexpected end"),
        (
            "a module after a module",
            [function(&[b"\0\x0b"]), function(&[b"\0\x0b"])].concat(),
            "unexpected end",
        ),
    ]);
}

#[test]
fn names_of_imports_and_exports_are_text_and_other_names_mean_nothing() {
    let utf8 = "UTF-8";
    let exported = |name: &[u8]| {
        module(&[section(5, &[b"\x01\0\0"]), section(7, &[b"\x01", &[name.len() as u8], name, b"\x02\0"])])
    };
    let imported = |name: &[u8]| module(&[section(2, &[b"\x01\x01", name, b"\x01a\x03\x7f\0"])]);
    assert_rejected(&[
        ("a lone byte", exported(b"\xff"), utf8),
        ("half a character", exported(b"\xe2\x82"), utf8),
        ("an overlong zero", exported(b"\xc0\x80"), utf8),
        ("half a pair", exported(b"\xed\xa0\x80"), utf8),
        ("beyond the last character", exported(b"\xf4\x90\x80\x80"), utf8),
        ("an imported module", imported(b"\xff"), utf8),
        ("a custom section", module(&[section(0, &[b"\x01\xff"])]), utf8),
    ]);

    let names = |content: &[u8]| with_function(&[b"\0\x0b"], &[section(0, &[b"\x04name", content])]);
    let of_functions = |assigned: &[&[u8]]| names(&section(1, assigned));
    let many: Vec<Vec<u8>> =
        (0..100_000).map(|index| [&leb(index)[..], b"\x64", &[b'x'; 100]].concat()).collect();
    let cases = [
        ("no text", of_functions(&[b"\x01\0\x01\xff"]), "equal"),
        ("garbage", names(b"\xff\x80\x01"), "equal"),
        ("nothing", names(b""), "equal"),
        ("a function twice", of_functions(&[b"\x02\0\x01a\0\x01b"]), "equal"),
        ("a function that is not there", of_functions(&[b"\x01\x63\x01a"]), "equal"),
        ("names for 10 MB", of_functions(&[&leb(100_000), &many.concat()]), "equal"),
    ];
    assert_accepted(&cases);
    for (name, bytes, _) in &cases {
        let decoded = Module::decode(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(decoded.functions.len(), 1, "{name}");
        assert!(decoded.to_text().is_ok(), "{name}");
    }
}

/// Deeper than any native stack.
const LEVELS: usize = 100_000;

#[test]
fn nesting_that_is_deeper_than_any_stack_is_judged_up_to_a_limit() {
    let nested = |begin: &[u8]| function(&[b"\0", &begin.repeat(LEVELS), &[0x0b].repeat(LEVELS + 1)]);
    let text = |begin: &str, end: &str| {
        format!("(func (export \"f\") {}{})", begin.repeat(LEVELS), end.repeat(LEVELS)).into_bytes()
    };
    let limit = "over a limit: bytes of a function body";
    assert_accepted(&[
        ("blocks", nested(b"\x02\x40"), limit),
        ("loops", nested(b"\x03\x40"), limit),
        ("ifs", nested(b"\x41\0\x04\x40"), limit),
        ("flat text", text("block ", "end "), limit),
        ("folded text", text("(block ", ")"), limit),
        ("folded ifs", text("(if (i32.const 0) (then ", "))"), limit),
    ]);
    let operands = format!("(func (result i32) {}", "(i32.eqz ".repeat(LEVELS));
    let operands = format!("{operands} (i32.const 1){})", ")".repeat(LEVELS));
    assert_eq!(judged("validate", &[("folded operands", operands.into_bytes(), "")]), [[ACCEPTED]]);
    assert_refused(&[
        ("parentheses", "(".repeat(LEVELS).into_bytes(), ":2: expected"),
        ("parentheses in a module", format!("(module {}", "(".repeat(LEVELS)).into_bytes(), "1:10: expected"),
        ("comments", "(;".repeat(LEVELS).into_bytes(), "malformed text: 1:"),
    ]);
}

#[test]
fn limits_that_one_engine_has_are_limits_and_those_that_both_have_are_agreed_on() {
    let br_table =
        |targets: u32| function(&[b"\0\x41\0\x0e", &leb(targets), &vec![0; targets as usize + 1], b"\x0b"]);
    let nops = |bytes: usize| function(&[b"\0", &vec![0x01; bytes - 2], b"\x0b"]);
    let locals = |count: u32| function(&[b"\x01", &leb(count), b"\x7f\x0b"]);
    let runs = |count: u32| function(&[&leb(count), &b"\x01\x7f".repeat(count as usize), b"\x0b"]);
    let of_type = |parameters: u32, results: u32| {
        let many = |count: u32| [leb(count), vec![0x7f; count as usize]].concat();
        module(&[section(1, &[b"\x01\x60", &many(parameters), &many(results)])])
    };
    let name = |bytes: usize| {
        let name = [leb(bytes as u32), vec![b'x'; bytes]].concat();
        module(&[section(5, &[b"\x01\0\0"]), section(7, &[b"\x01", &name, b"\x02\0"])])
    };
    let exports: Vec<u8> =
        (0..10_000).flat_map(|number| format!("\x05{number:05}\0\0").into_bytes()).collect();
    let exports = module(&[
        section(1, &[b"\x01\x60\0\0"]),
        section(3, &[b"\x01\0"]),
        section(7, &[&leb(10_000), &exports]),
        section(10, &[b"\x01\x02\0\x0b"]),
    ]);
    let data = |count| module(&[section(12, &[&leb(count)]), items(11, count, b"\x01\0")]);
    let elements = |count| module(&[items(9, count, b"\x01\0\0")]);
    assert_accepted(&[
        ("50,000 locals", locals(50_000), "over a limit: locals"),
        ("50,000 runs of one local", runs(50_000), "over a limit: locals"),
        ("65,520 targets", br_table(65_520), "over a limit: br_table targets"),
        ("65,521 targets", br_table(65_521), "over a limit: br_table targets"),
        ("1,000 parameters", of_type(1_000, 0), "equal"),
        ("1,000 results", of_type(0, 1_000), "equal"),
        ("a body of 7,654,310 bytes", nops(7_654_310), "over a limit: bytes of a function body"),
        ("100 tables", module(&[items(4, 100, b"\x70\0\0")]), "over a limit: tables"),
        ("100 memories", module(&[items(5, 100, b"\0\0")]), "over a limit: memories"),
        ("a name of 100,000 bytes", name(100_000), "equal"),
        ("10,000 exports", exports, "equal"),
        ("100,000 data segments", data(100_000), "equal"),
        ("100,000 element segments", elements(100_000), "equal"),
    ]);
    assert_rejected(&[
        ("50,001 locals", locals(50_001), "too many locals"),
        ("50,001 runs of one local", runs(50_001), "too many locals"),
        ("7,654,321 targets", br_table(7_654_321), "br_table size"),
        ("1,001 parameters", of_type(1_001, 0), "params size"),
        ("1,001 results", of_type(0, 1_001), "returns size"),
        ("101 tables", module(&[items(4, 101, b"\x70\0\0")]), "tables count"),
        ("101 memories", module(&[items(5, 101, b"\0\0")]), "memories count"),
        ("1,000,001 types", module(&[items(1, 1_000_001, b"\x60\0\0")]), "types count"),
        ("1,000,001 globals", module(&[items(6, 1_000_001, b"\x7f\0\x41\0\x0b")]), "globals count"),
        ("100,001 data segments", data(100_001), "too many data segments"),
        ("100,001 element segments", elements(100_001), "element segments count"),
        ("a name of 100,001 bytes", name(100_001), "string size"),
    ]);
    let lines = judged(
        "validate",
        &[
            ("131,073 targets", br_table(131_073), ""),
            ("a body of 7,654,400 bytes", nops(7_654_400), ""),
            ("1,000,000 types", module(&[items(1, 1_000_000, b"\x60\0\0")]), ""),
        ],
    );
    let [targets, body, types] = &lines.concat()[..] else { panic!("{lines:?}") };
    assert!(targets.starts_with("wasmi: rejected: br_table size"), "{targets}");
    assert!(targets.ends_with("wasmtime: accepted; over a limit: br_table targets"), "{targets}");
    assert!(body.starts_with("wasmi: accepted; wasmtime: rejected: function body size"), "{body}");
    assert!(body.ends_with("; over a limit: bytes of a function body"), "{body}");
    assert_eq!(types, ACCEPTED);
}

#[test]
fn modules_of_100_mb_are_refused_unread_whatever_they_hold() {
    // Behind each beginning come zeros, which take no space on the disk.
    let beginnings: [(&str, &[u8]); 5] = [
        ("zeros", b""),
        ("a data segment", b"\0asm\x01\0\0\0\x05\x03\x01\0\x10\x0b\x8a\xe1\xeb\x17\x01\0\x41\0\x0b"),
        ("a custom section", b"\0asm\x01\0\0\0\0\x80\xe1\xeb\x17\x01x"),
        ("code", b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x80\xe1\xeb\x17\x01"),
        ("text", b"(module (data \""),
    ];
    let directory = directory_with(beginnings);
    let mut words = vec!["validate"];
    for (name, _) in beginnings {
        let file = File::options().append(true).open(directory.path().join(name)).expect("it is there");
        file.set_len(100_000_000).expect("it takes no space");
        words.push(name);
    }
    let run = run_in(directory.path(), &words, b"");
    let lines: Vec<String> =
        beginnings.iter().map(|(name, _)| format!("error: {name}: larger than 16 MiB\n")).collect();
    assert_eq!((run.code, run.out.as_str(), run.err), (3, "", lines.concat()));
}

#[test]
fn modules_just_below_the_limit_of_sizes_are_judged() {
    let length = (16 << 20) - 100;
    let zeros = vec![0; length];
    let segment = section(11, &[b"\x01\0\x41\0\x0b", &leb(length as u32), &zeros]);
    let custom = section(0, &[b"\x01x", &zeros]);
    assert_accepted(&[
        ("data", module(&[section(5, &[b"\x01\0\x80\x02"]), segment]), "equal"),
        ("a custom section", module(&[custom]), "equal"),
    ]);
}

#[test]
fn memories_and_tables_that_are_too_large_are_limits_and_take_no_memory() {
    let pages = "over a limit: memory pages";
    assert_accepted(&[
        ("4 GiB", wasm("(memory 65536)"), pages),
        ("2^48 pages", wasm("(memory i64 0x1000000000000)"), pages),
        ("4 GiB of somebody else", wasm(r#"(module (import "" "" (memory 65536)))"#), pages),
        ("a table", wasm("(table 10000001 funcref)"), "over a limit: table elements"),
        ("100 imported memories", module(&[items(2, 100, b"\0\0\x02\0\0")]), "over a limit: memories"),
    ]);
    assert_rejected(&[
        ("65,537 pages", wasm("(memory 65537)"), "65536 pages"),
        ("more than all 64 bits", wasm("(memory i64 0x1000000000001)"), "memory size"),
    ]);
}

#[test]
fn segments_out_of_bounds_trap_alike_and_are_compared() {
    let data = |name, offset: i32, bytes: &str, answer| {
        (name, wasm(&format!("(memory 1) (data (i32.const {offset}) \"{bytes}\")")), answer)
    };
    let elements = |name, offset: i32, functions: &str, answer| {
        (
            name,
            wasm(&format!("(table 1 funcref) (func $f) (elem (i32.const {offset}) func {functions})")),
            answer,
        )
    };
    let memory = "both trapped: out of bounds memory access";
    let table = "both trapped: out of bounds table access";
    assert_instantiation(
        "equal",
        &[
            data("data", 65_536, "x", memory),
            data("data that begins inside", 65_535, "xy", memory),
            data("data at -1", -1, "x", memory),
            data("no data behind the end", 65_537, "", memory),
            data("no data at the end", 65_536, "", "both instantiated"),
            elements("elements", 1, "$f", table),
            elements("no elements behind the end", 2, "", table),
            elements("no elements at the end", 1, "", "both instantiated"),
        ],
    );
}

#[test]
fn start_functions_that_misbehave_prove_nothing_or_trap_alike() {
    let start =
        |name, body: &str, answer| (name, wasm(&format!("(memory 1) (func $s {body}) (start $s)")), answer);
    let no_fuel = "wasmi trapped: out of fuel; wasmtime not asked";
    assert_instantiation(
        "inconclusive: fuel ran out",
        &[
            start("loops", "(loop (br 0))", no_fuel),
            start("grows and grows", "(loop (drop (memory.grow (i32.const 1))) (br 0))", no_fuel),
        ],
    );
    assert_instantiation(
        "inconclusive: the call stack was exhausted",
        &[start("recurs", "call $s", "both trapped: call stack exhausted")],
    );
    assert_instantiation(
        "equal",
        &[
            start("traps", "unreachable", "both trapped: unreachable executed"),
            start("grows too far", "(drop (memory.grow (i32.const 65535)))", "both instantiated"),
        ],
    );
}

#[test]
fn features_that_neither_engine_is_to_have_are_rejected_by_name() {
    assert_rejected(&[
        ("gc", wasm("(type (struct))"), "gc"),
        ("exceptions", wasm("(tag)"), "exceptions"),
        ("legacy exceptions", wasm("(func try catch_all end)"), "legacy exceptions"),
        ("threads", wasm("(memory 1 1 shared)"), "threads"),
        ("custom page sizes", wasm("(memory 1 (pagesize 1))"), "custom page sizes"),
        ("function references", wasm("(func (param (ref func)))"), "reference"),
        ("stack switching", wasm("(type $f (func)) (type (cont $f))"), "stack switching"),
    ]);
}

#[test]
fn campaigns_seeds_and_shrinking_leave_out_what_they_cannot_take_apart_with_the_reason() {
    let nested = |levels| function(&[b"\0", &b"\x02\x40".repeat(levels), &[0x0b].repeat(levels + 1)]);
    let (too_deep, deep) = (nested(LEVELS), nested(3_289));
    let left_out = [
        ("deep.wasm", &too_deep[..], "nested deeper than 10000 levels"),
        ("gc.wat", b"(type (struct))", "module uses gc, which is not supported"),
        ("tag.wat", b"(tag)", "module uses exceptions, which is not supported"),
        ("threads.wat", b"(memory 1 1 shared)", "module uses threads, which is not supported"),
        ("two.wasm", b"\0asm\x01\0\0\0\0asm\x01\0\0\0", "malformed module"),
    ];
    let files = left_out.iter().map(|(name, bytes, _)| (*name, *bytes));
    let directory = directory_with(files.chain([("good.wasm", &deep[..])]));
    // Who asks about these very modules is told by the code as well; searches go on with those that are left.
    for (line, code) in [
        ("validate --guidance repro --input . -q", 3),
        ("interpret --guidance repro --input . -q", 3),
        ("interpret --input . --fixes --tests 100 -q", 0),
        ("seeds . -o seeds -v", 0),
    ] {
        let run = run_at(directory.path(), line);
        for (name, _, reason) in left_out {
            let about = run.err.lines().find(|line| line.contains(name)).unwrap_or_default();
            assert!(about.contains(reason), "{line}: {name}: {}", run.err);
        }
        assert!(!run.err.contains("good.wasm"), "{line}: {}", run.err);
        assert_eq!(run.code, code, "{line}: {}", run.err);
    }
    let refused = run_at(directory.path(), "shrink deep.wasm --predicate true");
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("nested deeper than 10000 levels"), "{}", refused.err);
    let shrunk = run_at(directory.path(), "shrink good.wasm --predicate true");
    assert_eq!(shrunk.code, 0, "{}", shrunk.err);
}

#[test]
fn modules_that_break_a_rule_of_validation_are_rejected() {
    let broken = |name, text: &str, reason| (name, wasm(text), reason);
    let mismatch = "type mismatch";
    assert_rejected(&[
        broken("no operand", "(func drop)", mismatch),
        broken("another operand", "(func (result i32) (i32.eqz (i64.const 0)))", mismatch),
        broken("no result", "(func (result i32))", mismatch),
        broken("a result too many", "(func i32.const 0)", "values remaining"),
        broken(
            "if without else",
            "(func (result i32) (if (result i32) (i32.const 0) (then (i32.const 0))))",
            mismatch,
        ),
        broken("unknown local", "(func local.get 0 drop)", "unknown local"),
        broken("unknown global", "(func global.get 0 drop)", "unknown global"),
        broken("unknown function", "(func call 1)", "unknown function"),
        broken("unknown type", "(func (type 1))", "unknown type"),
        broken("unknown label", "(func br 1)", "unknown label"),
        broken("unknown memory", "(func (drop (i32.load (i32.const 0))))", "unknown memory"),
        broken(
            "unknown table",
            "(type (func)) (func (call_indirect (type 0) (i32.const 0)))",
            "unknown table",
        ),
        broken("unknown data", "(func data.drop 0)", "unknown data"),
        broken("unknown elements", "(func elem.drop 0)", "unknown elem"),
        broken(
            "immutable global",
            "(global i32 (i32.const 0)) (func (global.set 0 (i32.const 1)))",
            "immutable",
        ),
        broken("alignment", "(memory 1) (func (drop (i32.load align=8 (i32.const 0))))", "alignment"),
        broken("no constant", "(global i32 (i32.eqz (i32.const 0)))", "constant expression"),
        broken("start with a result", "(func (result i32) (i32.const 0)) (start 0)", "start function"),
        broken("export twice", r#"(module (func (export "a")) (func (export "a")))"#, "duplicate export"),
        broken("limits", "(memory 2 1)", "minimum"),
        broken("undeclared reference", "(func $f) (func (drop (ref.func $f)))", "undeclared"),
        broken("lane", "(func (result i32) (i8x16.extract_lane_s 16 (v128.const i64x2 0 0)))", "lane"),
        broken("tail call", "(func $f (result i32) (i32.const 0)) (func (return_call $f))", mismatch),
        broken("behind unreachable", "(func unreachable i64.const 0 i32.eqz drop)", mismatch),
    ]);
}

#[test]
fn engines_agree_on_a_module_however_one_byte_of_it_is_damaged() {
    let whole = wasm(
        r#"(module (type $t (func (param i32) (result i64))) (import "a" "b" (func $i (type $t))) (table 2 funcref)
            (memory 1 2) (global (mut f32) (f32.const 1)) (export "f" (func $f)) (elem (i32.const 0) $f)
            (func $f (type $t) (local f64) (block (br_table 0 0 (local.get 0)))
                (if (result i64) (local.get 0) (then (i64.load (i32.const 8))) (else (call $i (i32.const 1)))))
            (data (i32.const 0) "abc"))"#,
    );
    let bytes = [0x00, 0x01, 0x0b, 0x40, 0x7f, 0x80, 0xff];
    let damaged = |place: usize, byte| {
        let mut module = whole.clone();
        module[place] = byte;
        (format!("byte {place} is {byte}"), module)
    };
    let modules: Vec<(String, Vec<u8>)> =
        (8..whole.len()).flat_map(|place| bytes.map(|byte| damaged(place, byte))).collect();
    let cases: Vec<Case> = modules.iter().map(|(name, bytes)| (&name[..], bytes.clone(), "")).collect();
    let answers = judged("validate", &cases).concat();
    assert_eq!(answers.len(), modules.len());
    let rejected =
        |line: &&String| line.contains("wasmi: rejected: ") && line.contains("wasmtime: rejected: ");
    let (rejected, accepted): (Vec<&String>, Vec<&String>) = answers.iter().partition(|line| rejected(line));
    assert!(accepted.iter().all(|line| *line == ACCEPTED), "{accepted:?}");
    assert!(rejected.len() > 500 && accepted.len() > 50, "{} and {}", rejected.len(), accepted.len());
}

#[test]
fn engines_agree_on_fifty_modules_wherever_they_are_cut_off() {
    let witnesses = mutagen_bugs::entries().iter().filter_map(|entry| entry.witnesses.first());
    let whole: Vec<Vec<u8>> = witnesses.map(|witness| wasm(witness.module)).take(50).collect();
    assert_eq!(whole.len(), 50);
    let cut = |(number, module): (usize, &Vec<u8>)| -> Vec<(String, Vec<u8>)> {
        // Files that end inside of the first word are no modules.
        (4..module.len()).map(|end| (format!("{end} of {number}"), module[..end].to_vec())).collect()
    };
    let cut: Vec<(String, Vec<u8>)> = whole.iter().enumerate().flat_map(cut).collect();
    let cases: Vec<Case> = cut.iter().map(|(name, bytes)| (&name[..], bytes.clone(), "")).collect();
    let answers = judged("validate", &cases).concat();
    assert_eq!(answers.len(), cut.len());
    let agreed = |line: &&String| {
        *line == ACCEPTED || line.contains("wasmi: rejected: ") && line.contains("wasmtime: rejected: ")
    };
    assert_eq!(answers.iter().find(|line| !agreed(line)), None);
    assert!(answers.len() > 1000 && answers.iter().any(|line| line != ACCEPTED), "{}", answers.len());
}

#[test]
fn imports_are_given_by_their_declared_type_whatever_their_names_and_number() {
    let unknown = wasm(
        r#"(module (import "no" "such" (func $g (param i32) (result i64))) (import "no" "such" (memory 1))
            (import "" "" (table 1 funcref)) (import "no" "such" (global i32))
            (func (export "f") (result i64) (call $g (global.get 0))))"#,
    );
    let many = module(&[section(1, &[b"\x01\x60\0\0"]), items(2, 100_000, b"\0\0\0\0")]);
    assert_accepted(&[("unknown ones", unknown, "equal"), ("100,000", many, "equal")]);
    let no_type = module(&[section(1, &[b"\x01\x60\0\0"]), section(2, &[b"\x01\0\0\0\x01"])]);
    assert_rejected(&[("a type that is not there", no_type, "unknown type")]);
}

#[test]
fn text_that_is_no_module_is_refused_with_line_and_column() {
    let long = format!("(module (memory 200) (data (i32.const 0) \"{}", "a".repeat(12 << 20));
    assert_refused(&[
        ("a comment that reads backwards", "(module (; \u{202e} ;) (func))".into(), "1:12: likely-confusing"),
        (
            "a name that reads backwards",
            "(module (func (export \"\u{202e}\")))".into(),
            "1:24: likely-confusing",
        ),
        ("a zero byte", b"(module\n\0)".to_vec(), ": 2:1: "),
        ("a byte-order mark", "\u{feff}(module)".into(), "1:1: unexpected character"),
        ("no UTF-8", b"(module (; \xff ;))".to_vec(), "not a text"),
        (
            "lines that end as in Windows",
            b"(module\r\n  (func\r\n    bad))\r\n".to_vec(),
            "3:5: unknown operator",
        ),
        ("a parenthesis too many", b"(module (func)))".to_vec(), "1:16: extra tokens"),
        ("a parenthesis too few", b"(module (func)".to_vec(), "1:15: expected `)`"),
        ("an annotation without content", b"(module (@custom))".to_vec(), "1:17: expected a string"),
        ("an endless string", long.clone().into_bytes(), "malformed text: 1:12582955: unexpected end"),
    ]);
    assert_accepted(&[
        ("lines as in Windows", b"(module\r\n  (func\r\n    nop))\r\n".to_vec(), "equal"),
        (
            "annotations",
            b"(module (@custom \"x\" \"y\") (@unknown stuff (nested \"z\")) (func))".to_vec(),
            "equal",
        ),
        ("a string of 12 MiB", (long + "\"))").into_bytes(), "equal"),
    ]);
}

#[test]
fn content_and_not_the_name_of_a_file_says_whether_it_is_text() {
    assert_accepted(&[
        ("text.wasm", b"(module)".to_vec(), "equal"),
        ("text-with-a-comment.wasm", b"\n ;; like this\n(module)".to_vec(), "equal"),
        ("binary.wat", HEADER.to_vec(), "equal"),
        ("binary.txt", HEADER.to_vec(), "equal"),
    ]);
    assert_refused(&[
        ("broken-text.wasm", b"(module (func".to_vec(), "1:14"),
        ("neither.wasm", b"neither".to_vec(), "no binary module"),
    ]);
}
