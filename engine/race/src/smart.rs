//! Generators by hand, for the upper bound: nearly every value satisfies the precondition.

use mutagen_engine::Source;
use mutagen_engine_demos::lambda::{Term, Type};
use mutagen_engine_demos::{lambda, red_black_tree, search_tree, sorted_list};

/// A type with a generator by hand. In `lambda` some terms cannot be reduced, which the property wants as well.
pub trait Smart: Sized {
    /// A value of about this size that satisfies the precondition.
    fn smart(source: &mut Source, size: usize) -> Self;
}

/// One of these, or now and then some other number: what is done to a structure mostly concerns what is in it.
fn key(source: &mut Source, keys: &[i8]) -> i8 {
    match keys {
        [] => small(source),
        _ if source.chance(1, 2) => small(source),
        _ => keys[source.below(keys.len())],
    }
}

fn small(source: &mut Source) -> i8 {
    source.range_i64(-20, 20) as i8
}

impl Smart for sorted_list::Case {
    fn smart(source: &mut Source, size: usize) -> Self {
        let length = source.below(size + 1);
        let mut keys: Vec<i8> = (0..length).map(|_| small(source)).collect();
        keys.sort_unstable();
        let element = key(source, &keys).into();
        sorted_list::Case { list: keys.into_iter().map(i32::from).collect(), element }
    }
}

impl Smart for search_tree::Case {
    fn smart(source: &mut Source, size: usize) -> Self {
        use search_tree::Operation::{Delete, Insert, Union};
        let mut keys = Vec::new();
        let tree = search_tree_between(source, size, [-20, 20], &mut keys);
        let operation = match source.below(3) {
            0 => Insert(key(source, &keys), source.chance(1, 2)),
            1 => Delete(key(source, &keys)),
            _ => Union(search_tree_between(source, size, [-20, 20], &mut keys)),
        };
        search_tree::Case { tree, operation }
    }
}

/// A search tree with keys between these bounds, both included.
fn search_tree_between(
    source: &mut Source,
    size: usize,
    [low, high]: [i64; 2],
    keys: &mut Vec<i8>,
) -> search_tree::Tree {
    if size == 0 || low > high || source.chance(1, 4) {
        return search_tree::Tree::Leaf;
    }
    let key = source.range_i64(low, high);
    keys.push(key as i8);
    let left = search_tree_between(source, size - 1, [low, key - 1], keys);
    let right = search_tree_between(source, size - 1, [key + 1, high], keys);
    search_tree::Tree::Node(Box::new(left), key as i8, source.chance(1, 2), Box::new(right))
}

impl Smart for red_black_tree::Case {
    fn smart(source: &mut Source, size: usize) -> Self {
        use red_black_tree::Operation::{Delete, Insert};
        let mut keys = Vec::new();
        let height = source.below(size.min(MAX_HEIGHT) + 1);
        let tree = red_black_tree_of_height(source, height, false, &mut keys);
        let key = key(source, &keys);
        let operation = if source.chance(1, 2) {
            Insert(red_black_tree::Entry { key, value: source.chance(1, 2) })
        } else {
            Delete(key)
        };
        red_black_tree::Case { tree, operation }
    }
}

/// So high that the largest tree has 63 nodes: their keys, 1 or 2 apart, fit into an `i8`.
const MAX_HEIGHT: usize = 3;

/// A red-black tree with this number of black nodes on each way down, and keys above those in `keys`.
fn red_black_tree_of_height(
    source: &mut Source,
    height: usize,
    may_be_red: bool,
    keys: &mut Vec<i8>,
) -> red_black_tree::Tree {
    use red_black_tree::{Color, Entry, Tree};
    let is_red = may_be_red && source.chance(1, 2);
    if height == 0 && !is_red {
        return Tree::Leaf;
    }
    let below = if is_red { height } else { height - 1 };
    let left = red_black_tree_of_height(source, below, !is_red, keys);
    let key = keys.last().map_or(-20, |last| last + 1 + source.below(2) as i8);
    keys.push(key);
    let entry = Entry { key, value: source.chance(1, 2) };
    let right = red_black_tree_of_height(source, below, !is_red, keys);
    Tree::Node(if is_red { Color::Red } else { Color::Black }, Box::new(left), entry, Box::new(right))
}

impl Smart for lambda::Term {
    fn smart(source: &mut Source, size: usize) -> Self {
        let goal = small_type(source, 2);
        typed_term(source, size.min(MAX_DEPTH), &goal, &mut Vec::new())
    }
}

/// Terms of more nested applications get very large.
const MAX_DEPTH: usize = 4;

fn small_type(source: &mut Source, depth: usize) -> Type {
    if depth == 0 || source.chance(1, 2) {
        return Type::Bool;
    }
    Type::Function(Box::new(small_type(source, depth - 1)), Box::new(small_type(source, depth - 1)))
}

/// A term of the type `goal` whose free variables have the types in `context`, the innermost last.
fn typed_term(source: &mut Source, depth: usize, goal: &Type, context: &mut Vec<Type>) -> Term {
    if depth > 0 && source.chance(1, 2) {
        let argument = small_type(source, 1);
        let function = Type::Function(Box::new(argument.clone()), Box::new(goal.clone()));
        let function = typed_term(source, depth - 1, &function, context);
        let argument = typed_term(source, depth - 1, &argument, context);
        return Term::Apply(Box::new(function), Box::new(argument));
    }
    let fitting: Vec<u8> =
        (0..).zip(context.iter().rev()).filter(|(_, one)| *one == goal).map(|(index, _)| index).collect();
    if !fitting.is_empty() && source.chance(2, 3) {
        return Term::Variable(fitting[source.below(fitting.len())]);
    }
    match goal {
        Type::Bool => Term::Bool(source.chance(1, 2)),
        Type::Function(from, to) => {
            context.push((**from).clone());
            let body = typed_term(source, depth.saturating_sub(1), to, context);
            context.pop();
            Term::Lambda((**from).clone(), Box::new(body))
        }
    }
}
