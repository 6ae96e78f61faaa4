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
    let page = report::page(&sample::sample(), "mutagen");
    let Some(measured) = browser::checked(&page, 15, 0) else { return };
    for (view, page) in measured["views"].as_object().expect("it has views") {
        for figure in page["figures"].as_array().expect("there are figures") {
            let number = |name: &str| figure[name].as_f64().expect("it was measured");
            assert!(number("marks") >= 3.0, "{view}: too few marks: {figure}");
            assert!(number("height") >= 60.0, "{view}: too small: {figure}");
        }
    }
}
