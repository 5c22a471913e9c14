//! The operation that describes the options of instances that can be ordered.

use crate::{
    AvailabilityZone, DBInstance, DBInstanceManager,
    engine::{self, Engine, Version, classes, classes::Class},
    filters::{self, Filter},
    instance::storage::{self, Limits},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, field_value::FieldType, operation};
use nephos_ec2 as ec2;

/// A feature of the processor that can be set.
#[derive(Record)]
#[record(answer)]
pub struct AvailableProcessorFeature {
    /// Name: coreCount or threadsPerCore.
    name: Option<Text>,
    /// Default value.
    default_value: Option<Text>,
    /// Allowed values, with commas between them.
    allowed_values: Option<Text>,
}

/// Storage that a further volume can have.
#[derive(Record)]
#[record(answer)]
pub struct AvailableAdditionalStorageVolumesOption {
    /// True if the storage can grow by itself.
    supports_storage_autoscaling: Option<bool>,
    /// True if the throughput can be set.
    supports_storage_throughput: Option<bool>,
    /// True if operations per second can be set.
    supports_iops: Option<bool>,
    /// Type of storage.
    storage_type: Option<Text>,
    /// Least size in GiB.
    min_storage_size: Option<i64>,
    /// Largest size in GiB.
    max_storage_size: Option<i64>,
    /// Least operations per second.
    min_iops: Option<i64>,
    /// Largest operations per second.
    max_iops: Option<i64>,
    /// Least operations per second and GiB.
    min_iops_per_gib: Option<f64>,
    /// Largest operations per second and GiB.
    max_iops_per_gib: Option<f64>,
    /// Least throughput.
    min_storage_throughput: Option<i64>,
    /// Largest throughput.
    max_storage_throughput: Option<i64>,
}

/// Options of an instance that can be ordered: version, class, licence and storage, and what instances with them can have.
#[derive(Record)]
#[record(answer, name = "OrderableDBInstanceOption")]
pub struct OrderableDBInstanceOption {
    /// Engine.
    engine: Option<Text>,
    /// Version.
    engine_version: Option<Text>,
    /// Class.
    #[field(name = "DBInstanceClass")]
    db_instance_class: Option<Text>,
    /// Licence model.
    license_model: Option<Text>,
    /// Group of Local Zones.
    availability_zone_group: Option<Text>,
    /// Zones.
    #[field(item = "AvailabilityZone")]
    availability_zones: Option<Vec<AvailabilityZone>>,
    /// True for a standby in another zone.
    #[field(name = "MultiAZCapable")]
    multi_az_capable: Option<bool>,
    /// True for read replicas.
    read_replica_capable: Option<bool>,
    /// True for instances in a VPC.
    vpc: Option<bool>,
    /// True if the storage can be encrypted.
    supports_storage_encryption: Option<bool>,
    /// Type of storage.
    storage_type: Option<Text>,
    /// True if operations per second can be set.
    supports_iops: Option<bool>,
    /// True if the throughput can be set.
    supports_storage_throughput: Option<bool>,
    /// True if the operating system can be measured.
    supports_enhanced_monitoring: Option<bool>,
    /// True if users can sign in with credentials of the account.
    #[field(name = "SupportsIAMDatabaseAuthentication")]
    supports_iam_database_authentication: Option<bool>,
    /// True if performance data can be kept.
    supports_performance_insights: Option<bool>,
    /// Least size in GiB.
    min_storage_size: Option<i64>,
    /// Largest size in GiB.
    max_storage_size: Option<i64>,
    /// Least operations per second.
    min_iops_per_db_instance: Option<i64>,
    /// Largest operations per second.
    max_iops_per_db_instance: Option<i64>,
    /// Least operations per second and GiB.
    min_iops_per_gib: Option<f64>,
    /// Largest operations per second and GiB.
    max_iops_per_gib: Option<f64>,
    /// Least throughput.
    min_storage_throughput_per_db_instance: Option<i64>,
    /// Largest throughput.
    max_storage_throughput_per_db_instance: Option<i64>,
    /// Least throughput for an operation per second.
    min_storage_throughput_per_iops: Option<f64>,
    /// Largest throughput for an operation per second.
    max_storage_throughput_per_iops: Option<f64>,
    /// Features of the processor that can be set.
    #[field(item = "AvailableProcessorFeature")]
    available_processor_features: Option<Vec<AvailableProcessorFeature>>,
    /// Modes of the engine.
    supported_engine_modes: Option<Vec<Text>>,
    /// True if the storage can grow by itself.
    supports_storage_autoscaling: Option<bool>,
    /// True if users can be those of a directory.
    supports_kerberos_authentication: Option<bool>,
    /// True for instances on an Outpost.
    outpost_capable: Option<bool>,
    /// Modes of activity streams.
    supported_activity_stream_modes: Option<Vec<Text>>,
    /// True for global clusters.
    supports_global_databases: Option<bool>,
    /// Types of addresses.
    supported_network_types: Option<Vec<Text>>,
    /// True for members of clusters.
    supports_clusters: Option<bool>,
    /// True for a volume of its own for logs.
    supports_dedicated_log_volume: Option<bool>,
    /// True for further storage volumes.
    supports_additional_storage_volumes: Option<bool>,
    /// True if statements can be sent over HTTP.
    supports_http_endpoint: Option<bool>,
    /// Storage that further volumes can have.
    #[field(item = "AvailableAdditionalStorageVolumesOption")]
    available_additional_storage_volumes_options: Option<Vec<AvailableAdditionalStorageVolumesOption>>,
}

