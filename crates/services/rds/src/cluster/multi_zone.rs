//! Clusters of instances in several zones: the service makes one that takes writes and two readers. Their settings and statuses
//! follow those of the cluster.

use super::{
    ClusterPendingModifiedValues, DBCluster, ModifyDBCluster, members::DEFAULT_TIER,
    pending::PendingClusterRow,
};
use crate::{
    CreateDBInstance, DBInstance, DBSubnetGroup, PendingModifiedValues,
    engine::{self, Engine, Version, classes},
    errors,
    event::known,
    instance::{
        INSTANCES,
        storage::{GivenStorage, Storage},
    },
    settings,
};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Result, Text, field_value::FieldType};

/// Number of instances, each of which is in a zone of its own.
const MEMBERS: usize = 3;

/// Longest identifier: those of the instances are longer.
const MAX_LENGTH: usize = 52;

/// Types of storage.
const STORAGE_TYPES: &[&str] = &["gp3", "io1", "io2"];

/// True for engines that have clusters in several zones.
pub(crate) fn is_engine(engine: &str) -> bool {
    engine::find(engine).is_some_and(Engine::has_multi_zone_clusters)
}

/// Longest identifier of a cluster of an engine.
pub(super) fn max_identifier(engine: &str) -> usize {
    if is_engine(engine) { MAX_LENGTH } else { crate::identifier::MAX_LENGTH }
}

/// Refuses a version without clusters in several zones.
pub(super) fn check_version(version: Version) -> Result<()> {
    match version.major.family {
        "mysql5.7" => {
            let error = errors::cluster_version_unsupported(version.engine.name, version.name());
            Err(error.with_field("EngineVersion"))
        }
        _ => Ok(()),
    }
}

/// Refuses a subnet group that does not cover a zone for each instance.
pub(super) fn check_zones(group: &DBSubnetGroup) -> Result<()> {
    let count = settings::zones_of(group).len();
    match count >= MEMBERS {
        true => Ok(()),
        false => Err(errors::too_few_zones(MEMBERS, count).with_field("DBSubnetGroupName")),
    }
}

/// Refuses a class that instances of a cluster cannot have.
fn check_class(version: Version, given: &str) -> Result<()> {
    let field = "DBClusterInstanceClass";
    if !classes::is_known(given) {
        return Err(errors::class_invalid(given).with_field(field));
    }
    if classes::is_offered_to_clusters(version, given) {
        return Ok(());
    }
    let license = version.engine.licenses.first().copied().unwrap_or_default();
    let error = errors::combination_unsupported(given, version.engine.name, version.name(), license);
    Err(error.with_field(field))
}

/// Status of the instances while the cluster has a status; none if they keep theirs.
fn member_status(status: &str) -> Option<&str> {
    match status {
        "creating" | "modifying" | "upgrading" | "rebooting" | "deleting" => Some(status),
        "scaling-compute" | "scaling-storage" => Some("modifying"),
        _ => None,
    }
}

/// Class and storage that a change gives.
pub(super) struct Hardware {
    class: Option<Text>,
    size: Option<i64>,
    storage_type: Option<Text>,
    iops: Option<i64>,
}

impl ModifyDBCluster {
    /// Takes the class and the storage out of a change of a cluster in several zones. They are pending at first.
    pub(super) fn take_hardware(&mut self) -> Hardware {
        Hardware {
            class: self.db_cluster_instance_class.take(),
            size: self.allocated_storage.take(),
            storage_type: self.storage_type.take(),
            iops: self.iops.take(),
        }
    }
}

impl Hardware {
    /// Notes what changes as pending; what the cluster has already is pending no longer.
    pub(super) fn change(
        self,
        cluster: &mut DBCluster,
        version: Version,
        row: &mut PendingClusterRow,
    ) -> Result<()> {
        if let Some(class) = self.class {
            check_class(version, &class)?;
            row.instance_class =
                Some(class).filter(|class| cluster.db_cluster_instance_class.as_ref() != Some(class));
        }
        if self.size.is_none() && self.storage_type.is_none() && self.iops.is_none() {
            return Ok(());
        }
        let current = cluster.storage();
        let waiting = cluster.pending();
        let given = GivenStorage {
            kind: self.storage_type.as_deref(),
            size: self.size.or(waiting.allocated_storage),
            iops: self.iops,
            throughput: None,
        };
        check_storage_type(version.engine, self.storage_type.as_deref())?;
        let storage = given.change(&current, version.engine)?;
        waiting.allocated_storage = Some(storage.size).filter(|size| *size != current.size);
        waiting.iops = storage.iops.filter(|_| storage.iops != current.iops);
        waiting.storage_type = Some(storage.kind).filter(|kind| *kind != current.kind);
        Ok(())
    }
}

fn check_storage_type(engine: &Engine, given: Option<&str>) -> Result<()> {
    match given.filter(|given| !STORAGE_TYPES.contains(given)) {
        Some(given) => {
            let error = errors::cluster_storage_type_invalid(given, engine.name);
            Err(error.with_hint(format!("one of {}", STORAGE_TYPES.join(", "))).with_field("StorageType"))
        }
        None => Ok(()),
    }
}

impl DBCluster {
    /// Storage of each instance.
    fn storage(&self) -> Storage {
        Storage {
            kind: self.storage_type.clone().unwrap_or_default(),
            size: self.allocated_storage.unwrap_or_default(),
            iops: self.iops,
            throughput: self.storage_throughput,
        }
    }

