//! Whether every element of a page is closed, in order.

/// Elements that are never closed.
const VOID: [&str; 2] = ["meta", "br"];

/// Checks that elements nest, attributes are quoted, and no text has a bare `<` or `&`.
pub fn check(page: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("it does not begin with its type")?;
    while let Some(at) = rest.find('<') {
        entities(&rest[..at], open.last() == Some(&"style"))?;
        let end = rest[at..].find('>').ok_or("a tag has no end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        match tag.strip_prefix('/') {
            Some(name) if open.last() == Some(&name) => {
                open.pop();
            }
            Some(name) => return Err(format!("`{name}` is closed, but {open:?} are open")),
            None => {
                let name = tag.split_whitespace().next().unwrap_or_default();
                attributes(&tag[name.len()..])?;
                if !VOID.contains(&name) {
                    open.push(name);
                }
            }
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} are never closed")) }
}

fn entities(text: &str, is_style: bool) -> Result<(), String> {
    let known = ["amp;", "lt;", "gt;", "quot;"];
    let bare = text.split('&').skip(1).find(|rest| !known.iter().any(|entity| rest.starts_with(entity)));
    match bare {
        Some(rest) if !is_style => Err(format!("a bare & before `{rest}`")),
        _ => Ok(()),
    }
}

fn attributes(text: &str) -> Result<(), String> {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (name, value) = rest.split_once("=\"").ok_or(format!("`{rest}` is no attribute"))?;
        if name.is_empty()
            || name.contains(|character: char| !(character.is_alphanumeric() || character == '-'))
        {
            return Err(format!("`{name}` is no name of an attribute"));
        }
        let (value, after) = value.split_once('"').ok_or(format!("the value of `{name}` has no end"))?;
        entities(value, false)?;
        rest = after.trim_start();
    }
    Ok(())
}
