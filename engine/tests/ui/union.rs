use mutagen_engine::{Generate, Mutable};

#[derive(Generate, Mutable)]
union Either {
    number: u32,
    bits: f32,
}

fn main() {}
