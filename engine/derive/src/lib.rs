//! Derives of Generate and Mutable, and the test attribute, for mutagen-engine.
