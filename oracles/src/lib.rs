//! WebAssembly engines as black boxes: outcomes, verdicts, NaN-equivalence, limits.
