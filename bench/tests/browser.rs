//! The page in a real browser: charts are drawn, nothing overflows, and text and marks stand out, in light
//! and dark mode and on a phone.
//!
//! Needs Chromium or Chrome: the one that `MUTAGEN_BROWSER` names, or one on the `PATH`. Without one the test
//! says so and passes; the test `report` checks the page's structure in any case.

use mutagen_bench::report;

#[path = "../../report/tests/common/browser.rs"]
mod browser;
#[path = "common/sample.rs"]
mod sample;

#[test]
fn in_a_browser_every_chart_is_drawn_and_legible_in_light_dark_and_on_a_phone() {
    let Some(measured) = browser::measured(&report::page(&sample::sample(), "mutagen")) else { return };
    assert_eq!(measured["errors"], serde_json::json!([]), "the page runs into errors");
    for (view, width, _) in browser::VIEWS {
        let page = &measured["views"][view];
        assert_eq!(
            (&page["width"], &page["overflows"], &page["scripts"]),
            (&width.into(), &false.into(), &0.into()),
            "{view}"
        );
        let figures = page["figures"].as_array().expect("there are figures");
        assert_eq!(figures.len(), 15, "{view}");
        for figure in figures {
            let number = |name: &str| {
                figure[name].as_f64().unwrap_or_else(|| panic!("{view}: {figure} has no {name}"))
            };
            assert!(
                number("marks") >= 3.0 && number("marks") == number("drawn"),
                "{view}: not all marks are drawn: {figure}"
            );
            assert!(number("width") >= 300.0 && number("height") >= 60.0, "{view}: too small: {figure}");
            assert!(number("smallest_text") >= 8.0, "{view}: text is too small: {figure}");
            assert_eq!(number("clipped"), 0.0, "{view}: text is cut off: {figure}");
        }
        let least = |name: &str| page["contrast"][name].as_f64().expect("it was measured");
        assert!(least("text") >= 4.5, "{view}: text does not stand out: {}", page["contrast"]);
        assert!(least("series") >= 3.0, "{view}: marks do not stand out: {}", page["contrast"]);
    }
    let background = |view: &str| measured["views"][view]["background"].clone();
    assert_ne!(background("light"), background("dark"));
}
