use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable)]
struct Point(i32);

fn main() {}
