//! Engines of serverless caches and their versions.

use crate::errors;
use nephos_core::{Result, Text};

/// An engine with a major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Engine {
    /// Name of the engine.
    pub(super) name: &'static str,
    /// Major version.
    pub(super) major: &'static str,
    /// Newest version of the major version.
    pub(super) full: &'static str,
}

/// Engines, the versions of each in ascending order.
const ENGINES: [Engine; 4] = [
    Engine { name: "memcached", major: "1.6", full: "1.6.22" },
    Engine { name: "redis", major: "7", full: "7.1" },
    Engine { name: "valkey", major: "7", full: "7.2" },
    Engine { name: "valkey", major: "8", full: "8.0" },
];

impl Engine {
    /// Finds an engine by its name, in any case, and a major version; the newest if none is given.
    pub(super) fn find(name: &str, major: Option<&str>) -> Result<Self> {
        let name = name.to_ascii_lowercase();
        let versions: Vec<_> = ENGINES.into_iter().filter(|engine| engine.name == name).collect();
        let Some(newest) = versions.last() else {
            return Err(errors::serverless_engine_invalid(name).with_field("Engine"));
        };
        let Some(major) = major else { return Ok(*newest) };
        let found = versions.iter().find(|engine| engine.major == major);
        found.copied().ok_or_else(|| {
            let known: Vec<_> = versions.iter().map(|engine| engine.major).collect();
            let error = errors::serverless_version_invalid(major, newest.name, known.join(", "));
            error.with_field("MajorEngineVersion")
        })
    }

    /// Finds the engine that a cache with this one is changed to. The engine can be changed from redis to valkey, and the
    /// version can be raised.
    pub(super) fn change(self, name: Option<&str>, major: Option<&str>) -> Result<Self> {
        let name = name.unwrap_or(self.name);
        let same_name = name.eq_ignore_ascii_case(self.name);
        let changed = Self::find(name, major.or(same_name.then_some(self.major)))?;
        let is_allowed = match (self.name, changed.name) {
            ("redis", "valkey") => true,
            (from, to) => from == to && changed.major >= self.major,
        };
        if is_allowed {
            return Ok(changed);
        }
        let [from, to] = [self, changed].map(|engine| format!("{} {}", engine.name, engine.major));
        let field = if same_name { "MajorEngineVersion" } else { "Engine" };
        Err(errors::serverless_engine_change(from, to).with_field(field))
    }

    /// Ports for reads and writes, and for reads.
    pub(super) fn ports(self) -> (i64, i64) {
        if self.name == "memcached" { (11211, 11212) } else { (6379, 6380) }
    }

    pub(super) fn name_text(self) -> Option<Text> {
        Some(self.name.into())
    }
}

/// True if caches of an engine can have a user group.
pub(super) fn has_user_groups(engine: &str) -> bool {
    engine != "memcached"
}
