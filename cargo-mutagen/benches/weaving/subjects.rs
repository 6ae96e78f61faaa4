//! What is tested, from tiny to moderate. This file is compiled twice: in a package that is woven, and in one that is not.

use mutagen_engine::{
    Campaign, Event, Figures, Generate, Guidance, Mutable, Mutagen, MutagenConfig, Property, Trace, Verdict,
};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

/// What the tests of a campaign did, one after the other.
pub type Traces = Vec<Vec<u32>>;

/// A property with its campaigns.
pub struct Subject {
    pub name: &'static str,
    /// Runs a campaign that records what its tests do, and gives it.
    pub record: fn(seed: u64, tests: u64) -> Traces,
    /// The time of the same campaign.
    pub recorded: fn(seed: u64, tests: u64) -> f64,
    /// The time of a campaign that records nothing and learns these traces. It runs the same tests.
    pub told: fn(seed: u64, tests: u64, traces: &Traces) -> f64,
}

macro_rules! subject {
    ($name:literal, $values:ty, $property:expr) => {
        Subject {
            name: $name,
            record: |seed, tests| record::<$values, _>(&mut $property, seed, tests),
            recorded: |seed, tests| {
                let mut guidance = guidance::<$values>(seed);
                time(|| drop(campaign(seed, tests).run(&mut guidance, &mut $property)))
            },
            told: |seed, tests, traces| {
                let mut guidance = Told { inner: guidance::<$values>(seed), traces: traces.iter() };
                time(|| drop(campaign(seed, tests).run(&mut guidance, &mut $property)))
            },
        }
    };
}

pub const SUBJECTS: [Subject; 8] = [
    subject!("two bytes are added", (u8, u8), |pair: &(u8, u8)| added(*pair)),
    subject!("insertion into a sorted list", (Vec<u8>, u8), |case: &(Vec<u8>, u8)| inserted(case)),
    subject!("removal from a search tree", (Tree, u8), |case: &(Tree, u8)| removed(case)),
    subject!("text is quoted and read back", String, |text: &String| quoted(text)),
    subject!("an expression is printed and read back", Expression, |one: &Expression| printed(one)),
    subject!("a map against a list, step by step", Vec<Step>, |steps: &Vec<Step>| like_a_list(steps)),
    subject!("a table is written and read back", Vec<Vec<String>>, |table: &Vec<Vec<String>>| written(table)),
    subject!("accounts after transfers, as a text", Vec<Transfer>, |all: &Vec<Transfer>| accounted(all)),
];

fn campaign<T>(seed: u64, tests: u64) -> Campaign<'static, T> {
    Campaign::new(seed).tests(tests).keep_going(true)
}

/// As `#[mutagen_engine::test]` has it.
fn guidance<T: Mutable + Clone>(seed: u64) -> Mutagen<T> {
    Mutagen::new(MutagenConfig::default(), seed)
}

fn time(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn record<T, P>(property: &mut P, seed: u64, tests: u64) -> Traces
where
    T: Mutable + Clone,
    P: Property<T>,
{
    let mut traces = Traces::new();
    let keep = |event: Event<'_, T>| {
        if let Event::Tested { trace, .. } = event {
            traces.push(trace.events.to_vec());
        }
    };
    campaign(seed, tests).events(keep).run(&mut guidance(seed), property);
    traces
}

/// A guidance that is told what tests did, in place of watching them.
struct Told<'a, G> {
    inner: G,
    traces: std::slice::Iter<'a, Vec<u32>>,
}

impl<T, G: Guidance<T>> Guidance<T> for Told<'_, G> {
    fn next(&mut self) -> T {
        self.inner.next()
    }
    fn learn(&mut self, value: &T, verdict: &Verdict, _: Trace<'_>) -> bool {
        let events = self.traces.next().map_or(&[][..], Vec::as_slice);
        self.inner.learn(value, verdict, Trace::new(events))
    }
    fn figures(&self) -> Figures {
        self.inner.figures()
    }
    fn resets(&self) -> u64 {
        self.inner.resets()
    }
    fn wants_traces(&self) -> bool {
        false
    }
}

fn added((one, other): (u8, u8)) -> bool {
    let sum = one.saturating_add(other);
    sum >= one && sum >= other
}

