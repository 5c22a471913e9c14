//! Limits of the usage of serverless caches.

use crate::errors;
use nephos_core::{Error, Record, Result, choices};
use std::ops::RangeInclusive;

choices! {
    /// Unit of the stored data.
    pub enum DataStorageUnit {
        /// Gigabytes.
        Gb = "GB",
    }
}

/// Limits of the stored data.
#[derive(Record)]
pub struct DataStorage {
    /// Upper limit, from 1 to 5000; 0 removes it.
    #[field(condition = "elasticache:MaximumDataStorage")]
    maximum: Option<i64>,
    /// Lower limit, from 1 to 5000; 0 removes it.
    #[field(condition = "elasticache:MinimumDataStorage")]
    minimum: Option<i64>,
    /// Unit of the limits.
    #[field(required, condition = "elasticache:DataStorageUnit")]
    unit: Option<DataStorageUnit>,
}

/// Limits of the processing units per second.
#[derive(Record)]
pub struct ECPUPerSecond {
    /// Upper limit, from 1000 to 15000000; 0 removes it.
    #[field(condition = "elasticache:MaximumECPUPerSecond")]
    maximum: Option<i64>,
    /// Lower limit, from 1000 to 15000000; 0 removes it.
    #[field(condition = "elasticache:MinimumECPUPerSecond")]
    minimum: Option<i64>,
}

/// Limits of the usage of a serverless cache.
#[derive(Record)]
pub struct CacheUsageLimits {
    /// Limits of the stored data.
    data_storage: Option<DataStorage>,
    /// Limits of the processing units per second.
    #[field(name = "ECPUPerSecond")]
    ecpu_per_second: Option<ECPUPerSecond>,
}

/// A pair of a minimum and a maximum.
type Limits = (Option<i64>, Option<i64>);

impl CacheUsageLimits {
    /// Returns the limits of a cache that had the limits `before`, after a request with these. What is not given stays, and
    /// zero removes a limit.
    pub(super) fn applied_to(self, before: Option<&Self>) -> Result<Option<Self>> {
        if self.data_storage.is_none() && self.ecpu_per_second.is_none() {
            return Err(errors::parameter_missing("DataStorage").with_field("CacheUsageLimits.DataStorage"));
        }
        let data_storage =
            Rule { name: "DataStorage", range: 1..=5000, invalid: errors::data_storage_invalid }
                .apply(before.and_then(Self::data_storage_limits), self.data_storage_limits())?;
        let ecpu = Rule { name: "ECPUPerSecond", range: 1000..=15_000_000, invalid: errors::ecpu_invalid }
            .apply(before.and_then(Self::ecpu_limits), self.ecpu_limits())?;
        let unit = Some(DataStorageUnit::Gb);
        let after = Self {
            data_storage: data_storage.map(|(minimum, maximum)| DataStorage { maximum, minimum, unit }),
            ecpu_per_second: ecpu.map(|(minimum, maximum)| ECPUPerSecond { maximum, minimum }),
        };
        let is_limited = after.data_storage.is_some() || after.ecpu_per_second.is_some();
        Ok(is_limited.then_some(after))
    }

    fn data_storage_limits(&self) -> Option<Limits> {
        self.data_storage.as_ref().map(|limits| (limits.minimum, limits.maximum))
    }

    fn ecpu_limits(&self) -> Option<Limits> {
        self.ecpu_per_second.as_ref().map(|limits| (limits.minimum, limits.maximum))
    }
}

/// Rule for the limits of a measure.
struct Rule {
    /// Name of the measure.
    name: &'static str,
    /// Values of limits.
    range: RangeInclusive<i64>,
    /// Error for another value.
    invalid: fn() -> Error,
}

impl Rule {
    /// Returns the limits after a request with those that are given; none if no limit is left.
    fn apply(&self, before: Option<Limits>, given: Option<Limits>) -> Result<Option<Limits>> {
        if given == Some((None, None)) {
            return Err(errors::parameter_missing("Maximum").with_field(self.field("Maximum")));
        }
        let (old, new) = (before.unwrap_or_default(), given.unwrap_or_default());
        let minimum = self.read("Minimum", new.0.or(old.0))?;
        let maximum = self.read("Maximum", new.1.or(old.1))?;
        match (minimum, maximum) {
            (None, None) => Ok(None),
            (Some(low), Some(high)) if low > high => {
                Err(errors::minimum_above_maximum(self.name).with_field(self.field("Minimum")))
            }
            limits => Ok(Some(limits)),
        }
    }

    /// Checks a limit; none if it is zero.
    fn read(&self, member: &str, limit: Option<i64>) -> Result<Option<i64>> {
        match limit.filter(|limit| *limit != 0) {
            Some(limit) if !self.range.contains(&limit) => {
                Err((self.invalid)().with_field(self.field(member)))
            }
            limit => Ok(limit),
        }
    }

    fn field(&self, member: &str) -> String {
        format!("CacheUsageLimits.{}.{member}", self.name)
    }
}
