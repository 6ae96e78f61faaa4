//! Runs the race, prints its table, and writes its page.

use clap::Parser;
use mutagen_race::{Cell, Contender, Race, Standings, bugs, page};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The bugs of the demos, hunted by mutagen-engine and by other property-testing libraries
#[derive(Parser)]
#[command(after_help = "Examples:\n  \
    cargo run --release -- --seeds 3 --seconds 3\n  \
    cargo run --release -- --contender mutagen,proptest --bug Balance -o /tmp/balance\n\n\
    A race that was stopped goes on where it was if it is started again.")]
struct Arguments {
    /// Seeds per bug and contender
    #[arg(long, default_value_t = 10)]
    seeds: u64,
    /// Seconds that a trial may take
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Leave a contender out of a bug after so many trials, all in vain
    #[arg(long, default_value_t = 3)]
    misses: u64,
    /// Only these contenders, separated by commas
    #[arg(long = "contender", value_delimiter = ',')]
    contenders: Vec<Contender>,
    /// Only bugs with this in their name
    #[arg(long, default_value = "")]
    bug: String,
    /// Begin no trial while this file exists
    #[arg(long, value_name = "FILE")]
    pause: Option<PathBuf>,
    /// Where `trials.csv` and `race.html` go
    #[arg(short, long, value_name = "DIR", default_value = "race.out")]
    output: PathBuf,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let in_directory = |error| format!("{}: {error}", arguments.output.display());
    std::fs::create_dir_all(&arguments.output).map_err(in_directory)?;
    let chosen =
        |contender: &Contender| arguments.contenders.is_empty() || arguments.contenders.contains(contender);
    let race = Race {
        contenders: Contender::ALL.into_iter().filter(chosen).collect(),
        bugs: bugs().into_iter().filter(|bug| bug.name().contains(&arguments.bug)).collect(),
        seeds: arguments.seeds,
        limit: Duration::from_secs(arguments.seconds),
        misses: arguments.misses,
        pause: arguments.pause,
    };
    let results = race.run(&arguments.output.join("trials.csv"), |bug, contender, results| {
        let standings = Standings::new(results);
        let cells = standings.bugs.iter().find(|(one, _)| *one == bug);
        let place = standings.contenders.iter().position(|one| *one == contender);
        if let Some(Some(cell)) = cells.zip(place).map(|((_, cells), place)| &cells[place]) {
            println!("{:16} {:34} {contender:12} {}", bug.program(), bug.name(), words(cell));
        }
    })?;
    let standings = Standings::new(&results);
    print(&standings);
    std::fs::write(arguments.output.join("race.html"), page(&standings)).map_err(in_directory)?;
    Ok(())
}

fn words(cell: &Cell) -> String {
    let found = format!("{}/{}", cell.found, cell.trials);
    format!("{found:>6} {:>10.0} tests {:>12.3} ms", cell.tests, cell.seconds * 1e3)
}

fn print(standings: &Standings) {
    println!("\n{:12} {:>6} {:>6} {:>14} {:>10}", "contender", "solved", "found", "time (g.m.)", "tests");
    for one in standings.standings() {
        let milliseconds = format!("{:.3} ms", one.seconds * 1e3);
        println!(
            "{:12} {:>6} {:>6} {milliseconds:>14} {:>10.0}",
            one.contender, one.solved, one.found, one.tests
        );
    }
}
