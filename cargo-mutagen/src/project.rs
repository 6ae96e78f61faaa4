//! The project: its packages, and which of them are woven.

use crate::arguments::BuildArguments;
use crate::error::Error;
use cargo_metadata::{CargoOpt, Metadata, MetadataCommand, Package, TargetKind};
use mutagen_weaver::outside::Order;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Never woven: probes in the engine would record the search in place of what is searched.
const ENGINE: [&str; 4] = ["mutagen-engine", "mutagen-engine-derive", "mutagen-weave", "mutagen-weaver"];

/// A cargo project that has the engine among its dependencies.
pub struct Project {
    metadata: Metadata,
    /// Names of dependencies to weave.
    extra: Vec<String>,
}

/// `[package.metadata.mutagen]`, or that of the workspace.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Dependencies to weave.
    #[serde(default)]
    weave: Vec<String>,
}

impl Project {
    /// Reads the project.
    pub fn load(arguments: &BuildArguments) -> Result<Self, Error> {
        let mut command = MetadataCommand::new();
        if let Some(path) = &arguments.manifest_path {
            command.manifest_path(path);
        }
        let mut flags = Vec::new();
        flags.extend(arguments.offline.then(|| "--offline".to_owned()));
        flags.extend(arguments.locked.then(|| "--locked".to_owned()));
        command.other_options(flags);
        if arguments.all_features {
            command.features(CargoOpt::AllFeatures);
        }
        if arguments.no_default_features {
            command.features(CargoOpt::NoDefaultFeatures);
        }
        if !arguments.features.is_empty() {
            command.features(CargoOpt::SomeFeatures(arguments.features.clone()));
        }
        let metadata = command.exec().map_err(|error| Error::Metadata(error.to_string()))?;
        if !metadata.packages.iter().any(|package| *package.name == ENGINE[0]) {
            return Err(Error::NoEngine(metadata.workspace_root.into()));
        }
        let mut extra = arguments.packages.clone();
        let members = metadata.workspace_packages();
        let tables = members.iter().map(|package| &package.metadata).chain([&metadata.workspace_metadata]);
        for table in tables {
            extra.extend(settings(table)?.weave);
        }
        let project = Project { metadata, extra };
        project.orders(false)?;
        Ok(project)
    }

    /// The directory of the workspace.
    pub fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    /// Where woven artefacts go: apart, so that ordinary builds stay as they are.
    pub fn target_directory(&self) -> PathBuf {
        self.metadata.target_directory.as_std_path().join("mutagen")
    }

    /// The packages of the workspace that are woven.
    pub fn members(&self) -> impl Iterator<Item = &Package> {
        let members = self.metadata.workspace_packages();
        members.into_iter().filter(|package| !ENGINE.contains(&package.name.as_str()))
    }

    /// The package whose id this is.
    pub fn package(&self, id: &cargo_metadata::PackageId) -> &Package {
        &self.metadata[id]
    }

    /// Where the sources of woven packages lie.
    pub fn woven_directories(&self) -> Result<Vec<PathBuf>, Error> {
        let extra = self.extra.iter().map(|name| self.dependency(name)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.members().chain(extra).map(directory).collect())
    }

    /// What to weave of each woven package, with the catalogues of bugs or without.
    pub fn orders(&self, with_bugs: bool) -> Result<Vec<(String, Order)>, Error> {
        let mut orders = Vec::new();
        for member in self.members() {
            let bugs = Some(bugs_directory(member)).filter(|bugs| with_bugs && bugs.is_dir());
            let roots = roots(member, |kind| kind == &TargetKind::Bin || is_library(kind));
            orders.push((member.name.to_string(), Order { roots, bugs }));
        }
        for name in &self.extra {
            let package = self.dependency(name)?;
            orders.push((package.name.to_string(), Order { roots: roots(package, is_library), bugs: None }));
        }
        Ok(orders)
    }

    fn dependency(&self, name: &str) -> Result<&Package, Error> {
        let (bare, version) = name.split_once('@').unwrap_or((name, ""));
        let cannot = |why| Error::CannotWeave { name: name.to_owned(), why };
        if ENGINE.contains(&bare) {
            return Err(cannot(
                "it is a part of the engine, and probes in it would record the search itself",
            ));
        }
        let fits = |package: &&Package| {
            *package.name == bare && (version.is_empty() || package.version.to_string() == version)
        };
        let package = self.metadata.packages.iter().find(fits).ok_or_else(|| self.unknown(name))?;
        if package.targets.iter().any(|target| target.kind.contains(&TargetKind::ProcMacro)) {
            return Err(cannot("it is a macro, which runs inside of the compiler and not in the tests"));
        }
        if roots(package, is_library).is_empty() {
            return Err(cannot("it has no library that the tests could contain"));
        }
        Ok(package)
    }

    fn unknown(&self, name: &str) -> Error {
        let names = self.metadata.packages.iter().map(|package| package.name.to_string());
        let mut similar: Vec<String> =
            names.filter(|known| known.replace('_', "-").contains(&name.replace('_', "-"))).collect();
        similar.sort();
        similar.dedup();
        similar.truncate(3);
        Error::UnknownPackage { name: name.to_owned(), similar }
    }
}

/// Where the package lies.
pub fn directory(package: &Package) -> PathBuf {
    package.manifest_path.parent().unwrap_or(&package.manifest_path).into()
}

/// Where the catalogue of a package lies.
pub fn bugs_directory(package: &Package) -> PathBuf {
    directory(package).join("mutagen/bugs")
}

fn is_library(kind: &TargetKind) -> bool {
    matches!(
        kind,
        TargetKind::Lib | TargetKind::RLib | TargetKind::DyLib | TargetKind::CDyLib | TargetKind::StaticLib
    )
}

fn roots(package: &Package, wanted: impl Fn(&TargetKind) -> bool) -> Vec<PathBuf> {
    let targets = package.targets.iter().filter(|target| target.kind.iter().any(&wanted));
    targets.map(|target| target.src_path.clone().into()).collect()
}

fn settings(metadata: &serde_json::Value) -> Result<Settings, Error> {
    let Some(table) = metadata.get("mutagen") else { return Ok(Settings::default()) };
    Settings::deserialize(table).map_err(|error| {
        Error::Metadata(format!(
            "[package.metadata.mutagen] may only have `weave = [\"NAME\", ...]`: {error}"
        ))
    })
}
