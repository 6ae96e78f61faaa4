//! What must hold wherever workers meet: in memory, in a directory, at a NATS server. One suite for all three.

#[path = "common/server.rs"]
#[cfg(feature = "hub")]
#[allow(dead_code, reason = "not all test programs need all of it")]
mod server;
#[path = "common/waiting.rs"]
mod waiting;
#[path = "common/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mutagen_exchange::{Alive, Entry, Exchange, Held, MOST_BYTES, MOST_TRIES, Taken, Topic};
use waiting::eventually;
use world::{World, terms};

/// Long enough for a slow machine to work, short enough to wait for its end.
const LEASE: Duration = Duration::from_millis(1500);

fn test(number: usize) -> Entry {
    Entry::test(format!("test {number}").into_bytes())
}

/// Takes all tests that are there and come until there are so many.
fn polled(worker: &mut Box<dyn Exchange>, expected: usize) -> BTreeSet<Vec<u8>> {
    let mut got = BTreeSet::new();
    eventually("all tests come", || {
        while let Some(entry) = worker.poll() {
            assert!(got.insert(entry.bytes), "a test came twice");
        }
        got.len() >= expected
    });
    got
}

fn published(worker: &mut Box<dyn Exchange>, numbers: std::ops::Range<usize>) {
    numbers.for_each(|number| worker.publish(test(number)));
}

/// Waits until all that a worker published is stored.
fn stored(worker: &mut dyn Exchange) {
    worker.finish(Duration::from_secs(120));
    assert_eq!(worker.health().unsent, 0);
}

fn taken(cells: &dyn mutagen_exchange::Cells) -> Held {
    let mut held = None;
    eventually("there is a cell", || match cells.take().expect("cells can be taken") {
        Taken::Cell(cell) => held.replace(cell).is_none(),
        Taken::Wait | Taken::Done => false,
    });
    held.expect("it was taken")
}

fn add(cells: &dyn mutagen_exchange::Cells, count: usize) {
    let all: Vec<_> = (0..count).map(|number| (format!("cell {number}~a*b.c"), vec![number as u8])).collect();
    cells.add(&all).expect("cells can be added");
}

fn a_test_comes_to_every_other_worker_once_whoever_publishes_it(world: &mut dyn World) {
    let mut workers: Vec<_> = (0..4).map(|_| world.join()).collect();
    published(&mut workers[0], 0..60);
    published(&mut workers[1], 40..100);
    published(&mut workers[1], 40..100);
    workers.iter_mut().for_each(|worker| stored(&mut **worker));
    assert_eq!(polled(&mut workers[2], 100).len(), 100);
    assert_eq!(polled(&mut workers[3], 100).len(), 100);
    let own = |range: std::ops::Range<usize>| range.map(|number| test(number).bytes).collect::<BTreeSet<_>>();
    assert!(polled(&mut workers[0], 40).is_disjoint(&own(0..60)));
    assert!(polled(&mut workers[1], 40).is_disjoint(&own(40..100)));
    assert_eq!(world.board().count(Topic::Test).expect("it can be read"), 100);
}

fn a_finding_is_stored_once_for_each_key_and_the_first_one_stays(world: &mut dyn World) {
    let (mut one, mut other) = (world.join(), world.join());
    one.publish(Entry::finding(7, b"first".to_vec()));
    stored(&mut *one);
    other.publish(Entry::finding(7, b"second".to_vec()));
    other.publish(Entry::finding(8, b"another".to_vec()));
    stored(&mut *other);
    let findings = world.board().entries(Topic::Finding).expect("they can be read");
    let mut found: Vec<_> = findings.iter().map(|entry| (entry.key, entry.bytes.as_slice())).collect();
    found.sort_unstable();
    assert_eq!(found, [(7, b"first".as_slice()), (8, b"another".as_slice())]);
    assert!(one.poll().is_none() && other.poll().is_none(), "findings are no tests");
}

fn a_test_says_which_search_of_its_worker_gave_it(world: &mut dyn World) {
    let (mut one, mut other) = (world.join(), world.join());
    let given = [test(1), test(2).of_part(1), test(3).of_part(255)];
    given.iter().for_each(|entry| one.publish(entry.clone()));
    stored(&mut *one);
    let mut come = Vec::new();
    eventually("all come", || {
        come.extend(other.poll());
        come.len() == given.len()
    });
    come.sort_by_key(|entry| entry.part);
    assert_eq!(come, given);
}

