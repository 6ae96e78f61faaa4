//! The acceptance vectors of the mutators: which mutants a value has, and where.

use mutagen_engine::{
    Count, Generate, Mutable, MutantsConfig, NumberMutants, Order, SampleSize, Scope, SequenceMutants,
    Source, mutants, positions,
};

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Tree {
    Leaf(i64),
    Branch(Box<Tree>, i64, Box<Tree>),
}
use Tree::{Branch, Leaf};

fn branch(left: Tree, value: i64, right: Tree) -> Tree {
    Branch(Box::new(left), value, Box::new(right))
}

/// The fixed mutants at the root, in order.
fn root_mutants_in<T: Mutable + Clone>(value: &T, scope: &Scope) -> Vec<T> {
    let mut source = Source::seeded(0).with_scope(scope.clone());
    let mutant = |number| {
        let mut mutant = value.clone();
        mutant.mutate(number, &mut source).then_some(mutant)
    };
    (0..value.count(scope).fixed).filter_map(mutant).collect()
}

fn root_mutants<T: Mutable + Clone>(value: &T) -> Vec<T> {
    root_mutants_in(value, &Scope::new())
}

fn paper() -> Scope {
    Scope::new().with(SequenceMutants::Paper).with(NumberMutants::Paper)
}

fn shown(value: &impl Mutable, order: Order) -> Vec<String> {
    positions(value, order).map(|position| position.to_string()).collect()
}

#[test]
fn positions_come_in_level_order_pre_order_and_post_order() {
    let tree = branch(Leaf(1), 2, Leaf(3));
    assert_eq!(shown(&tree, Order::Level), ["[]", "[0]", "[1]", "[2]", "[0,0]", "[2,0]"]);
    assert_eq!(shown(&tree, Order::Pre), ["[]", "[0]", "[0,0]", "[1]", "[2]", "[2,0]"]);
    assert_eq!(shown(&tree, Order::Post), ["[0,0]", "[0]", "[1]", "[2,0]", "[2]", "[]"]);
}

#[test]
fn a_branch_returns_its_children_shrinks_to_a_leaf_and_exchanges_its_children() {
    let (l, r) = (|| Leaf(1), || Leaf(3));
    let expected = [l(), r(), Leaf(2), branch(l(), 2, l()), branch(r(), 2, l()), branch(r(), 2, r())];
    assert_eq!(root_mutants(&branch(l(), 2, r())), expected);
}

