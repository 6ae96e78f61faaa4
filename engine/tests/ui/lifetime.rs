use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable, Clone, PartialEq)]
struct Borrowed<'a>(&'a str);

fn main() {}
