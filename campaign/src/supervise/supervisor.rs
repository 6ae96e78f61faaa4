//! The loop of a supervisor: it hears its workers, watches them, and fills empty seats.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use mutagen_properties::Subject;

use super::Program;
use super::apart::failure_as_found;
use super::inquest::{Culprit, Suspect, Verdict};
use super::order::{CampaignOrder, Message, Refusal};
use super::process::{Heard, Remains};
use super::report::Ended;
use super::seat::Seat;
use crate::run::{Collector, Driver, Plotting, Running, STATS, STORED_EVERY};
use crate::sharing::Voice;
use crate::store::{Folder, corpus_files};
use crate::{
    CampaignOutcome, Curb, Deaths, Error, Group, Groups, Known, Moment, Observer, Progress, Spec, Store,
    SubjectSpec, Total,
};

/// At most so many tests wait to be judged apart. Further ones are put off.
const MOST_WAITING: usize = 64;
/// At most so many modules are barred. Then the oldest one is tested again.
const MOST_BARRED: usize = 10_000;
/// How often workers are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A worker that dies so often in a row, with no test to blame and without having got anywhere, ends the campaign.
const MOST_DEATHS: u32 = 5;
/// The same for workers that somebody seems to kill.
const MOST_KILLS: u32 = 50;
/// How long to wait before the system is asked again for a process that it did not give.
const ASKED_EVERY: Duration = Duration::from_secs(1);
/// A worker that has run so many tests has got somewhere.
const SOMEWHERE: u64 = 1000;
/// How long a worker may take beyond the time of the campaign: to end its last test, and to shrink what it found. Tests that
/// ended a worker are judged for as long.
const GRACE: Duration = Duration::from_secs(120);

/// A campaign under way.
pub(super) struct Supervisor<'a, 'd, S: Subject> {
    spec: &'d Spec,
    store: Option<&'a Store>,
    collector: &'a Collector<'a, S>,
    plotting: &'a Plotting<'a>,
    program: &'a Program<'a>,
    seats: Vec<Seat>,
    told: Sender<(usize, Heard)>,
    heard: Receiver<(usize, Heard)>,
    /// Tests that ended a worker go this way, and come back with a verdict.
    suspects: Sender<Suspect>,
    judged: Receiver<Verdict>,
    open_suspects: usize,
    /// Files with tests that are judged when fewer wait.
    backlog: Vec<PathBuf>,
    /// Set when no more tests are to be judged.
    ended: &'a AtomicBool,
    next_process: usize,
    started: Instant,
    looked: Instant,
    stored: Instant,
    /// The hashes of modules that are not tested any more.
    barred: Hashes,
    /// The hashes of modules on which no first opinion is asked any more.
    unasked: Hashes,
    deaths: Deaths,
    /// Set when the campaign is to end, with the reason where it is not that of a worker.
    stopping: bool,
    gave_up: Option<String>,
    refused: Option<Refusal>,
    earlier: Total,
    voice: Option<Arc<Voice>>,
    interrupt: Arc<AtomicBool>,
    observer: &'a mut (dyn Observer + Send + 'd),
}

