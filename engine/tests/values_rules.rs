//! That the mutants of composed types are those of the documented rules, which are told here once more.

use mutagen_engine::{Address, Generate, Mutable, MutantsConfig, Scope, mutants};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

const BOTH: [bool; 2] = [false, true];

/// The documented rules, told once more, as lists. `by_rules` has an entry for each address; it equals the value itself
/// where equal parts change places.
trait Rules: Mutable + Clone + Ord + Debug {
    fn least() -> Self;

    fn at_root(&self) -> Vec<Self> {
        vec![]
    }

    /// With one part changed.
    fn in_parts(&self) -> Vec<Self> {
        vec![]
    }

    fn by_rules(&self) -> Vec<Self> {
        [self.at_root(), self.in_parts()].concat()
    }
}

/// What a value becomes when this part of it is mutated.
fn with<P: Rules, T>(part: &P, whole: impl Fn(P) -> T) -> Vec<T> {
    part.by_rules().into_iter().map(whole).collect()
}

fn pairs<A: Clone, B: Clone>(left: &[A], right: &[B]) -> Vec<(A, B)> {
    left.iter().flat_map(|a| right.iter().map(move |b| (a.clone(), b.clone()))).collect()
}

/// What a field can be filled with: any part of its type, or else the smallest value.
fn or_least<P: Rules>(parts: Vec<P>) -> Vec<P> {
    if parts.is_empty() { vec![P::least()] } else { parts }
}

/// All but one of the combinations that give the value: the one in which every field stays where it is.
fn without_itself<T: PartialEq>(value: &T, mut combinations: Vec<T>) -> Vec<T> {
    let itself = combinations.iter().position(|other| other == value);
    combinations.remove(itself.expect("its own fields make the value itself"));
    combinations
}

fn assert_mutants_by_rules<T: Rules>(parents: &[T]) {
    let (config, scope) = (MutantsConfig { samples: 0, ..MutantsConfig::default() }, Scope::new());
    for parent in parents {
        let mut expected = parent.by_rules();
        let addresses: Vec<Address> = mutants(parent, &config, &scope).addresses().collect();
        let distinct: BTreeSet<_> = addresses.iter().collect();
        assert_eq!(distinct.len(), addresses.len(), "an address of {parent:?} repeats");
        assert_eq!(addresses.len(), expected.len(), "addresses of {parent:?}");
        assert_eq!(mutants(parent, &config, &scope).count_all(), expected.len(), "counting {parent:?}");
        let mut listed: Vec<T> = mutants(parent, &config, &scope).map(|(_, mutant)| mutant).collect();
        expected.retain(|mutant| mutant != parent);
        expected.sort();
        listed.sort();
        assert_eq!(listed, expected, "mutants of {parent:?}");
    }
}

impl Rules for () {
    fn least() -> Self {}
}

impl Rules for bool {
    fn least() -> Self {
        false
    }

    fn at_root(&self) -> Vec<Self> {
        vec![!self]
    }
}

/// The other case, with the smallest value inside.
impl<T: Rules> Rules for Option<T> {
    fn least() -> Self {
        None
    }

    fn at_root(&self) -> Vec<Self> {
        vec![if self.is_some() { None } else { Some(T::least()) }]
    }

    fn in_parts(&self) -> Vec<Self> {
        self.iter().flat_map(|part| with(part, Some)).collect()
    }
}

/// Likewise.
impl<T: Rules, E: Rules> Rules for Result<T, E> {
    fn least() -> Self {
        Ok(T::least())
    }

    fn at_root(&self) -> Vec<Self> {
        vec![if self.is_ok() { Err(E::least()) } else { Ok(T::least()) }]
    }

    fn in_parts(&self) -> Vec<Self> {
        match self {
            Ok(part) => with(part, Ok),
            Err(part) => with(part, Err),
        }
    }
}

fn options<T: Clone>(values: &[T]) -> Vec<Option<T>> {
    values.iter().cloned().map(Some).chain([None]).collect()
}

fn results<T: Clone, E: Clone>(values: &[T], errors: &[E]) -> Vec<Result<T, E>> {
    values.iter().cloned().map(Ok).chain(errors.iter().cloned().map(Err)).collect()
}

#[test]
fn the_mutants_of_options_and_results_in_each_other_are_exactly_those_of_the_rules() {
    let (values, errors) = (options(&options(&BOTH)), results(&BOTH, &[()]));
    assert_mutants_by_rules(&options(&results(&values, &errors)));
    assert_mutants_by_rules(&results(&options(&errors), &options(&[()])));
}

/// Entries come and go, values are parts, keys stay as they are.
impl<V: Rules> Rules for BTreeMap<u8, V> {
    fn least() -> Self {
        BTreeMap::new()
    }