fn a_worker_that_joins_late_gets_everything(world: &mut dyn World) {
    let mut early = world.join();
    published(&mut early, 0..3000);
    stored(&mut *early);
    drop(early);
    let mut late = world.join();
    eventually("they wait for it", || late.backlog() > 100);
    assert_eq!(polled(&mut late, 3000).len(), 3000);
    assert_eq!(late.backlog(), 0);
    assert!(late.was_there_before());
    // What comes from now on is new, as soon as the worker's end has seen that there is no more.
    let (mut another, mut number) = (world.join(), 3000);
    eventually("a new test is known as one", || {
        published(&mut another, number..number + 1);
        number += 1;
        late.poll().is_some() && !late.was_there_before()
    });
}

fn a_worker_with_other_terms_is_refused_and_the_difference_is_named(world: &mut dyn World) {
    drop(world.join());
    let other = terms().with("target", "mine").with("more", "x");
    let refused = world.join_on(&other).err().expect("it is refused").to_string();
    assert!(refused.contains("more is missing there and `x` here"), "{refused}");
    assert!(refused.contains("target is `wasmi` there and `mine` here"), "{refused}");
    assert!(!refused.contains("version"), "{refused}");
    assert_eq!(world.board().terms().expect("they can be read"), Some(terms()));
    world.join();
}

fn a_worker_that_is_slow_holds_nobody_up_and_gets_everything(world: &mut dyn World) {
    let (mut quick, mut slow) = (world.join(), world.join());
    published(&mut quick, 0..20_000);
    stored(&mut *quick);
    assert_eq!(quick.health().dropped, 0);
    assert_eq!(polled(&mut slow, 20_000).len(), 20_000);
}

fn an_entry_that_is_too_large_is_counted_and_the_others_come(world: &mut dyn World) {
    let (mut one, mut other) = (world.join(), world.join());
    one.publish(test(1));
    one.publish(Entry::test(vec![1; MOST_BYTES + 1]));
    one.publish(Entry::test(vec![2; MOST_BYTES]));
    one.publish(test(2));
    stored(&mut *one);
    assert_eq!(one.health().too_large, 1);
    let sizes: BTreeSet<usize> = polled(&mut other, 3).iter().map(Vec::len).collect();
    assert_eq!(sizes, BTreeSet::from([6, MOST_BYTES]));
}

fn damaged_and_foreign_entries_are_counted_and_left_out(world: &mut dyn World) {
    let (mut one, mut other) = (world.join(), world.join());
    let planted = ["0000000000000001", "cafe", "0000000000000002"];
    let contents: [&[u8]; 3] =
        [b"mutagen-entry 9 0 0\n", b"what is this?", b"mutagen-entry 2 0000000000000000 5\nhello"];
    for (key, bytes) in planted.into_iter().zip(contents) {
        if !world.plant(key, bytes) {
            return;
        }
    }
    published(&mut one, 0..10);
    assert_eq!(polled(&mut other, 10).len(), 10);
    eventually("all three are counted", || {
        assert!(other.poll().is_none());
        other.health().foreign == 3
    });
    assert_eq!(world.board().entries(Topic::Test).expect("they can be read").len(), 10);
}

fn what_workers_say_is_seen_and_a_stop_reaches_all_of_them(world: &mut dyn World) {
    let (mut one, mut other) = (world.join(), world.join());
    one.tell("old news");
    stored(&mut *one);
    one.tell("news");
    other.tell("other news");
    stored(&mut *one);
    stored(&mut *other);
    eventually("both are seen", || {
        let told = world.board().workers().expect("they can be read");
        let mut said: Vec<String> = told.into_iter().map(|told| told.status).collect();
        said.sort();
        said == ["news", "other news"]
    });
    assert!(!one.is_stopped() && !world.board().is_stopped().expect("it can be read"));
    world.board().stop().expect("it can be stopped");
    world.board().stop().expect("twice is once");
    assert!(world.board().is_stopped().expect("it can be read"));
    let late = world.join();
    eventually("all know", || [&one, &other, &late].iter().all(|worker| worker.is_stopped()));
}

