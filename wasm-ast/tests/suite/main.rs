//! Tests of the AST through its public interface. One program, because linking takes longer than testing.

mod behaviour;
mod corpus;
mod external;
mod measures;
mod nesting;
mod operators;
mod robustness;
mod round_trip;
mod scope;
mod typed;
