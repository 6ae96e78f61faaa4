//! Generators that the libraries of the race leave to their users: recursive types in proptest, everything in quickcheck.
//! Both are written as the libraries' own documentation shows it.

mod quick;
mod recursive;
