//! What an exchange carries, and how soon: tests per second, the time to the others, the wait of a worker that joins late.
//!
//! With the feature `hub` also at a NATS server, which is started for it. The words after `--` are the number of workers and of
//! tests: `cargo bench -p mutagen-exchange --features hub -- 4 50000`.

#[cfg(feature = "hub")]
#[allow(dead_code, reason = "not all of it is needed")]
#[path = "../tests/common/server.rs"]
mod server;

use std::thread;
use std::time::{Duration, Instant};

use mutagen_exchange::{CampaignName, Entry, Exchange, Place, Terms};

/// The size of a test, in bytes: that of a small module.
const BYTES: usize = 400;

fn join(place: &Place) -> Box<dyn Exchange> {
    place.join(&CampaignName::default(), &Terms::default()).expect("a worker can join")
}

fn test(number: usize) -> Entry {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.resize(BYTES, 7);
    Entry::test(bytes)
}

/// Takes what comes until there are so many tests. Returns the time of each.
fn take(worker: &mut Box<dyn Exchange>, count: usize) -> Vec<Instant> {
    let mut times = Vec::with_capacity(count);
    while times.len() < count {
        match worker.poll() {
            Some(_) => times.push(Instant::now()),
            None => thread::sleep(Duration::from_micros(200)),
        }
    }
    times
}

/// One worker publishes as fast as it can, and all others take.
fn throughput(place: &Place, workers: usize, tests: usize) {
    let mut publisher = join(place);
    let mut others: Vec<_> = (1..workers).map(|_| join(place)).collect();
    let started = Instant::now();
    let published = thread::scope(|scope| {
        for worker in &mut others {
            scope.spawn(move || take(worker, tests));
        }
        (0..tests).for_each(|number| publisher.publish(test(number)));
        let published = started.elapsed();
        publisher.finish(Duration::from_secs(600));
        let stored = started.elapsed();
        println!(
            "  {tests} tests: handed over in {published:.2?}, stored in {stored:.2?} ({:.0}/s)",
            tests as f64 / stored.as_secs_f64()
        );
        published
    });
    println!("  all {} others have them after {:.2?}", workers - 1, started.elapsed());
    println!("  the publisher itself took {:.2?} per test", published / tests as u32);
    let started = Instant::now();
    take(&mut join(place), tests);
    println!("  a worker that joins late has all after {:.2?}", started.elapsed());
}

/// One test after the other, each with a pause: how long it takes to reach the last of the others.
fn latency(place: &Place, workers: usize) {
    let mut publisher = join(place);
    let mut others: Vec<_> = (1..workers).map(|_| join(place)).collect();
    let mut times: Vec<Duration> = (0..200)
        .map(|number| {
            let started = Instant::now();
            publisher.publish(test(number));
            let last = others.iter_mut().map(|worker| take(worker, 1)[0]).max().unwrap_or(started);
            last - started
        })
        .collect();
    times.sort();
    println!(
        "  to the last of {} others: half in {:.2?}, 99 % in {:.2?}",
        workers - 1,
        times[100],
        times[197]
    );
}

fn measure(name: &str, place: impl Fn() -> Place, workers: usize, tests: usize) {
    println!("{name}, {workers} workers:");
    let first = place();
    throughput(&first, workers, tests);
    latency(&place(), workers);
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let (workers, tests) = (numbers.first().copied().unwrap_or(4), numbers.get(1).copied().unwrap_or(20_000));
    let directory = tempfile::tempdir().expect("a directory can be made");
    let folder = |number: u32| Place::Directory(directory.path().join(number.to_string()));
    let number = std::cell::Cell::new(0);
    let next = || number.replace(number.get() + 1);
    measure("in a directory", || folder(next()), workers, tests);
    #[cfg(feature = "hub")]
    {
        let servers = std::cell::RefCell::new(Vec::new());
        let place = || {
            let server = server::Server::start(&[]).expect("there is a server");
            let address = server.address();
            servers.borrow_mut().push(server);
            Place::Hub(address, None)
        };
        if server::program().is_some() {
            measure("at a NATS server", place, workers, tests);
        }
    }
}
