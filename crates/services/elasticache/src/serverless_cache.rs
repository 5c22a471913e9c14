//! Serverless caches: caches without nodes, with an endpoint in the subnets of a VPC.

mod endpoint;
mod engine;
mod limits;
mod modify;
mod operations;
mod placement;
mod snapshots;

pub use limits::*;
pub use modify::*;
pub use operations::*;
pub use snapshots::*;
pub(crate) use snapshots::{automatic, find as find_snapshot};

use crate::{Endpoint, NetworkType, SERVICE, StorageEncryptionType, errors};
use nephos_cloud::{Addressed, KeyUse, StoredResource, Tx, is_key_refusal};
use nephos_core::{Choice as _, Record, Resource, Result, Slot, Tag, Text, Timestamp, choices};
use nephos_ec2 as ec2;

choices! {
    /// Status of a serverless cache.
    #[derive(Eq)]
    pub enum ServerlessCacheStatus {
        /// It is being created.
        Creating = "creating",
        /// It can be used.
        Available = "available",
        /// A setting is being changed.
        Modifying = "modifying",
        /// It is being deleted.
        Deleting = "deleting",
        /// It could not be created.
        CreateFailed = "create-failed",
    }
}

choices! {
    /// Network from which a cache is reached.
    pub enum ConnectionType {
        /// A VPC.
        Vpc = "vpc",
        /// The internet.
        Public = "public",
    }
}

/// A migration of data into a serverless cache.
#[derive(Record)]
pub struct MigrationSummary {
    /// Status of the migration.
    status: Option<Text>,
    /// Endpoint of the source.
    migration_endpoint: Option<Endpoint>,
    /// Mode of the cutover.
    cutover_mode: Option<Text>,
}

/// Pagination of the operations on serverless caches.
#[derive(Record)]
#[record(shared)]
pub struct ServerlessPage {
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size = 50, range(1..=50))]
    max_results: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    next_token: Option<Text>,
}

/// Maximum length of the name of a serverless cache.
const MAX_NAME_LENGTH: usize = 40;

/// A serverless cache.
#[derive(Resource)]
#[resource(
    arn("ARN", "serverlesscache:{ServerlessCacheName}"),
    not_found = |name| errors::serverless_cache_not_found(name),
    name = "ServerlessCacheName", pk = "ServerlessCacheName", exists_if = "ARN", tags = "Tags",
    relation(snapshots, many = ServerlessCacheSnapshot, with = find_snapshots),
    relation(ec2_subnets, many = ec2::Subnet, with = find_subnets),
    relation(vpc_security_groups, many = ec2::SecurityGroup, with = find_security_groups)
)]
pub struct ServerlessCache {
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and hyphens.
    #[field(required, fixed, length(1..=40))]
    pub(crate) serverless_cache_name: Option<Text>,
    /// Description.
    #[field(length(..=255), clear = "")]
    pub(crate) description: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_time: Option<Timestamp>,
    /// Status.
    #[field(service_set)]
    pub(crate) status: Option<ServerlessCacheStatus>,
    /// Engine: memcached, redis or valkey. Only redis can be changed, to valkey.
    #[field(required, condition = "elasticache:EngineType")]
    pub(crate) engine: Option<Text>,
    /// Major version of the engine; the newest by default. It can only be raised.
    pub(crate) major_engine_version: Option<Text>,
    /// Version of the engine.
    #[field(service_set)]
    pub(crate) full_engine_version: Option<Text>,
    /// Limits of the usage.
    pub(crate) cache_usage_limits: Option<CacheUsageLimits>,
    /// KMS key that stored data is encrypted with; a key of the service if absent.
    #[field(fixed, wire = "KmsKeyId", length(1..=2048), condition = "elasticache:KmsKeyId")]
    pub(crate) crypto_key_id: Option<Text>,
    /// Encryption of stored data.
    #[field(service_set)]
    pub(crate) storage_encryption_type: Option<StorageEncryptionType>,
    /// IDs of the security groups; the default group of the VPC by default.
    #[field(item = "SecurityGroupId")]
    pub(crate) security_group_ids: Option<Vec<Text>>,
    /// Endpoint for reads and writes; absent until the cache is available.
    #[field(service_set)]
    pub(crate) endpoint: Option<Endpoint>,
    /// Endpoint for reads; absent until the cache is available.
    #[field(service_set)]
    pub(crate) reader_endpoint: Option<Endpoint>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    pub(crate) arn: Option<Text>,
    /// ID of the user group whose users can connect; not for memcached.
    #[field(condition = "elasticache:UserGroupId")]
    pub(crate) user_group_id: Option<Text>,
    /// IDs of 2 or 3 subnets of a VPC, in different zones; the default subnets by default.
    #[field(fixed, item = "SubnetId")]
    pub(crate) subnet_ids: Option<Vec<Text>>,
    /// Number of days for which automatic snapshots are kept; 0 if there are none.
    #[field(range(0..=35), condition = "elasticache:SnapshotRetentionLimit")]
    pub(crate) snapshot_retention_limit: Option<i64>,
    /// Time of day of the automatic snapshots, in UTC: `hh24:mi`.
    pub(crate) daily_snapshot_time: Option<Text>,
    /// Type of the addresses of the endpoint, which the subnets must support.
    #[field(fixed)]
    pub(crate) network_type: Option<NetworkType>,
    /// Network from which the cache is reached; vpc by default.
    #[field(fixed)]
    pub(crate) connection_type: Option<ConnectionType>,
    /// Migration of data into the cache, if there is one.
    #[field(service_set)]
    pub(crate) migration: Option<MigrationSummary>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    ServerlessCache in "elasticache/serverless-cache" by serverless_cache_name;
    arn arn;
    states(
        "Status": "creating" => "available" 60 then modify::complete_creation,
        "modifying" => "available" 60 then modify::complete,
        "deleting" => removed 60 then operations::complete_deletion,
    )
}

