//! The compiler of the project.

use crate::error::Error;
use std::path::Path;
use std::process::Command;

/// The oldest compiler on which weaving was tried, as `rust-version` of this package says.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// What is known about the compiler.
pub struct Toolchain {
    /// How it is called.
    pub rustc: String,
    /// Its version, such as `1.95.0`.
    pub release: String,
    /// The platform that it runs on and compiles for.
    pub host: String,
}

impl Toolchain {
    /// Asks the compiler that cargo would use in this directory.
    pub fn of(directory: &Path) -> Result<Self, Error> {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let output = Command::new(&rustc)
            .arg("-vV")
            .current_dir(directory)
            .output()
            .map_err(|reason| Error::CannotRun { program: rustc.clone(), reason })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Self::read(rustc, &text)
    }

    fn read(rustc: String, text: &str) -> Result<Self, Error> {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let (Some(release), Some(host)) = (field("release: "), field("host: ")) else {
            return Err(Error::StrangeToolchain { rustc });
        };
        if numbers(&release) < numbers(OLDEST) {
            return Err(Error::OldToolchain { found: release, needed: OLDEST });
        }
        Ok(Toolchain { rustc, release, host })
    }
}

/// Major and minor version. A word in place of a number counts as 0.
fn numbers(release: &str) -> [u32; 2] {
    let mut parts = release.split('.').map(|part| part.parse().unwrap_or(0));
    [parts.next().unwrap_or(0), parts.next().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(release: &str) -> Result<Toolchain, Error> {
        Toolchain::read(
            "rustc".into(),
            &format!("binary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: {release}\n"),
        )
    }

    #[test]
    fn an_old_compiler_is_refused_and_both_versions_are_named() {
        let message = read("1.70.0").err().expect("it is too old").to_string();
        assert!(message.contains("1.70.0") && message.contains(OLDEST), "{message}");
        assert_eq!(
            read("2.0.0-nightly").ok().map(|toolchain| toolchain.host).as_deref(),
            Some("x86_64-unknown-linux-gnu")
        );
    }
}
