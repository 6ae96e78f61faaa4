//! One binary for all tests, because linking a compiler takes longer than running them.

mod divergences;
mod dlr;
mod faults;
mod hosts;
mod limits;
mod mended;
mod nans;
mod newcomer;
mod optional;
mod parts;
mod processes;
mod references;
mod registry;
mod sensitivity;
mod support;
mod tinywasm;
