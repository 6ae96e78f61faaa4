use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
enum Label {
    #[mutagen(default)]
    Low,
    #[mutagen(default)]
    High,
}

fn main() {}
