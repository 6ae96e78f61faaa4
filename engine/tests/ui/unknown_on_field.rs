use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
struct Point {
    #[mutagen(ignore)]
    x: i32,
}

fn main() {}
