use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
enum Color {
    Red,
    #[mutagen(skip, default)]
    Blue,
}

fn main() {}
