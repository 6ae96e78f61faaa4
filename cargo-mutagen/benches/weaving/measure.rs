#[allow(dead_code)]
#[path = "../../subjects.rs"]
mod subjects;

/// Measures once, whatever the value: this property is how the benchmark gets into a woven program.
#[cfg(test)]
#[mutagen_engine::test(tests = 1)]
fn measured(_: bool) -> bool {
    // On a thread of its own, its recordings are not inside of the one for this property.
    std::thread::spawn(measure).join().is_ok()
}

#[cfg(test)]
fn measure() {
    const TESTS: u64 = 20_000;
    const ROUNDS: u64 = 15;
    println!(
        "{:40} {:>10} {:>10} {:>8} {:>7} {:>7}",
        "one test of a campaign", "plain [ns]", "woven [ns]", "probes", "ratio", "loss"
    );
    for (woven, plain) in subjects::SUBJECTS.iter().zip(&plain::subjects::SUBJECTS) {
        let traces = (woven.record)(0, TESTS);
        let (mut without, mut with) = (Vec::new(), Vec::new());
        // In turns, so that a busy machine disturbs both alike.
        for _ in 0..ROUNDS {
            without.push((plain.told)(0, TESTS, &traces));
            with.push((woven.recorded)(0, TESTS));
        }
        // The fastest round: other work on the machine makes a round slower, and nothing makes it faster.
        let nanoseconds = |times: Vec<f64>| {
            times.into_iter().fold(f64::INFINITY, f64::min) * 1e9 / TESTS as f64
        };
        let (without, with) = (nanoseconds(without), nanoseconds(with));
        let probes = traces.iter().map(Vec::len).sum::<usize>() as f64 / TESTS as f64;
        let (ratio, loss) = (with / without, 100.0 * (1.0 - without / with));
        println!("{:40} {without:10.0} {with:10.0} {probes:8.1} {ratio:7.3} {loss:5.0} %", woven.name);
    }
}