/// Describes the options of instances of an engine that can be ordered, in order of versions, classes, licences and types of storage.
#[operation(
    of = DBInstance, call = "orderable_options", needs(engine),
    page(
        orderable_db_instance_options(name = "OrderableDBInstanceOptions", item = "OrderableDBInstanceOption"):
            OrderableDBInstanceOption,
        marker
    ),
    effect = read, access = list, subject = "*"
)]
pub struct DescribeOrderableDBInstanceOptions {
    /// Version, or major version.
    pub engine_version: Option<Text>,
    /// Class.
    #[field(name = "DBInstanceClass")]
    pub db_instance_class: Option<Text>,
    /// Licence model.
    pub license_model: Option<Text>,
    /// Group of Local Zones. None has options.
    pub availability_zone_group: Option<Text>,
    /// False for instances outside of VPCs. There are none.
    pub vpc: Option<bool>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(20..=1000))]
    pub max_records: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    pub marker: Option<Text>,
}

/// One combination of options.
#[derive(Clone, Copy)]
struct Combination {
    version: Version,
    class: Class,
    license: &'static str,
    storage: &'static str,
}

impl Handler for DescribeOrderableDBInstanceOptions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let engine = engine::require(&self.engine)?;
        let is_empty = self.vpc == Some(false) || self.availability_zone_group.is_some();
        let combinations = self.combinations(engine).filter(|_| !is_empty);
        let (page, marker) = cx.page_list(&self, combinations)?;
        let zones = ec2::default_subnets(cx)?;
        let zones: Vec<_> = zones.iter().filter_map(|subnet| subnet.availability_zone()).collect();
        let options: Vec<_> = page.into_iter().map(|one| one.describe(&zones)).collect();
        Ok((options, marker).into())
    }
}

impl DescribeOrderableDBInstanceOptions {
    /// Returns the combinations that the parameters select. Only those of one page are described.
    fn combinations(&self, engine: &'static Engine) -> impl Iterator<Item = Combination> {
        let accepts = |given: &Option<Text>, own: &str| given.as_deref().is_none_or(|given| given == own);
        let versions = engine
            .versions()
            .filter(|version| self.engine_version.as_deref().is_none_or(|given| version.matches(given)));
        let classes =
            versions.flat_map(|version| classes::orderable(version).map(move |class| (version, class)));
        let class_name = self.db_instance_class.as_deref();
        let classes = classes.filter(move |(_, class)| class_name.is_none_or(|given| class.name() == given));
        classes.flat_map(move |(version, class)| {
            let licenses =
                engine.licenses.iter().filter(move |license| accepts(&self.license_model, license));
            licenses.flat_map(move |license| {
                let storage = engine.storage_types().iter();
                storage.map(move |storage| Combination { version, class, license, storage })
            })
        })
    }
}

fn texts(names: &[&str]) -> Option<Vec<Text>> {
    Some(names.iter().map(|name| Text::new(name)).collect())
}

