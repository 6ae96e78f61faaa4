//! Changes one part of a value, whatever the value is.

use std::collections::BTreeMap;

use mutagen_engine::{Mutable, Scope, Source};

/// The parts of a value that have mutants, as paths from the root, by the kind of the part.
type Parts = BTreeMap<&'static str, Vec<Vec<usize>>>;

/// Replaces one part of a value by one of its mutants. All kinds of parts that the value has are equally likely: of all mutants of
/// a module, three in four exchange an instruction, so a part of which there are few would hardly ever be changed.
pub(crate) fn change_one_part(value: &mut dyn Mutable, source: &mut Source) {
    let mut parts = Parts::new();
    collect(value, &mut Vec::new(), source.scope(), &mut parts);
    let kinds: Vec<Vec<Vec<usize>>> = parts.into_values().collect();
    if kinds.is_empty() {
        return;
    }
    let places = &kinds[source.below(kinds.len())];
    let place = &places[source.below(places.len())];
    let part = place.iter().fold(value, |part, child| part.child_mut(*child));
    let count = part.count(source.scope());
    let number = count.number(source.below(count.draws(1)));
    part.mutate(number, source);
}

fn collect(part: &dyn Mutable, place: &mut Vec<usize>, scope: &Scope, parts: &mut Parts) {
    if part.count(scope).draws(1) > 0 {
        parts.entry(part.type_name()).or_default().push(place.clone());
    }
    for child in 0..part.children() {
        place.push(child);
        collect(part.child(child), place, scope, parts);
        place.pop();
    }
}

#[cfg(test)]
mod tests {
    use mutagen_engine::Source;
    use mutagen_wasm_ast::Module;

    use super::change_one_part;

    /// Most changes of the few parts besides instructions are seen among few modules.
    #[test]
    fn a_change_reaches_parts_of_which_a_module_has_only_one() {
        let text = "(module (memory 1) (func (param i32) (result i32) local.get 0 i32.load offset=7 i32.clz i32.ctz))";
        let module = Module::from_text(text).expect("it is a module");
        let changed = |seed| {
            let mut changed = module.clone();
            change_one_part(&mut changed, &mut Source::seeded(seed));
            changed.to_text().unwrap_or_default()
        };
        let texts: Vec<String> = (0..300).map(changed).collect();
        let offsets =
            texts.iter().filter(|text| text.contains("i32.load") && !text.contains("offset=7")).count();
        assert!(offsets > 3, "{offsets} of 300 change the offset alone");
        assert!(texts.iter().any(|text| !text.contains("(memory")), "the memory goes");
    }
}
