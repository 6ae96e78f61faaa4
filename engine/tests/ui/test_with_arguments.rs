#[mutagen_engine::test(tests = 5)]
fn holds(_: &u8) -> bool {
    true
}

fn main() {}
