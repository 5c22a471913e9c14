//! The operation that creates a cluster.

use super::{
    ClusterPendingModifiedValues, ClusterScalabilityType, DBCluster, DBClusterAccess,
    DBClusterAssociatedRole, DBClusterFeatures, DBClusterManager, LocalWriteForwardingStatus,
    RdsCustomClusterConfiguration, multi_zone,
    settings::{is_aurora, refuse_for_engine, refuse_given},
};
use crate::{
    DBInstance, StorageEncryptionType, TagSpecification, backup,
    engine::{self, Engine, Version},
    errors, identifier,
    master_user::{self, Database, NewMasterUser},
    settings::{self, Hosts},
    subnet_group, tagging,
};
use nephos_cloud::{Addressed, Handler, Quota, StoredResource, Tx, own_arn, tags::to_list};
use nephos_core::{Map, Record, Result, Text, field_value::FieldType, operation};
use nephos_ec2 as ec2;

/// Quota of clusters.
pub(crate) const CLUSTERS: Quota = Quota { counter: "rds/clusters", max: 40, what: "DB clusters" };

/// Number of zones of the storage of a cluster.
const ZONES: usize = 3;

/// Creates a cluster. It has no instances yet: they are created as members of it. Those of a cluster in several zones, of mysql or
/// postgres, are made with it.
#[operation(
    of = DBCluster, call = "create", model, needs(db_cluster_identifier, engine),
    takes(
        settable, db_subnet_group as db_subnet_group_name(name = "DBSubnetGroupName"), tag_list(wire = "Tags", from_field = "TagList|Tags"),
        enabled_log_exports(wire = "EnableCloudwatchLogsExports"),
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"),
        http_endpoint_enabled(wire = "EnableHttpEndpoint"),
        performance_insights_enabled(wire = "EnablePerformanceInsights")
    ),
    except(aws_backup_recovery_point_arn), include(DBClusterAccess, DBClusterFeatures),
    overrides(db_subnet_group_name, tag_list, DBClusterAccess, DBClusterFeatures), wraps(db_cluster(name = "DBCluster")), effect = write,
    also_requires(
        "AddTagsToResource" = "TagList?",
        "iam:PassRole to monitoring.rds.amazonaws.com" = "MonitoringRoleArn? {MonitoringRoleArn}"
    ),
    subject = "cluster:{DBClusterIdentifier} + DBClusterParameterGroupName? cluster-pg:{DBClusterParameterGroupName} + \
        DBSubnetGroupName? subgrp:{DBSubnetGroupName} + OptionGroupName? og:{OptionGroupName}"
)]
pub struct CreateDBCluster {
    /// A signed request to the Region of the source of a replica. There are no replicas in other Regions, so it is refused.
    #[field(sensitive)]
    pub pre_signed_url: Option<Text>,
    /// Region of the source of a replica. Clients use it to sign a request; the service does not.
    #[field(no_effect)]
    pub source_region: Option<Text>,
    /// Settings of a custom cluster. There are none, so they are refused.
    pub rds_custom_cluster_configuration: Option<RdsCustomClusterConfiguration>,
    /// Tags of the automated backups, as those of the resource type `cluster-auto-backup`.
    #[field(item = "item")]
    pub tag_specifications: Option<Vec<TagSpecification>>,
    /// True for settings that are chosen by the service. It is refused.
    pub with_express_configuration: Option<bool>,
    /// Roles.
    #[field(item = "DBClusterAssociatedRole", length(..=15))]
    pub associated_roles: Option<Vec<DBClusterAssociatedRole>>,
}

