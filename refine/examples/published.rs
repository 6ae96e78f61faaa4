//! All results that FitSpec's paper and tutorial print with their budgets: ours beside the published ones, and the time that
//! each takes here.

#[path = "../tests/common/mod.rs"]
mod common;

use common::sets::{initial, sets_of_sets, sets_of_sets_defined, strengthened, with_subset};
use common::sorting::{Element, five, four, six};
use common::{sets_of, survivors_of};
use mutagen_refine::{Error, Refine, RefineReport, UnderTest, Word};
use std::time::Instant;

/// A result in one line: survivors, the first of them, minimal sets.
fn line(report: &RefineReport) -> String {
    let (survivors, first) = survivors_of(report);
    let score = report.analysis().strongest().score();
    let first = first.map_or_else(String::new, |(_, name)| format!(", smallest {name}"));
    format!("{survivors} survivors ({score}%){first}; minimal {}", sets_of(report).join(" "))
}

fn show<S: UnderTest>(what: &str, published: &str, refine: Refine<S>) -> Result<(), Error> {
    let start = Instant::now();
    let report = refine.run()?;
    println!(
        "{what}\n  published: {published}\n  ours:      {}\n  time:      {:.2?}",
        line(&report),
        start.elapsed()
    );
    Ok(())
}

fn six_properties<T: Element>(
    element: &str,
    mutants: usize,
    tests: usize,
    published: &str,
) -> Result<(), Error> {
    let what = format!("sort on {element}, six properties, {mutants} mutants, {tests} tests");
    show(&what, published, six::<T>().mutants(mutants).tests(tests))
}

fn main() -> Result<(), Error> {
    let words = "sort on Word<2>, 4000 mutants, 4000 tests";
    let published = "3 survivors (99%), smallest [0,0,1] -> [0,1,1]; minimal {1,2,3} {1,2,4}";
    show(&format!("{words}, five properties"), published, five::<Word<2>>())?;
    show(&format!("{words}, four properties"), "0 survivors; minimal {1,4}", four::<Word<2>>())?;

    let converged = "0 survivors; minimal {6} {1,4} {1,5}";
    let open = "0 survivors; minimal {6} {1,5} {1,2,4}";
    six_properties::<bool>("bool", 1000, 1000, converged)?;
    six_properties::<Word<1>>("Word<1>", 2000, 2000, converged)?;
    six_properties::<Word<2>>("Word<2>", 4000, 4000, converged)?;
    six_properties::<Word<3>>("Word<3>", 4000, 50_000, open)?;
    six_properties::<Word<3>>("Word<3>", 4000, 100_000, converged)?;
    six_properties::<i64>("i64", 4000, 50_000, open)?;
    six_properties::<i64>("i64", 4000, 100_000, converged)?;

    let published = "49 survivors (93%), smallest subS {0} {} = True; minimal {1,2,3,4,5} {1,2,3,4,6}";
    show("sets, eight properties, 750 mutants", published, initial())?;
    let published = "31 survivors (95%), smallest deleteS 0 {} = {1}; minimal {1,2,3,4,5}";
    show("sets, five properties, 750 mutants", published, with_subset())?;
    show("sets, strengthened", "0 survivors; minimal {1,2,3,4,5}", strengthened())?;

    let published = "2542 survivors (91%), smallest partitionsS {} = {}";
    show("sets of sets, two properties, 28815 mutants", published, sets_of_sets(2).mutants(28_815))?;
    let published = "459 survivors (97%), smallest partitionsS {} = {{{}}}";
    show("sets of sets, three properties, 19210 mutants", published, sets_of_sets(3).mutants(19_210))?;
    let published = "6 survivors (99%), smallest partitionsS {0,1} = {{{0,1}}}; minimal {1,3,4}";
    show("sets of sets, four properties, 19210 mutants", published, sets_of_sets(4).mutants(19_210))?;
    let defined = sets_of_sets_defined().mutants(19_210).tests(100_000);
    show("sets of sets, two properties that define them", "0 survivors; minimal {1,2}", defined)
}
