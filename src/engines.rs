//! What `validate` and `interpret` share: campaigns on two engines, and what they leave behind.

use std::hash::Hash;
use std::path::PathBuf;

use clap::Args;
use mutagen_bugs::{Bug, Kind};
use mutagen_engine::{
    Finding, Mutable, Outcome, Property, Report, Scope, Source, Strategy, Verdict, shrink_in,
};
use mutagen_oracles::{Call, Watched};
use mutagen_properties::{
    Context, DISCREPANCY, Discrepancy, INCONCLUSIVE, Injection, ModuleGenerator, Pair, Search,
};
use mutagen_wasm_ast::Features;
use serde_json::{Value, json};

use crate::bugs::elsewhere;
use crate::evidence::Evidence;
use crate::exit_code::{Code, Failure};
use crate::flags::CampaignFlags;
use crate::hunt::{self, Hunt};
use crate::progress::{Counts, Standing};
use crate::repro::{self, Replayed};
use crate::results::{OutputFlags, Results};
use crate::slowest;

/// How many tests shrinking a finding may take.
const SHRINKING: usize = 5_000;

/// Flags of the commands that ask two engines.
#[derive(Args, Debug, Clone)]
pub struct EngineFlags {
    /// The bug to inject into wasmi; none: wasmi as published, but for two bugs that can end the process
    #[arg(long, value_name = "ID")]
    pub bug: Option<String>,

    /// Repairs known bugs of wasmi (`wasm-f1` and on), to go past them; with --bug they are repaired anyway
    #[arg(long)]
    pub fixes: bool,

    /// The WebAssembly features of modules and engines, such as `wasm1`, `wasm2,-simd,+tail-call` or `wasmi`
    #[arg(long, value_name = "SET", default_value = "wasm1")]
    pub features: Features,

    /// Modules to begin with, or directories of them. May be repeated
    #[arg(long, value_name = "PATH")]
    pub input: Vec<PathBuf>,

    #[command(flatten)]
    pub place: OutputFlags,

    /// Goes on with the results in the output directory
    #[arg(long, requires = "output", conflicts_with = "fresh")]
    pub resume: bool,
}

impl EngineFlags {
    /// The context of the campaign's properties.
    pub fn context(&self) -> Result<Context, Failure> {
        Ok(Context::new(self.features).inject(injection(self.bug.as_deref(), self.fixes)?))
    }

    /// The output directory, if there is one.
    pub fn results(&self) -> Result<Option<Results>, Failure> {
        self.place.results(self.resume)
    }
}

/// What to inject for the bug with this id; without one, whether known bugs are repaired.
pub fn injection(bug: Option<&str>, fixes: bool) -> Result<Injection, Failure> {
    match bug.map(Bug::find).transpose().map_err(Failure::usage)? {
        None if fixes => Ok(mutagen_bugs::repaired()),
        None => Ok(mutagen_bugs::injection(None)),
        Some(Bug::Woven(entry)) if entry.kind == Kind::Fix => {
            Err(Failure::usage(format!("{} repairs a bug: --fixes switches all of its kind on", entry.id)))
        }
        Some(Bug::Woven(entry)) => require_woven().map(|()| mutagen_bugs::injection(Some(entry))),
        Some(other) => Err(elsewhere(&other)),
    }
}

/// Stops with one sentence if this program was compiled without probes and bugs.
pub fn require_woven() -> Result<(), Failure> {
    mutagen_oracles::prove_woven().map_err(Failure::usage)
}

/// What a campaign leaves behind, besides its report.
struct Found {
    /// The first finding, shrunk.
    finding: Option<Evidence>,
    /// What came of files that were tested again.
    replayed: Vec<Replayed>,
    /// The slowest modules, as JSON and as text.
    slowest: (Value, Option<String>),
    /// What earlier runs in the output directory did together.
    earlier: Value,
    /// The seconds that the campaign spent in the target and in the reference.
    spent: [f64; 2],
}

/// A campaign on two engines.
pub struct EngineHunt<'a> {
    /// The command.
    pub command: &'a str,
    /// The property's name.
    pub property: &'a str,
    /// Flags.
    pub engines: &'a EngineFlags,
    /// Flags of any campaign.
    pub flags: &'a CampaignFlags,
    /// What the properties share.
    pub context: Context,
    /// Makes modules, for properties of modules.
    pub modules: ModuleGenerator,
    /// What the tests vary.
    pub watched: Watched,
    /// Makes the strategy of the flags suit the tests.
    pub suit: fn(Strategy) -> Strategy,
}

