use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
enum List {
    Empty,
    #[mutagen(default)]
    Cons(u8, Box<List>),
}

fn main() {}
