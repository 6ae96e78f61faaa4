use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
#[mutagen(skip)]
struct Point(i32, i32);

fn main() {}
