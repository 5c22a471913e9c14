//! Classes of instances: families of sizes, with the engines and the versions that have them.
//!
//! Classes of previous generations are accepted for all versions of their engines, so that older descriptions of databases work. They
//! cannot be ordered.

pub mod data;

use super::{Engine, Version};

/// A family of classes: `r6g` with its sizes. A family has several entries if engines have different sizes of it.
pub struct Family {
    pub name: &'static str,
    /// Sizes, the smallest first.
    sizes: &'static [&'static str],
    /// Engines that have the family.
    pub offers: &'static [&'static [Offer]],
    /// True for a previous generation, which cannot be ordered.
    is_previous: bool,
}

/// An engine, or the start of the names of its editions, with the first minor versions that have a family. Newer major versions have
/// it, older ones do not. All versions have it if none is named.
type Offer = (&'static str, &'static [&'static str]);

/// A class of instances.
#[derive(Clone, Copy)]
pub struct Class {
    family: &'static Family,
    size: &'static str,
}

/// Values of the processor of a class that can be set.
pub struct Processor {
    /// Numbers of cores. The last one is the default.
    pub cores: Vec<i64>,
    /// Numbers of threads of a core. The last one is the default.
    pub(crate) threads: &'static [i64],
}

/// True for the name of a class: `db.t4g.micro`.
pub fn is_known(name: &str) -> bool {
    named(name).next().is_some()
}

/// True if instances of a version can be of this class.
pub fn is_offered(version: Version, name: &str) -> bool {
    find(version, name).is_some_and(|class| !class.is_of_clusters_only())
}

/// True if instances of a Multi-AZ cluster of a version can be of this class.
pub(crate) fn is_offered_to_clusters(version: Version, name: &str) -> bool {
    find(version, name).is_some_and(|class| class.is_of_clusters(version.engine))
}

/// Returns the classes that can be ordered for a version, in order of families and sizes.
pub(crate) fn orderable(version: Version) -> impl Iterator<Item = Class> {
    all().filter(move |class| !class.family.is_previous && class.is_offered(version))
}

/// Finds the class with this name that instances of a version can be of.
pub fn find(version: Version, name: &str) -> Option<Class> {
    named(name).find(|class| class.is_offered(version))
}

fn all() -> impl Iterator<Item = Class> {
    data::FAMILIES.iter().flat_map(|family| family.sizes.iter().map(move |size| Class { family, size }))
}

fn named(name: &str) -> impl Iterator<Item = Class> {
    all().filter(move |class| class.is(name))
}

impl Class {
    /// Name: `db.t4g.micro`.
    pub(crate) fn name(self) -> String {
        match self.size {
            "" => format!("db.{}", self.family.name),
            size => format!("db.{}.{size}", self.family.name),
        }
    }

    /// True if this is its name.
    fn is(self, name: &str) -> bool {
        let rest = name.strip_prefix("db.").and_then(|rest| rest.strip_prefix(self.family.name));
        match rest {
            Some("") => self.size.is_empty(),
            Some(rest) => rest.strip_prefix('.') == Some(self.size),
            None => false,
        }
    }

    /// True for small classes that can exceed their capacity for some time.
    pub(crate) fn is_burstable(self) -> bool {
        self.family.name.starts_with('t')
    }

    /// True for classes that are too small for performance data.
    pub(crate) fn is_small(self) -> bool {
        self.is_burstable() && ["micro", "small"].contains(&self.size)
    }

    /// True for the class whose instances have the capacity that they need.
    pub(crate) fn is_serverless(self) -> bool {
        self.family.name == data::SERVERLESS
    }

    /// True if instances of a Multi-AZ cluster of an engine can be of this class: it must have disks of its own.
    pub(crate) fn is_of_clusters(self, engine: &Engine) -> bool {
        let name = self.family.name;
        let has_disks = name.ends_with('d') || name.ends_with("dn");
        engine.has_multi_zone_clusters() && has_disks && name != "x2idn"
    }

    /// True for classes that only Multi-AZ clusters have.
    pub(crate) fn is_of_clusters_only(self) -> bool {
        self.family.name.starts_with('c')
    }

    /// Number of virtual processors.
    fn processors(self) -> i64 {
        match self.size.split('.').next().unwrap_or_default() {
            "micro" | "small" | "medium" if self.is_burstable() => 2,
            "micro" | "small" | "medium" => 1,
            "large" => 2,
            size => 4 * size.trim_end_matches("xlarge").parse::<i64>().unwrap_or(1),
        }
    }

    /// True if instances of a version can be of this class.
    pub(crate) fn is_offered(self, version: Version) -> bool {
        let is_offer = |(name, firsts): &Offer| is_of(version.engine, name) && version.is_from(firsts);
        self.family.offers.iter().copied().flatten().any(is_offer)
            && (self.family.is_previous || self.fits_edition(version.engine))
    }

    /// True if the edition of an engine can use so many processors.
    fn fits_edition(self, engine: &Engine) -> bool {
        match engine.name {
            "oracle-se2" | "oracle-se2-cdb" | "sqlserver-web" => self.processors() <= 16,
            "sqlserver-ee" => self.processors() >= 4,
            _ => true,
        }
    }

    /// Returns the values of the processor that can be set for instances of an engine, if there are some.
    pub fn processor(self, engine: &Engine) -> Option<Processor> {
        let name = self.family.name;
        let is_newest = name.ends_with("7i");
        let has_features = engine.is_oracle() || (engine.is_sqlserver() && is_newest);
        if !has_features || self.is_burstable() || self.family.is_previous || self.size.contains('.') {
            return None;
        }
        let processors = self.processors();
        let max = processors / 2;
        let has_two_sockets = match name {
            "z1d" => processors >= 48,
            _ if is_newest => processors >= 192,
            _ => name.contains('5') && processors >= 96,
        };
        let (min, step) = match has_two_sockets {
            true => (4, 2),
            false if is_newest => (1, 1),
            false => (max.min(2), 2),
        };
        let cores = (min..=max).step_by(step).collect();
        let is_single = engine.is_sqlserver() && processors >= 8;
        Some(Processor { cores, threads: if is_single { &[1] } else { &[1, 2] } })
    }
}

/// True for the engine with this name, or one of its editions.
pub fn is_of(engine: &Engine, name: &str) -> bool {
    let rest = engine.name.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
