//! How many runs per second each engine makes, alone and together, and what sharing a compilation gives.
//!
//! `cargo bench -p mutagen-oracles`. All lines run the same functions of type (i32, f32) -> i32 with one memory, as the
//! interpreter benchmark has them, and count what one core does in a second of its own time.

#[path = "common/cpu_time.rs"]
mod cpu_time;

use std::time::Duration;

use cpu_time::cpu_time;
use mutagen_oracles::{
    Agreement, Call, Compiled, Engine, Instance, Settings, Tinywasm, Value, Wasmi, Wasmtime, gate, judge,
    on_stack,
};

const FUNCTIONS: usize = 128;
const BATCH: usize = 32;
const AT_LEAST: Duration = Duration::from_millis(500);

fn main() {
    on_stack(run).expect("there is a thread");
}

fn run() {
    let settings = Settings::default();
    let (wasmi, tinywasm) = (Wasmi::new(&settings), Tinywasm::new(&settings));
    let wasmtime = Wasmtime::new(&settings).expect("the usual settings are fine");
    let optimising = Wasmtime::optimising(&settings).expect("the usual settings are fine");
    let bodies: Vec<String> = (0..FUNCTIONS).map(body).collect();
    let singles: Vec<Vec<u8>> = bodies.iter().map(|body| exporting(std::slice::from_ref(body))).collect();
    let exporting: Vec<Vec<u8>> = bodies.chunks(BATCH).map(exporting).collect();
    let dispatching: Vec<Vec<u8>> = bodies.chunks(BATCH).map(dispatching).collect();
    let compiled: Vec<Box<dyn Compiled + '_>> =
        dispatching.iter().map(|batch| compile(&wasmtime, batch)).collect();

    let mut table = Table::default();
    table.line("wasmtime: one by one", || each(&wasmtime, &singles));
    table.line("wasmtime, optimising: one by one", || each(&optimising, &singles));
    table.line("wasmtime: 32 exports in a module", || {
        exporting.iter().for_each(|batch| by_export(&*compile(&wasmtime, batch)));
    });
    table.line("wasmtime: 32 behind one export", || {
        dispatching.iter().for_each(|batch| by_number(&*compile(&wasmtime, batch), 1));
    });
    table.line("wasmtime: 32 behind one export, 4 calls on one instance", || {
        dispatching.iter().for_each(|batch| by_number(&*compile(&wasmtime, batch), 4));
    });
    table.line("wasmtime: compiled before, instantiate, call, state", || {
        compiled.iter().for_each(|batch| by_number(&**batch, 1));
    });
    table.line("wasmtime: validate only", || validate_each(&wasmtime, &singles));
    table.line("wasmi: one by one", || each(&wasmi, &singles));
    table.line("wasmi: validate only", || validate_each(&wasmi, &singles));
    table.line("tinywasm: one by one", || each(&tinywasm, &singles));
    table.line("tinywasm: validate only", || validate_each(&tinywasm, &singles));
    table.line("the gate", || singles.iter().for_each(|it| assert_eq!(gate(it), None)));
    table.line("judge: both, one by one, 1 call", || judge_each(&wasmi, &wasmtime, &singles, 1));
    table.line("judge: both, one by one, 4 calls", || judge_each(&wasmi, &wasmtime, &singles, 4));
}

/// Prints rates, and ratios to the first of them.
#[derive(Default)]
struct Table {
    first: Option<f64>,
}

impl Table {
    fn line(&mut self, what: &str, mut run: impl FnMut()) {
        let (start, mut rounds) = (cpu_time(), 0);
        while cpu_time() - start < AT_LEAST {
            run();
            rounds += 1;
        }
        let rate = (rounds * FUNCTIONS) as f64 / (cpu_time() - start).as_secs_f64();
        let ratio = rate / *self.first.get_or_insert(rate);
        println!("{what:<58}{rate:>10.0}/s{ratio:>9.1}x");
    }
}