impl<'a> EngineHunt<'a> {
    /// A campaign on two engines, as the flags say.
    pub fn new(
        command: &'a str,
        property: &'a str,
        engines: &'a EngineFlags,
        flags: &'a CampaignFlags,
        context: &Context,
        watched: Watched,
    ) -> Result<Self, Failure> {
        let modules = match flags.replays()? {
            true => ModuleGenerator::default(),
            false => flags.search()?.modules(engines.features),
        };
        let (context, suit) = (context.clone(), Search::suit_modules as fn(Strategy) -> Strategy);
        Ok(EngineHunt { command, property, engines, flags, context, modules, watched, suit })
    }
}

impl EngineHunt<'_> {
    /// Runs the campaign, stores and tells what came of it.
    ///
    /// `generate` makes values; `evidence` gives the module and the calls behind a value; `back` makes a value of a stored module and
    /// the calls that were recorded with it, if any were; `judge` asks both engines about a value at once.
    pub fn run<T, P>(
        &self,
        generate: impl Fn(&mut Source, usize) -> T + Clone + Sync + 'static,
        property: impl Fn() -> Result<P, String> + Sync,
        evidence: impl Fn(&T) -> (Vec<u8>, Vec<Call>) + Sync,
        back: impl Fn(&[u8], &[Call]) -> Option<T>,
        judge: impl Fn(&mut P, &T) -> Outcome + Sync,
    ) -> Result<Code, Failure>
    where
        T: Mutable + Clone + Hash + Send + Sync,
        P: Property<T>,
    {
        require_woven()?;
        mutagen_oracles::watch(self.watched).map_err(|error| Failure::new(Code::Internal, error))?;
        // Made once here, so that what is wrong with the settings is said before anything starts.
        let mut alone = property().map_err(Failure::usage)?;
        let replays = self.flags.replays()?;
        let given = repro::given(&self.engines.input, &back);
        if replays || given.skipped {
            given.require()?;
        }
        let results = self.engines.results()?;
        let hunt = Hunt {
            command: self.command,
            property: self.property,
            bug: self.engines.bug.as_deref(),
            flags: self.flags,
            scope: Scope::new().with(self.engines.features),
            suit: self.suit,
        };
        let mut examples = self.start(results.as_ref(), back)?;
        let earlier = results.as_ref().map_or(Value::Null, Results::earlier_totals);
        let keep = |value: &T| {
            if let Some(results) = &results {
                results.keep(&evidence(value).0);
            }
        };
        let make = || property().unwrap_or_else(|error| panic!("it was made before: {error}"));
        let (report, replayed) = if replays {
            let failed = |finding: &Finding<T>| {
                if let Some(results) = &results {
                    results.store("findings", &self.as_found(finding, &evidence));
                }
            };
            repro::replay(self.flags, given.values, failed, make, &judge)?
        } else {
            examples.extend(given.values.into_iter().map(|(_, value)| value));
            let store = |counts: &Counts| {
                if let Some(results) = &results {
                    let Standing { tests, passed, discarded, inconclusive, .. } = counts.total();
                    let now = json!({
                        "outcome": "running", "tests": tests, "passed": passed, "discarded": discarded,
                        "inconclusive": inconclusive, "seconds": counts.seconds(),
                    });
                    results.write_json("stats.json", &with_total(now, &earlier));
                }
            };
            (hunt.run_with(examples, keep, store, generate, make)?, Vec::new())
        };
        let spent = self.context.times.seconds();
        let found = report.findings.first().map(|finding| {
            let judge = |value: &T| judge(&mut alone, value);
            self.shrunk(finding, &hunt.scope, results.as_ref(), &evidence, judge)
        });
        let slowest = slowest::modules(&report, |value| evidence(value).0, results.as_ref());
        let told = self.conclude(
            &hunt,
            &report,
            Found { finding: found, replayed, slowest, earlier, spent },
            results.as_ref(),
        );
        results.as_ref().map_or(Ok(()), Results::complete).and(told)?;
        Ok(match hunt::code(&report) {
            // Who asks about files is to know that not all of them were tested.
            Code::Fine if replays && given.skipped => Code::Unusable,
            code => code,
        })
    }

    /// A finding as it was found.
    fn as_found<T>(&self, finding: &Finding<T>, evidence: impl Fn(&T) -> (Vec<u8>, Vec<Call>)) -> Evidence {
        let (wasm, calls) = evidence(&finding.value);
        self.evidence(wasm, &calls, &Outcome::from(finding.failure.clone()))
    }

    /// A finding, shrunk. That takes a while, so it is stored as it was found until then: whatever happens, it is not lost.
    fn shrunk<T: Mutable + Clone>(
        &self,
        finding: &Finding<T>,
        scope: &Scope,
        results: Option<&Results>,
        evidence: impl Fn(&T) -> (Vec<u8>, Vec<Call>),
        mut judge: impl FnMut(&T) -> Outcome,
    ) -> Evidence {
        let found = results.map(|results| {
            let found = self.as_found(finding, &evidence);
            results.store("findings", &found);
            (results, found)
        });
        let kind = Some(&finding.failure.kind);
        let fails_alike = |value: &T| kind_of(&judge(value)).as_ref() == kind;
        let shrunk = shrink_in(scope, finding.value.clone(), fails_alike, SHRINKING);
        let outcome = judge(&shrunk.value);
        let (wasm, calls) = evidence(&shrunk.value);
        let small = self.evidence(wasm, &calls, &outcome);
        if let Some((results, found)) = found
            && found.file_name() != small.file_name()
        {
            results.discard("findings", &found);
        }
        small
    }

    fn start<T>(
        &self,
        results: Option<&Results>,
        back: impl Fn(&[u8], &[Call]) -> Option<T>,
    ) -> Result<Vec<T>, Failure> {
        let Some(results) = results else { return Ok(Vec::new()) };
        let corpus = if self.engines.resume { results.corpus()? } else { Vec::new() };
        if self.engines.resume {
            let earlier = results.read_json("run.json");
            let same = |name: &str, now: Value| earlier.is_null() || earlier[name] == now;
            let alike = same("command", json!(self.command))
                && same("property", json!(self.property))
                && same("bug", json!(self.engines.bug))
                && same("features", json!(self.engines.features.to_string()));
            if !alike {
                return Err(Failure::usage(format!(
                    "the results in the output directory are of another campaign: {} of {} with bug {} and features {}",
                    earlier["command"], earlier["property"], earlier["bug"], earlier["features"]
                )));
            }
        }
        results.write_json(
            "run.json",
            &json!({
                "version": env!("CARGO_PKG_VERSION"),
                "arguments": hunt::words(),
                "command": self.command,
                "property": self.property,
                "bug": self.engines.bug,
                "fixes": self.engines.fixes,
                "features": self.engines.features.to_string(),
                "seed": self.flags.seed,
                "resumed_with": corpus.len(),
            }),
        );
        results.complete()?;
        // The corpus is of modules alone.
        Ok(corpus.iter().filter_map(|wasm| back(wasm, &[])).collect())
    }

    fn evidence(&self, wasm: Vec<u8>, calls: &[Call], outcome: &Outcome) -> Evidence {
        let evidence =
            Evidence::new(wasm, calls, self.engines.features, self.property, self.engines.bug.as_deref())
                .repaired(self.engines.fixes);
        match &outcome.verdict {
            Verdict::Failed(failure) => evidence.differing(&failure.details, &failure.kind),
            _ => evidence,
        }
    }

    fn conclude<T>(
        &self,
        hunt: &Hunt<'_>,
        report: &Report<T>,
        found: Found,
        results: Option<&Results>,
    ) -> Result<(), Failure> {
        let [target, reference] = found.spent;
        let mut json = hunt.json(report);
        json["fixes"] = json!(self.engines.fixes);
        json["features"] = json!(self.engines.features.to_string());
        json["inconclusive"] = json!(report.labels.get(INCONCLUSIVE).copied().unwrap_or(0));
        json["seconds_in"] = json!({
            "target": target,
            "reference": reference,
            "loop": (report.seconds * f64::from(self.flags.jobs) - target - reference).max(0.0),
        });
        let mut shown: Vec<String> = found.replayed.iter().map(Replayed::line).collect();
        if !found.replayed.is_empty() {
            json["replayed"] = found.replayed.iter().map(Replayed::json).collect();
        }
        let (slowest, slowest_text) = found.slowest;
        if let Some(text) = slowest_text {
            json["slowest"] = slowest;
            shown.push(text);
        }
        if let Some(refused) = self.modules.refused() {
            json["refused_modules"] = json!(refused);
        }
        if let (Some(evidence), Some(finding)) = (&found.finding, report.findings.first()) {
            let mut finding_json = evidence.json();
            finding_json["tests"] = json!(finding.tests);
            finding_json["seconds"] = json!(finding.seconds);
            shown.push(evidence.shown());
            match results.and_then(|results| results.store("findings", evidence)) {
                Some(path) => {
                    finding_json["file"] = json!(path);
                    shown.push(format!("replay with: mutagen-wasm replay {}", path.display()));
                }
                None => shown.push(format!("run again with: {}", hunt::again())),
            }
            json["finding"] = finding_json;
        }
        shown.push(hunt.summary(report));
        let [target, reference, rest] =
            ["target", "reference", "loop"].map(|part| json["seconds_in"][part].as_f64().unwrap_or(0.0));
        shown.push(format!(
            "of the time: wasmi {target:.3} s, wasmtime {reference:.3} s, the rest {rest:.3} s"
        ));
        let (discrepancies, discrepancy_lines) = self.discrepancies(&hunt.scope, results)?;
        json["discrepancies"] = discrepancies;
        shown.extend(discrepancy_lines);
        if let Some(results) = results {
            json = with_total(json, &found.earlier);
            results.write_json("stats.json", &json);
        }
        hunt.tell(shown.join("\n"), &json)
    }

    /// Shrinks and stores the differences between the engines as published, and says what they are.
    fn discrepancies(
        &self,
        scope: &Scope,
        results: Option<&Results>,
    ) -> Result<(Value, Vec<String>), Failure> {
        let pair = Pair::new(&self.context).map_err(Failure::usage)?;
        let (mut each, mut lines) = (Vec::new(), Vec::new());
        for Discrepancy { bytes, calls, difference, met } in pair.discrepancies(scope) {
            let last = pair.judge(&bytes, &calls).steps.pop();
            let details = [
                ("question".to_owned(), last.map_or_else(String::new, |step| step.question.to_string())),
                ("part".to_owned(), difference.what.to_string()),
                ("target".to_owned(), difference.target.clone()),
                ("reference".to_owned(), difference.reference.clone()),
            ];
            let evidence = Evidence::new(bytes, &calls, self.engines.features, self.property, None)
                .repaired(true)
                .differing(&details, difference.what.kind());
            lines.push(format!("{DISCREPANCY} of the unmodified engines, met {met} times: {difference}"));
            let file = results.and_then(|results| results.store("discrepancies", &evidence));
            each.push(json!({ "kind": evidence.record.kind, "met": met, "file": file }));
        }
        let files: Vec<&Value> = each.iter().map(|one| &one["file"]).filter(|file| !file.is_null()).collect();
        Ok((json!({ "count": each.len(), "files": files, "each": each }), lines))
    }
}

