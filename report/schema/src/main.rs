//! Checks SARIF files: against the official schema, and by reading them with the types that were made from it.
//!
//! The schema is not kept here: it is a part of the package `serde-sarif`, and is read from where cargo put that.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;
use serde_sarif::sarif::Sarif;

fn main() -> ExitCode {
    let checked = std::env::args_os().skip(1).map(PathBuf::from).try_for_each(|file| check(&file));
    match checked {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn check(file: &Path) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let log: Value = serde_json::from_str(&text)?;
    // The pattern of a language has a bracket too many there, which not every library forgives.
    let schema = std::fs::read_to_string(schema()?)?.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema: Value = serde_json::from_str(&schema)?;
    let validator = jsonschema::validator_for(&schema)?;
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if !errors.is_empty() {
        return Err(format!("{} is no SARIF:\n{}", file.display(), errors.join("\n")).into());
    }
    let read: Sarif = serde_json::from_value(log)?;
    println!("{}: {} runs are SARIF", file.display(), read.runs.len());
    Ok(())
}

/// The file of the schema.
fn schema() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest])
        .output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("cargo lists no packages")?;
    let package =
        packages.iter().find(|package| package["name"] == "serde-sarif").ok_or("there is no serde-sarif")?;
    let manifest = Path::new(package["manifest_path"].as_str().ok_or("it has no manifest")?);
    Ok(manifest.with_file_name("src").join("schema.json"))
}
