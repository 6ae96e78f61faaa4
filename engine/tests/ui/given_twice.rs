use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
struct Point {
    #[mutagen(default = 1, default = 2)]
    x: i32,
}

fn main() {}
