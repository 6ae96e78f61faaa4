//! A module of several megabytes, for the benchmark and for the test of memory.

use mutagen_wasm_ast::Module;

/// Several megabytes of code similar to the output of compilers, and some data.
pub fn bytes() -> Vec<u8> {
    let functions = 40_000;
    let mut text = String::from("(module (memory 100) (global $sp (mut i32) (i32.const 0))\n");
    for index in 0..functions {
        let (callee, offset) = (index * 7 % functions, index % 200 * 4);
        text += &format!(
            "(func (param i32 i32) (result i32) (local i32 i64) global.get $sp i32.const {offset} i32.sub local.tee 2
            global.set $sp (block (loop local.get 0 i32.load offset={offset} local.tee 2 i32.eqz br_if 1 local.get 2
            local.get 1 i32.add local.set 2 local.get 0 local.get 2 i32.store offset={offset} local.get 0 i32.const 16
            i32.add local.tee 0 local.get 1 i32.lt_u br_if 0 (if (i32.ge_s (local.get 1) (i32.const {index})) (then
            local.get 0 local.get 1 call {callee} local.set 1) (else local.get 3 i64.const {index} i64.xor local.set 3))))
            local.get 2 local.get 3 i32.wrap_i64 i32.add)\n"
        );
    }
    text += &format!("(data (i32.const 0) \"{}\"))", "data".repeat(100_000));
    Module::from_text(&text).expect("the text is well-formed").encode()
}