    fn set_storage(&mut self, storage: Storage) {
        self.storage_type = Some(storage.kind);
        self.allocated_storage = Some(storage.size);
        self.iops = storage.iops;
        self.storage_throughput = storage.throughput;
    }

    /// Checks class and storage of a new cluster, and completes them.
    pub(super) fn choose_hardware(&mut self, version: Version) -> Result<()> {
        let field = "DBClusterInstanceClass";
        let Some(class) = &self.db_cluster_instance_class else {
            return Err(errors::cluster_class_needed().with_field(field));
        };
        check_class(version, class)?;
        check_storage_type(version.engine, self.storage_type.as_deref())?;
        let given = GivenStorage {
            kind: Some(self.storage_type.as_deref().unwrap_or("io1")),
            size: self.allocated_storage,
            iops: self.iops,
            throughput: None,
        };
        let storage = given.read(version.engine)?;
        self.set_storage(storage);
        Ok(())
    }

    /// Applies a pending change of class and storage.
    pub(super) fn apply_hardware(
        &mut self,
        pending: &ClusterPendingModifiedValues,
        row: &PendingClusterRow,
    ) -> Result<()> {
        if let Some(class) = &row.instance_class {
            self.db_cluster_instance_class = Some(class.clone());
        }
        if pending.allocated_storage.is_some() || pending.storage_type.is_some() || pending.iops.is_some() {
            let given = GivenStorage {
                kind: pending.storage_type.as_deref(),
                size: pending.allocated_storage,
                iops: pending.iops,
                throughput: None,
            };
            let storage = given.change(&self.storage(), self.version()?.engine)?;
            self.set_storage(storage);
        }
        Ok(())
    }

    /// Makes the instances of a new cluster. The first one takes writes.
    pub(super) fn create_members(&mut self, cx: &mut Tx<'_>, certificate: Option<&Text>) -> Result<()> {
        let class = self.db_cluster_instance_class.clone().unwrap_or_default();
        let engine = self.engine.clone().unwrap_or_default();
        for (n, zone) in self.availability_zones.clone().unwrap_or_default().into_iter().enumerate() {
            let id = format!("{}-instance-{}", self.id(), n + 1);
            let mut create = CreateDBInstance::new(id, class.clone(), engine.clone());
            create.availability_zone = Some(zone);
            create.db_subnet_group_name.clone_from(&self.db_subnet_group);
            create.publicly_accessible = self.publicly_accessible;
            create.ca_certificate_identifier = certificate.cloned();
            let member = create.build_member(cx, self)?;
            INSTANCES.add_one(cx, errors::too_many_instances)?;
            member.attach(cx, None)?;
            self.add_member(member.id(), Some(DEFAULT_TIER));
            self.certificate_details.clone_from(&member.certificate_details);
            self.publicly_accessible = member.publicly_accessible;
            member.keep(cx)?;
        }
        Ok(())
    }

    /// Stores the cluster with a status that it leaves by itself. The instances of a cluster in several zones follow it.
    pub(super) fn enter(&mut self, cx: &mut Tx<'_>, status: &str) -> Result<()> {
        self.status = Some(status.into());
        if status == "upgrading" {
            self.record(cx, &known::CLUSTER_UPGRADE_STARTED, &[])?;
        }
        if let Some(status) = member_status(status).filter(|_| self.is_multi_zone()) {
            self.change_members(cx, |instance, _| {
                instance.db_instance_status = Some(status.into());
                Ok(())
            })?;
        }
        cx.put_and_schedule_transition(self.clone())
    }

    /// Ends a change of the instances of a cluster in several zones: they have the settings of the cluster.
    pub(super) fn settle_members(&self, cx: &mut Tx<'_>) -> Result<()> {
        if !self.is_multi_zone() {
            return Ok(());
        }
        self.change_members(cx, |instance, cx| {
            match instance.status() {
                "creating" => instance.finish_creation(cx)?,
                "rebooting" => instance.finish_reboot(cx)?,
                _ => {}
            }
            instance.follow_cluster(self)?;
            instance.db_instance_status = Some("available".into());
            Ok(())
        })?;
        self.show_pending_in_members(cx)
    }

    /// Shows what is pending for the instances of a cluster in several zones.
    pub(crate) fn show_pending_in_members(&self, cx: &mut Tx<'_>) -> Result<()> {
        if !self.is_multi_zone() {
            return Ok(());
        }
        let row = PendingClusterRow::of(cx, self)?;
        let mut shown = PendingModifiedValues::blank();
        shown.db_instance_class.clone_from(&row.instance_class);
        if let Some(pending) = &self.pending_modified_values {
            shown.allocated_storage = pending.allocated_storage;
            shown.storage_type.clone_from(&pending.storage_type);
            shown.iops = pending.iops;
            shown.engine_version.clone_from(&pending.engine_version);
        }
        self.change_members(cx, |instance, _| {
            instance.pending_modified_values = Some(shown.clone());
            Ok(())
        })
    }

    /// Removes the instances of a deleted cluster in several zones.
    pub(super) fn remove_members(&self, cx: &mut Tx<'_>) -> Result<()> {
        for member in self.members().iter().filter(|_| self.is_multi_zone()) {
            let id = member.db_instance_identifier.as_deref().unwrap_or_default();
            if let Some(mut instance) = DBInstance::find_by(cx, &[id])? {
                instance.clean_up(cx)?;
                cx.remove(&instance)?;
            }
        }
        Ok(())
    }
}
