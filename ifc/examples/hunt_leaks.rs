//! Hunts the faults of a machine with many seeds and prints how long it takes to find each.
//!
//! ```text
//! cargo run --release -p mutagen-ifc --example hunt_leaks -- stack
//! cargo run --release -p mutagen-ifc --example hunt_leaks -- register seeds=10 faults=3-5 preset=paper
//! cargo run --release -p mutagen-ifc --example hunt_leaks -- stack guidance=random pairs=smart
//! cargo run --release -p mutagen-ifc --example hunt_leaks -- stack set=trie set=no-reset size=10
//! ```

use std::collections::BTreeMap;
use std::hash::Hash;
use std::ops::RangeInclusive;
use std::time::Duration;

use mutagen_engine::{Campaign, Guidance, Mutable, Mutagen, MutagenConfig, Outcome, Random, Report, Source};
use mutagen_ifc::noninterference::{Secrecy, register, stack};
use mutagen_ifc::pairs::{GENERATIONS, Pairs, SIZE};

/// The settings from the command line.
struct Hunt {
    machine: String,
    faults: Option<RangeInclusive<usize>>,
    seeds: u64,
    seconds: f64,
    tests: u64,
    pairs: Pairs,
    size: usize,
    random: bool,
    config: MutagenConfig,
}

fn main() {
    let hunt = Hunt::read(std::env::args().skip(1)).unwrap_or_else(|problem| {
        eprintln!("{problem}\nusage: hunt_leaks stack|register [faults=1-20] [seeds=30] [seconds=60] [tests=N] [size={SIZE}] [pairs=copy] [guidance=mutagen|random] [preset=default|paper] [set=SWITCH]...");
        std::process::exit(2);
    });
    println!(
        "| fault | found | seconds mean | max | tests mean | median | max | tests/s | discarded | rule |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    match hunt.machine.as_str() {
        "stack" => hunt.stack(),
        _ => hunt.register(),
    }
}

impl Hunt {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut hunt = Hunt {
            machine: "stack".into(),
            faults: None,
            seeds: 30,
            seconds: 60.0,
            tests: u64::MAX,
            pairs: Pairs::Copy,
            size: SIZE,
            random: false,
            config: MutagenConfig::default(),
        };
        for argument in arguments {
            let (key, value) = argument.split_once('=').unwrap_or(("machine", &argument));
            hunt.set(key, value).map_err(|problem| format!("{argument}: {problem}"))?;
        }
        Ok(hunt)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match (key, value) {
            ("machine", "stack" | "register") => self.machine = value.into(),
            ("faults", _) => self.faults = Some(range(value)?),
            ("seeds", _) => self.seeds = parse(value)?,
            ("seconds", _) => self.seconds = parse(value)?,
            ("tests", _) => self.tests = parse(value)?,
            ("size", _) => self.size = parse(value)?,
            ("pairs", _) => self.pairs = parse(value)?,
            ("guidance", "mutagen" | "random") => self.random = value == "random",
            ("preset", "default") => self.config = MutagenConfig::default(),
            ("preset", "paper") => {
                self.config = MutagenConfig { max_depth: Some(GENERATIONS), ..MutagenConfig::paper() }
            }
            ("set", _) => self.config.set(value).map_err(|problem| problem.to_string())?,
            _ => return Err("unknown option or value".into()),
        }
        Ok(())
    }

    fn stack(&self) {
        let (pairs, size) = (self.pairs, self.size);
        for (number, fault) in self.chosen(mutagen_ifc::stack::faults()) {
            let table = fault.table();
            let property = |pair: &mutagen_ifc::stack::Variation| outcome(stack::ssni(&table, pair));
            let generate = move |source: &mut Source, _: usize| pairs.stack(source, size);
            self.row(&format!("stack-{number}"), &fault.to_string(), generate, property);
        }
    }

    fn register(&self) {
        let (pairs, size) = (self.pairs, self.size);
        for (number, fault) in self.chosen(mutagen_ifc::register::faults()) {
            let table = fault.table();
            let property = |pair: &mutagen_ifc::register::Variation| outcome(register::ssni(&table, pair));
            let generate = move |source: &mut Source, _: usize| pairs.register(source, size);
            self.row(&format!("register-{number}"), &fault.to_string(), generate, property);
        }
    }

    fn chosen<F>(&self, faults: Vec<F>) -> impl Iterator<Item = (usize, F)> {
        let wanted = self.faults.clone().unwrap_or(1..=faults.len());
        (1..).zip(faults).filter(move |(number, _)| wanted.contains(number))
    }

    fn row<T: Mutable + Clone + Hash>(
        &self,
        name: &str,
        rule: &str,
        generate: impl Fn(&mut Source, usize) -> T + Copy + 'static,
        property: impl Fn(&T) -> Outcome + Copy,
    ) {
        let reports: Vec<Report<T>> = (0..self.seeds)
            .map(|seed| {
                let mut property = property;
                let campaign =
                    Campaign::new(seed).tests(self.tests).time(Duration::from_secs_f64(self.seconds));
                campaign.run(self.guidance(seed, generate).as_mut(), &mut property)
            })
            .collect();
        println!("| {name} | {} | {rule} |", Summary::of(&reports).cells());
    }

    fn guidance<T: Mutable + Clone + Hash>(
        &self,
        seed: u64,
        generate: impl Fn(&mut Source, usize) -> T + 'static,
    ) -> Box<dyn Guidance<T>> {
        if self.random {
            Box::new(Random::with_generator(seed, generate))
        } else {
            Box::new(
                Mutagen::with_generator(
                    MutagenConfig { max_size: self.size, ..self.config.clone() },
                    seed,
                    generate,
                )
                .hashed(),
            )
        }
    }
}