impl<'a, 'd, S: Subject> Supervisor<'a, 'd, S> {
    pub(super) fn new(
        driver: &'a mut Driver<'d, S>,
        collector: &'a Collector<'a, S>,
        plotting: &'a Plotting<'a>,
        program: &'a Program<'a>,
        (suspects, judged, ended): (Sender<Suspect>, Receiver<Verdict>, &'a AtomicBool),
    ) -> Self {
        let spec = driver.spec;
        let (told, heard) = channel();
        let now = Instant::now();
        Supervisor {
            spec,
            store: collector.store(),
            plotting,
            collector,
            program,
            seats: (0..spec.jobs).map(|index| Seat::new(spec, index.into())).collect(),
            told,
            heard,
            suspects,
            judged,
            open_suspects: 0,
            backlog: collector
                .store()
                .filter(|store| store.resumes())
                .map_or_else(Vec::new, |store| store.files_of(Folder::Unjudged)),
            ended,
            next_process: 0,
            started: now,
            looked: now,
            stored: now,
            barred: Hashes::default(),
            unasked: Hashes::default(),
            deaths: Deaths::default(),
            stopping: false,
            gave_up: None,
            refused: None,
            earlier: driver.earlier,
            voice: driver.voice.clone(),
            interrupt: Arc::clone(&driver.interrupt),
            observer: &mut *driver.observer,
        }
    }

    /// Runs the campaign until all workers have ended.
    pub(super) fn run(mut self) -> Result<Ended, Error> {
        (0..self.seats.len()).try_for_each(|seat| self.fill(seat))?;
        while self.is_under_way() {
            match self.heard.recv_timeout(LOOK_EVERY) {
                Ok((id, heard)) => self.hear(id, heard)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            while let Ok(verdict) = self.judged.try_recv() {
                self.decide(&verdict);
            }
            if self.looked.elapsed() >= LOOK_EVERY {
                self.looked = Instant::now();
                self.look();
            }
        }
        self.deaths.unjudged += self.backlog.len() as u64;
        self.deaths.forgotten = self.barred.forgotten + self.unasked.forgotten;
        match self.refused {
            Some(refused) => Err(refused.into()),
            None => Ok(Ended {
                seconds: self.started.elapsed().as_secs_f64(),
                seats: self.seats,
                deaths: self.deaths,
                barred: self.barred.list(),
                gave_up: self.gave_up,
            }),
        }
    }

    /// Whether there is something left to wait for.
    fn is_under_way(&self) -> bool {
        let is_put_off = !self.backlog.is_empty() && !self.ended.load(Ordering::Relaxed);
        self.open_suspects > 0 || is_put_off || self.seats.iter().any(Seat::is_taken)
    }

    fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Starts the next worker of a seat, if there is something left to do.
    fn fill(&mut self, seat: usize) -> Result<(), Error> {
        let seconds = self.seconds();
        let Some(spec) = self.seats[seat].next(seconds).filter(|_| !self.stopping) else { return Ok(()) };
        let resumes = self.store.is_some_and(Store::resumes) || !self.seats[seat].is_first();
        let flooding = self.flooding();
        let floods = |group: &Group| group.fix.as_ref().is_some_and(|fix| flooding.contains(fix));
        let curb = |group: Group| match floods(&group) {
            true => Group { curbed: Some(Curb::Fixed), ..group },
            false => group,
        };
        let groups: Vec<Group> = self.groups().into_iter().map(curb).collect();
        let curbed = groups.iter().filter(|group| group.curbed == Some(Curb::Fixed));
        let fixes = curbed.filter_map(|group| group.fix.clone());
        // One after the other: each takes the lock.
        let skipped = self.collector.groups().skipped();
        let killers = self.collector.groups().killers();
        let late = self.collector.late_fixes().into_iter().map(str::to_owned);
        let order = CampaignOrder {
            spec,
            resumes,
            sorts: false,
            late_fixes: fixes.chain(late).collect(),
            groups: groups.into_iter().map(uncounted).collect(),
            skipped,
            killers,
            corpus: self.seats[seat].corpus(),
            tested: self.seats[seat].tested(),
            barred: self.barred.list(),
            unasked: self.unasked.list(),
            sharing: self.voice.as_ref().map(|voice| voice.sharing().clone()),
        };
        let id = self.next_process;
        self.next_process += 1;
        let process = self.program.start(order, id, self.told.clone())?;
        self.seats[seat].take(id, process, seconds);
        Ok(())
    }

    /// Starts the next worker of a seat after others. It may be the system that is short of something, for a moment: then it is
    /// asked again later, and what was done so far is not lost.
    fn fill_again(&mut self, number: usize) {
        self.seats[number].refused = None;
        if let Err(error) = self.fill(number) {
            self.seats[number].refused = Some(Instant::now());
            self.got_nowhere(number, true, &error.to_string());
        }
    }

    fn hear(&mut self, id: usize, heard: Heard) -> Result<(), Error> {
        let is_here = |seat: &Seat| seat.process.as_ref().is_some_and(|(own, _)| *own == id);
        let Some(number) = self.seats.iter().position(is_here) else { return Ok(()) };
        let seat = &mut self.seats[number];
        match heard {
            Heard::Message(Message::Progress(progress)) => {
                seat.progress = progress;
                self.tell();
            }
            Heard::Message(Message::Groups(groups)) => seat.groups = groups,
            Heard::Message(Message::Done(done)) => seat.done = Some(*done),
            Heard::Message(Message::Refused(refused)) => {
                self.refused.get_or_insert(refused);
                self.stop();
            }
            Heard::Message(Message::Judged { .. } | Message::Answer(_)) => {}
            Heard::End => self.ended(number)?,
        }
        Ok(())
    }

    /// A worker has closed its output.
    fn ended(&mut self, number: usize) -> Result<(), Error> {
        let seat = &mut self.seats[number];
        let Some((_, process)) = seat.process.take() else { return Ok(()) };
        let remains = process.ended().map_err(Error::NoWorker)?;
        if let Some(done) = &seat.done {
            if done.report.outcome == CampaignOutcome::Finding && !self.spec.keep_going {
                self.stop();
            }
            return Ok(());
        }
        if self.refused.is_some() {
            return Ok(());
        }
        // It may have ended more tests than it has told.
        if let Some(tally) = remains.tally() {
            seat.progress.count(&tally);
        }
        let at = Moment { tests: seat.progress.tests, seconds: seat.began + seat.progress.seconds };
        if seat.progress.tests >= SOMEWHERE {
            (seat.deaths, seat.kills) = (0, 0);
        }
        seat.bury();
        self.died(number, remains, at);
        Ok(())
    }

    /// A worker has died: its test is judged apart, and the next worker starts, now or after that.
    fn died(&mut self, number: usize, remains: Remains, at: Moment) {
        let is_somebody = remains.cause.is_somebody();
        match remains.noted() {
            // It is its own problem. The test is made again without it.
            Some(noted) if self.is_first_opinion(noted.engine.as_deref()) => {
                self.deaths.first_opinion += 1;
                self.unasked.add(noted.hash());
            }
            Some(noted) => {
                self.barred.add(noted.hash());
                let (case, failure) = (noted.case, failure_as_found(self.spec, &remains));
                self.seats[number].waits = !self.spec.keep_going;
                self.suspect(Suspect { seat: Some(number), case, failure, at, is_somebody });
            }
            None => {
                let why = format!("it {} {}", remains.cause, remains.last_words);
                self.unexplained(number, is_somebody, &why);
            }
        }
        if !self.seats[number].waits {
            self.fill_again(number);
        }
    }

    /// Has a test judged apart. If too many wait already, it is put off.
    fn suspect(&mut self, suspect: Suspect) {
        if self.open_suspects < MOST_WAITING {
            // The other side lives as long as this one.
            let _ = self.suspects.send(suspect);
            self.open_suspects += 1;
            return;
        }
        match suspect.put_off(self.spec, self.store) {
            Some(file) if self.backlog.contains(&file) => {}
            Some(file) => self.backlog.push(file),
            None => self.deaths.unjudged += 1,
        }
        suspect.seat.into_iter().for_each(|seat| self.seats[seat].waits = false);
    }

    /// Has tests judged that were put off, if there is time.
    fn catch_up(&mut self) {
        while self.open_suspects < MOST_WAITING / 2 && !self.ended.load(Ordering::Relaxed) {
            let Some(file) = self.backlog.pop() else { return };
            let suspect = Suspect::put_off_in(&file, self.seconds());
            suspect.into_iter().for_each(|suspect| self.suspect(suspect));
        }
    }

    /// Whether this engine only gives first opinions.
    fn is_first_opinion(&self, engine: Option<&str>) -> bool {
        let SubjectSpec::Engines(engines) = &self.spec.subject else { return false };
        engine.is_some_and(|engine| engines.advisers().any(|adviser| adviser == engine))
    }

    /// An inquest has ended.
    fn decide(&mut self, verdict: &Verdict) {
        self.open_suspects -= 1;
        let seat = verdict.seat;
        if let (Some(seat), false) = (seat, verdict.culprit == Culprit::Nobody) {
            (self.seats[seat].deaths, self.seats[seat].kills) = (0, 0);
        }
        match verdict.culprit {
            Culprit::Target => {
                self.deaths.target += 1;
                if !self.spec.keep_going {
                    self.stop();
                }
            }
            Culprit::Published => self.deaths.target += 1,
            Culprit::Reference => self.deaths.reference += 1,
            Culprit::Nobody => match seat {
                Some(seat) => {
                    self.unexplained(seat, verdict.is_somebody, "its last test does not show it again");
                }
                None => self.deaths.unexplained += 1,
            },
            Culprit::Unjudged => self.deaths.unjudged += 1,
        }
        if let Some(seat) = seat
            && std::mem::take(&mut self.seats[seat].waits)
        {
            self.fill_again(seat);
        }
    }

    /// A worker has died, and no test is to blame.
    fn unexplained(&mut self, number: usize, is_somebody: bool, why: &str) {
        self.deaths.unexplained += 1;
        self.got_nowhere(number, is_somebody, why);
    }

    /// A worker of a seat got nowhere. If that keeps happening, the campaign gives up.
    fn got_nowhere(&mut self, number: usize, is_somebody: bool, why: &str) {
        let seat = &mut self.seats[number];
        seat.deaths += u32::from(!is_somebody);
        seat.kills += u32::from(is_somebody);
        if seat.deaths >= MOST_DEATHS || seat.kills >= MOST_KILLS {
            let times = seat.deaths + seat.kills;
            let why = why.trim();
            self.gave_up.get_or_insert(format!(
                "a worker died {times} times in a row, and no test is to blame: {why}"
            ));
            self.stop();
        }
    }

    /// Looks after the workers, and stops them when it is time.
    fn look(&mut self) {
        let is_full = self.store.is_some_and(Store::has_failed);
        if !self.stopping && (is_full || self.interrupt.load(Ordering::Relaxed)) {
            self.stop();
        }
        let longest = self.spec.time_limit().map(|time| time.saturating_add(GRACE));
        let is_late = longest.is_some_and(|longest| self.started.elapsed() > longest);
        if is_late {
            self.ended.store(true, Ordering::Relaxed);
        }
        self.catch_up();
        for seat in &mut self.seats {
            if let Some((_, process)) = &mut seat.process {
                process.watch();
                // One that somebody has stopped cannot end by itself.
                if is_late || self.stopping && process.is_stopped() {
                    process.give_up();
                }
            }
        }
        let is_due = |seat: &Seat| seat.refused.is_some_and(|refused| refused.elapsed() >= ASKED_EVERY);
        let due: Vec<usize> = (0..self.seats.len()).filter(|number| is_due(&self.seats[*number])).collect();
        due.into_iter().for_each(|number| self.fill_again(number));
        self.tell();
    }

    /// Lets all workers end in good order. None is started again.
    fn stop(&mut self) {
        self.stopping = true;
        self.ended.store(true, Ordering::Relaxed);
        self.seats.iter_mut().for_each(|seat| seat.refused = None);
        self.seats
            .iter_mut()
            .filter_map(|seat| seat.process.as_mut())
            .for_each(|(_, process)| process.stop());
    }

    /// Tells how far the campaign is, and stores it from time to time.
    fn tell(&mut self) {
        let start = Progress { seconds: self.seconds(), ..Progress::default() };
        let progress = self.seats.iter().fold(start, |sum, seat| sum.and(&seat.so_far()));
        self.observer.progress(&progress);
        if self.voice.as_ref().is_some_and(|voice| voice.tell(&progress)) && !self.stopping {
            self.stop();
        }
        let corpus = || self.store.map_or(0, |store| corpus_files(store.directory()).len() as u64);
        self.plotting.follow(&progress, corpus, || self.groups());
        if self.stored.elapsed() >= STORED_EVERY {
            self.stored = Instant::now();
            let groups = self.groups();
            self.observer.groups(&groups);
            if let Some(store) = self.store {
                store.write_json(STATS, &Running::new(&progress, groups, &self.earlier));
            }
        }
    }

    /// The groups of all workers so far, and those of earlier runs.
    fn groups(&self) -> Vec<Group> {
        let mut groups = Groups::new(Known::default());
        let crashes = self.collector.groups().list();
        let all = crashes.into_iter().chain(self.met());
        all.for_each(|group| drop(groups.absorb(group)));
        groups.list()
    }

    /// The groups that the workers of this run have told, dead ones as well.
    fn met(&self) -> impl Iterator<Item = Group> {
        let dead = self.seats.iter().flat_map(|seat| seat.dead.list());
        let here = self.seats.iter().flat_map(|seat| match &seat.done {
            Some(done) => &done.report.groups,
            None => &seat.groups,
        });
        dead.chain(here.cloned())
    }

    /// The fixes of groups that keep coming if the counts of all workers of this run are added up: a worker that dies soon does not
    /// count far. Workers that are running are not told. Shapes that are skipped, where there is no fix, are known anyway.
    fn flooding(&self) -> BTreeSet<String> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for group in self.met() {
            if let Some(fix) = group.fix {
                *counts.entry(fix).or_default() += group.count;
            }
        }
        counts.into_iter().filter(|(_, count)| *count >= Groups::FLOOD).map(|(fix, _)| fix).collect()
    }
}

/// Hashes of modules, the oldest of which are forgotten.
#[derive(Default)]
struct Hashes {
    hashes: VecDeque<u64>,
    /// How many were forgotten.
    forgotten: u64,
}

impl Hashes {
    fn add(&mut self, hash: Option<u64>) {
        self.hashes.extend(hash);
        if self.hashes.len() > MOST_BARRED {
            self.hashes.pop_front();
            self.forgotten += 1;
        }
    }

    fn list(&self) -> Vec<u64> {
        self.hashes.iter().copied().collect()
    }
}

/// A group as a new worker gets it: it counts from zero, and the counts are added later.
pub(super) fn uncounted(group: Group) -> Group {
    Group { count: 0, ..group }
}
