//! Parts of a value that occur twice, and are mutated together.
//!
//! Properties of pairs (two runs of one program, an original and its copy) tend to ask that the halves agree on something.
//! A mutant of one half alone breaks that, and it takes a second mutation of just the right kind to repair it. So where
//! the halves are still the same, their common part is also mutated in both of them at once.
//!
//! Beside the halves there may be parameters: plain fields that say how the halves are compared (an observer, a tolerance).
//! They decide what a change of one half means, and changing them alone is seldom new. So every other mutant of a half
//! changes them as well.

use crate::{Mutable, Source, node_at};

/// The field of the root that holds the twin of the node at `path`: a later field of the same type as the one that the
/// path goes through, with the same thing at the same place.
pub(super) fn twin_field(root: &dyn Mutable, path: &[u32]) -> Option<u32> {
    let field = *path.first()?;
    (field + 1..root.children() as u32).find(|&other| is_twin(root, path, other))
}

/// The parameters that may change along with the node at `path`: none, unless it is inside of twins.
pub(super) fn parameters_of(root: &dyn Mutable, path: &[u32]) -> Vec<u32> {
    let mut fields = parameters(root);
    if !fields.is_empty() && !is_inside_twin(root, path) {
        fields.clear();
    }
    fields
}

/// Whether the node at `path` is inside one of two halves, and the other one holds the same thing at the same place.
fn is_inside_twin(root: &dyn Mutable, path: &[u32]) -> bool {
    path.len() > 1 && (0..root.children() as u32).any(|other| other != path[0] && is_twin(root, path, other))
}

/// Whether the root's field `other` is like the one that `path` goes through, down to the node there.
fn is_twin(root: &dyn Mutable, path: &[u32], other: u32) -> bool {
    let (own, half) = (root.child(path[0] as usize), root.child(other as usize));
    half.as_any().type_id() == own.as_any().type_id()
        && node_at(half, &path[1..])
            .zip(node_at(own, &path[1..]))
            .is_some_and(|(twin, node)| twin.equals(node.as_any()))
}

/// The fields of the root that have no parts (as they are: an empty list has none), and a type that no other field has.
fn parameters(root: &dyn Mutable) -> Vec<u32> {
    let fields = 0..root.children() as u32;
    let type_of = |field: u32| root.child(field as usize).as_any().type_id();
    let is_alone =
        |field: u32| !fields.clone().any(|other| other != field && type_of(other) == type_of(field));
    fields.clone().filter(|&field| root.child(field as usize).children() == 0 && is_alone(field)).collect()
}

/// Turns each of these fields into a random mutant of itself.
pub(super) fn change_parameters(root: &mut dyn Mutable, fields: &[u32], source: &mut Source) {
    for &field in fields {
        let parameter = root.child_mut(field as usize);
        let count = parameter.count(source.scope());
        let draws = count.draws(1);
        if draws > 0 {
            let draw = source.below(draws);
            parameter.mutate(count.number(draw), source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_at_the_same_place_of_a_field_of_the_same_type_is_a_twin() {
        let value = (7_u8, vec![1_i32, 2], vec![1_i32, 3, 5]);
        assert_eq!(twin_field(&value, &[1, 0]), Some(2));
        assert_eq!(twin_field(&value, &[1, 1]), None, "2 is not 3");
        assert_eq!(twin_field(&value, &[1]), None, "the lists differ");
        assert_eq!(twin_field(&value, &[2, 0]), None, "twins are named once, from the first");
        assert_eq!(twin_field(&value, &[0]), None, "no other field is a byte");
        assert_eq!(twin_field(&value, &[]), None, "the root is alone");
    }

    #[test]
    fn what_is_the_same_in_both_halves_is_inside_twins() {
        let value = (7_u8, vec![1_i32, 2], vec![1_i32, 3]);
        assert!(is_inside_twin(&value, &[1, 0]) && is_inside_twin(&value, &[2, 0]));
        assert!(!is_inside_twin(&value, &[1, 1]), "2 is not 3");
        assert!(!is_inside_twin(&(7_u8, 5_i32, 5_i32), &[1]), "equal numbers are not yet halves");
        assert!(!is_inside_twin(&value, &[0]) && !is_inside_twin(&value, &[]));
        assert_eq!((parameters_of(&value, &[1, 0]), parameters_of(&value, &[1, 1])), (vec![0], vec![]));
    }

    #[test]
    fn parameters_are_plain_fields_of_a_type_of_their_own() {
        assert_eq!(parameters(&(vec![1_i32], true, vec![1_i32], 7_u8)), [1, 3]);
        assert_eq!(parameters(&(vec![1_i32], vec![1_i32])), [0; 0]);
        assert_eq!(
            parameters(&((1_i32, true), vec![1_i32], vec![1_i32])),
            [0; 0],
            "what has parts is no parameter"
        );
        assert_eq!(parameters(&(true, false, vec![1_i32])), [0; 0], "two flags may be a pair themselves");
    }

    #[test]
    fn fields_of_another_type_are_not_twins_even_if_parts_of_them_are_equal() {
        assert_eq!(twin_field(&(vec![1_i32], (1_i32, true)), &[0, 0]), None);
    }
}