    fn at_root(&self) -> Vec<Self> {
        let kept = |gone: u8| self.clone().into_iter().filter(|(key, _)| *key != gone).collect();
        let mut maps: Vec<Self> = self.keys().map(|key| kept(*key)).collect();
        if !self.contains_key(&0) {
            maps.push(self.clone().into_iter().chain([(0, V::least())]).collect());
        }
        maps
    }

    fn in_parts(&self) -> Vec<Self> {
        let with_value = |key: u8, value| self.clone().into_iter().chain([(key, value)]).collect();
        self.iter().flat_map(|(key, value)| with(value, |value| with_value(*key, value))).collect()
    }
}

/// Every map with some of these keys.
fn maps<V: Clone>(keys: &[u8], values: &[V]) -> Vec<BTreeMap<u8, V>> {
    let Some((key, others)) = keys.split_first() else { return vec![BTreeMap::new()] };
    let entries = pairs(&maps(others, values), &options(values)).into_iter();
    entries.map(|(map, value)| map.into_iter().chain(value.map(|value| (*key, value))).collect()).collect()
}

#[test]
fn the_mutants_of_a_map_are_exactly_those_of_the_rules() {
    assert_mutants_by_rules(&maps(&[0, 1, 255], &options(&BOTH)));
    assert_mutants_by_rules(&maps(&[0, 7], &maps(&[0, 1], &BOTH)));
}

/// Two fields of one type, one of them in a box, which makes no difference, and one of another.
#[derive(Generate, Mutable, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Scale(Option<bool>, bool, Box<Option<bool>>);

impl Rules for Scale {
    fn least() -> Self {
        Scale(None, false, Box::new(None))
    }

    fn at_root(&self) -> Vec<Self> {
        let sides = [self.0, *self.2];
        let combinations = pairs(&sides, &sides).into_iter();
        without_itself(self, combinations.map(|(a, b)| Scale(a, self.1, Box::new(b))).collect())
    }

    fn in_parts(&self) -> Vec<Self> {
        let Scale(left, middle, right) = self;
        [
            with(left, |left| Scale(left, *middle, right.clone())),
            with(middle, |middle| Scale(*left, middle, right.clone())),
            with(&**right, |right| Scale(*left, *middle, Box::new(right))),
        ]
        .concat()
    }
}

#[test]
fn the_mutants_of_a_struct_with_fields_of_one_type_are_exactly_those_of_the_rules() {
    let fields = pairs(&pairs(&options(&BOTH), &BOTH), &options(&BOTH));
    let scales: Vec<Scale> = fields.into_iter().map(|((a, b), c)| Scale(a, b, Box::new(c))).collect();
    assert_mutants_by_rules(&scales);
    assert_mutants_by_rules(&options(&scales[..6]));
}

/// Constructors that share the types of their fields, its own type among them.
#[derive(Generate, Mutable, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shape {
    Line(bool, bool),
    Dot,
    Hint(Option<bool>, bool),
    Wrap(Box<Shape>),
    Both(Box<Shape>, bool, Box<Shape>),
}

fn both(left: &Shape, flag: bool, right: &Shape) -> Shape {
    Shape::Both(Box::new(left.clone()), flag, Box::new(right.clone()))
}

/// Every shape that the fields can be filled with in some way.
fn shapes_of(shapes: &[Shape], flags: &[bool], hints: &[Option<bool>]) -> Vec<Shape> {
    let lines = pairs(flags, flags).into_iter().map(|(a, b)| Shape::Line(a, b));
    let hints = pairs(hints, flags).into_iter().map(|(hint, flag)| Shape::Hint(hint, flag));
    let wraps = shapes.iter().map(|shape| Shape::Wrap(Box::new(shape.clone())));
    let boths = pairs(&pairs(shapes, flags), shapes).into_iter().map(|((a, b), c)| both(&a, b, &c));
    lines.chain([Shape::Dot]).chain(hints).chain(wraps).chain(boths).collect()
}

impl Rules for Shape {
    /// The one with the fewest fields.
    fn least() -> Self {
        Shape::Dot
    }

    fn at_root(&self) -> Vec<Self> {
        let (shapes, flags, hints) = match self {
            Shape::Line(a, b) => (vec![], vec![*a, *b], vec![]),
            Shape::Dot => (vec![], vec![], vec![]),
            Shape::Hint(hint, flag) => (vec![], vec![*flag], vec![*hint]),
            Shape::Wrap(shape) => (vec![(**shape).clone()], vec![], vec![]),
            Shape::Both(a, flag, b) => (vec![(**a).clone(), (**b).clone()], vec![*flag], vec![]),
        };
        let swaps = shapes_of(&or_least(shapes.clone()), &or_least(flags), &or_least(hints));
        [shapes, without_itself(self, swaps)].concat()
    }