fn inserted((list, new): &(Vec<u8>, u8)) -> Option<bool> {
    fn insert(list: &mut Vec<u8>, new: u8) {
        let mut place = 0;
        while place < list.len() && list[place] < new {
            place += 1;
        }
        list.insert(place, new);
    }
    let is_sorted = |list: &[u8]| (1..list.len()).all(|place| list[place - 1] <= list[place]);
    is_sorted(list).then(|| {
        let mut list = list.clone();
        insert(&mut list, *new);
        is_sorted(&list)
    })
}

#[derive(Clone, Debug, PartialEq, Generate, Mutable)]
pub enum Tree {
    Leaf,
    Node(Box<Tree>, u8, Box<Tree>),
}

impl Tree {
    fn keys(&self) -> Vec<u8> {
        let Tree::Node(left, key, right) = self else { return Vec::new() };
        [left.keys(), vec![*key], right.keys()].concat()
    }
    fn remove(self, old: u8) -> Tree {
        match self {
            Tree::Node(left, key, right) if old < key => Tree::Node(left.remove(old).into(), key, right),
            Tree::Node(left, key, right) if old > key => Tree::Node(left, key, right.remove(old).into()),
            Tree::Node(left, _, right) => left.join(*right),
            Tree::Leaf => Tree::Leaf,
        }
    }
    fn join(self, larger: Tree) -> Tree {
        match (self, larger) {
            (Tree::Leaf, tree) | (tree, Tree::Leaf) => tree,
            (Tree::Node(a, low, b), Tree::Node(c, high, d)) => {
                Tree::Node(a, low, Tree::Node(b.join(*c).into(), high, d).into())
            }
        }
    }
}

/// The property of the template project, without its bug.
fn removed((tree, key): &(Tree, u8)) -> Option<bool> {
    let tree = tree.clone();
    tree.keys().is_sorted_by(|one, next| one < next).then(|| tree.remove(*key).keys().is_sorted())
}

fn quoted(text: &str) -> bool {
    fn quote(text: &str) -> String {
        let mut quoted = String::from("\"");
        for letter in text.chars() {
            match letter {
                '"' | '\\' => quoted.extend(['\\', letter]),
                '\n' => quoted.push_str("\\n"),
                ' '..='~' => quoted.push(letter),
                _ => quoted.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
            }
        }
        quoted.push('"');
        quoted
    }
    fn unquote(quoted: &str) -> Option<String> {
        let mut letters = quoted.strip_prefix('"')?.chars();
        let mut text = String::new();
        loop {
            match letters.next()? {
                '"' => return letters.next().is_none().then_some(text),
                '\\' => match letters.next()? {
                    'n' => text.push('\n'),
                    'u' => {
                        let digits: String =
                            letters.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
                        text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    }
                    letter => text.push(letter),
                },
                letter => text.push(letter),
            }
        }
    }
    unquote(&quote(text)).as_deref() == Some(text)
}

#[derive(Clone, Debug, PartialEq, Generate, Mutable)]
pub enum Expression {
    Number(u16),
    Variable(bool),
    Negated(Box<Expression>),
    Sum(Box<Expression>, Box<Expression>),
    Product(Box<Expression>, Box<Expression>),
}

/// Printing with as few parentheses as possible, and reading that back.
fn printed(expression: &Expression) -> bool {
    use Expression::*;

    fn print(expression: &Expression, level: u8, text: &mut String) {
        let own = match expression {
            Sum(..) => 0,
            Product(..) => 1,
            Negated(..) => 2,
            Number(..) | Variable(..) => 3,
        };
        if own < level {
            text.push('(');
        }
        match expression {
            Number(number) => text.push_str(&number.to_string()),
            Variable(first) => text.push(if *first { 'x' } else { 'y' }),
            Negated(of) => {
                text.push('-');
                print(of, 2, text);
            }
            Sum(left, right) | Product(left, right) => {
                print(left, own, text);
                text.push(if own == 0 { '+' } else { '*' });
                print(right, own + 1, text);
            }
        }
        if own < level {
            text.push(')');
        }
    }

    fn read(text: &mut &[u8], level: u8) -> Option<Expression> {
        let mut left = operand(text, level)?;
        while let Some((&sign, rest)) = text.split_first() {
            match (sign, level) {
                (b'+', 0) | (b'*', 1) => *text = rest,
                _ => break,
            }
            let right = operand(text, level)?;
            let (left_box, right) = (Box::new(left), Box::new(right));
            left = if level == 0 { Sum(left_box, right) } else { Product(left_box, right) };
        }
        Some(left)
    }

    fn operand(text: &mut &[u8], level: u8) -> Option<Expression> {
        if level == 0 {
            return read(text, 1);
        }
        let (&first, rest) = text.split_first()?;
        match first {
            b'-' => {
                *text = rest;
                Some(Negated(Box::new(operand(text, 1)?)))
            }
            b'(' => {
                *text = rest;
                let inner = read(text, 0)?;
                *text = text.strip_prefix(b")")?;
                Some(inner)
            }
            b'x' | b'y' => {
                *text = rest;
                Some(Variable(first == b'x'))
            }
            _ => {
                let digits = text.iter().take_while(|letter| letter.is_ascii_digit()).count();
                let (number, rest) = text.split_at(digits);
                *text = rest;
                Some(Number(std::str::from_utf8(number).ok()?.parse().ok()?))
            }
        }
    }

    let mut text = String::new();
    print(expression, 0, &mut text);
    let mut rest = text.as_bytes();
    read(&mut rest, 0).as_ref() == Some(expression) && rest.is_empty()
}

