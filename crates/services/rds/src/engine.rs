//! Engines of databases and their versions.

mod character_sets;
pub mod classes;
mod data;
mod features;

pub(crate) use character_sets::CharacterSet;

use crate::errors;
use nephos_core::{Result, nearest};

/// A database engine.
pub struct Engine {
    /// Name: `mysql`.
    pub name: &'static str,
    /// Name for people: `MySQL Community Edition`.
    pub(crate) title: &'static str,
    /// Port of instances and clusters.
    pub(crate) port: i64,
    /// Licence models; the first is the default.
    pub(crate) licenses: &'static [&'static str],
    /// Longest password of the master user.
    pub(crate) max_password: usize,
    /// Names that the master user cannot have.
    pub(crate) reserved_names: &'static [&'static str],
    /// Types of logs that can be exported.
    pub(crate) log_types: &'static [&'static str],
    /// True if its instances are members of clusters with storage of their own, such as Aurora and document databases.
    pub(crate) in_clusters: bool,
    /// Major versions, oldest first.
    pub majors: &'static [Major],
}

/// A major version of an engine.
pub struct Major {
    /// Version: `8.0`.
    pub version: &'static str,
    /// Family of its parameter groups: `mysql8.0`.
    pub family: &'static str,
    /// What stands before the last part of its minor versions: `8.0.`.
    pub prefix: &'static str,
    /// Last parts of its minor versions, oldest first.
    pub minors: &'static [&'static str],
}

/// A version of an engine.
#[derive(Clone, Copy)]
pub struct Version {
    pub engine: &'static Engine,
    pub major: &'static Major,
    /// Index of the major version.
    major_index: usize,
    minor_index: usize,
}

/// Returns all engines, in order of their names.
pub fn all() -> &'static [Engine] {
    data::ENGINES
}

/// Finds an engine by its name.
pub fn find(name: &str) -> Option<&'static Engine> {
    data::ENGINES.iter().find(|engine| engine.name == name)
}

/// True for the name of an engine of relational databases: not of document or graph databases.
pub(crate) fn is_relational(name: &str) -> bool {
    !["docdb", "neptune"].contains(&name)
}

/// Finds the engine that the parameter `Engine` names.
pub fn require(name: &str) -> Result<&'static Engine> {
    let names = data::ENGINES.iter().map(|engine| engine.name);
    find(name)
        .ok_or_else(|| errors::engine_invalid().with_field("Engine").with_hint(nearest::hint(name, names)))
}

impl Engine {
    /// Returns its versions, oldest first.
    pub fn versions(&'static self) -> impl DoubleEndedIterator<Item = Version> {
        self.majors.iter().enumerate().flat_map(move |(major_index, major)| {
            let version = move |minor_index| Version { engine: self, major, major_index, minor_index };
            (0..major.minors.len()).map(version)
        })
    }

    /// Finds a version by its whole name.
    fn whole_version(&'static self, name: &str) -> Option<Version> {
        self.majors.iter().enumerate().find_map(|(major_index, major)| {
            let minor = name.strip_prefix(major.prefix)?;
            let minor_index = major.minors.iter().position(|one| *one == minor)?;
            Some(Version { engine: self, major, major_index, minor_index })
        })
    }

    /// Finds a version: a whole one, or a major version, which stands for its newest minor version.
    pub fn version(&'static self, given: &str) -> Result<Version> {
        let found = self.versions().rev().find(|one| one.matches(given));
        found.ok_or_else(|| errors::version_unknown(given, self.name).with_field("EngineVersion"))
    }

    /// Returns the version of databases that are created without one: the newest.
    pub(crate) fn default_version(&'static self) -> Result<Version> {
        self.versions().next_back().ok_or_else(|| errors::engine_invalid().with_field("Engine"))
    }

    /// Longest name of the master user.
    pub(crate) fn max_username(&self) -> usize {
        match self.name {
            "docdb" => 63,
            name if name.contains("postgres") => 63,
            name if name.starts_with("oracle") => 30,
            name if name.starts_with("sqlserver") => 128,
            _ => 16,
        }
    }
}

impl Version {
    /// The whole version: `8.0.40`.
    pub(crate) fn name(self) -> String {
        format!("{}{}", self.major.prefix, self.major.minors[self.minor_index])
    }

    /// True if this is its name.
    pub fn is(self, given: &str) -> bool {
        given.strip_prefix(self.major.prefix) == Some(self.major.minors[self.minor_index])
    }

    /// Returns the newest minor version of its major version.
    pub(crate) fn newest_minor(self) -> Self {
        Self { minor_index: self.major.minors.len().saturating_sub(1), ..self }
    }

    /// True if this is its name, or the name of its major version.
    pub(crate) fn matches(self, given: &str) -> bool {
        self.is(given) || self.major.version == given
    }

    /// True for the newest minor version of its major version.
    pub(crate) fn is_newest_minor(self) -> bool {
        self.minor_index + 1 == self.major.minors.len()
    }

    /// True for the newest version of its engine.
    pub(crate) fn is_newest(self) -> bool {
        self.is_newest_minor() && self.major_index + 1 == self.engine.majors.len()
    }

    /// True for one of the first minor versions, a newer one of the same major version, and all newer major versions.
    pub(crate) fn is_from(self, firsts: &[&str]) -> bool {
        let mut known = firsts.iter().filter_map(|name| self.engine.whole_version(name));
        match known.clone().find(|first| !first.is_other_major(self)) {
            Some(first) => first.minor_index <= self.minor_index,
            None => known.all(|first| first.major_index < self.major_index),
        }
    }

    /// True if a database of this version can be upgraded to another, which is newer. MySQL does not skip a major version.
    pub(crate) fn can_upgrade_to(self, other: Self) -> bool {
        let newer_minor = self.major_index == other.major_index && self.minor_index < other.minor_index;
        let skipped = other.major_index.saturating_sub(self.major_index + 1);
        newer_minor || self.major_index < other.major_index && (skipped == 0 || self.engine.name != "mysql")
    }

    /// True if the other version has another major version.
    pub(crate) fn is_other_major(self, other: Self) -> bool {
        self.major_index != other.major_index
    }

    /// Name of the default parameter group of instances, and of clusters.
    pub(crate) fn default_parameter_group(self) -> String {
        format!("default.{}", self.major.family)
    }

    /// Name of the default option group.
    pub(crate) fn default_option_group(self) -> String {
        format!("default:{}-{}", self.engine.name, self.major.version.replace('.', "-"))
    }
}
