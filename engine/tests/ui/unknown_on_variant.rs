use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
enum Label {
    Low,
    #[mutagen(wieght = 3)]
    High,
}

fn main() {}
