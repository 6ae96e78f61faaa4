//! Tests of the AST through its public interface. They are one program, because linking takes longer than
//! testing.

mod behaviour;
mod census;
mod corpus;
mod external;
mod measures;
mod nesting;
mod operators;
mod repair;
mod robustness;
mod round_trip;
mod scope;
mod typed;
mod typed_modules;
