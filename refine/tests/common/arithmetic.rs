//! Arithmetic of WebAssembly, as a published crate has it. The weaver puts bugs of the catalogue into it, behind switches.

use mutagen_refine::{Function, Refine, function};
use wasmi_core::wasm;

pub type Arithmetic = (Function<fn(i32, i32) -> i32>, Function<fn(i32) -> i32>);

/// "rotl loses the bits that leave on the left", and "ctz of 0 is 0".
pub const SWITCHES: [&str; 2] = ["wasm-x19", "wasm-x31"];

/// Rotation and the count of trailing zeros, with three laws.
pub fn laws() -> Refine<Arithmetic> {
    Refine::new((function("rotl", wasm::i32_rotl), function("ctz", wasm::i32_ctz)))
        .property("32 is once around", |(rotl, _), (x, n): (i32, i32)| rotl(x, n) == rotl(x, n + 32))
        .property("as many ones", |(rotl, _), (x, n): (i32, i32)| rotl(x, n).count_ones() == x.count_ones())
        .property("an odd rest", |(_, ctz), x: i32| (x != 0).then(|| (x >> ctz(x)) & 1 == 1))
}