/// Adds what this run and all earlier ones in the same directory did together.
fn with_total(mut run: Value, earlier: &Value) -> Value {
    let sum = |name: &str| earlier[name].as_u64().unwrap_or(0) + run[name].as_u64().unwrap_or(0);
    let seconds = earlier["seconds"].as_f64().unwrap_or(0.0) + run["seconds"].as_f64().unwrap_or(0.0);
    let total = json!({
        "runs": earlier["runs"].as_u64().unwrap_or(0) + 1,
        "tests": sum("tests"),
        "passed": sum("passed"),
        "discarded": sum("discarded"),
        "seconds": seconds,
    });
    run["total"] = total;
    run
}

fn kind_of(outcome: &Outcome) -> Option<String> {
    match &outcome.verdict {
        Verdict::Failed(failure) => Some(failure.kind.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use clap::Parser;
    use mutagen_properties::Modules;
    use mutagen_wasm_ast::Module;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        engines: EngineFlags,
        #[command(flatten)]
        campaign: CampaignFlags,
    }

    #[test]
    fn discrepancies_of_one_shape_are_stored_once_and_shrunk_and_replay() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let output = directory.path().join("out");
        let Flags { engines, campaign } =
            Flags::parse_from([Path::new(""), Path::new("-o"), &output].map(Path::as_os_str));
        // A bug that the modules do not show, and no fix of the one that they do show.
        let context =
            Context::new(Features::WASM1).inject(Injection { bug: Some("wasm-r3"), fixes: Vec::new() });
        let mut property = Modules::new(&context).expect("the settings are fine");
        for offset in [70_000, 80_000] {
            let text = format!(
                "(module (memory 1) (func (export \"f\") (param i32) (local i32) (drop (i32.const {offset}))
                   (local.set 1 (i32.add (local.get 0) (i32.const 1)))
                   (i32.store offset={offset} (local.get 1) (local.get 1))))"
            );
            let module = Module::from_text(&text).expect("it is a module");
            assert_eq!(property.check(&module).labels, [DISCREPANCY]);
        }

        let hunt =
            EngineHunt::new("interpret", "interpreter", &engines, &campaign, &context, Watched::Modules)
                .expect("the flags are fine");
        let results = engines.results().expect("it can be made").expect("there is a directory");
        let (json, lines) =
            hunt.discrepancies(&Scope::new().with(Features::WASM1), Some(&results)).expect("they are shrunk");
        assert!(results.complete().is_ok());
        assert_eq!(
            (lines.len(), &json["count"], &json["each"][0]["met"]),
            (1, &json!(1), &json!(2)),
            "{json}"
        );
        assert!(lines[0].contains("met 2 times: panic"), "{lines:?}");

        let file = json["files"][0].as_str().expect("it is stored");
        let evidence = Evidence::read(Path::new(file)).expect("it can be read");
        assert!(!evidence.wat().contains("drop"), "it is shrunk: {}", evidence.wat());
        let pair = Pair::new(&Context::new(Features::WASM1)).expect("the settings are fine");
        let judgement = pair.judge(&evidence.wasm, &evidence.calls().expect("they are calls"));
        assert!(judgement.verdict.is_finding(), "{}", judgement.verdict);
    }
}
