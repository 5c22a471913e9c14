//! The operation that describes how an instance can be changed.

use super::orderable::{AvailableProcessorFeature, processor_features};
use crate::{
    DBInstance, DBInstanceManager,
    engine::{Engine, classes},
    errors,
    instance::{self, features::VOLUMES, storage},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// A range of numbers.
#[derive(Record)]
#[record(answer)]
pub struct Range {
    /// Least number.
    from: Option<i64>,
    /// Largest number.
    to: Option<i64>,
    /// Distance of two numbers.
    step: Option<i64>,
}

/// A range of ratios.
#[derive(Record)]
#[record(answer)]
pub struct DoubleRange {
    /// Least ratio.
    from: Option<f64>,
    /// Largest ratio.
    to: Option<f64>,
}

/// A type of storage that an instance can be changed to.
#[derive(Record)]
#[record(answer)]
pub struct ValidStorageOptions {
    /// Type of storage.
    storage_type: Option<Text>,
    /// Sizes in GiB.
    #[field(item = "Range")]
    storage_size: Option<Vec<Range>>,
    /// Operations per second.
    #[field(item = "Range")]
    provisioned_iops: Option<Vec<Range>>,
    /// Operations per second and GiB.
    #[field(item = "DoubleRange")]
    iops_to_storage_ratio: Option<Vec<DoubleRange>>,
    /// Throughput.
    #[field(item = "Range")]
    provisioned_storage_throughput: Option<Vec<Range>>,
    /// Throughput for an operation per second.
    #[field(item = "DoubleRange")]
    storage_throughput_to_iops_ratio: Option<Vec<DoubleRange>>,
    /// True if the storage can grow by itself.
    supports_storage_autoscaling: Option<bool>,
}

/// A further storage volume that an instance can have.
#[derive(Record)]
#[record(answer)]
pub struct ValidVolumeOptions {
    /// Name of the volume.
    volume_name: Option<Text>,
    /// Types of storage.
    #[field(item = "ValidStorageOptions")]
    storage: Option<Vec<ValidStorageOptions>>,
}

/// Further storage volumes that an instance can have.
#[derive(Record)]
#[record(answer)]
pub struct ValidAdditionalStorageOptions {
    /// True if there can be some.
    supports_additional_storage_volumes: Option<bool>,
    /// The volumes.
    volumes: Option<Vec<ValidVolumeOptions>>,
}

/// Changes of an instance that are valid.
#[derive(Record)]
#[record(answer, name = "ValidDBInstanceModificationsMessage")]
pub struct ValidDBInstanceModificationsMessage {
    /// Types of storage.
    #[field(item = "ValidStorageOptions")]
    storage: Option<Vec<ValidStorageOptions>>,
    /// Features of the processor that can be set.
    #[field(item = "AvailableProcessorFeature")]
    valid_processor_features: Option<Vec<AvailableProcessorFeature>>,
    /// True for a volume of its own for logs.
    supports_dedicated_log_volume: Option<bool>,
    /// Further storage volumes.
    additional_storage: Option<ValidAdditionalStorageOptions>,
}

/// Describes how the storage and the processor of an instance can be changed.
#[operation(
    of = DBInstance, call = "valid_modifications", on_model, needs(db_instance_identifier),
    wraps(
        valid_db_instance_modifications_message(name = "ValidDBInstanceModificationsMessage"):
            ValidDBInstanceModificationsMessage
    ),
    effect = read, access = list
)]
pub struct DescribeValidDBInstanceModifications {}

impl Handler for DescribeValidDBInstanceModifications {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let field = "DBInstanceIdentifier";
        let instance = instance::require(cx, &self.db_instance_identifier, field)?;
        if instance.status() != "available" {
            let error = errors::instance_not_available().with_hint(instance.status());
            return Err(error.with_field(field));
        }
        let version = instance.own_version()?;
        let engine = version.engine;
        let size = instance.allocated_storage.unwrap_or_default();
        let types = if engine.in_clusters { &[] } else { engine.storage_types() };
        let class = classes::find(version, instance.db_instance_class.as_deref().unwrap_or_default());
        let volumes: &[&str] = if engine.has_volumes() { VOLUMES } else { &[] };
        let volume = |name: &&str| ValidVolumeOptions {
            volume_name: Some(Text::new(name)),
            storage: Some(storage::VOLUME_TYPES.iter().map(|kind| options(engine, kind, 0)).collect()),
        };
        let message = ValidDBInstanceModificationsMessage {
            storage: Some(types.iter().map(|kind| options(engine, kind, size)).collect()),
            valid_processor_features: Some(
                class.map(|class| processor_features(class, engine)).unwrap_or_default(),
            ),
            supports_dedicated_log_volume: Some(engine.is_open()),
            additional_storage: Some(ValidAdditionalStorageOptions {
                supports_additional_storage_volumes: Some(engine.has_volumes()),
                volumes: Some(volumes.iter().map(volume).collect()),
            }),
        };
        Ok(message.into())
    }
}

/// Returns what an instance with this size can have of a type of storage: its size cannot be reduced.
fn options(engine: &Engine, kind: &str, size: i64) -> ValidStorageOptions {
    let limits = storage::limits(engine, kind);
    let range = |(from, to): (i64, i64)| vec![Range { from: Some(from), to: Some(to), step: Some(1) }];
    let ratio = |(from, to): (f64, f64)| vec![DoubleRange { from: Some(from), to: Some(to) }];
    ValidStorageOptions {
        storage_type: Some(kind.into()),
        storage_size: Some(range((limits.size.0.max(size), limits.size.1))),
        provisioned_iops: Some(limits.iops.map(range).unwrap_or_default()),
        iops_to_storage_ratio: Some(limits.ratio.map(ratio).unwrap_or_default()),
        provisioned_storage_throughput: Some(limits.throughput.map(range).unwrap_or_default()),
        storage_throughput_to_iops_ratio: Some(Vec::new()),
        supports_storage_autoscaling: Some(true),
    }
}