    fn in_parts(&self) -> Vec<Self> {
        match self {
            Shape::Line(a, b) => [with(a, |a| Shape::Line(a, *b)), with(b, |b| Shape::Line(*a, b))].concat(),
            Shape::Dot => vec![],
            Shape::Hint(hint, flag) => {
                [with(hint, |hint| Shape::Hint(hint, *flag)), with(flag, |flag| Shape::Hint(*hint, flag))]
                    .concat()
            }
            Shape::Wrap(shape) => with(&**shape, |shape| Shape::Wrap(Box::new(shape))),
            Shape::Both(a, flag, b) => [
                with(&**a, |a| both(&a, *flag, b)),
                with(flag, |flag| both(a, flag, b)),
                with(&**b, |b| both(a, *flag, &b)),
            ]
            .concat(),
        }
    }
}

#[test]
fn the_mutants_of_constructors_that_share_field_types_are_exactly_those_of_the_rules() {
    let flat = shapes_of(&[], &BOTH, &options(&BOTH));
    let deep = shapes_of(&flat, &BOTH, &[]);
    let deeper: Vec<Shape> = deep.iter().map(|shape| both(shape, true, &flat[0])).collect();
    assert_mutants_by_rules(&[flat, deep, deeper].concat());
}

/// Expressions have statements in them.
#[derive(Generate, Mutable, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Expression {
    Literal(bool),
    Block(Box<Statement>),
    And(Box<Expression>, Box<Expression>),
}

/// And statements have expressions in them.
#[derive(Generate, Mutable, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Statement {
    Evaluate(Expression),
    Skip,
    Then(Box<Statement>, Expression),
}

fn expressions_of(flags: &[bool], statements: &[Statement], expressions: &[Expression]) -> Vec<Expression> {
    let blocks = statements.iter().map(|inner| Expression::Block(Box::new(inner.clone())));
    let ands =
        pairs(expressions, expressions).into_iter().map(|(a, b)| Expression::And(Box::new(a), Box::new(b)));
    flags.iter().copied().map(Expression::Literal).chain(blocks).chain(ands).collect()
}

fn statements_of(statements: &[Statement], expressions: &[Expression]) -> Vec<Statement> {
    let thens = pairs(statements, expressions).into_iter();
    let thens = thens.map(|(first, then)| Statement::Then(Box::new(first), then));
    expressions.iter().cloned().map(Statement::Evaluate).chain([Statement::Skip]).chain(thens).collect()
}

impl Rules for Expression {
    /// A block does not mention the type itself either, but what it holds may lead back.
    fn least() -> Self {
        Expression::Literal(false)
    }

    fn at_root(&self) -> Vec<Self> {
        let (flags, statements, expressions) = match self {
            Expression::Literal(flag) => (vec![*flag], vec![], vec![]),
            Expression::Block(inner) => (vec![], vec![(**inner).clone()], vec![]),
            Expression::And(a, b) => (vec![], vec![], vec![(**a).clone(), (**b).clone()]),
        };
        let swaps = expressions_of(&or_least(flags), &or_least(statements), &or_least(expressions.clone()));
        [expressions, without_itself(self, swaps)].concat()
    }

    fn in_parts(&self) -> Vec<Self> {
        match self {
            Expression::Literal(flag) => with(flag, Expression::Literal),
            Expression::Block(inner) => with(&**inner, |inner| Expression::Block(Box::new(inner))),
            Expression::And(a, b) => {
                let left = with(&**a, |a| Expression::And(Box::new(a), b.clone()));
                [left, with(&**b, |b| Expression::And(a.clone(), Box::new(b)))].concat()
            }
        }
    }
}

impl Rules for Statement {
    fn least() -> Self {
        Statement::Skip
    }

    fn at_root(&self) -> Vec<Self> {
        let (statements, expressions) = match self {
            Statement::Evaluate(value) => (vec![], vec![value.clone()]),
            Statement::Skip => (vec![], vec![]),
            Statement::Then(first, then) => (vec![(**first).clone()], vec![then.clone()]),
        };
        let swaps = statements_of(&or_least(statements.clone()), &or_least(expressions));
        [statements, without_itself(self, swaps)].concat()
    }

    fn in_parts(&self) -> Vec<Self> {
        match self {
            Statement::Evaluate(value) => with(value, Statement::Evaluate),
            Statement::Skip => vec![],
            Statement::Then(first, then) => {
                let in_first = with(&**first, |first| Statement::Then(Box::new(first), then.clone()));
                [in_first, with(then, |then| Statement::Then(first.clone(), then))].concat()
            }
        }
    }
}

#[test]
fn the_mutants_of_types_that_contain_each_other_are_exactly_those_of_the_rules() {
    let (mut statements, mut expressions) = (vec![], vec![]);
    for _ in 0..3 {
        let grown = statements_of(&statements, &expressions);
        expressions = expressions_of(&BOTH, &statements, &expressions);
        statements = grown;
    }
    assert!(statements.len() > 20 && expressions.len() > 20, "they are nested");
    assert_mutants_by_rules(&statements);
    assert_mutants_by_rules(&expressions);
}
