//! Engines of caches, their versions and the families of parameter groups.

pub(crate) mod node_types;
pub(crate) mod versions;

pub use versions::{CacheEngineVersion, DescribeCacheEngineVersions, DescribeCacheEngineVersionsResponse};
pub use versions::{Version, is_upgrade, version};

use crate::errors;
use nephos_core::{Result, nearest};

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Redis.
    Redis,
    /// Valkey.
    Valkey,
    /// Memcached.
    Memcached,
}

impl Engine {
    /// All engines.
    pub(crate) const ALL: [Self; 3] = [Self::Memcached, Self::Redis, Self::Valkey];

    /// Name in requests and answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Valkey => "valkey",
            Self::Memcached => "memcached",
        }
    }

    /// Name in descriptions and texts.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Redis => "Redis",
            Self::Valkey => "Valkey",
            Self::Memcached => "memcached",
        }
    }

    /// Port of nodes that are created without one.
    pub(crate) fn port(self) -> i64 {
        match self {
            Self::Redis | Self::Valkey => 6379,
            Self::Memcached => 11211,
        }
    }

    /// Version of clusters that are created without one.
    fn default_version(self) -> &'static str {
        match self {
            Self::Redis => "7.1",
            Self::Valkey => "8.0",
            Self::Memcached => "1.6.22",
        }
    }

    /// Reads the name of an engine, in any case, or refuses.
    pub(crate) fn read(given: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|engine| engine.name().eq_ignore_ascii_case(given));
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name);
            let error = errors::cache_engine_unknown(given, known.join(","));
            error.with_field("Engine").with_hint(nearest::hint(given, known))
        })
    }
}

/// A family of parameter groups: a major version of an engine. Valkey continues the families of redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// `redis2.6`.
    Redis26,
    /// `redis2.8`.
    Redis28,
    /// `redis3.2`.
    Redis32,
    /// `redis4.0`.
    Redis40,
    /// `redis5.0`.
    Redis50,
    /// `redis6.x`.
    Redis6,
    /// `redis7`.
    Redis7,
    /// `valkey7`.
    Valkey7,
    /// `valkey8`.
    Valkey8,
    /// `memcached1.4`.
    Memcached14,
    /// `memcached1.5`.
    Memcached15,
    /// `memcached1.6`.
    Memcached16,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 12] = [
        Self::Redis26,
        Self::Redis28,
        Self::Redis32,
        Self::Redis40,
        Self::Redis50,
        Self::Redis6,
        Self::Redis7,
        Self::Valkey7,
        Self::Valkey8,
        Self::Memcached14,
        Self::Memcached15,
        Self::Memcached16,
    ];

    /// Name in requests and answers.
    pub(crate) fn name(self) -> &'static str {
        self.facts().0
    }

    /// First engine version with the parameters of the family.
    pub(crate) fn first_version(self) -> &'static str {
        self.facts().1
    }

    fn facts(self) -> (&'static str, &'static str) {
        match self {
            Self::Redis26 => ("redis2.6", "2.6.13"),
            Self::Redis28 => ("redis2.8", "2.8.6"),
            Self::Redis32 => ("redis3.2", "3.2.4"),
            Self::Redis40 => ("redis4.0", "4.0.10"),
            Self::Redis50 => ("redis5.0", "5.0.0"),
            Self::Redis6 => ("redis6.x", "6.0.0"),
            Self::Redis7 => ("redis7", "7.0.0"),
            Self::Valkey7 => ("valkey7", "7.2.0"),
            Self::Valkey8 => ("valkey8", "8.0.0"),
            Self::Memcached14 => ("memcached1.4", "1.4.5"),
            Self::Memcached15 => ("memcached1.5", "1.5.10"),
            Self::Memcached16 => ("memcached1.6", "1.6.6"),
        }
    }

    /// Engine of the family.
    pub(crate) fn engine(self) -> Engine {
        match self {
            Self::Valkey7 | Self::Valkey8 => Engine::Valkey,
            Self::Memcached14 | Self::Memcached15 | Self::Memcached16 => Engine::Memcached,
            _ => Engine::Redis,
        }
    }

    /// True if clusters of the family can run in cluster mode.
    pub(crate) fn has_cluster_mode(self) -> bool {
        (Self::Redis32..=Self::Valkey8).contains(&self)
    }

    /// Finds a family by its name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    /// Reads the name of a family, or refuses.
    pub(crate) fn read(name: &str) -> Result<Self> {
        Self::find(name).ok_or_else(|| {
            let error = errors::family_invalid(name).with_field("CacheParameterGroupFamily");
            error.with_hint(nearest::hint(name, Self::ALL.map(Self::name)))
        })
    }
}
