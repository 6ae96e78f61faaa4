//! The same at a real NATS server.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use mutagen_engine::stable;
use mutagen_exchange::{CampaignName, Place};

use super::{Child, directory, server};

/// How long anything may take, with many cells.
const LONGEST: Duration = Duration::from_secs(3600);

fn place() -> Option<(server::Server, String)> {
    let server = server::Server::start(&[])?;
    let place = format!("--hub {}", server.address());
    Some((server, place))
}

#[test]
fn campaigns_meet_at_a_server() {
    let Some((_server, place)) = place() else { return };
    super::campaigns_meet(&place, directory().path());
}

#[test]
fn findings_meet_at_a_server() {
    let Some((_server, place)) = place() else { return };
    super::findings_meet(&format!("{place} --campaign bugs"), directory().path());
}

#[test]
fn machines_meet_at_a_server() {
    let Some((_server, place)) = place() else { return };
    super::machines_meet(&place, directory().path());
}

#[test]
fn a_matrix_is_shared_at_a_server() {
    let Some((_server, place)) = place() else { return };
    super::a_matrix_is_shared(&place, directory().path());
}

#[test]
fn a_campaign_goes_on_while_the_server_is_gone_and_a_worker_that_dies_then_is_replaced() {
    let Some((mut server, place)) = place() else { return };
    let out = directory();
    let runs = super::started(&format!(
        "validate --time 12s -j 2 {place} -o {} --json -q",
        out.path().join("out").display()
    ));
    super::eventually("it runs", || super::corpus_of(&place) > 50);
    server.kill();
    let workers = super::workers_of(runs.id());
    assert_eq!(workers.len(), 2, "{workers:?}");
    let killed = std::process::Command::new("kill").args(["-9", &workers[0].to_string()]).status();
    assert!(killed.expect("kill can be run").success());
    super::eventually("it is replaced", || {
        let now = super::workers_of(runs.id());
        now.len() == 2 && !now.contains(&workers[0])
    });
    server.restart();
    let ended = runs.wait_with_output().expect("it ends");
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{ended:?}");
    let told = super::json(&String::from_utf8_lossy(&ended.stdout));
    assert_eq!((&told["shared"]["unsent"], &told["shared"]["dropped"]), (&0.into(), &0.into()), "{told}");
    // All that it kept is there: what was found while the server was gone as well.
    let corpus = told["shared"]["received"].as_u64().expect("a number");
    assert!(corpus > 0, "{told}");
    assert_eq!(super::status(&place)["workers"][0]["state"], "ended");
}

/// A number from the environment, which makes a test long.
fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// The worker processes of a benchmark, and random numbers: the same in each run with the same `SHARED_SEED`.
struct Kills {
    dice: u64,
    workers: Vec<Child>,
}

impl Kills {
    fn roll(&mut self, sides: usize) -> usize {
        self.dice = stable::mix(self.dice);
        usize::try_from(self.dice % sides as u64).expect("it is small")
    }

    /// Kills a worker, whatever it does, at some time from now, and starts another one.
    fn kill(&mut self, start: impl Fn() -> Child) {
        thread::sleep(Duration::from_millis(self.roll(400) as u64));
        let which = self.roll(self.workers.len());
        let worker = &mut self.workers[which];
        worker.kill().and_then(|()| worker.wait()).expect("a worker can be killed");
        *worker = start();
    }
}

