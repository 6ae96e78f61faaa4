//! Small programs with switchable bugs on which the engine shows what it can do.