fn outcome<V>(judgement: Secrecy<V>) -> Outcome {
    match judgement {
        Secrecy::Holds => Outcome::passed(),
        Secrecy::Violated(_) => Outcome::failed("a leak"),
        Secrecy::Discarded(why) => Outcome::discarded().label(why.name()),
    }
}

/// The results of all seeds for one fault.
struct Summary {
    runs: usize,
    found: usize,
    seconds: Vec<f64>,
    tests: Vec<f64>,
    speed: f64,
    discarded: BTreeMap<String, f64>,
}

impl Summary {
    fn of<T>(reports: &[Report<T>]) -> Self {
        let tests: u64 = reports.iter().map(|report| report.tests).sum();
        let mut discarded = BTreeMap::new();
        for (label, count) in reports.iter().flat_map(|report| &report.labels) {
            *discarded.entry(label.clone()).or_insert(0.0) += *count as f64 / tests as f64;
        }
        let mut tests_each: Vec<f64> = reports.iter().map(|report| report.tests as f64).collect();
        tests_each.sort_by(f64::total_cmp);
        let seconds: Vec<f64> = reports.iter().map(|report| report.seconds).collect();
        Summary {
            runs: reports.len(),
            found: reports.iter().filter(|report| report.failed > 0).count(),
            speed: tests as f64 / seconds.iter().sum::<f64>(),
            seconds,
            tests: tests_each,
            discarded,
        }
    }

    fn cells(&self) -> String {
        let discarded: Vec<String> =
            self.discarded.iter().map(|(why, share)| format!("{why} {:.0} %", share * 100.0)).collect();
        format!(
            "{}/{} | {:.3} | {:.3} | {:.0} | {:.0} | {:.0} | {:.0} | {}",
            self.found,
            self.runs,
            mean(&self.seconds),
            largest(&self.seconds),
            mean(&self.tests),
            self.tests[self.runs / 2],
            largest(&self.tests),
            self.speed,
            discarded.join(", "),
        )
    }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max)
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Ok(parse(first)?..=parse(last)?)
}

fn parse<T: std::str::FromStr<Err: ToString>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|problem: T::Err| problem.to_string())
}