impl Combination {
    fn describe(self, zones: &[&str]) -> OrderableDBInstanceOption {
        let Self { version, class, .. } = self;
        let engine = version.engine;
        let is_burstable = class.is_burstable();
        let has_insights = engine.name != "neptune" && (engine.in_clusters || !class.is_small());
        let in_clusters = engine.in_clusters || class.is_of_clusters(engine);
        let modes = if is_burstable || class.is_serverless() { &[] } else { engine.activity_stream_modes() };
        let option = OrderableDBInstanceOption {
            engine: Some(engine.name.into()),
            engine_version: Some(version.name().into()),
            db_instance_class: Some(class.name().into()),
            license_model: Some(self.license.into()),
            availability_zones: Some(zones.iter().map(|name| AvailabilityZone::named(name)).collect()),
            multi_az_capable: Some(engine.has_standby() && !class.is_of_clusters_only()),
            read_replica_capable: Some(engine.has_read_replicas() && !class.is_of_clusters_only()),
            vpc: Some(true),
            supports_storage_encryption: Some(true),
            storage_type: Some(self.storage.into()),
            supports_enhanced_monitoring: Some(engine.has_monitoring()),
            supports_iam_database_authentication: Some(version.has_account_sign_in()),
            supports_performance_insights: Some(has_insights),
            available_processor_features: Some(processor_features(class, engine)),
            supported_engine_modes: engine.in_clusters.then(|| vec!["provisioned".into()]),
            supports_kerberos_authentication: Some(engine.has_directories()),
            outpost_capable: Some(false),
            supported_activity_stream_modes: texts(modes),
            supports_global_databases: Some(version.has_global_clusters() && !is_burstable),
            supported_network_types: texts(&["IPV4"]),
            supports_clusters: Some(in_clusters),
            supports_http_endpoint: Some(engine.is_aurora()),
            ..OrderableDBInstanceOption::blank()
        };
        self.with_storage(option)
    }

    /// Adds what depends on the storage.
    fn with_storage(self, option: OrderableDBInstanceOption) -> OrderableDBInstanceOption {
        let engine = self.version.engine;
        let limits = (!engine.in_clusters).then(|| storage::limits(engine, self.storage));
        let of = |range: fn(&Limits) -> Option<(i64, i64)>| limits.as_ref().and_then(range);
        let (size, iops) = (of(|limits| Some(limits.size)), of(|limits| limits.iops));
        let throughput = of(|limits| limits.throughput);
        let ratio = limits.as_ref().and_then(|limits| limits.ratio);
        let volumes = engine.has_volumes().then(|| {
            storage::VOLUME_TYPES.iter().map(|kind| volume_option(engine, kind)).collect::<Vec<_>>()
        });
        OrderableDBInstanceOption {
            supports_iops: Some(iops.is_some()),
            supports_storage_throughput: Some(throughput.is_some()),
            min_storage_size: size.map(|(min, _)| min),
            max_storage_size: size.map(|(_, max)| max),
            min_iops_per_db_instance: iops.map(|(min, _)| min),
            max_iops_per_db_instance: iops.map(|(_, max)| max),
            min_iops_per_gib: ratio.map(|(min, _)| min),
            max_iops_per_gib: ratio.map(|(_, max)| max),
            min_storage_throughput_per_db_instance: throughput.map(|(min, _)| min),
            max_storage_throughput_per_db_instance: throughput.map(|(_, max)| max),
            supports_storage_autoscaling: Some(!engine.in_clusters),
            supports_dedicated_log_volume: Some(engine.is_open() && ratio.is_some()),
            supports_additional_storage_volumes: Some(volumes.is_some()),
            available_additional_storage_volumes_options: Some(volumes.unwrap_or_default()),
            ..option
        }
    }
}

/// Returns the features of the processor of a class that can be set.
pub(crate) fn processor_features(class: Class, engine: &Engine) -> Vec<AvailableProcessorFeature> {
    let Some(processor) = class.processor(engine) else { return Vec::new() };
    let feature = |name: &str, values: &[i64]| {
        let values: Vec<_> = values.iter().map(i64::to_string).collect();
        AvailableProcessorFeature {
            name: Some(name.into()),
            default_value: values.last().map(|value| Text::new(value)),
            allowed_values: Some(values.join(",").into()),
        }
    };
    vec![feature("coreCount", &processor.cores), feature("threadsPerCore", processor.threads)]
}

fn volume_option(engine: &Engine, kind: &str) -> AvailableAdditionalStorageVolumesOption {
    let limits = storage::limits(engine, kind);
    AvailableAdditionalStorageVolumesOption {
        supports_storage_autoscaling: Some(true),
        supports_storage_throughput: Some(limits.throughput.is_some()),
        supports_iops: Some(limits.iops.is_some()),
        storage_type: Some(kind.into()),
        min_storage_size: Some(limits.size.0),
        max_storage_size: Some(limits.size.1),
        min_iops: limits.iops.map(|(min, _)| min),
        max_iops: limits.iops.map(|(_, max)| max),
        min_iops_per_gib: limits.ratio.map(|(min, _)| min),
        max_iops_per_gib: limits.ratio.map(|(_, max)| max),
        min_storage_throughput: limits.throughput.map(|(min, _)| min),
        max_storage_throughput: limits.throughput.map(|(_, max)| max),
    }
}
