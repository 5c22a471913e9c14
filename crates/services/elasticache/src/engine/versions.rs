//! Versions of engines.

use super::{Engine, Family};
use crate::{CacheParameterGroup, CacheParameterGroupManager, errors, identifier::Page};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, nearest, operation};

/// A version of an engine.
#[derive(Debug, PartialEq)]
pub struct Version {
    /// Number. Redis from 6 on and valkey have no patch number.
    pub number: &'static str,
    /// Family of its parameter groups.
    pub family: Family,
}

macro_rules! versions {
    ($($family:ident: $($number:literal)+;)+) => {
        /// All versions, in order of engines and numbers.
        static VERSIONS: &[Version] =
            &[$($(Version { number: $number, family: Family::$family }),+),+];
    };
}

versions! {
    Memcached14: "1.4.5" "1.4.14" "1.4.24" "1.4.33" "1.4.34";
    Memcached15: "1.5.10" "1.5.16";
    Memcached16: "1.6.6" "1.6.12" "1.6.17" "1.6.22";
    Redis26: "2.6.13";
    Redis28: "2.8.6" "2.8.19" "2.8.21" "2.8.22" "2.8.23" "2.8.24";
    Redis32: "3.2.4" "3.2.6" "3.2.10";
    Redis40: "4.0.10";
    Redis50: "5.0.0" "5.0.3" "5.0.4" "5.0.5" "5.0.6";
    Redis6: "6.0" "6.2";
    Redis7: "7.0" "7.1";
    Valkey7: "7.2";
    Valkey8: "8.0" "8.1" "8.2";
}

/// First version of redis from which clusters can be upgraded to valkey.
const FIRST_FOR_VALKEY: [u32; 3] = [5, 0, 6];

impl Version {
    /// Engine of the version.
    pub(crate) fn engine(&self) -> Engine {
        self.family.engine()
    }

    /// Parts of the number, to compare versions.
    pub(crate) fn parts(&self) -> [u32; 3] {
        let mut parts = self.number.split('.').filter_map(|part| part.parse().ok());
        [0; 3].map(|_| parts.next().unwrap_or_default())
    }

    fn is_default(&self) -> bool {
        self.engine().default_version() == self.number
    }

    /// True if the version is the given one, or one of the given minor or major version: `5.0`, `6.x`, `7`.
    fn matches(&self, given: &str) -> bool {
        let given = given.strip_suffix(".x").unwrap_or(given);
        self.number.strip_prefix(given).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn describe(&self) -> CacheEngineVersion {
        let engine = self.engine();
        CacheEngineVersion {
            engine: Some(engine.name().into()),
            engine_version: Some(self.number.into()),
            cache_parameter_group_family: Some(self.family.name().into()),
            cache_engine_description: Some(engine.description().into()),
            cache_engine_version_description: Some(
                format!("{} version {}", engine.name(), self.number).into(),
            ),
        }
    }
}

fn versions_of(engine: Engine) -> impl DoubleEndedIterator<Item = &'static Version> + Clone {
    VERSIONS.iter().filter(move |version| version.engine() == engine)
}

/// Returns the given version of an engine, the newest one of a given minor or major version, or the default one.
pub fn version(engine: Engine, given: Option<&str>) -> Result<&'static Version> {
    let given = given.unwrap_or(engine.default_version());
    if let Some(found) = versions_of(engine).rev().find(|version| version.matches(given)) {
        return Ok(found);
    }
    // Redis from 6 on and valkey are named by major and minor number only.
    let is_minor_of_given = |version: &&Version| {
        let patch = given.strip_prefix(version.number).and_then(|rest| rest.strip_prefix('.'));
        version.number.matches('.').count() == 1 && patch.is_some_and(|patch| patch.parse::<u32>().is_ok())
    };
    let error = match versions_of(engine).rfind(is_minor_of_given) {
        Some(minor) => errors::version_too_specific(given, minor.number),
        None => {
            let hint = nearest::hint(given, versions_of(engine).map(|version| version.number));
            errors::version_unknown(given, engine.name()).with_hint(hint)
        }
    };
    Err(error.with_field("EngineVersion"))
}

/// True if a cluster can be changed from one version to the other without a downgrade.
pub fn is_upgrade(from: &Version, to: &Version) -> bool {
    match (from.engine(), to.engine()) {
        (one, other) if one == other => to.parts() > from.parts(),
        (Engine::Redis, Engine::Valkey) => from.parts() >= FIRST_FOR_VALKEY,
        _ => false,
    }
}

/// A version of an engine.
#[derive(Record)]
#[record(answer)]
pub struct CacheEngineVersion {
    /// Name of the engine.
    engine: Option<Text>,
    /// Number of the version.
    engine_version: Option<Text>,
    /// Family of its parameter groups.
    cache_parameter_group_family: Option<Text>,
    /// Description of the engine.
    cache_engine_description: Option<Text>,
    /// Description of the version.
    cache_engine_version_description: Option<Text>,
}

/// Describes the versions of engines, in order of engines and numbers.
#[operation(
    of = CacheParameterGroup, call = "engine_versions",
    page(cache_engine_versions(item = "CacheEngineVersion"): CacheEngineVersion, marker), include(Page),
    effect = read, subject = "*"
)]
pub struct DescribeCacheEngineVersions {
    /// Name of an engine: memcached, redis or valkey.
    pub engine: Option<Text>,
    /// Number of a version, or of its minor or major version: `5.0.6`, `6.x`.
    pub engine_version: Option<Text>,
    /// Family of parameter groups.
    pub cache_parameter_group_family: Option<Text>,
    /// True to return only the default version of each engine. With a version or a family, it is the newest.
    pub default_only: Option<bool>,
}

impl Handler for DescribeCacheEngineVersions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let engine = self.engine.as_deref().map(Engine::read).transpose()?;
        let number = self.engine_version.as_deref();
        let family = self.cache_parameter_group_family.as_deref();
        let is_selected = |version: &&&Version| {
            engine.is_none_or(|engine| version.engine() == engine)
                && number.is_none_or(|number| version.matches(number))
                && family.is_none_or(|family| version.family.name() == family)
        };
        let mut selected: Vec<_> = VERSIONS.iter().filter(|version| is_selected(&version)).collect();
        if self.default_only == Some(true) {
            let newest = selected.clone();
            let is_newest = |version: &Version| {
                let of_family = newest.iter().rfind(|other| other.family == version.family);
                of_family.is_some_and(|newest| newest.number == version.number)
            };
            let whole_engine = number.is_none() && family.is_none();
            selected.retain(|version| if whole_engine { version.is_default() } else { is_newest(version) });
        }
        Ok(cx.page_list(&self, selected.into_iter().map(Version::describe))?.into())
    }
}
