//! The operation that creates a read replica.

use super::{
    super::{
        CreateDBInstance, DBInstance, DBInstanceManager, InstanceDomain, InstanceGroups, create::INSTANCES,
    },
    find_named, has_replica_mode,
    source::Source,
};
use crate::{
    ReplicaMode, TagSpecification, errors, instance::parameters::refuse_given, master_user, settings,
    subnet_group,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Creates a read replica of an instance in any Region of the account, or of a cluster in several zones. It has no automated
/// backups; what is not given, it has from its source.
#[operation(
    of = DBInstance, call = "create_read_replica", needs(db_instance_identifier), include(InstanceGroups, InstanceDomain),
    takes(
        db_instance_class, availability_zone, db_instance_port(wire = "Port"), multi_az, auto_minor_version_upgrade, iops,
        storage_throughput, publicly_accessible, tag_list(wire = "Tags"), storage_type, copy_tags_to_snapshot,
        monitoring_interval, monitoring_role_arn, crypto_key_id,
        iam_database_authentication_enabled(wire = "EnableIAMDatabaseAuthentication"), database_insights_mode,
        performance_insights_enabled(wire = "EnablePerformanceInsights"), performance_insights_crypto_key_id,
        performance_insights_retention_period, enabled_log_exports(wire = "EnableCloudwatchLogsExports"), processor_features,
        deletion_protection, replica_mode, customer_owned_ip_enabled(wire = "EnableCustomerOwnedIp"), network_type,
        max_allocated_storage, backup_target, custom_iam_instance_profile, allocated_storage, dedicated_log_volume,
        ca_certificate_identifier, additional_storage_volumes, db_capacity_reservation_identifier
    ),
    wraps(db_instance(name = "DBInstance")), effect = write, also_requires(
        "AddTagsToResource" = "TagList?",
        "iam:PassRole to monitoring.rds.amazonaws.com" = "MonitoringRoleArn? {MonitoringRoleArn}"
    ),
    subject = "db:{DBInstanceIdentifier} + SourceDBInstanceIdentifier? db:{SourceDBInstanceIdentifier} + \
        SourceDBClusterIdentifier? cluster:{SourceDBClusterIdentifier} + DBParameterGroupName? pg:{DBParameterGroupName} + \
        OptionGroupName? og:{OptionGroupName} + DBSubnetGroupName? subgrp:{DBSubnetGroupName}"
)]
pub struct CreateDBInstanceReadReplica {
    /// Identifier of the source, or its ARN. A source in another Region is given by its ARN.
    #[field(name = "SourceDBInstanceIdentifier")]
    pub source_db_instance_identifier: Option<Text>,
    /// Identifier or ARN of the source, a cluster in several zones.
    #[field(name = "SourceDBClusterIdentifier")]
    pub source_db_cluster_identifier: Option<Text>,
    /// True for the processor features of the class instead of those of the source.
    pub use_default_processor_features: Option<bool>,
    /// A signed request to the Region of the source. It is refused for a source in the same Region, and not needed for others.
    #[field(sensitive, no_effect)]
    pub pre_signed_url: Option<Text>,
    /// Region of the source. Clients use it to sign a request; the service does not.
    #[field(no_effect)]
    pub source_region: Option<Text>,
    /// True to move the storage to a newer form. All storage has it.
    #[field(no_effect)]
    pub upgrade_storage_config: Option<bool>,
    /// Tags of the automated backups, as those of the resource type `auto-backup`.
    #[field(item = "item")]
    pub tag_specifications: Option<Vec<TagSpecification>>,
}

impl Handler for CreateDBInstanceReadReplica {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let source = self.find_source(cx)?;
        source.check(cx)?;
        self.check(cx, &source)?;
        let create = self.to_create(cx, &source)?;
        let mut replica = create.build(cx)?;
        self.check_network(cx, &source, &replica)?;
        replica.replica_mode = self.mode_of(&source)?;
        INSTANCES.add_one(cx, errors::too_many_instances)?;
        source.add(cx, &mut replica)?;
        let resource = replica.dbi_resource_id.clone().unwrap_or_default();
        master_user::copy_password(cx, &source.scope, source.resource_id(), &resource)?;
        replica.tag_backups(cx, create.backup_tags()?)?;
        replica.store_new(cx)?;
        Ok(replica.described(cx)?.into())
    }
}

