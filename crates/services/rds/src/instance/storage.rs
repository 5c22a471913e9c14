//! Storage of instances: type, size, operations per second and throughput.

use crate::{engine::Engine, errors};
use nephos_core::{Error, Result, Text};

/// Types of storage.
pub(crate) const TYPES: &[&str] = &["gp2", "gp3", "io1", "io2", "standard"];

/// Types of storage of further volumes.
pub(crate) const VOLUME_TYPES: &[&str] = &["gp3", "io2"];

/// Least and largest operations per second of io1 and io2.
const IOPS: (i64, i64) = (1000, 256_000);

/// Largest operations per second and GiB of io1 and io2.
const MAX_RATIO: i32 = 50;

/// Least and largest operations per second of gp3.
const GP3_IOPS: (i64, i64) = (3000, 64_000);

/// Least and largest throughput of gp3.
const GP3_THROUGHPUT: (i64, i64) = (125, 4000);

/// What a type of storage can have.
pub(crate) struct Limits {
    /// Least and largest size in GiB.
    pub size: (i64, i64),
    /// Least and largest operations per second, if they can be set.
    pub iops: Option<(i64, i64)>,
    /// Least and largest operations per second and GiB, if they depend on the size.
    pub(crate) ratio: Option<(f64, f64)>,
    /// Least and largest throughput, if it can be set.
    pub throughput: Option<(i64, i64)>,
}

/// Returns what a type of storage can have.
pub(crate) fn limits(engine: &Engine, kind: &str) -> Limits {
    let size = size_range(engine, kind);
    let (iops, ratio, throughput) = match kind {
        "gp3" => (Some(GP3_IOPS), None, Some(GP3_THROUGHPUT)),
        "io1" | "io2" => {
            let ratio = (f64::from(min_halves(engine)) / 2.0, f64::from(MAX_RATIO));
            (Some(IOPS), Some(ratio), None)
        }
        _ => (None, None, None),
    };
    Limits { size, iops, ratio, throughput }
}

/// Least operations per second and GiB of io1 and io2, in halves.
fn min_halves(engine: &Engine) -> i32 {
    if engine.is_sqlserver() { 2 } else { 1 }
}

/// Storage of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Type.
    pub kind: Text,
    /// Size in GiB.
    pub size: i64,
    /// Operations per second.
    pub iops: Option<i64>,
    /// Throughput in MiB per second.
    pub throughput: Option<i64>,
}

/// What a caller gives.
#[derive(Clone, Copy, Debug)]
pub struct GivenStorage<'g> {
    /// Type of the storage.
    pub kind: Option<&'g str>,
    /// Size in gibibytes.
    pub size: Option<i64>,
    /// Operations per second.
    pub iops: Option<i64>,
    /// Throughput in mebibytes per second.
    pub throughput: Option<i64>,
}

/// Least and largest size of a type of storage in GiB.
fn size_range(engine: &Engine, kind: &str) -> (i64, i64) {
    let is_sqlserver = engine.is_sqlserver();
    let max = if is_sqlserver { 16_384 } else { 65_536 };
    match kind {
        "io1" | "io2" => (100, max),
        "standard" if is_sqlserver => (20, 1024),
        "standard" => (5, 3072),
        _ => (20, max),
    }
}

/// Size from which gp3 has more operations per second, and from which they can be set.
fn gp3_threshold(engine: &Engine) -> Option<i64> {
    match engine.name {
        name if name.starts_with("sqlserver") => None,
        name if name.starts_with("oracle") => Some(200),
        _ => Some(400),
    }
}

/// Operations per second and throughput of gp3 that are not set.
fn gp3_base(engine: &Engine, size: i64) -> (i64, i64) {
    let is_large = gp3_threshold(engine).is_some_and(|threshold| size >= threshold);
    if is_large { (12_000, 500) } else { (GP3_IOPS.0, GP3_THROUGHPUT.0) }
}

fn refuse<T>(error: Error, field: &str) -> Result<T> {
    Err(error.with_field(field))
}

