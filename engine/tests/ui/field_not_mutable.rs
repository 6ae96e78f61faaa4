use mutagen_engine::{Generate, Mutable};

#[derive(Clone, PartialEq)]
struct Opaque;

#[derive(Generate, Mutable, Clone, PartialEq)]
struct Holder(Opaque);

fn main() {}
