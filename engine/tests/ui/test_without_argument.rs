#[mutagen_engine::test]
fn holds() -> bool {
    true
}

fn main() {}
