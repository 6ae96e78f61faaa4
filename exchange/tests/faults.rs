//! Many faults in a row, of a real server and of workers that are processes: nothing that was acknowledged may be lost, and nothing
//! may count twice.
#![cfg(feature = "hub")]

#[path = "common/disk.rs"]
mod disk;
#[path = "common/proxy.rs"]
mod proxy;
#[allow(dead_code, reason = "not all test programs need all of it")]
#[path = "common/server.rs"]
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mutagen_exchange::{
    Address, Alive, Board, CampaignName, Cells, Entry, Exchange, Hub, HubCells, Taken, Terms, Topic,
};

use disk::SmallDisk;
use proxy::Proxy;
use server::Server;

const WORKERS: u64 = 4;
const LEASE: Duration = Duration::from_secs(2);

/// How many faults are injected. `EXCHANGE_FAULTS` makes it long.
fn faults() -> usize {
    std::env::var("EXCHANGE_FAULTS").ok().and_then(|count| count.parse().ok()).unwrap_or(36)
}

/// What decides which faults these are: `EXCHANGE_SEED`.
fn seed() -> u64 {
    std::env::var("EXCHANGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(99)
}

/// Numbers that look random, the same in each run with the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = mutagen_engine::stable::mix(self.0);
        self.0 % sides
    }

    /// A time below so many milliseconds.
    fn time(&mut self, most: u64) -> Duration {
        Duration::from_millis(self.roll(most))
    }
}

