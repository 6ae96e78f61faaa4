#[mutagen_engine::test]
fn holds(_: &u8, _: &u8) -> bool {
    true
}

fn main() {}