impl Handler for CreateDBCluster {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let max = multi_zone::max_identifier(&self.engine);
        let id = identifier::read(&self.db_cluster_identifier, "DBClusterIdentifier", max)?;
        let tags = tagging::RULES.read_list(self.tag_list.as_deref().unwrap_or_default())?;
        if DBCluster::find_by(cx, &[&id])?.is_some() {
            return Err(errors::cluster_exists().with_field("DBClusterIdentifier"));
        }
        let engine = engine::require(&self.engine)?;
        let source = self.find_source(cx, engine)?;
        let mut cluster = self.build(cx, id, engine, source.as_ref())?;
        if engine.name != "neptune" && source.is_none() {
            self.master_user().check(engine)?;
        }
        cluster.tag_list = Some(to_list(tags).unwrap_or_default());
        let backup_tags = self.backup_tags()?;
        CLUSTERS.add_one(cx, errors::too_many_clusters)?;
        let arn = cluster.own_arn().to_owned();
        let resource_id = cluster.db_cluster_resource_id.clone().unwrap_or_default();
        let database = Database { kind: "cluster", arn: &arn, resource_id: &resource_id };
        cluster.master_user_secret = self.master_user().store(cx, &database)?;
        if let Some(source) = source {
            let own = source.dbi_resource_id.clone().unwrap_or_default();
            master_user::copy_password(cx, &cx.scope().clone(), &own, &resource_id)?;
            cluster.follow_source(cx, source)?;
        }
        if cluster.is_multi_zone() {
            let features = DBClusterFeatures::from_given(self);
            cluster.create_members(cx, features.certificate())?;
        }
        cluster.schedule_rotation(cx)?;
        cluster.tag_backups(cx, backup_tags)?;
        cluster.store_new(cx)?;
        Ok(cluster.into())
    }
}

impl CreateDBCluster {
    /// Tags of the automated backups.
    pub(super) fn backup_tags(&self) -> Result<Map<Text>> {
        backup::read_tags(self.tag_specifications.as_deref(), backup::OF_CLUSTER)
    }

