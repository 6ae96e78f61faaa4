//! Facts about the machine.

use std::time::SystemTime;

use crate::HostFacts;

/// The machine in its present state.
pub fn now(jobs: usize) -> HostFacts {
    HostFacts {
        name: name(),
        processor: processor().unwrap_or_else(|| "unknown".to_owned()),
        cores: cores(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        jobs,
        load: load(),
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
    }
}

/// How many cores this program may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The name of the machine in its network; empty if the system tells none.
fn name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

fn processor() -> Option<String> {
    let facts = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let model = facts.lines().find(|line| line.starts_with("model name"))?;
    Some(model.split(':').nth(1)?.trim().to_owned())
}

fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}
