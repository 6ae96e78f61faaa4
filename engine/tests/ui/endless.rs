use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
enum Endless {
    More(u8, Box<Endless>),
    Both(Box<Self>, (Box<Endless>, u8)),
}

fn main() {}