#[test]
fn a_leaf_grows_into_a_branch_that_keeps_its_number() {
    assert_eq!(root_mutants(&Leaf(5)), [branch(Leaf(0), 5, Leaf(0))]);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Label {
    L,
    H,
}
use Label::{H, L};

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Atom(i64, Label);

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Instruction {
    Nop,
    Push(i64),
    BCall(i64),
    BRet,
    Add,
    Load,
    Store,
    Halt,
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Stack {
    Mty,
    MCons(Atom, Box<Stack>),
    RetCons(Atom, Box<Stack>),
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct State {
    imem: Vec<Instruction>,
    mem: Vec<Atom>,
    stack: Stack,
    pc: Atom,
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Variation<T>(T, T);

#[test]
fn labels_flip_and_atoms_and_states_have_no_root_mutants_but_positions() {
    assert_eq!(root_mutants(&L), [H]);
    assert_eq!(root_mutants(&H), [L]);
    let atom = Atom(4, H);
    assert_eq!(root_mutants(&atom), []);
    assert_eq!(shown(&atom, Order::Level), ["[]", "[0]", "[1]"]);
    let state = State::smallest();
    assert_eq!((root_mutants(&state).len(), state.children()), (0, 4));
}

#[test]
fn instructions_turn_into_every_other_one_and_keep_their_argument() {
    use Instruction::*;
    assert_eq!(root_mutants(&Nop), [Push(0), BCall(0), BRet, Add, Load, Store, Halt]);
    assert_eq!(root_mutants(&Push(9)), [Nop, BCall(9), BRet, Add, Load, Store, Halt]);
}

#[test]
fn stacks_return_their_tail_empty_themselves_and_change_their_kind() {
    use Stack::*;
    let atom = || Atom(1, H);
    let smallest = || (Atom(0, L), Box::new(Mty));
    let tail = || Box::new(MCons(Atom(2, L), Box::new(Mty)));
    assert_eq!(root_mutants(&Mty), [MCons(smallest().0, smallest().1), RetCons(smallest().0, smallest().1)]);
    assert_eq!(root_mutants(&MCons(atom(), tail())), [*tail(), Mty, RetCons(atom(), tail())]);
    assert_eq!(root_mutants(&RetCons(atom(), tail())), [*tail(), Mty, MCons(atom(), tail())]);
}

#[test]
fn a_derived_pair_copies_and_exchanges_its_parts_unless_they_are_equal() {
    assert_eq!(root_mutants(&Variation(1, 2)), [Variation(1, 1), Variation(2, 1), Variation(2, 2)]);
    let equal = Variation(1, 1);
    assert_eq!(equal.count(&Scope::new()), Count::fixed(3));
    assert_eq!(root_mutants(&equal), []);
}

#[test]
fn the_smallest_values_are_those_of_the_paper() {
    assert_eq!(Label::smallest(), L);
    assert_eq!(Atom::smallest(), Atom(0, L));
    assert_eq!(Instruction::smallest(), Instruction::Nop);
    assert_eq!(Stack::smallest(), Stack::Mty);
    assert_eq!(State::smallest(), State { imem: vec![], mem: vec![], stack: Stack::Mty, pc: Atom(0, L) });
}

#[test]
fn lists_have_the_papers_mutants_cell_by_cell() {
    let list = |items: &[u8]| root_mutants_in(&items.to_vec(), &paper());
    assert_eq!(list(&[]), [vec![0]]);
    assert_eq!(list(&[7]), [vec![], vec![7, 7], vec![7, 0]]);
    assert_eq!(list(&[7, 8]), [vec![], vec![8], vec![7, 7, 8], vec![7], vec![7, 8, 8], vec![7, 8, 0]],);
    assert_eq!(list(&[1, 2, 3])[3..6], [vec![1], vec![1, 3], vec![1, 2, 2, 3]]);
}

#[test]
fn the_papers_lists_also_grow_by_random_elements_behind_each_cell() {
    let list = vec![1i64, 2];
    let count = list.count(&paper());
    assert_eq!(count, Count { fixed: 6, sampled: 3 });
    let mut source = Source::seeded(5).with_scope(paper().with(SampleSize(4)));
    for (sampler, kept) in [(0, 1), (1, 2), (2, 2)] {
        let mut mutant = list.clone();
        assert!(mutant.mutate(count.fixed + sampler, &mut source));
        assert!((3..=4).contains(&mutant.len()), "one or two elements are new in {mutant:?}");
        assert_eq!((&mutant[..kept], &mutant[mutant.len() - (2 - kept)..]), (&list[..kept], &list[kept..]));
    }
}

#[test]
fn lists_have_every_edit_at_every_index() {
    let expected: &[&[u8]] = &[
        &[2, 3],
        &[1, 3],
        &[1, 2], // remove
        &[1, 1, 2, 3],
        &[1, 2, 2, 3],
        &[1, 2, 3, 3], // duplicate
        &[2, 1, 3],
        &[1, 3, 2], // swap with the next
        &[0, 1, 2, 3],
        &[1, 0, 2, 3],
        &[1, 2, 0, 3],
        &[1, 2, 3, 0], // insert the smallest
        &[0, 1, 0, 2, 3],
        &[1, 0, 2, 0, 3],
        &[1, 2, 0, 3, 0], // enclose by the smallest
        &[1],             // truncate
        &[],              // clear
    ];
    assert_eq!(root_mutants(&vec![1u8, 2, 3]), expected);
    assert_eq!(root_mutants(&Vec::<u8>::new()), [vec![0]]);
    assert_eq!(root_mutants(&vec![4u8]), [vec![], vec![4, 4], vec![0, 4], vec![4, 0], vec![0, 4, 0]]);
    assert_eq!(root_mutants(&vec![5u8, 5]).len(), 10, "equal neighbours are not swapped");
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Code {
    Step,
    Block(u8, Vec<Code>),
    If(Arms),
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Arms {
    condition: bool,
    yes: Vec<Code>,
    no: Vec<Code>,
}

#[test]
fn an_element_can_be_replaced_by_the_sequences_inside_it() {
    use Code::*;
    let arms = Arms { condition: true, yes: vec![Step, Step], no: vec![] };
    let code = vec![Step, Block(1, vec![Block(2, vec![])]), If(arms.clone())];
    let spliced = [
        vec![Step, Block(2, vec![]), If(arms)],
        vec![Step, code[1].clone(), Step, Step],
        vec![Step, code[1].clone()],
    ];
    let all = root_mutants(&code);
    assert_eq!(all[all.len() - 3..], spliced);
}

#[test]
fn numbers_go_to_boundaries_then_to_neighbours_and_never_stay() {
    assert_eq!(root_mutants(&5i8), [0, 1, -1, i8::MIN, i8::MAX, 4, 6]);
    assert_eq!(root_mutants(&0i8), [1, -1, i8::MIN, i8::MAX]);
    assert_eq!(root_mutants(&1u16), [0, u16::MAX, 2]);
    assert_eq!(root_mutants(&i32::MIN), [0, 1, -1, i32::MAX, i32::MIN + 1, 1 << 8, 1 << 16, i32::MIN / 2]);
    assert_eq!(root_mutants(&100u32), [0, 1, u32::MAX, 99, 101, 1 << 8, 1 << 16, 1 << 31, 50]);
}

#[test]
fn numbers_of_the_paper_are_only_resampled_and_stay_small() {
    assert_eq!(5i64.count(&paper()), Count { fixed: 0, sampled: 1 });
    let mut source = Source::seeded(1).with_scope(paper());
    let mut seen: Vec<i64> = (0..1000)
        .map(|_| {
            let mut number = 5i64;
            assert!(number.mutate(0, &mut source));
            number
        })
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, (-10..=10).filter(|&number| number != 5).collect::<Vec<_>>());
}

#[test]
fn options_results_booleans_and_units_have_the_mutants_of_the_table() {
    assert_eq!(root_mutants(&None::<u8>), [Some(0)]);
    assert_eq!(root_mutants(&Some(3u8)), [None]);
    assert_eq!(root_mutants(&Ok::<u8, bool>(3)), [Err(false)]);
    assert_eq!(root_mutants(&Err::<u8, bool>(true)), [Ok(0)]);
    assert_eq!(root_mutants(&true), [false]);
    assert_eq!(root_mutants(&()), []);
    assert_eq!(root_mutants(&(1u8, 2u8)), []);
}

#[test]
fn boxes_are_transparent() {
    let boxed = Box::new(Some(3u8));
    assert_eq!(root_mutants(&boxed), [Box::new(None)]);
    assert_eq!(shown(&boxed, Order::Level), ["[]", "[0]"]);
}

#[test]
fn floats_are_told_apart_by_their_bits() {
    let bits = |value: f64| root_mutants(&value).into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert!(bits(0.0).contains(&(-0.0f64).to_bits()) && !bits(0.0).contains(&0));
    assert!(!bits(f64::NAN).contains(&f64::NAN.to_bits()));
    assert_eq!(bits(2.5)[12..], [2.0f64, -2.5, 1.25].map(f64::to_bits));
}

#[test]
fn strings_are_edited_character_by_character() {
    let all = root_mutants(&"héy".to_owned());
    for expected in ["éy", "hy", "hééy", "éhy", "haéy", "h", "", "h0y"] {
        assert!(all.iter().any(|mutant| mutant == expected), "{expected:?} is missing in {all:?}");
    }
    assert!(!all.contains(&"héy".to_owned()));
}

#[test]
fn maps_lose_entries_gain_the_smallest_and_mutate_values_in_place() {
    let map = std::collections::BTreeMap::from([(3u8, true), (5, false)]);
    let root: Vec<Vec<_>> = root_mutants(&map).into_iter().map(|map| map.into_iter().collect()).collect();
    assert_eq!(root, [vec![(5, false)], vec![(3, true)], vec![(0, false), (3, true), (5, false)]]);
    assert_eq!(shown(&map, Order::Level), ["[]", "[0]", "[1]"]);
    let all: Vec<_> = mutants(&map, &MutantsConfig::default(), &Scope::new()).collect();
    assert_eq!(all[4].1, [(3, true), (5, true)].into());
}

#[test]
fn every_mutant_of_a_value_can_be_listed_with_its_address() {
    let tree = Leaf(5);
    let config = MutantsConfig { samples: 3, ..MutantsConfig::default() };
    let listed: Vec<_> = mutants(&tree, &config, &paper()).map(|(address, _)| address.to_string()).collect();
    assert_eq!(listed, ["[]#0", "[0]#0", "[0]#0", "[0]#0"]);
}
