use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
enum Hidden {
    #[mutagen(skip)]
    One,
    #[mutagen(skip)]
    Two,
}

fn main() {}
