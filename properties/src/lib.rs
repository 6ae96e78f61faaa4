//! What must hold: validators agree, interpreters agree, single steps do not interfere.

pub mod ssni;
