//! The page of a campaign in a real browser: charts are drawn, nothing overflows, text and marks stand out, in light and dark
//! mode and on a phone, however much was found.
//!
//! Without a browser the tests say so and pass; the test `page` checks the page's structure in any case.

use mutagen_campaign::{CampaignOutcome, Finding, GroupResult, State};
use mutagen_report::Page;

#[path = "common/browser.rs"]
mod browser;
#[path = "common/campaigns.rs"]
mod campaigns;
#[path = "common/finding.rs"]
mod finding;

#[test]
fn the_page_is_drawn_with_no_one_and_a_thousand_findings_and_after_a_kill() {
    let ended = State::Ended(CampaignOutcome::Finding);
    for (rows, groups, state) in
        [(20, 0, State::Running), (1, 1, ended), (500, 1_000, ended), (3, 1, State::Killed)]
    {
        let place = campaigns::directory(rows);
        let page = Page::default().of(&campaigns::results(place.path(), groups, state), None);
        // The time went nowhere in the row with which a campaign begins.
        let figures = if rows == 1 { 9 } else { 10 };
        if browser::checked(&page, figures, groups).is_none() {
            return;
        }
    }
}

#[test]
fn the_page_of_a_real_campaign_is_drawn_with_the_files_of_the_target() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let output = place.path().join("out");
    let results = finding::hunt("wasm-11", &output);
    let page = Page::default().of(&results, None);
    assert!(page.contains("<figure id=\"files\">"), "{page}");
    browser::checked(&page, page.matches("<figure id=").count(), 1);
}

#[test]
fn a_page_without_a_plot_says_so() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let page = Page::default().of(&campaigns::results(place.path(), 1, State::Killed), None);
    browser::checked(&page, 0, 1);
}

#[test]
fn markup_in_a_module_is_text() {
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)></pre></details>&lt;b&gt;";
    let place = campaigns::directory(3);
    let mut results = campaigns::results(place.path(), 0, State::Killed);
    let GroupResult { mut group, finding } = finding::of_witness("wasm-f1");
    let Some(Finding::Module(mut module)) = finding else { panic!("it is a module") };
    for text in [
        &mut module.wat,
        &mut module.part,
        &mut module.question,
        &mut module.target,
        &mut module.reference,
        &mut module.target_engine,
        &mut module.kind,
    ] {
        evil.clone_into(text);
    }
    module.calls =
        vec![mutagen_campaign::StoredCall { export: evil.into(), arguments: vec![evil.into()] }; 2];
    (group.message, group.kind) = (evil.into(), evil.into());
    (group.fix, group.silenced, group.file) = (Some(evil.into()), Some(evil.into()), Some(evil.into()));
    results.groups = vec![GroupResult { group, finding: Some(Finding::Module(module)) }];
    results.version = evil.into();
    let page = Page::default().of(&results, None);
    assert!(!page.contains("<script") && !page.contains("<img"), "markup got through");
    assert!(page.contains("&lt;script&gt;alert(1)"), "the text is shown");
    browser::checked(&page, 10, 1);
}