impl GivenStorage<'_> {
    /// Returns the storage with defaults, or refuses it.
    pub fn read(self, engine: &Engine) -> Result<Storage> {
        let kind = self.kind.unwrap_or(if self.iops.is_some() { "io1" } else { "gp3" });
        if !TYPES.contains(&kind) {
            let error = errors::storage_type_invalid(kind).with_hint(format!("one of {}", TYPES.join(", ")));
            return refuse(error, "StorageType");
        }
        let Some(size) = self.size else {
            return refuse(errors::parameter_blank("AllocatedStorage"), "AllocatedStorage");
        };
        let (min, max) = size_range(engine, kind);
        if !(min..=max).contains(&size) {
            let error = errors::storage_size_invalid(engine.name, kind, size);
            return refuse(error.with_hint(format!("from {min} to {max} GiB")), "AllocatedStorage");
        }
        let (iops, throughput) = match kind {
            "gp3" => self.read_gp3(engine, size)?,
            "io1" | "io2" => (Some(self.read_iops(engine, kind, size)?), None),
            _ if self.iops.is_some() => return refuse(errors::iops_not_supported(kind), "Iops"),
            _ => (None, None),
        };
        if kind != "gp3" && self.throughput.is_some() {
            return refuse(errors::throughput_not_supported(kind), "StorageThroughput");
        }
        Ok(Storage { kind: kind.into(), size, iops, throughput })
    }

    /// Returns the storage after a change, or refuses it: what is not given stays. A volume cannot shrink, and it grows by a tenth at
    /// least.
    pub fn change(self, current: &Storage, engine: &Engine) -> Result<Storage> {
        let size = self.size.unwrap_or(current.size);
        if size < current.size {
            return refuse(errors::storage_not_reducible(size, current.size), "AllocatedStorage");
        }
        let size = if size > current.size { size.max(current.size + (current.size + 9) / 10) } else { size };
        let kind = self.kind.unwrap_or(&current.kind);
        let mut given = GivenStorage { kind: Some(kind), size: Some(size), ..self };
        if kind == current.kind {
            let (iops, throughput) = if kind == "gp3" { gp3_base(engine, size) } else { (0, 0) };
            given.iops = self.iops.or(current.iops.map(|current| current.max(iops)));
            given.throughput = self.throughput.or(current.throughput.map(|current| current.max(throughput)));
        }
        given.read(engine)
    }

    fn read_gp3(self, engine: &Engine, size: i64) -> Result<(Option<i64>, Option<i64>)> {
        let threshold = gp3_threshold(engine);
        let is_small = threshold.is_some_and(|threshold| size < threshold);
        let (iops, throughput) = gp3_base(engine, size);
        if is_small
            && (self.iops.unwrap_or(iops), self.throughput.unwrap_or(throughput)) != (iops, throughput)
        {
            let field = if self.iops.is_some() { "Iops" } else { "StorageThroughput" };
            return refuse(errors::gp3_too_small(engine.name, threshold.unwrap_or_default()), field);
        }
        let (given, throughput) = (self.iops.unwrap_or(iops), self.throughput.unwrap_or(throughput));
        if !(iops..=GP3_IOPS.1).contains(&given) {
            return refuse(errors::iops_out_of_range(iops, GP3_IOPS.1), "Iops");
        }
        let (min, max) = GP3_THROUGHPUT;
        if !(min..=max).contains(&throughput) {
            return refuse(errors::throughput_out_of_range(min, max), "StorageThroughput");
        }
        Ok((Some(given), Some(throughput)))
    }

    fn read_iops(self, engine: &Engine, kind: &str, size: i64) -> Result<i64> {
        let Some(iops) = self.iops else { return refuse(errors::iops_needed(kind), "Iops") };
        let (min, max) = IOPS;
        if !(min..=max).contains(&iops) {
            return refuse(errors::iops_out_of_range(min, max), "Iops");
        }
        if 2 * iops < i64::from(min_halves(engine)) * size || iops > i64::from(MAX_RATIO) * size {
            return refuse(errors::iops_ratio(), "Iops");
        }
        Ok(iops)
    }
}
