//! What an exchange at a NATS server costs: a worker while others publish 10,000 tests per second, and the server for each worker
//! more, up to a thousand, which are threads of this process.
//!
//! `cargo bench -p mutagen-exchange --features hub --bench crowd -- 1000 10000`: the most workers, and tests per second. Times of
//! the worker are processor time of all its threads. Busy neighbours make a core slower, so the worker is compared with one on the
//! same busy machine whose neighbours have another campaign.

#[cfg(feature = "hub")]
#[allow(dead_code, reason = "not all of it is needed")]
#[path = "../tests/common/server.rs"]
mod server;

#[cfg(feature = "hub")]
fn main() {
    crowd::main();
}

#[cfg(not(feature = "hub"))]
fn main() {
    eprintln!("this needs the feature hub");
}

#[cfg(feature = "hub")]
mod crowd {
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    use mutagen_exchange::{CampaignName, Entry, Exchange, Place, Terms};

    use super::server::{self, Server};

    /// The size of a test, in bytes: that of a small module.
    const BYTES: usize = 400;
    /// How many tests a worker runs in one measurement.
    const TESTS: u64 = 60_000;
    /// How much work a test is: about as much as that of a small module.
    const WORK: u64 = 120_000;
    /// So many processes publish.
    const OTHERS: u64 = 4;

    /// The campaign of the worker, and another one.
    const CAMPAIGNS: [&str; 2] = ["own", "other"];

    fn named(campaign: &str) -> CampaignName {
        campaign.parse().expect("this is a name")
    }

    fn join(place: &Place, campaign: &str) -> Box<dyn Exchange> {
        place.join(&named(campaign), &Terms::default()).expect("a worker can join")
    }

    fn test(worker: u64, number: u64) -> Entry {
        let mut bytes = [worker.to_le_bytes(), number.to_le_bytes()].concat();
        bytes.resize(BYTES, 7);
        Entry::test(bytes)
    }

