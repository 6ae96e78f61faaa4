use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
enum Label {
    Low,
    #[mutagen(weight = 0)]
    High,
}

fn main() {}
