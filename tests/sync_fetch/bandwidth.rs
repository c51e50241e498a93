//! A transfer keeps to its limit.

use std::time::Instant;

use crate::support::stage::Stage;

#[test]
fn a_limited_transfer_takes_its_time_over_all_requests_together() {
    let stage = Stage::new();
    let names: Vec<String> = (0..8).map(|number| format!("{number}.bin")).collect();
    let body = "x".repeat(250_000);
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), body.as_str())).collect();
    stage.files(&files);
    stage.list(&stage.items(&files));
    let begun = Instant::now();
    stage.sync(&["--bwlimit", "1M"]).exits(0).counts("created", 8);
    // How much longer it takes is up to the machine.
    let seconds = begun.elapsed().as_secs_f64();
    assert!(seconds >= 1.8, "{seconds} s");
    stage.has(&files);
    stage.run("audit", "/capabilitylist.xml", &["--bwlimit", "1M"]).exits(0);
    stage.run("audit", "/capabilitylist.xml", &["--bwlimit", "nothing"]).exits(2).says("--bwlimit");
}