    fn master_user(&self) -> NewMasterUser<'_> {
        NewMasterUser {
            name: self.master_username.as_ref(),
            password: self.master_user_password.as_ref(),
            is_managed: self.manage_master_user_password,
            crypto_key: self.master_user_secret_crypto_key_id.as_ref(),
            authentication: self.master_user_authentication_type.as_ref(),
        }
    }

    /// Refuses what no account here can have.
    fn refuse_unsupported(&self) -> Result<()> {
        if let Some(id) = &self.global_cluster_identifier {
            return Err(errors::global_cluster_not_found(id).with_field("GlobalClusterIdentifier"));
        }
        if let Some(mode) = self.engine_mode.as_deref().filter(|mode| *mode != "provisioned") {
            return Err(errors::engine_mode_unavailable(mode).with_field("EngineMode"));
        }
        let scalability = self.cluster_scalability_type.as_ref();
        refuse_given(&[
            ("PreSignedUrl", self.pre_signed_url.is_some()),
            ("RdsCustomClusterConfiguration", self.rds_custom_cluster_configuration.is_some()),
            ("WithExpressConfiguration", self.with_express_configuration == Some(true)),
            ("ClusterScalabilityType", scalability == Some(&ClusterScalabilityType::Limitless)),
            ("DBSystemId", self.db_system_id.is_some()),
        ])
    }

    /// Builds the cluster with defaults, and validates it. The master user is not checked: a restored cluster has one already.
    pub(super) fn build(
        &self,
        cx: &mut Tx<'_>,
        id: Text,
        engine: &'static Engine,
        source: Option<&DBInstance>,
    ) -> Result<DBCluster> {
        let is_multi_zone = multi_zone::is_engine(engine.name);
        if !engine.in_clusters && !is_multi_zone {
            return Err(errors::engine_without_clusters(engine.name).with_field("Engine"));
        }
        let version = match (source, self.engine_version.as_deref()) {
            (Some(source), _) => self.version_of_replica(source)?,
            (None, Some(version)) => engine.version(version)?,
            (None, None) => engine.default_version()?,
        };
        let access = DBClusterAccess::from_given(self.clone());
        let features = DBClusterFeatures::from_given(self.clone());
        self.refuse_unsupported()?;
        features.refuse_unsupported(version)?;
        self.check_engine(engine)?;
        let mut cluster = DBCluster::from_given(self.clone());
        cluster.db_cluster_identifier = Some(id);
        cluster.db_cluster_arn = own_arn(&cluster, cx.scope());
        cluster.db_cluster_resource_id = Some(settings::new_resource_id(cx, "cluster"));
        cluster.engine_version = Some(version.name().into());
        let capacity = cluster.serverless_v2_scaling_configuration.take();
        cluster.set_capacity(engine, capacity.as_ref())?;
        cluster.check_settings(cx, engine, None)?;
        if is_multi_zone {
            multi_zone::check_version(version)?;
            cluster.choose_hardware(version)?;
        }
        settings::check_log_types(
            version,
            self.enabled_log_exports.as_deref().unwrap_or_default(),
            "EnabledLogExports",
        )?;
        let subnets = self.db_subnet_group_name.as_deref();
        cluster.place(cx, subnets, self.availability_zones.as_deref())?;
        cluster.set_security_groups(cx, access.vpc_security_group_ids.as_deref())?;
        let parameters = access.read_parameter_group(cx, version)?;
        cluster.db_cluster_parameter_group =
            Some(parameters.unwrap_or_else(|| version.default_parameter_group().into()));
        self.encrypt(cx, &mut cluster, source)?;
        cluster.associated_roles = Some(Vec::new());
        for role in self.associated_roles.iter().flatten() {
            let arn = role.role_arn.clone().unwrap_or_default();
            cluster.associate_role(&arn, role.feature_name.as_ref())?;
        }
        if is_aurora(engine) {
            let forwarding = features.write_forwarding();
            cluster.local_write_forwarding_status =
                Some(forwarding.unwrap_or(LocalWriteForwardingStatus::Disabled));
        }
        cluster.complete(cx, version);
        Ok(cluster)
    }

    /// Encrypts the storage. A replica is encrypted like its source, under the same crypto key if none is given.
    fn encrypt(&self, cx: &mut Tx<'_>, cluster: &mut DBCluster, source: Option<&DBInstance>) -> Result<()> {
        let key = self.crypto_key_id.as_ref();
        let Some(source) = source else {
            return cluster.encrypt(cx, self.storage_encrypted, key.map(Text::as_str));
        };
        let is_encrypted = source.storage_encrypted == Some(true);
        if !is_encrypted && (key.is_some() || self.storage_encrypted == Some(true)) {
            let field = if key.is_some() { "CryptoKeyId" } else { "StorageEncrypted" };
            return Err(errors::encrypted_replica_of_unencrypted().with_field(field));
        }
        let key = key.or(source.crypto_key_id.as_ref());
        cluster.encrypt(cx, Some(is_encrypted), key.filter(|_| is_encrypted).map(Text::as_str))
    }

    /// Refuses parameters that the engine does not have, and a malformed name of the first database.
    fn check_engine(&self, engine: &Engine) -> Result<()> {
        let is_graph = engine.name == "neptune";
        let is_multi_zone = multi_zone::is_engine(engine.name);
        refuse_for_engine(
            engine,
            &[
                ("AllocatedStorage", self.allocated_storage.is_some() && !is_multi_zone),
                ("PubliclyAccessible", self.publicly_accessible.is_some() && !is_multi_zone),
                ("AvailabilityZones", self.availability_zones.is_some() && is_multi_zone),
                (
                    "ServerlessV2ScalingConfiguration",
                    self.serverless_v2_scaling_configuration.is_some() && is_multi_zone,
                ),
                ("MasterUsername", is_graph && self.master_username.is_some()),
                ("MasterUserPassword", is_graph && self.master_user_password.is_some()),
                ("ManageMasterUserPassword", is_graph && self.manage_master_user_password.is_some()),
                ("DatabaseName", !is_aurora(engine) && !is_multi_zone && self.database_name.is_some()),
            ],
        )?;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = |name: &&Text| {
            name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name.bytes().all(is_part)
                && name.len() <= 64
        };
        match self.database_name.as_ref().filter(|name| !is_name(name)) {
            Some(_) => Err(errors::cluster_database_name_invalid().with_field("DatabaseName")),
            None => Ok(()),
        }
    }
}

