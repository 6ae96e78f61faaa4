#[mutagen_engine::test(test = 5)]
fn holds(_: &u8) -> bool {
    true
}

fn main() {}