    /// The processor time of a process, with all its threads.
    fn processor(process: u32) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let nanoseconds = |task: std::fs::DirEntry| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        };
        Duration::from_nanos(tasks.filter_map(nanoseconds).sum())
    }

    /// The memory that a process holds, in MiB.
    fn memory(process: u32) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) >> 10
    }

    /// Publishes so many tests per second until it is killed.
    fn flood(place: &Place, campaign: &str, worker: u64, per_second: u64) {
        let mut voice = join(place, campaign);
        let started = Instant::now();
        for number in 0.. {
            voice.publish(test(worker, number));
            let due = Duration::from_secs_f64(number as f64 / per_second as f64);
            thread::sleep(due.saturating_sub(started.elapsed()));
        }
    }

    /// A worker that runs tests: every fourth time it asks for a test of others, and it publishes one of so many.
    fn work(place: &Place, publishes: Option<u64>) -> f64 {
        let mut voice = join(place, CAMPAIGNS[0]);
        thread::sleep(Duration::from_secs(1));
        let before = processor(std::process::id());
        let mut received = 0;
        for number in 0..TESTS {
            std::hint::black_box((0..WORK).fold(number, |sum, step| sum.rotate_left(5) ^ step));
            if number % 4 == 3 {
                received += u64::from(voice.poll().is_some());
            }
            if publishes.is_some_and(|each| number % each == 0) {
                voice.publish(test(99, number));
            }
        }
        let each = (processor(std::process::id()) - before) / u32::try_from(TESTS).expect("it is small");
        println!("  {each:.2?} of processor time per test, {received} tests received");
        each.as_secs_f64()
    }

    /// Others that publish in a campaign until this is dropped.
    struct Others(Vec<Child>);

    impl Others {
        fn publish(address: &str, campaign: &str, per_second: u64) -> Self {
            let program = std::env::current_exe().expect("this program");
            let each = (per_second / OTHERS).to_string();
            let start = |worker: u64| {
                Command::new(&program)
                    .args(["flood", address, campaign, &worker.to_string(), &each])
                    .stdout(Stdio::null())
                    .spawn()
                    .expect("it can be started")
            };
            let others = Others((0..OTHERS).map(start).collect());
            thread::sleep(Duration::from_secs(2));
            others
        }
    }

    impl Drop for Others {
        fn drop(&mut self) {
            for other in &mut self.0 {
                other.kill().and_then(|()| other.wait()).expect("it can be killed");
            }
        }
    }

    fn slowed(address: &str, place: &Place, per_second: u64) {
        println!("one worker, and nobody else:");
        work(place, None);
        let others = Others::publish(address, CAMPAIGNS[1], per_second);
        println!("while {OTHERS} others publish {per_second} per second in another campaign:");
        let busy = work(place, None);
        drop(others);
        let _others = Others::publish(address, CAMPAIGNS[0], per_second);
        let board = place.board(&named(CAMPAIGNS[0])).expect("the server is there");
        let count = || board.count(mutagen_exchange::Topic::Test).expect("they can be counted");
        let (started, first) = (Instant::now(), count());
        println!("while they publish in its campaign:");
        let held = work(place, None);
        println!("and it publishes every 20th of its tests:");
        let both = work(place, Some(20));
        let rate = (count() - first) as f64 / started.elapsed().as_secs_f64();
        println!("  the server stored {rate:.0} tests per second meanwhile");
        println!(
            "  slower by {:.1} % and {:.1} % than on a machine that is as busy",
            100.0 * (held / busy - 1.0),
            100.0 * (both / busy - 1.0)
        );
    }

    /// The cost of so many workers that wait, say how they are, and get twenty tests per second.
    fn crowd(count: usize) {
        const ENTRIES: u64 = 200;
        let server = Server::start(&[]).expect("there is a server");
        let place = Place::Hub(server.address(), None);
        let started = Instant::now();
        let mut workers: Vec<_> = (0..count).map(|_| join(&place, CAMPAIGNS[0])).collect();
        let joined = started.elapsed();
        let mut publisher = join(&place, CAMPAIGNS[0]);
        thread::sleep(Duration::from_secs(2));
        let (started, server_before) = (Instant::now(), processor(server.process()));
        let (mut sent, mut got, mut told, mut lags) = (Vec::new(), 0, 0, Vec::new());
        while got < ENTRIES as usize * count && started.elapsed() < Duration::from_secs(60) {
            let due = (started.elapsed().as_millis() / 50) as u64;
            if due > sent.len() as u64 && (sent.len() as u64) < ENTRIES {
                publisher.publish(test(1, sent.len() as u64));
                sent.push(Instant::now());
            }
            if started.elapsed().as_secs() > told {
                told += 1;
                workers.iter_mut().for_each(|worker| worker.tell(&format!("status {told}")));
            }
            for worker in &mut workers {
                while let Some(entry) = worker.poll() {
                    let number = entry.bytes[8..16].try_into().map(u64::from_le_bytes).expect("a number");
                    lags.push(sent[usize::try_from(number).expect("it is small")].elapsed());
                    got += 1;
                }
            }
            thread::sleep(Duration::from_millis(1));
        }
        lags.sort();
        let seconds = started.elapsed().as_secs_f64();
        let share = (processor(server.process()) - server_before).as_secs_f64() / seconds;
        let at = |part: f64| lags.get((lags.len() as f64 * part) as usize).copied().unwrap_or_default();
        println!(
            "{count:>5} workers: joined in {joined:.2?}; {got} of {} tests came, half within {:.2?}, 99 % within {:.2?}; \
             server: {:.1} % of a core, {} MiB",
            ENTRIES as usize * count,
            at(0.5),
            at(0.99),
            100.0 * share,
            memory(server.process()),
        );
    }

    pub fn main() {
        let words: Vec<String> = std::env::args().collect();
        if let Some(at) = words.iter().position(|word| word == "flood") {
            let place = Place::Hub(words[at + 1].parse().expect("an address"), None);
            let number = |at: usize| words[at].parse().expect("a number");
            return flood(&place, &words[at + 2], number(at + 3), number(at + 4));
        }
        let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let most = numbers.first().map_or(100, |number| usize::try_from(*number).expect("it is small"));
        let per_second = numbers.get(1).copied().unwrap_or(10_000);
        let Some(server) = Server::start(&[]) else { return };
        let address = server.address().to_string();
        slowed(&address, &Place::Hub(server.address(), None), per_second);
        drop(server);
        if server::program().is_some() {
            [1, 10, 100, 300, 1000].into_iter().filter(|count| *count <= most).for_each(crowd);
        }
    }
}
