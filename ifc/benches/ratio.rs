//! The cost of recording: the speed of the bare property, of the property with its path recorded, and of
//! whole guided campaigns.
//!
//! `cargo bench -p mutagen-ifc --bench ratio`

use std::hint::black_box;
use std::time::Instant;

use mutagen_engine::{Campaign, Mutagen, MutagenConfig, Outcome, Source};
use mutagen_ifc::noninterference::{Secrecy, register, stack};
use mutagen_ifc::pairs::{Pairs, SIZE};
use mutagen_ifc::rule::Table;
use mutagen_weave::Recorder;

const PAIRS: usize = 20_000;
const ROUNDS: usize = 11;

fn main() {
    println!("{:<10} {:>12} {:>12} {:>7} {:>15}", "machine", "bare/s", "recorded/s", "ratio", "campaign/s");
    let mut source = Source::seeded(1);
    let (table, pairs) = (Table::correct(), (0..PAIRS).map(|_| Pairs::Smart.stack(&mut source, SIZE)));
    row("stack", &pairs.collect::<Vec<_>>(), |pair| stack::ssni(&table, pair), stack_campaign());
    let (table, pairs) = (Table::correct(), (0..PAIRS).map(|_| Pairs::Smart.register(&mut source, SIZE)));
    row("register", &pairs.collect::<Vec<_>>(), |pair| register::ssni(&table, pair), register_campaign());
}

fn row<T, V>(name: &str, pairs: &[T], judge: impl Fn(&T) -> Secrecy<V>, campaign: f64) {
    let mut recorder = Recorder::new(1 << 12);
    let (mut bare, mut recorded) = (Vec::new(), Vec::new());
    // The two alternate, so that noise on the machine affects both alike.
    for _ in 0..ROUNDS {
        bare.push(seconds(|| pairs.iter().for_each(|pair| drop(black_box(judge(pair))))));
        recorded.push(seconds(|| {
            for pair in pairs {
                black_box(recorder.record(|| judge(pair)));
                black_box(recorder.events());
            }
        }));
    }
    let (bare, recorded) = (median(bare), median(recorded));
    let speed = |seconds: f64| PAIRS as f64 / seconds;
    println!(
        "{name:<10} {:>12.0} {:>12.0} {:>7.2} {campaign:>15.0}",
        speed(bare),
        speed(recorded),
        recorded / bare
    );
}

/// Tests per second of a campaign on the correct machine, path recording and learning included.
fn stack_campaign() -> f64 {
    let table = Table::correct();
    let mut guidance =
        Mutagen::with_generator(config(), 1, |source: &mut Source, _| Pairs::Copy.stack(source, SIZE))
            .hashed();
    let mut property = |pair: &_| outcome(stack::ssni(&table, pair));
    Campaign::new(1).tests(1_000_000).run(&mut guidance, &mut property).tests_per_second()
}

fn register_campaign() -> f64 {
    let table = Table::correct();
    let generate = |source: &mut Source, _| Pairs::Copy.register(source, SIZE);
    let mut guidance = Mutagen::with_generator(config(), 1, generate).hashed();
    let mut property = |pair: &_| outcome(register::ssni(&table, pair));
    Campaign::new(1).tests(200_000).run(&mut guidance, &mut property).tests_per_second()
}

fn config() -> MutagenConfig {
    MutagenConfig { max_size: SIZE, ..MutagenConfig::default() }
}

fn outcome<V>(judgement: Secrecy<V>) -> Outcome {
    match judgement {
        Secrecy::Holds => Outcome::passed(),
        Secrecy::Violated(_) => Outcome::failed("a leak"),
        Secrecy::Discarded(_) => Outcome::discarded(),
    }
}

fn seconds(body: impl FnOnce()) -> f64 {
    let start = Instant::now();
    body();
    start.elapsed().as_secs_f64()
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