impl ServerlessCache {
    /// Returns the cache as answers show it: without endpoints until it is available.
    fn shown(mut self) -> Self {
        if self.status == Some(ServerlessCacheStatus::Creating) {
            self.endpoint = None;
            self.reader_endpoint = None;
        }
        self
    }

    /// Refuses a cache that is not available.
    fn check_available(&self) -> Result<()> {
        match &self.status {
            Some(ServerlessCacheStatus::Available) => Ok(()),
            status => {
                let status = status.as_ref().map(ServerlessCacheStatus::as_str).unwrap_or_default();
                Err(errors::serverless_cache_not_available(self.own_name(), status)
                    .with_field("ServerlessCacheName"))
            }
        }
    }

    fn own_engine(&self) -> &str {
        self.engine.as_deref().unwrap_or_default()
    }
}

/// Finds a serverless cache by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<ServerlessCache>> {
    ServerlessCache::find_by(cx, &[name])
}

/// Finds a serverless cache by its name, in any case, or refuses.
fn require(cx: &Tx<'_>, name: &str) -> Result<ServerlessCache> {
    let missing = || errors::serverless_cache_not_found(name).with_field("ServerlessCacheName");
    find(cx, name)?.ok_or_else(missing)
}

/// Refuses a KMS key that cannot be used for the resource with this ARN, or that the caller may not use.
fn check_key(cx: &mut Tx<'_>, arn: &str, key: Option<&str>) -> Result<()> {
    let Some(key) = key else { return Ok(()) };
    let context = [("aws:elasticache:arn", arn)];
    let used = KeyUse { service: &SERVICE, context: &context, principal: None };
    cx.check_crypto_key(key, &used).map_err(|error| {
        if !is_key_refusal(&error) {
            return error;
        }
        errors::serverless_key_invalid(key).with_field("CryptoKeyId").with_hint(error.message())
    })
}

async fn find_snapshots(cache: &ServerlessCache) -> Result<Vec<ServerlessCacheSnapshot>> {
    let Some(name) = &cache.serverless_cache_name else { return Ok(Vec::new()) };
    let snapshots = ServerlessCacheSnapshot::objects(cache.require_session()?);
    snapshots.list().serverless_cache_name(name.clone()).results().await
}

async fn find_subnets(cache: &ServerlessCache) -> Result<Vec<ec2::Subnet>> {
    ec2::find_subnets(cache.require_session()?, cache.subnet_ids.clone().unwrap_or_default()).await
}

async fn find_security_groups(cache: &ServerlessCache) -> Result<Vec<ec2::SecurityGroup>> {
    let ids = cache.security_group_ids.clone().unwrap_or_default();
    ec2::find_security_groups(cache.require_session()?, ids).await
}