/// A function body of the kind that a generator makes.
fn body(number: usize) -> String {
    let operators =
        ["i32.add", "i32.sub", "i32.mul", "i32.and", "i32.xor", "i32.shr_u", "i32.lt_u", "i32.rotl"];
    let pick = |salt: usize| operators[(number * 7 + salt * 3 + number / 8) % operators.len()];
    format!(
        "(local i32 i64) (local.set 2 ({} (local.get 0) (i32.const {number})))
         (if (i32.and (local.get 2) (i32.const 1)) (then
            (i32.store offset={number} (i32.and (local.get 2) (i32.const 0xfff)) (i32.trunc_sat_f32_s (local.get 1)))))
         ({} ({} (local.get 2) (i32.load8_s (i32.and (local.get 0) (i32.const 0xff)))) (local.get 0))",
        pick(0),
        pick(1),
        pick(2)
    )
}

fn with_memory(rest: &str) -> Vec<u8> {
    wat::parse_str(format!("(module (memory (export \"memory\") 1) {rest})")).expect("the text is fine")
}

/// Each function is an export of its own.
fn exporting(bodies: &[String]) -> Vec<u8> {
    let functions = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| format!("(func (export \"{number}\") (param i32 f32) (result i32) {body})"));
    with_memory(&functions.collect::<String>())
}

/// One export calls the function whose number it is given as its last argument.
fn dispatching(bodies: &[String]) -> Vec<u8> {
    let functions: String =
        bodies.iter().map(|body| format!("(func (param i32 f32) (result i32) {body})")).collect();
    let numbers: String = (0..bodies.len()).map(|number| format!("{number} ")).collect();
    let mut dispatch = format!("(br_table {numbers} (local.get 2))");
    for number in 0..bodies.len() {
        dispatch = format!("(block {dispatch}) (return (call {number} (local.get 0) (local.get 1)))");
    }
    with_memory(&format!(
        "{functions} (func (export \"call\") (param i32 f32 i32) (result i32) {dispatch} unreachable)"
    ))
}

fn arguments(number: usize) -> [Value; 2] {
    [Value::I32(0x1234_5678 << number), Value::F32(0x4048_0000)]
}

fn run_one(instance: &mut dyn Instance, name: &str, arguments: &[Value]) {
    std::hint::black_box((instance.call(name, arguments), instance.state()));
}

fn validate_each(engine: &dyn Engine, modules: &[Vec<u8>]) {
    modules.iter().for_each(|module| assert!(engine.validate(module).is_accepted()));
}

/// Validate, compile, instantiate, call, look at the state.
fn each(engine: &dyn Engine, modules: &[Vec<u8>]) {
    for module in modules {
        assert!(engine.validate(module).is_accepted());
        run_one(engine.instantiate(module).expect("it instantiates").as_mut(), "0", &arguments(0));
    }
}

fn compile<'a>(wasmtime: &'a Wasmtime, module: &[u8]) -> Box<dyn Compiled + 'a> {
    wasmtime.compile(module).expect("it compiles")
}

fn by_export(batch: &dyn Compiled) {
    for function in 0..BATCH {
        let mut instance = batch.instantiate().expect("it instantiates");
        run_one(instance.as_mut(), &function.to_string(), &arguments(0));
    }
}

fn by_number(batch: &dyn Compiled, calls: usize) {
    for function in 0..BATCH {
        let mut instance = batch.instantiate().expect("it instantiates");
        for call in 0..calls {
            let [a, b] = arguments(call);
            run_one(instance.as_mut(), "call", &[a, b, Value::I32(function as u32)]);
        }
    }
}

fn judge_each(target: &dyn Engine, reference: &dyn Engine, modules: &[Vec<u8>], calls: usize) {
    let settings = Settings::default();
    let calls: Vec<Call> = (0..calls).map(|number| Call::new("0", arguments(number))).collect();
    for module in modules {
        assert_eq!(judge(module, &calls, target, reference, &settings).agreement, Agreement::Equal);
    }
}
