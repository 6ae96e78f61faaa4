#[mutagen_engine::test]
fn holds(list: &mut Vec<u8>) -> bool {
    list.pop().is_none()
}

fn main() {}
