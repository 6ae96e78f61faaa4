//! Values as text: what is written reads back, and what does not fit is named.

use mutagen_engine::{Generate, Mutable, NoText, Source, Text, mutants};
use std::collections::BTreeMap;
use std::fmt::Debug;

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Everything {
    number: i64,
    wide: u128,
    float: f64,
    flag: bool,
    letter: char,
    text: String,
    list: Vec<Option<Shape>>,
    map: BTreeMap<i8, Result<u8, String>>,
    pair: (i8, [bool; 2]),
    nothing: (),
    #[mutagen(skip, default = 7)]
    constant: usize,
    #[mutagen(generate = even)]
    even: u8,
    r#type: Unit,
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Unit;

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Shape {
    Point,
    Circle(u8),
    Group { first: Box<Shape>, second: Box<Shape> },
}

fn even(source: &mut Source, size: usize) -> u8 {
    u8::generate(source, size) & !1
}

fn round_trip<T: Generate>(value: &T) -> T {
    let text = value.to_text().expect("it has a text").to_string();
    let read: Text = text.parse().unwrap_or_else(|error| panic!("{error} in {text}"));
    T::from_text(&read).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn assert_repeats<T: Generate + Debug>(value: &T) {
    // Debug, because a NaN is not equal to itself.
    assert_eq!(format!("{:?}", round_trip(value)), format!("{value:?}"));
}

#[test]
fn every_generated_value_and_every_mutant_reads_back() {
    for seed in 0..200 {
        let value = Everything::generate(&mut Source::seeded(seed), 6);
        assert_repeats(&value);
        for (_, mutant) in mutants(&value, &Default::default(), &Default::default()).take(300) {
            assert_repeats(&mutant);
        }
    }
}

#[test]
fn floats_read_back_bit_by_bit() {
    for bits in [
        0,
        1,
        1 << 63,
        f64::NAN.to_bits(),
        f64::NAN.to_bits() | 5,
        f64::INFINITY.to_bits(),
        0.1_f64.to_bits(),
    ] {
        assert_eq!(round_trip(&f64::from_bits(bits)).to_bits(), bits);
    }
}

#[test]
fn strings_with_unusual_characters_read_back() {
    for text in ["", "\"quoted\" \\ 'and' more", "a\nb\tc\r\0", "\u{7f}é\u{2028}🦀", "# , ) ] }"] {
        assert_eq!(round_trip(&text.to_owned()), text);
    }
    for letter in ['\'', '"', '\\', '\n', '🦀', '\u{301}'] {
        assert_eq!(round_trip(&letter), letter);
    }
}

#[test]
fn long_values_take_several_lines() {
    let list: Vec<u64> = (0..40).map(|number| number << 32).collect();
    let text = list.to_text().expect("it has a text").to_string();
    assert!(text.lines().count() > 40 && text.lines().all(|line| line.len() <= 100), "{text}");
    assert_eq!(round_trip(&list), list);
}

#[test]
fn a_type_that_has_changed_says_what_does_not_fit() {
    let read = |text: &str| {
        let text: Text = text.parse().expect("it is well-formed");
        Shape::from_text(&text).expect_err("it does not fit").to_string()
    };
    assert_eq!(read("Square(1)"), "line 1: there is no constructor `Square`; known are Point, Circle, Group");
    assert_eq!(read("Circle"), "line 1: `Circle` has too few parts");
    assert_eq!(read("Circle(1,\n2)"), "line 2: `Circle` has too many parts");
    assert_eq!(read("Circle(300)"), "line 1: `300` is not a number of type u8");
    assert_eq!(read("Group { first: Point }"), "line 1: `Group` has no field `second` here");
    let third = read("Group { first: Point, second: Point,\n third: Point }");
    assert_eq!(third, "line 2: `Group` has no field `third` any more");
    for (text, message) in [
        ("Group { first Point }", "line 1: the name of a field and `:` should stand here"),
        ("[1, 2", "line 1: `,` or `]` should stand here"),
        ("\"open", "line 1: the closing quote is missing"),
        ("", "line 1: a value should stand here"),
        ("1 2", "line 1: `2` where the text should end"),
    ] {
        assert_eq!(text.parse::<Text>().expect_err("it is broken").to_string(), message);
    }
}

/// Implemented by hand, without text.
#[derive(Clone, PartialEq, Debug)]
struct ByHand;

impl Generate for ByHand {
    fn generate(_: &mut Source, _: usize) -> Self {
        ByHand
    }

    fn smallest() -> Self {
        ByHand
    }
}

/// Not even that.
#[derive(Debug)]
struct Foreign;

#[derive(Generate, Debug)]
struct Mixed {
    #[mutagen(generate = foreign, default = Foreign)]
    #[allow(dead_code)]
    part: Foreign,
}

fn foreign(_: &mut Source, _: usize) -> Foreign {
    Foreign
}

#[test]
fn a_part_without_text_is_named() {
    let nothing = vec![ByHand].to_text().expect_err("it has none");
    assert_eq!(nothing, NoText::of::<ByHand>());
    assert!(nothing.to_string().contains("ByHand` have no text: derive Generate for it"), "{nothing}");
    let mixed = Mixed::generate(&mut Source::seeded(0), 3);
    assert_eq!(mixed.to_text().expect_err("it has none"), NoText::of::<Foreign>());
    assert!(Mixed::from_text(&"Mixed { part: Foreign }".parse().expect("it is well-formed")).is_err());
}