fn what_is_published_while_nobody_can_be_reached_comes_later(world: &mut dyn World) {
    let (mut one, mut other) = (world.join(), world.join());
    published(&mut one, 0..500);
    one.publish(Entry::finding(1, b"before".to_vec()));
    stored(&mut *one);
    world.kill();
    published(&mut one, 500..2500);
    one.publish(Entry::finding(2, b"meanwhile".to_vec()));
    world.restart();
    one.publish(Entry::finding(3, b"after".to_vec()));
    stored(&mut *one);
    assert_eq!(polled(&mut other, 2500).len(), 2500);
    let findings = world.board().entries(Topic::Finding).expect("they can be read");
    assert_eq!(findings.iter().map(|entry| entry.key).collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3]));
    assert_eq!(one.health().dropped, 0);
}

fn every_cell_gets_one_result_when_several_workers_share_them(world: &mut dyn World) {
    let handed_in = AtomicUsize::new(0);
    add(&*world.cells(LEASE), 40);
    // To add them again changes nothing.
    add(&*world.cells(LEASE), 40);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let cells = world.cells(LEASE);
                loop {
                    match cells.take().expect("cells can be taken") {
                        Taken::Done => return,
                        Taken::Wait => thread::sleep(Duration::from_millis(5)),
                        Taken::Cell(held) => {
                            let result = [held.work.as_slice(), b" done"].concat();
                            assert!(cells.hand_in(&held, &result).expect("it can be handed in"));
                            handed_in.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(handed_in.into_inner(), 40);
    let cells = world.cells(LEASE);
    let results = cells.results().expect("they can be read");
    let names: BTreeSet<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((results.len(), names.len()), (40, 40));
    let right = |(name, result): &(String, Vec<u8>)| {
        *result
            == [
                &[name[5..].split('~').next().expect("a number").parse::<u8>().expect("a number")],
                b" done".as_slice(),
            ]
            .concat()
    };
    assert!(results.iter().all(right));
    let progress = cells.progress().expect("it can be read");
    assert_eq!((progress.all, progress.done), (40, 40));
}

fn a_cell_whose_holder_is_gone_is_handed_out_three_times_at_most(world: &mut dyn World) {
    let cells = world.cells(LEASE);
    add(&*cells, 1);
    for tries in 1..=MOST_TRIES {
        // Its holder shows no sign of life.
        let held = taken(&*world.cells(LEASE));
        assert_eq!(held.tries, tries);
    }
    eventually("nobody gets it again", || cells.take().expect("cells can be taken") == Taken::Done);
    assert_eq!(cells.progress().expect("it can be read").done, 0);
}

fn a_cell_that_was_handed_out_as_often_as_allowed_gets_new_tries_when_somebody_asks(world: &mut dyn World) {
    let cells = world.cells(LEASE);
    add(&*cells, 2);
    let done = taken(&*cells);
    assert!(cells.hand_in(&done, b"result").expect("it can be handed in"));
    for tries in 1..=MOST_TRIES {
        assert_eq!(taken(&*world.cells(LEASE)).tries, tries);
        assert_eq!(world.cells(LEASE).renew().expect("it can be asked"), 0, "somebody holds it");
    }
    eventually("nobody gets it again", || cells.take().expect("cells can be taken") == Taken::Done);
    let (one, other) = (world.cells(LEASE), world.cells(LEASE));
    let renewed = one.renew().expect("they can be renewed") + other.renew().expect("they can be renewed");
    assert_eq!(renewed, 1);
    for tries in MOST_TRIES + 1..=2 * MOST_TRIES {
        assert_eq!(taken(&*world.cells(LEASE)).tries, tries);
    }
    eventually("nobody gets it again", || cells.take().expect("cells can be taken") == Taken::Done);
    assert_eq!(cells.renew().expect("they can be renewed"), 1);
    let held = taken(&*other);
    assert_eq!(held.tries, 2 * MOST_TRIES + 1);
    assert!(other.hand_in(&held, b"late").expect("it can be handed in"));
    assert_eq!(cells.renew().expect("they can be renewed"), 0);
    let progress = cells.progress().expect("it can be read");
    assert_eq!((progress.all, progress.done), (2, 2));
}

fn cells_that_are_added_later_are_handed_out(world: &mut dyn World) {
    let cells = world.cells(LEASE);
    add(&*cells, 1);
    let first = taken(&*cells);
    assert!(cells.hand_in(&first, b"result").expect("it can be handed in"));
    eventually("all is done", || cells.take().expect("cells can be taken") == Taken::Done);
    add(&*world.cells(LEASE), 3);
    let names: BTreeSet<String> = (0..2).map(|_| taken(&*cells).name).collect();
    assert!(names.len() == 2 && !names.contains(&first.name), "{names:?}");
}

fn a_test_reaches_every_other_worker_within_some_looks(world: &mut dyn World) {
    const TESTS: usize = 40;
    /// So often a worker looks that looks every five milliseconds for a second.
    const LOOKS: usize = 200;
    let mut workers: Vec<_> = (0..4).map(|_| world.join()).collect();
    let mut looks = Vec::new();
    for number in 0..TESTS {
        workers[number % 4].publish(test(number));
        for other in (1..4).map(|step| (number + step) % 4) {
            let mut looked = 0;
            eventually("it comes", || {
                looked += 1;
                workers[other].poll().is_some()
            });
            looks.push(looked);
        }
    }
    looks.sort_unstable();
    // A machine with much to do may be late with some.
    assert!(looks[looks.len() / 2] <= LOOKS, "{looks:?}");
}

fn a_cell_is_not_handed_out_again_while_its_holder_lives(world: &mut dyn World) {
    let cells = world.cells(LEASE);
    add(&*cells, 1);
    let held = taken(&*cells);
    let alive = Alive::keep(cells.clone(), held.clone());
    let other = world.cells(LEASE);
    let started = std::time::Instant::now();
    while started.elapsed() < LEASE * 3 {
        assert_eq!(other.take().expect("cells can be taken"), Taken::Wait);
        thread::sleep(LEASE / 10);
    }
    drop(alive);
    assert!(cells.hand_in(&held, b"result").expect("it can be handed in"));
    eventually("all is done", || other.take().expect("cells can be taken") == Taken::Done);
}

fn the_first_result_of_a_cell_counts(world: &mut dyn World) {
    let (one, other) = (world.cells(LEASE), world.cells(LEASE));
    add(&*one, 1);
    let late = taken(&*one);
    let quick = taken(&*other);
    assert_eq!((late.tries, quick.tries), (1, 2));
    assert!(other.hand_in(&quick, b"first").expect("it can be handed in"));
    assert!(!one.hand_in(&late, b"second").expect("it can be handed in"));
    let results = one.results().expect("they can be read");
    assert_eq!(results, [(quick.name, b"first".to_vec())]);
    eventually("all is done", || one.take().expect("cells can be taken") == Taken::Done);
}

/// The suite, for a way to meet that may not be there.
macro_rules! suite {
    ($name:ident, $world:expr, $($test:ident)*) => {
        mod $name {
            $(
                #[test]
                fn $test() {
                    let made: Option<_> = $world;
                    if let Some(mut world) = made {
                        super::$test(&mut world);
                    }
                }
            )*
        }
    };
}

/// The same suite for every way to meet.
macro_rules! everywhere {
    ($($test:ident)*) => {
        suite!(memory, Some(crate::world::InMemory::default()), $($test)*);
        suite!(directory, Some(crate::world::InDirectory::default()), $($test)*);
        #[cfg(feature = "hub")]
        suite!(nats, crate::world::AtServer::start(), $($test)*);
    };
}

everywhere! {
    a_test_comes_to_every_other_worker_once_whoever_publishes_it
    a_finding_is_stored_once_for_each_key_and_the_first_one_stays
    a_test_says_which_search_of_its_worker_gave_it
    a_worker_that_joins_late_gets_everything
    a_worker_with_other_terms_is_refused_and_the_difference_is_named
    a_worker_that_is_slow_holds_nobody_up_and_gets_everything
    an_entry_that_is_too_large_is_counted_and_the_others_come
    damaged_and_foreign_entries_are_counted_and_left_out
    what_workers_say_is_seen_and_a_stop_reaches_all_of_them
    what_is_published_while_nobody_can_be_reached_comes_later
    every_cell_gets_one_result_when_several_workers_share_them
    a_cell_whose_holder_is_gone_is_handed_out_three_times_at_most
    a_cell_that_was_handed_out_as_often_as_allowed_gets_new_tries_when_somebody_asks
    cells_that_are_added_later_are_handed_out
    a_test_reaches_every_other_worker_within_some_looks
    a_cell_is_not_handed_out_again_while_its_holder_lives
    the_first_result_of_a_cell_counts
}
