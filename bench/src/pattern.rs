//! Names with wildcards.

/// Whether `name` matches `pattern`, in which `*` stands for any text and `?` for any one character.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut pattern_rest = pattern.chars();
    match pattern_rest.next() {
        None => name.is_empty(),
        Some('*') => {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.into_iter().any(|at| fits(pattern_rest.as_str(), &name[at..]))
        }
        Some(wanted) => {
            let mut name_rest = name.chars();
            name_rest.next().is_some_and(|found| wanted == '?' || wanted == found)
                && fits(pattern_rest.as_str(), name_rest.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        for (pattern, name) in
            [("*", ""), ("*", "x"), ("stack-*", "stack-12"), ("*-1?", "wasm-15"), ("a*b*c", "aXbYbc")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("", "x"), ("?", ""), ("stack-?", "stack-12"), ("wasm-1?", "wasm-15b"), ("a*b", "abc")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