fn connected(address: &Address) -> Hub {
    loop {
        match Hub::connect(address, None, &CampaignName::default()) {
            Ok(hub) => return hub,
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn queue(address: &Address) -> HubCells {
    loop {
        match HubCells::new(connected(address), LEASE) {
            Ok(cells) => return cells,
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// The files through which the workers of this test tell what they were told.
struct Folder(PathBuf);

impl Folder {
    /// Notes something before it is done, or after it was acknowledged. A kill leaves whole lines, and at most one that is not.
    fn note(&self, word: &str, what: &str) {
        let file = self.0.join(format!("{}.log", std::process::id()));
        let mut file = OpenOptions::new().create(true).append(true).open(file).expect("it can be opened");
        file.write_all(format!("{word} {what}\n").as_bytes()).expect("it can be written");
    }

    /// What all workers noted.
    fn noted(&self, word: &str) -> Vec<String> {
        let files = fs::read_dir(&self.0).expect("it can be read").map(|file| file.expect("a file").path());
        let texts = files
            .filter(|file| file.extension().is_some_and(|ending| ending == "log"))
            .map(|file| fs::read_to_string(file).expect("it can be read"));
        texts.fold(Vec::new(), |mut all, text| {
            let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
            all.extend(
                whole.filter_map(|line| line.strip_prefix(word)?.strip_prefix(' ')).map(str::to_owned),
            );
            all
        })
    }

    /// Tells the workers that no more faults come.
    fn calm(&self) {
        fs::write(self.0.join("calm"), "").expect("it can be written");
    }

    fn is_calm(&self) -> bool {
        self.0.join("calm").exists()
    }
}

/// Tells the others what this worker found, and notes what they have. Like a campaign, it notes each finding before that, and
/// begins with those of the processes that had its place before.
struct Findings<'a> {
    voice: Box<dyn Exchange>,
    folder: &'a Folder,
    word: String,
    unstored: BTreeSet<u64>,
}

impl<'a> Findings<'a> {
    fn new(voice: impl Exchange + 'static, folder: &'a Folder, place: &str) -> Self {
        let word = format!("found-{place}");
        let earlier = folder.noted(&word);
        let mut findings = Findings { voice: Box::new(voice), folder, word, unstored: BTreeSet::new() };
        earlier.iter().for_each(|key| findings.publish(key.parse().expect("a number")));
        findings
    }

    fn found(&mut self, key: u64) {
        self.folder.note(&self.word, &key.to_string());
        self.publish(key);
    }

    fn publish(&mut self, key: u64) {
        self.voice.publish(Entry::finding(key, key.to_string().into_bytes()));
        self.unstored.insert(key);
    }

    fn stored(&mut self, longest: Duration) -> bool {
        self.voice.finish(longest);
        let is_stored = self.voice.health().unsent == 0;
        if is_stored {
            let stored = std::mem::take(&mut self.unstored);
            stored.iter().for_each(|key| self.folder.note("stored", &key.to_string()));
        }
        is_stored
    }
}

/// One process that takes cells and finds something in each, until none is left.
#[test]
#[ignore = "a process that another test starts"]
fn takes_cells_until_none_is_left() {
    let address: Address = std::env::var("FAULTS_ADDRESS").expect("an address").parse().expect("an address");
    let folder = Folder(std::env::var_os("FAULTS_FOLDER").expect("a folder").into());
    let mut dice = Dice(std::process::id().into());
    let cells = Arc::new(queue(&address));
    let voice = loop {
        match connected(&address).join(&Terms::default()) {
            Ok(voice) => break voice,
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    };
    let mut findings = Findings::new(voice, &folder, &std::env::var("FAULTS_PLACE").expect("a place"));
    loop {
        let held = match cells.take() {
            Ok(Taken::Cell(held)) => held,
            Ok(Taken::Done) => break,
            Ok(Taken::Wait) | Err(_) => continue,
        };
        folder.note("took", &held.name);
        let _alive = Alive::keep(cells.clone(), held.clone());
        findings.found(held.name["cell-".len()..].parse().expect("a number"));
        if !folder.is_calm() {
            thread::sleep(dice.time(900));
        }
        loop {
            match cells.hand_in(&held, &held.work) {
                Ok(true) => folder.note("accepted", &held.name),
                Ok(false) => {}
                Err(_) => continue,
            }
            break;
        }
        findings.stored(Duration::from_millis(50));
    }
    assert!(findings.stored(Duration::from_secs(120)));
}

/// The processes under test, and what can happen to them.
struct Scene {
    server: Server,
    proxy: Proxy,
    disk: Option<SmallDisk>,
    folder: Folder,
    workers: Vec<Child>,
    happened: BTreeMap<&'static str, usize>,
}

impl Scene {
    /// Starts the worker of a place.
    fn worker(address: &Address, folder: &Path, place: usize) -> Child {
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "takes_cells_until_none_is_left", "--ignored"])
            .env("FAULTS_ADDRESS", address.to_string())
            .env("FAULTS_FOLDER", folder)
            .env("FAULTS_PLACE", place.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("a worker can be started")
    }

    /// Waits for the end of all workers.
    fn ends(&mut self) {
        for worker in &mut self.workers {
            assert!(worker.wait().expect("it ends").success());
        }
    }

    /// The cells without a result, and how often each was taken by somebody who could say so. Whatever was handed out when server,
    /// connection or worker died counts as a try as well.
    fn tried_in_vain(&self, address: &Address, cells: usize) -> BTreeMap<String, usize> {
        let done: BTreeSet<String> =
            queue(address).results().expect("they can be read").into_iter().map(|(name, _)| name).collect();
        let took = self.folder.noted("took");
        let times = |name: String| (took.iter().filter(|taken| **taken == name).count(), name);
        let open = (0..cells).map(|number| format!("cell-{number}")).filter(|name| !done.contains(name));
        open.map(times).map(|(count, name)| (name, count)).collect()
    }

    /// One fault.
    fn fault(&mut self, dice: &mut Dice) {
        let which = usize::try_from(dice.roll(WORKERS)).expect("it is small");
        let happened = match dice.roll(7) {
            0 | 1 => {
                self.server.kill();
                thread::sleep(dice.time(300));
                self.server.restart();
                "the server was killed"
            }
            2 => {
                self.server.freeze(dice.time(400));
                "the server stopped for a moment"
            }
            3 => {
                self.proxy.cut();
                "all connections were cut"
            }
            4 => {
                let worker = &mut self.workers[which];
                worker.kill().and_then(|()| worker.wait()).expect("a worker can be killed");
                *worker = Self::worker(&self.proxy.address(), &self.folder.0, which);
                "a worker was killed"
            }
            5 => {
                // Sometimes longer than it may hold a cell.
                let most = if dice.roll(8) == 0 { 2 * LEASE.as_millis() as u64 } else { 300 };
                server::freeze(&self.workers[which], dice.time(most));
                "a worker stopped for a moment"
            }
            _ => match &self.disk {
                Some(disk) => {
                    disk.fill();
                    thread::sleep(dice.time(400));
                    disk.free();
                    // A server whose disk was full does not store again by itself.
                    self.server.kill();
                    self.server.restart();
                    "the disk of the server was full"
                }
                None => "nothing: there is no small disk",
            },
        };
        *self.happened.entry(happened).or_default() += 1;
    }
}

#[test]
fn many_faults_of_server_and_workers_lose_no_finding_and_no_result_and_count_no_cell_twice() {
    if server::program().is_none() {
        return;
    }
    let (faults, directory) = (faults(), tempfile::tempdir().expect("a directory can be made"));
    let disk = SmallDisk::mount();
    let store = disk.as_ref().map_or(directory.path(), SmallDisk::path).join("store");
    let settings = directory.path().join("hub.conf");
    // Without a number of its own, the server takes no more than a part of the disk, which is then never full.
    fs::write(&settings, "jetstream { max_file_store: 8GB }").expect("it can be written");
    let server = Server::start(&["-c", &settings.display().to_string(), "-sd", &store.display().to_string()])
        .expect("it is there");
    let address = server.address();
    let cells = 50 + 2 * faults;
    let work: Vec<_> =
        (0..cells).map(|number| (format!("cell-{number}"), number.to_string().into_bytes())).collect();
    queue(&address).add(&work).expect("they can be added");
    let proxy = Proxy::to(server.port());
    let folder = Folder(directory.path().to_owned());
    let places = 0..usize::try_from(WORKERS).expect("it is small");
    let workers = places.clone().map(|place| Scene::worker(&proxy.address(), &folder.0, place)).collect();
    let mut scene = Scene { server, proxy, disk, folder, workers, happened: BTreeMap::new() };
    let mut dice = Dice(seed());
    for _ in 0..faults {
        scene.fault(&mut dice);
        thread::sleep(dice.time(300));
    }
    scene.folder.calm();
    scene.ends();
    let tried_in_vain = scene.tried_in_vain(&address, cells);
    // Who goes on gives such cells new tries, and nothing is left.
    assert_eq!(queue(&address).renew().expect("they can be renewed"), tried_in_vain.len() as u64);
    for place in places {
        scene.workers[place] = Scene::worker(&address, &scene.folder.0, place);
    }
    scene.ends();
    let results = queue(&address).results().expect("they can be read");
    let (expected, stored): (BTreeSet<_>, BTreeSet<_>) =
        (work.into_iter().collect(), results.iter().cloned().collect());
    assert_eq!(results.len(), stored.len(), "a cell counts twice");
    assert_eq!(stored, expected, "a cell has no result, or not its own");
    let accepted = scene.folder.noted("accepted");
    let once: BTreeSet<&String> = accepted.iter().collect();
    assert_eq!(once.len(), accepted.len(), "a result was accepted twice");
    let names: BTreeSet<&String> = stored.iter().map(|(name, _)| name).collect();
    assert!(once.is_subset(&names), "a result that was accepted is lost");
    let findings = connected(&address).entries(Topic::Finding).expect("they can be read");
    let keys: BTreeSet<u64> = findings.iter().map(|entry| entry.key).collect();
    assert_eq!(findings.len(), keys.len(), "a finding is stored twice");
    let told: BTreeSet<u64> =
        scene.folder.noted("stored").iter().map(|key| key.parse().expect("a number")).collect();
    assert!(told.is_subset(&keys), "a finding that was stored is lost");
    assert!(told.len() * 2 > cells, "hardly anything was found: {}", told.len());
    // Each cell had a holder who found something, and noted it before anybody else could know.
    assert_eq!(keys, (0..cells as u64).collect(), "a finding is lost");
    println!("{:?}", scene.happened);
    println!(
        "seed {}: {faults} faults, {cells} cells, {} results accepted, {} findings; tried in vain before somebody went on, \
         and how many holders had time to say that they took it: {tried_in_vain:?}",
        seed(),
        accepted.len(),
        findings.len()
    );
}
