//! How many runs per second each engine makes, alone and together, and what sharing a compilation gives.
//!
//! `cargo bench -p mutagen-oracles`, on an idle machine. Every line is the best of five rounds over the same modules:
//! small functions of type (i32, f32) -> i32 with one memory, as the interpreter benchmark has them.

use std::time::{Duration, Instant};

use mutagen_oracles::{
    Call, Compiled, Engine, Instance, Settings, Value, Verdict, Wasmi, Wasmtime, gate, judge, on_stack,
};

const ROUNDS: usize = 5;
const MODULES: usize = 256;
const BATCH: usize = 32;

fn main() {
    on_stack(|| {
        let settings = Settings::default();
        let wasmi = Wasmi::new(&settings);
        let wasmtime = Wasmtime::new(&settings).expect("the usual settings are fine");
        let optimising = Wasmtime::optimising(&settings).expect("the usual settings are fine");
        let bodies: Vec<String> = (0..MODULES).map(body).collect();
        let modules: Vec<Vec<u8>> = bodies.iter().map(|body| module(std::slice::from_ref(body))).collect();
        let batches: Vec<Vec<u8>> = bodies.chunks(BATCH).map(module).collect();

        println!("{:<58}{:>12}{:>10}", "what", "per second", "ratio");
        let mut base = None;
        let mut line = |what: &str, run: &mut dyn FnMut()| {
            let rate = MODULES as f64 / best_of(run).as_secs_f64();
            println!("{what:<58}{rate:>12.0}{:>9.2}x", rate / *base.get_or_insert(rate));
        };
        line("wasmtime: validate, compile, instantiate, call, state", &mut || each(&wasmtime, &modules));
        line("wasmtime, optimising: the same", &mut || each(&optimising, &modules));
        line("wasmtime: validate", &mut || validate_each(&wasmtime, &modules));
        line("wasmtime: compile only", &mut || modules.iter().for_each(|it| drop(compile(&wasmtime, it))));
        line("wasmtime: batches of 32, an instance per function", &mut || {
            batches.iter().for_each(|batch| fresh_instances(&compile(&wasmtime, batch), 1));
        });
        line("wasmtime: batches of 32, an instance per call, 4 calls", &mut || {
            batches.iter().for_each(|batch| fresh_instances(&compile(&wasmtime, batch), 4));
        });
        line("wasmtime: batches of 32, an instance per batch", &mut || {
            batches.iter().for_each(|batch| one_instance(&compile(&wasmtime, batch)));
        });
        let compiled: Vec<Compiled> = batches.iter().map(|batch| compile(&wasmtime, batch)).collect();
        line("wasmtime: compiled before, an instance per function", &mut || {
            compiled.iter().for_each(|it| fresh_instances(it, 1));
        });
        line("the gate", &mut || modules.iter().for_each(|it| assert_eq!(gate(it), None)));
        line("wasmi: validate, translate, instantiate, call, state", &mut || each(&wasmi, &modules));
        line("wasmi: validate", &mut || validate_each(&wasmi, &modules));
        line("judge: both, one by one, 1 call", &mut || judge_each(&wasmi, &wasmtime, &modules, 1));
        line("judge: both, one by one, 4 calls", &mut || judge_each(&wasmi, &wasmtime, &modules, 4));
    })
    .expect("there is a thread");
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

fn module(bodies: &[String]) -> Vec<u8> {
    let functions: String = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| format!("(func (export \"{number}\") (param i32 f32) (result i32) {body})"))
        .collect();
    wat::parse_str(format!("(module (memory (export \"memory\") 1) {functions})")).expect("the text is fine")
}

fn best_of(run: &mut dyn FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..ROUNDS).map(|_| time(run)).min().expect("there is a round")
}

fn arguments(number: usize) -> [Value; 2] {
    [Value::I32(0x1234_5678 << number), Value::F32(0x4048_0000)]
}

fn call(instance: &mut dyn Instance, function: usize, number: usize) {
    std::hint::black_box((instance.call(&function.to_string(), &arguments(number)), instance.state()));
}

fn validate_each(engine: &dyn Engine, modules: &[Vec<u8>]) {
    modules.iter().for_each(|module| assert!(engine.validate(module).is_accepted()));
}

fn each(engine: &dyn Engine, modules: &[Vec<u8>]) {
    for module in modules {
        assert!(engine.validate(module).is_accepted());
        call(engine.instantiate(module).ok().expect("it instantiates").as_mut(), 0, 0);
    }
}

fn compile(wasmtime: &Wasmtime, module: &[u8]) -> Compiled {
    wasmtime.compile(module).expect("it compiles")
}

fn fresh_instances(compiled: &Compiled, calls: usize) {
    for function in 0..BATCH {
        for number in 0..calls {
            call(compiled.instantiate().ok().expect("it instantiates").as_mut(), function, number);
        }
    }
}

fn one_instance(compiled: &Compiled) {
    let mut instance = compiled.instantiate().ok().expect("it instantiates");
    (0..BATCH).for_each(|function| call(instance.as_mut(), function, 0));
}

fn judge_each(target: &dyn Engine, reference: &dyn Engine, modules: &[Vec<u8>], calls: usize) {
    let settings = Settings::default();
    let calls: Vec<Call> = (0..calls).map(|number| Call::new("0", arguments(number))).collect();
    for module in modules {
        assert_eq!(judge(module, &calls, target, reference, &settings).verdict, Verdict::Equal);
    }
}
