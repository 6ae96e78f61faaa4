//! Coverage-guided property testing with exhaustive, derived, structure-preserving mutations.
