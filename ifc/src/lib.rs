//! An information-flow-control stack machine and register machine with switchable rule faults.
