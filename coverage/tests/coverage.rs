//! Coverage through its public interface, on made-up probes and on a woven engine.

use mutagen_coverage::{Coverage, Hits, Share, Sources};
use mutagen_weave::probes::Name;

fn probe(file: &str, function: &str, line: u32) -> Name {
    Name {
        package: file.split('/').next().unwrap_or_default().to_owned(),
        function: function.to_owned(),
        file: file.to_owned(),
        line,
        is_entry: false,
    }
}

/// Two packages; `b` holds a name that looks like markup.
fn example() -> Coverage {
    let names = [
        probe("a-1.0.0/src/lib.rs", "a::f", 2),
        probe("a-1.0.0/src/lib.rs", "a::f", 4),
        probe("a-1.0.0/src/lib.rs", "a::g::<u8>", 7),
        probe("a-1.0.0/src/lib.rs", "a::g::<u16>", 7),
        probe("b-2.0.0/src/<script>.rs", "b::h", 1),
        probe("", "core::option::map", 3),
        probe("a-1.0.0/src/lib.rs", "a::f", 0),
    ];
    let mut hits = Hits::new(names.len());
    hits.add(&[1, 2, 1, 6]);
    hits.add(&[1, 4]);
    Coverage::new(&names, &hits)
}

#[test]
fn a_line_counts_the_tests_that_reached_it_not_the_probes() {
    let coverage = example();
    let (_, file) = coverage.files().next().expect("there is a file");
    assert_eq!(file.lines.clone().into_iter().collect::<Vec<_>>(), [(2, 2), (4, 1), (7, 1)]);
}

#[test]
fn copies_of_a_generic_function_are_one_function() {
    let coverage = example();
    let (_, file) = coverage.files().next().expect("there is a file");
    let functions: Vec<_> = file.functions().map(|f| (f.name, f.line, f.tests)).collect();
    assert_eq!(functions, [("a::f".to_owned(), 2, 2), ("a::g".to_owned(), 7, 1)]);
}

#[test]
fn totals_add_up_over_files_and_packages() {
    let coverage = example();
    let everything = coverage.totals();
    assert_eq!(
        (everything.lines, everything.functions),
        (Share { reached: 3, all: 4 }, Share { reached: 2, all: 3 })
    );
    let packages: Vec<_> =
        coverage.packages().into_iter().map(|(name, totals)| (name, totals.lines)).collect();
    assert_eq!(
        packages,
        [("a-1.0.0", Share { reached: 3, all: 3 }), ("b-2.0.0", Share { reached: 0, all: 1 })]
    );
}

#[test]
fn functions_that_no_test_reached_are_listed() {
    let coverage = example();
    let unreached: Vec<_> = coverage.unreached().map(|(file, function)| (file, function.name)).collect();
    assert_eq!(unreached, [("b-2.0.0/src/<script>.rs", "b::h".to_owned())]);
}

#[test]
fn an_lcov_file_has_the_totals_of_the_table() {
    let coverage = example();
    let lcov = coverage.lcov(&Sources::default());
    let sum = |key: &str| -> usize {
        lcov.lines().filter_map(|line| line.strip_prefix(key)?.parse::<usize>().ok()).sum()
    };
    let totals = coverage.totals();
    assert_eq!((sum("LH:"), sum("LF:")), (totals.lines.reached, totals.lines.all));
    assert_eq!((sum("FNH:"), sum("FNF:")), (totals.functions.reached, totals.functions.all));
    let reached = lcov.lines().filter(|line| line.starts_with("DA:") && !line.ends_with(",0")).count();
    assert_eq!(reached, totals.lines.reached);
    assert!(
        coverage.table().ends_with("3 of 4       75 %       2 of 3       66 %\n"),
        "{}",
        coverage.table()
    );
}

#[test]
fn names_in_a_page_cannot_be_markup() {
    let page = example().page("a <title>", &Sources::default());
    assert!(
        !page.contains("<script>") && page.contains("&lt;script&gt;") && page.contains("a &lt;title&gt;")
    );
}

#[test]
fn a_page_shows_the_source_where_it_lies_on_this_machine() {
    let folder = std::env::temp_dir().join(format!("mutagen-coverage-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("a-1.0.0/src")).expect("a directory can be made");
    std::fs::write(folder.join("a-1.0.0/src/lib.rs"), "// one\nfn f() {\n\n    x < y;\n")
        .expect("a file can be written");
    let sources = Sources::default().with(folder.clone());
    let (page, lcov) = (example().page("t", &sources), example().lcov(&sources));
    std::fs::remove_dir_all(&folder).expect("it can be removed");
    assert!(page.contains("<span class=\"hit\"><i>    2        2  </i>fn f() {</span>"), "{page}");
    assert!(
        page.contains("<span><i>    1           </i>// one</span>") && page.contains("x &lt; y;"),
        "{page}"
    );
    assert!(lcov.contains(&format!("SF:{}", folder.join("a-1.0.0/src/lib.rs").display())));
}