#[derive(Clone, Debug, PartialEq, Generate, Mutable)]
pub enum Step {
    Insert(u8, u8),
    Remove(u8),
    Get(u8),
    SplitOff(u8),
    Clear,
}

/// A map of the standard library does the same as a list of pairs.
fn like_a_list(steps: &[Step]) -> bool {
    let (mut map, mut list) = (BTreeMap::new(), Vec::<(u8, u8)>::new());
    steps.iter().all(|step| {
        match *step {
            Step::Insert(key, value) => {
                map.insert(key, value);
                list.retain(|pair| pair.0 != key);
                list.push((key, value));
            }
            Step::Remove(key) => {
                map.remove(&key);
                list.retain(|pair| pair.0 != key);
            }
            Step::Get(key) => {
                let found = list.iter().find(|pair| pair.0 == key).map(|pair| pair.1);
                return map.get(&key).copied() == found;
            }
            Step::SplitOff(key) => {
                black_box(map.split_off(&key));
                list.retain(|pair| pair.0 < key);
            }
            Step::Clear => {
                map.clear();
                list.clear();
            }
        }
        list.sort();
        map.iter().map(|(key, value)| (*key, *value)).eq(list.iter().copied())
    })
}

/// A table as text with a line per row, in the way of spreadsheets: cells with special letters stand in quotes.
fn written(table: &[Vec<String>]) -> bool {
    fn write(table: &[Vec<String>]) -> String {
        let cell = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let row = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        table.iter().map(row).collect()
    }
    fn read(text: &str) -> Option<Vec<Vec<String>>> {
        let (mut table, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => loop {
                    match letters.next()? {
                        '"' if letters.next_if_eq(&'"').is_none() => break,
                        letter => cell.push(letter),
                    }
                },
                ',' => row.push(std::mem::take(&mut cell)),
                '\n' => {
                    row.push(std::mem::take(&mut cell));
                    table.push(std::mem::take(&mut row));
                }
                letter => cell.push(letter),
            }
        }
        Some(table)
    }
    // A row without cells is written like one with an empty cell.
    let same = |(one, other): (&Vec<String>, &Vec<String>)| one == other || (one.is_empty() && *other == [""]);
    read(&write(table)).is_some_and(|read| read.len() == table.len() && table.iter().zip(&read).all(same))
}

#[derive(Clone, Debug, PartialEq, Generate, Mutable)]
pub struct Transfer {
    from: String,
    to: String,
    amount: u16,
    refunded: Option<u16>,
}

/// Money is neither made nor lost, and the statement says the same.
fn accounted(transfers: &[Transfer]) -> bool {
    let mut balances = BTreeMap::<&str, i64>::new();
    for Transfer { from, to, amount, refunded } in transfers {
        let moved = i64::from(amount.saturating_sub(refunded.unwrap_or(0)));
        *balances.entry(from).or_default() -= moved;
        *balances.entry(to).or_default() += moved;
    }
    let lines: Vec<_> = balances.iter().map(|(name, balance)| format!("{name:?}: {balance}")).collect();
    let told = lines.iter().filter_map(|line| line.rsplit(": ").next()?.parse::<i64>().ok());
    balances.values().sum::<i64>() == 0 && told.sum::<i64>() == 0
}