/// `SHARED_CELLS=2000 SHARED_KILLS=60` makes it long.
#[test]
fn many_cells_over_four_workers_with_random_kills_end_complete_and_as_if_undisturbed() {
    let Some((_server, place)) = place() else { return };
    let (folder, trials, kills) = (directory(), number("SHARED_CELLS", 40) / 4, number("SHARED_KILLS", 4));
    let plan = format!(
        "bench run --task stack-1 --task stack-2 --task stack-7 --task wasm-6 --strategy mutagen:{trials} --time 60s -q"
    );
    let alone = folder.path().join("alone");
    assert_eq!(super::run(&format!("{plan} -j 2 -o {}", alone.display())).code, 0);
    let start = || super::started(&format!("{plan} -j 1 {place}"));
    let workers = (0..4).map(|_| start()).collect();
    let mut random = Kills { dice: number("SHARED_SEED", 21) as u64, workers };
    // A kill comes some time after so many cells are done.
    let mut marks: Vec<usize> = (0..kills).map(|_| random.roll(4 * trials)).collect();
    marks.sort_unstable();
    for mark in marks {
        super::wait_until(LONGEST, "more cells are done", || done(&place) >= mark);
        random.kill(start);
    }
    for worker in &mut random.workers {
        // Cells whose holders were all killed are left to whoever runs this again.
        let code = worker.wait().expect("it ends").code();
        assert!(matches!(code, Some(0 | 3)), "{code:?}");
    }
    let in_vain = 4 * trials - done(&place);
    assert!(in_vain * 100 <= kills, "{in_vain} cells were tried in vain");
    assert_eq!(start().wait().expect("it ends").code(), Some(0));
    let shared = folder.path().join("shared");
    assert_eq!(super::run(&format!("bench report {} {place}", shared.display())).code, 0);
    let (alone, shared) = (super::trials(&alone), super::trials(&shared));
    assert_eq!(shared.len(), 4 * trials);
    assert_eq!(alone, shared);
    println!(
        "{} cells, {kills} kills, {in_vain} cells tried in vain before somebody ran it again",
        shared.len()
    );
}

/// All files below a directory.
fn files_of(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).expect("it is there").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files_of(&path) } else { vec![path] }).collect()
}

#[test]
fn a_secret_of_a_file_lets_all_workers_in_and_is_seen_nowhere() {
    const SECRET: &str = "hush-4711-hush";
    let Some(server) = server::Server::start(&["--auth", SECRET]) else { return };
    let folder = directory();
    let (secret, out) = (folder.path().join("token"), folder.path().join("out"));
    fs::write(&secret, format!("{SECRET}\n")).expect("it can be written");
    let place = format!("--hub {} --hub-secret {}", server.address(), secret.display());
    let is_secret = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    let runs =
        super::started_telling(&format!("validate --time 8s -j 2 {place} -o {} -v --json", out.display()));
    super::eventually("it runs", || super::corpus_of(&place) > 20);
    let workers = super::workers_of(runs.id());
    assert_eq!(workers.len(), 2, "{workers:?}");
    for process in workers.into_iter().chain([runs.id()]) {
        for file in ["cmdline", "environ"] {
            let read = fs::read(format!("/proc/{process}/{file}")).expect("it is ours");
            assert!(!is_secret(&read), "{file}");
        }
    }
    let ended = runs.wait_with_output().expect("it ends");
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{ended:?}");
    assert!(!ended.stdout.is_empty() && !is_secret(&ended.stdout) && !is_secret(&ended.stderr));
    for file in files_of(&out) {
        assert!(!is_secret(&fs::read(&file).expect("it can be read")), "{}", file.display());
    }
    // Nor is a wrong one.
    fs::write(&secret, "wrong-4711-wrong").expect("it can be written");
    let refused = super::run(&format!("validate --tests 10 {place} -v"));
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(!refused.err.contains("4711") && !refused.out.contains("4711"), "{}", refused.err);
}

#[test]
fn interpreters_meet_at_a_server() {
    let Some((_server, place)) = place() else { return };
    super::interpreters_meet(&place);
}

/// How many cells have a result.
fn done(place: &str) -> usize {
    let address = place.trim_start_matches("--hub ").parse().expect("an address");
    let (place, name) = (Place::Hub(address, None), CampaignName::default());
    let terms = place.board(&name).and_then(|board| board.terms()).expect("the server is there");
    let Some(terms) = terms else { return 0 };
    let cells = place.cells(&name, &terms, Duration::from_secs(30)).expect("the server is there");
    usize::try_from(cells.progress().expect("it can be read").done).expect("it is small")
}

#[test]
fn cells_meet_at_a_server() {
    let Some((_server, place)) = place() else { return };
    super::cells_meet(&place, directory().path());
}