impl CreateDBInstanceReadReplica {
    fn find_source(&self, cx: &Tx<'_>) -> Result<Source> {
        match (&self.source_db_instance_identifier, &self.source_db_cluster_identifier) {
            (Some(instance), None) => Source::of_instance(cx, instance),
            (None, Some(cluster)) => Source::of_cluster(cx, cluster),
            (Some(_), Some(_)) => {
                Err(errors::replica_of_two_sources().with_field("SourceDBClusterIdentifier"))
            }
            (None, None) => {
                let field = "SourceDBInstanceIdentifier";
                Err(errors::parameter_blank(field).with_field(field))
            }
        }
    }

    /// Refuses parameters that do not fit to the source.
    fn check(&self, cx: &Tx<'_>, source: &Source) -> Result<()> {
        let engine = source.instance.own_engine()?;
        let is_elsewhere = source.is_elsewhere(cx);
        refuse_given(
            &[("PreSignedUrl", self.pre_signed_url.is_some() && !is_elsewhere)],
            errors::presigned_url_not_needed,
        )?;
        if self.db_subnet_group_name.is_some() && !source.is_by_arn {
            return Err(errors::subnet_group_not_allowed().with_field("DBSubnetGroupName"));
        }
        let takes_parameters = match engine.name {
            "mysql" => is_elsewhere || source.cluster.is_some(),
            "postgres" => source.cluster.is_some(),
            name => name.starts_with("oracle") || name.starts_with("db2"),
        };
        if self.db_parameter_group_name.is_some() && !takes_parameters {
            return Err(errors::replica_parameter_group(engine.name).with_field("DBParameterGroupName"));
        }
        let is_sqlserver = engine.is_sqlserver();
        let options = source.instance.option_group_name();
        if is_sqlserver && self.option_group_name.as_deref().is_some_and(|name| Some(name) != options) {
            return Err(errors::replica_option_group().with_field("OptionGroupName"));
        }
        if is_sqlserver && self.allocated_storage.is_some() {
            return Err(errors::replica_storage_size().with_field("AllocatedStorage"));
        }
        let own = source.instance.allocated_storage;
        match self.allocated_storage {
            Some(size) if source.cluster.is_some() && Some(size) != own => {
                Err(errors::replica_storage_of_cluster().with_field("AllocatedStorage"))
            }
            size if size.is_some() && size < own => {
                Err(errors::replica_storage_small().with_field("AllocatedStorage"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the parameters of the creation: those that were given, and those of the source.
    fn to_create(&self, cx: &Tx<'_>, source: &Source) -> Result<CreateDBInstance> {
        let is_elsewhere = source.is_elsewhere(cx);
        let own = source.instance.clone();
        let mut create = CreateDBInstance::from_given(self.clone());
        create.engine = own.engine.clone().unwrap_or_default();
        create.db_instance_class =
            self.db_instance_class.clone().or(own.db_instance_class.clone()).unwrap_or_default();
        create.db_instance_port = self.db_instance_port.or(own.own_port());
        create.backup_retention_period = Some(0);
        create.engine_version = own.engine_version.clone();
        create.license_model = own.license_model.clone();
        create.master_username = own.master_username.clone();
        create.db_name = own.db_name.clone();
        create.character_set_name = own.character_set_name.clone();
        create.nchar_character_set_name = own.nchar_character_set_name.clone();
        create.timezone = own.timezone.clone();
        create.multi_tenant = own.multi_tenant;
        create.engine_lifecycle_support = own.engine_lifecycle_support.clone();
        create.preferred_maintenance_window = own.preferred_maintenance_window.clone();
        create.preferred_backup_window = own.preferred_backup_window.clone();
        create.auto_minor_version_upgrade =
            self.auto_minor_version_upgrade.or(own.auto_minor_version_upgrade);
        create.max_allocated_storage = self.max_allocated_storage.or(own.max_allocated_storage);
        create.dedicated_log_volume = self.dedicated_log_volume.or(own.dedicated_log_volume);
        if create.additional_storage_volumes.is_none() {
            create.additional_storage_volumes = own.additional_storage_volumes.clone();
        }
        self.take_features(&mut create, &own)?;
        self.take_storage(&mut create, &own);
        self.take_encryption(&mut create, &own, is_elsewhere)?;
        if !is_elsewhere {
            self.take_groups(cx, &mut create, source)?;
        }
        Ok(create)
    }

    /// Takes the processor features over from the source, unless the replica has another class, or those of its class.
    fn take_features(&self, create: &mut CreateDBInstance, own: &DBInstance) -> Result<()> {
        let uses_defaults = self.use_default_processor_features == Some(true);
        if uses_defaults && self.processor_features.is_some() {
            return Err(errors::default_processor_features().with_field("ProcessorFeatures"));
        }
        let keeps_class = Some(&create.db_instance_class) == own.db_instance_class.as_ref();
        if keeps_class && !uses_defaults && self.processor_features.is_none() {
            create.processor_features.clone_from(&own.processor_features);
        }
        Ok(())
    }

    /// Takes the storage over from the source. Operations and throughput follow from the type and the size, if those differ.
    fn take_storage(&self, create: &mut CreateDBInstance, own: &DBInstance) {
        create.allocated_storage = self.allocated_storage.or(own.allocated_storage);
        create.storage_type = self.storage_type.clone().or_else(|| match self.iops {
            Some(_) if own.iops.is_none() => None,
            _ => own.storage_type.clone(),
        });
        let keeps_type = create.storage_type == own.storage_type;
        let keeps_size = create.allocated_storage == own.allocated_storage;
        if keeps_type && (keeps_size || own.storage_type.as_deref() != Some("gp3")) {
            create.iops = self.iops.or(own.iops);
            create.storage_throughput = self.storage_throughput.or(own.storage_throughput);
        }
    }

    /// Takes the encryption over from the source. A crypto key is in one Region only.
    fn take_encryption(
        &self,
        create: &mut CreateDBInstance,
        own: &DBInstance,
        is_elsewhere: bool,
    ) -> Result<()> {
        let is_encrypted = own.storage_encrypted == Some(true);
        if !is_encrypted && self.crypto_key_id.is_some() {
            return Err(errors::encrypted_replica_of_unencrypted().with_field("CryptoKeyId"));
        }
        if is_encrypted && is_elsewhere && self.crypto_key_id.is_none() {
            return Err(errors::unencrypted_replica_of_encrypted().with_field("CryptoKeyId"));
        }
        create.storage_encrypted = Some(is_encrypted);
        create.crypto_key_id = self.crypto_key_id.clone().or(own.crypto_key_id.clone());
        Ok(())
    }

    /// Takes the groups over from a source in the same Region. Security groups are those of a VPC.
    fn take_groups(&self, cx: &Tx<'_>, create: &mut CreateDBInstance, source: &Source) -> Result<()> {
        let own = &source.instance;
        if create.option_group_name.is_none() {
            create.option_group_name = own.option_group_name().map(Text::new);
        }
        // Members of a cluster have parameters of the cluster.
        if create.db_parameter_group_name.is_none() && source.cluster.is_none() {
            create.db_parameter_group_name = own.parameter_group().map(Text::new);
        }
        let vpc_of =
            |name: &str| subnet_group::find(cx, name).map(|group| group.and_then(|group| group.vpc_id));
        let group = self.db_subnet_group_name.as_deref().unwrap_or(own.subnet_group_name());
        if create.vpc_security_group_ids.is_none() && vpc_of(group)? == vpc_of(own.subnet_group_name())? {
            create.vpc_security_group_ids = Some(settings::group_ids(own.vpc_security_groups.as_deref()));
        }
        create.db_subnet_group_name = Some(group.into());
        Ok(())
    }

    /// Refuses another VPC than that of the other replicas of the source in this Region, if the source is in another one.
    fn check_network(&self, cx: &Tx<'_>, source: &Source, replica: &DBInstance) -> Result<()> {
        if !source.is_elsewhere(cx) {
            return Ok(());
        }
        let vpc_of = |instance: &DBInstance| {
            subnet_group::find(cx, instance.subnet_group_name())
                .map(|group| group.and_then(|group| group.vpc_id))
        };
        let vpc = vpc_of(replica)?;
        for name in source.instance.replica_names() {
            let Some((scope, other)) = find_named(cx, &source.scope, name)? else { continue };
            if scope == *cx.scope() && vpc_of(&other)? != vpc {
                return Err(errors::subnet_group_of_other_replica().with_field("DBSubnetGroupName"));
            }
        }
        Ok(())
    }

    /// Mode of the replica, for the engines that have one.
    fn mode_of(&self, source: &Source) -> Result<Option<ReplicaMode>> {
        match (has_replica_mode(source.instance.own_engine()?), &self.replica_mode) {
            (true, mode) => Ok(Some(mode.clone().unwrap_or(ReplicaMode::OpenReadOnly))),
            (false, Some(_)) => Err(errors::replica_mode_unsupported().with_field("ReplicaMode")),
            (false, None) => Ok(None),
        }
    }
}