impl DBCluster {
    /// Puts the cluster into a subnet group, the default one if none is named, and into three zones.
    pub(crate) fn place(&mut self, cx: &Tx<'_>, group: Option<&str>, zones: Option<&[Text]>) -> Result<()> {
        let group = subnet_group::require(cx, group.unwrap_or(subnet_group::DEFAULT), "DBSubnetGroupName")?;
        if self.is_multi_zone() {
            multi_zone::check_zones(&group)?;
        }
        let mut known = settings::zones_of(&group);
        let others = ec2::default_subnets(cx)?;
        for zone in others.iter().filter_map(|subnet| subnet.availability_zone()) {
            if !known.iter().any(|one| one == zone) {
                known.push(zone.into());
            }
        }
        let mut chosen = zones.unwrap_or_default().to_vec();
        if let Some(unknown) = chosen.iter().find(|zone| !known.contains(zone)) {
            return Err(errors::zone_invalid(unknown).with_field("AvailabilityZones"));
        }
        chosen.extend(known);
        let mut zones: Vec<Text> = Vec::new();
        for zone in chosen {
            if !zones.contains(&zone) && zones.len() < ZONES {
                zones.push(zone);
            }
        }
        zones.sort_unstable();
        self.availability_zones = Some(zones);
        self.db_subnet_group = Some(group.own_name().into());
        Ok(())
    }

    /// Encrypts the storage, if it is to be: a crypto key needs encryption.
    pub(crate) fn encrypt(
        &mut self,
        cx: &mut Tx<'_>,
        encrypted: Option<bool>,
        key: Option<&str>,
    ) -> Result<()> {
        let encrypted = encrypted.unwrap_or(key.is_some());
        if !encrypted && key.is_some() {
            return Err(errors::crypto_key_without_encryption().with_field("CryptoKeyId"));
        }
        self.storage_encrypted = Some(encrypted);
        self.crypto_key_id = None;
        if encrypted {
            let arn = self.own_arn().to_owned();
            self.crypto_key_id = settings::find_crypto_key(cx, &arn, key, "CryptoKeyId")?;
        }
        self.storage_encryption_type = Some(match encrypted {
            true => StorageEncryptionType::SseKms,
            false => StorageEncryptionType::None,
        });
        Ok(())
    }

    /// Sets the host names, which follow from the identifier.
    pub(crate) fn set_hosts(&mut self, cx: &Tx<'_>) {
        let hosts = Hosts::of(cx, self.engine.as_deref().unwrap_or_default());
        self.endpoint = Some(hosts.cluster(self.id(), "cluster"));
        self.reader_endpoint = Some(hosts.cluster(self.id(), "cluster-ro"));
        self.hosted_zone_id = hosts.zone();
    }

    /// Completes a new cluster by what the service sets, and by defaults.
    pub(crate) fn complete(&mut self, cx: &Tx<'_>, version: Version) {
        let engine = version.engine;
        self.set_hosts(cx);
        self.port.get_or_insert(engine.port);
        self.backup_retention_period.get_or_insert(1);
        if !self.is_multi_zone() {
            self.allocated_storage = (engine.name != "docdb").then_some(1);
        }
        self.multi_az = Some(false);
        self.engine_mode = Some("provisioned".into());
        self.cluster_create_time = Some(cx.now());
        for flag in [
            &mut self.http_endpoint_enabled,
            &mut self.copy_tags_to_snapshot,
            &mut self.iam_database_authentication_enabled,
            &mut self.deletion_protection,
            &mut self.cross_account_clone,
        ] {
            flag.get_or_insert(false);
        }
        self.auto_minor_version_upgrade.get_or_insert(true);
        self.db_cluster_members = Some(Vec::new());
        self.read_replica_identifiers = Some(Vec::new());
        self.domain_memberships = Some(Vec::new());
        self.associated_roles.get_or_insert_default();
        self.enabled_log_exports = self.enabled_log_exports.take().filter(|types| !types.is_empty());
        self.pending_modified_values = Some(ClusterPendingModifiedValues::blank());
        self.activity_stream_status = Some(crate::ActivityStreamStatus::Stopped);
        self.status = Some("creating".into());
    }

    /// Stores a new cluster, and notes what it uses.
    pub(crate) fn store_new(&self, cx: &mut Tx<'_>) -> Result<()> {
        self.note_uses(cx, None)?;
        self.schedule_backup(cx)?;
        cx.put_and_schedule_transition(self.clone())
    }
}
