use mutagen_engine::Listable;

#[derive(Listable, Clone)]
enum Instruction {
    Nop,
    #[mutagen(when = |_| true)]
    Simd(u8),
}

fn main() {}
