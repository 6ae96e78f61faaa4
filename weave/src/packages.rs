//! Which packages are woven, and with which compiler flags.

use super::call::Call;
use super::catalogue;

/// A package that gets coverage probes.
pub struct Package {
    /// Its name, as cargo spells it.
    pub name: &'static str,
    /// The only version whose anchors we know; `None` for crates of this project.
    version: Option<&'static str>,
    /// Whether the graph may hold other, incompatible versions, which are then left alone.
    others_allowed: bool,
}

/// Packages that are woven only if the variable names them: probes cost time, and these engines also vote and give first opinions.
/// The last one has the generic code of the others in it, compiled for our adapters.
const ON_DEMAND: &[Package] = &[
    Package { name: "tinywasm", version: Some("0.10.0"), others_allowed: true },
    Package { name: "tinywasm-parser", version: Some("0.10.0"), others_allowed: true },
    Package { name: "tinywasm-types", version: Some("0.10.0"), others_allowed: true },
    Package { name: "dlr-wasm-interpreter", version: Some("0.2.0"), others_allowed: true },
    Package { name: "dlr-wasm-interpreter-checked", version: Some("0.2.0"), others_allowed: true },
    Package { name: "mutagen-oracles", version: None, others_allowed: false },
];

/// The variable that names packages of [`ON_DEMAND`], with commas between them.
pub const DEMAND: &str = "MUTAGEN_WEAVE";

/// Whether the call compiles a package that may be woven on demand, and whether that was asked for.
pub fn on_demand(call: &Call) -> Option<bool> {
    let package = choice(call, ON_DEMAND).ok()??;
    let asked = std::env::var(DEMAND).unwrap_or_default();
    Some(asked.split(',').any(|name| name.trim() == package.name))
}

const PACKAGES: &[Package] = &[
    // An older release line of wasmi is another engine, which one can compare with: it stays plain.
    Package { name: "wasmi", version: Some("2.0.0"), others_allowed: true },
    Package { name: "wasmi_core", version: Some("2.0.0"), others_allowed: true },
    Package { name: "wasmi_ir", version: Some("2.0.0"), others_allowed: true },
    // wasmtime and our own decoder bring later release lines of wasmparser: those must stay plain.
    Package { name: "wasmparser", version: Some("0.228.0"), others_allowed: true },
    Package { name: "mutagen-ifc", version: None, others_allowed: false },
    Package { name: "mutagen-engine-demos", version: None, others_allowed: false },
];

/// One probe per edge of the control-flow graph, a table of their addresses, and the lines that name them. One codegen unit,
/// because the split into several follows the crate's hash: probes would differ from one build set-up to the next, and
/// with them every guided run.
pub const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cdebuginfo=line-tables-only",
    "-Ccodegen-units=1",
];

impl Package {
    /// Whether the catalogue may edit the package's source.
    pub fn has_catalogue_edits(&self) -> bool {
        catalogue::EDITABLE.contains(&self.name)
    }
}

/// The woven package that this call compiles, if any; an error if the package has a version that is not the woven one.
pub fn find(call: &Call) -> Result<Option<&'static Package>, String> {
    choice(call, PACKAGES)
}

fn choice(call: &Call, packages: &'static [Package]) -> Result<Option<&'static Package>, String> {
    let (Some(name), Some(version)) = (&call.package, &call.version) else { return Ok(None) };
    let Some(package) = packages.iter().find(|package| package.name == name) else { return Ok(None) };
    let Some(woven) = package.version else {
        return Ok(call.compiles_library_of(name).then_some(package));
    };
    if version != woven {
        return if package.others_allowed && release_line(version) != release_line(woven) {
            Ok(None)
        } else {
            Err(format!(
                "{name} {version} is in the dependency graph, but the bugs and probes belong to {name} {woven}: \
                 `cargo update -p {name}@{version} --precise {woven}` brings it back"
            ))
        };
    }
    Ok(call.compiles_library_of(name).then_some(package))
}

/// The part of a version that semantic versioning takes as compatible: `0.228` of `0.228.0`, `2` of `2.0.0`.
fn release_line(version: &str) -> &str {
    let parts = if version.starts_with("0.") { 2 } else { 1 };
    version.match_indices('.').nth(parts - 1).map_or(version, |(end, _)| &version[..end])
}

/// What separates artefacts: the woven packages and the flags. The place of the checkout does not matter: the same version
/// gives the same crates, probe for probe, anywhere.
pub fn signature() -> String {
    let packages: Vec<String> = PACKAGES
        .iter()
        .map(|package| format!("{}@{}", package.name, package.version.unwrap_or("*")))
        .collect();
    format!("{} {}", packages.join(","), COVERAGE.join(" "))
}
