//! The catalogue of injected bugs, and the benchmark over it.
