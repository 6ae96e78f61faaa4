//! Parts of a value that occur twice, and are mutated together.
//!
//! Properties of pairs (two runs of one program, an original and its copy) tend to ask that the halves agree on something.
//! A mutant of one half alone breaks that, and it takes a second mutation of just the right kind to repair it. So where
//! the halves are still the same, their common part is also mutated in both of them at once.

use crate::{Mutable, node_at};

/// The field of the root that holds the twin of the node at `path`: a later field of the same type as the one that the
/// path goes through, with the same thing at the same place.
pub(super) fn twin_field(root: &dyn Mutable, path: &[u32]) -> Option<u32> {
    let (&field, place) = path.split_first()?;
    let (own, node) = (root.child(field as usize), node_at(root, path)?);
    let later = field + 1..root.children() as u32;
    later.into_iter().find(|&other| {
        let half = root.child(other as usize);
        half.as_any().type_id() == own.as_any().type_id()
            && node_at(half, place).is_some_and(|twin| twin.equals(node.as_any()))
    })
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
    fn fields_of_another_type_are_not_twins_even_if_parts_of_them_are_equal() {
        assert_eq!(twin_field(&(vec![1_i32], (1_i32, true)), &[0, 0]), None);
    }
}
