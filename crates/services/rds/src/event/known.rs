//! The events of the service: their IDs, categories and messages.

/// An event of the service. Each `{}` in its message is replaced by an argument.
pub struct KnownEvent {
    /// ID.
    pub id: &'static str,
    /// Categories.
    pub categories: &'static [&'static str],
    /// Message.
    message: &'static str,
}

impl KnownEvent {
    /// Returns the message with arguments.
    pub fn message_with(&self, arguments: &[&str]) -> String {
        let mut parts = self.message.split("{}");
        let mut message = parts.next().unwrap_or_default().to_owned();
        for (part, argument) in parts.zip(arguments) {
            message.push_str(argument);
            message.push_str(part);
        }
        message
    }
}

const AVAILABILITY: &[&str] = &["availability"];
const BACKUP: &[&str] = &["backup"];
const CONFIGURATION: &[&str] = &["configuration change"];
const CREATION: &[&str] = &["creation"];
const DELETION: &[&str] = &["deletion"];
const FAILOVER: &[&str] = &["failover"];
const MAINTENANCE: &[&str] = &["maintenance"];
const NOTIFICATION: &[&str] = &["notification"];
const READ_REPLICA: &[&str] = &["read replica"];
const RESTORATION: &[&str] = &["restoration"];

/// True for an event with a start of the engine of an instance, false for one with a shutdown.
pub(super) fn is_start(id: &str) -> Option<bool> {
    let starts = [INSTANCE_CREATED.id, INSTANCE_RESTARTED.id, INSTANCE_STARTED.id];
    match id {
        _ if starts.contains(&id) => Some(true),
        _ if id == INSTANCE_SHUTDOWN.id => Some(false),
        _ => None,
    }
}

macro_rules! events {
    ($($(#[$docs:meta])* $name:ident = $id:literal, $categories:expr, $message:literal;)+) => {
        $(
            #[doc = concat!($message, ".")]
            $(#[$docs])*
            pub const $name: KnownEvent =
                KnownEvent { id: concat!("RDS-EVENT-", $id), categories: $categories, message: $message };
        )+
    };
}

// Events of instances.
events! {
    BACKUP_STARTED = "0001", BACKUP, "Backing up DB instance";
    BACKUP_FINISHED = "0002", BACKUP, "Finished DB instance backup";
    INSTANCE_DELETED = "0003", DELETION, "DB instance deleted";
    INSTANCE_SHUTDOWN = "0004", AVAILABILITY, "DB instance shutdown";
    INSTANCE_CREATED = "0005", CREATION, "DB instance created";
    INSTANCE_RESTARTED = "0006", AVAILABILITY, "DB instance restarted";
    /// With the name of the group.
    PARAMETER_GROUP_CHANGED = "0011", CONFIGURATION, "Updated to use DBParameterGroup {}";
    CLASS_CHANGE_STARTED = "0012", CONFIGURATION, "Applying modification to database instance class";
    STANDBY_FAILOVER_STARTED = "0013", FAILOVER, "Multi-AZ instance failover started";
    CLASS_CHANGED = "0014", CONFIGURATION, "Finished applying modification to DB instance class";
    PASSWORD_RESET = "0016", CONFIGURATION, "Reset master credentials";
    STORAGE_CHANGED = "0017", CONFIGURATION, "Finished applying modification to allocated storage";
    STORAGE_CHANGE_STARTED = "0018", CONFIGURATION, "Applying modification to allocated storage";
    /// With the identifier of the source and the time.
    RESTORED_TO_TIME = "0019", RESTORATION, "Restored from DB instance {} to {}";
    STANDBY_STARTED = "0024", CONFIGURATION, "Applying modification to convert to a Multi-AZ DB instance";
    STANDBY_ADDED = "0025", CONFIGURATION, "Finished applying modification to convert to a Multi-AZ DB instance";
    BACKUPS_DISABLED = "0028", CONFIGURATION, "Disabled automated backups";
    STANDBY_REMOVED = "0029", CONFIGURATION,
        "Finished applying modification to convert to a standard (Single-AZ) DB instance";
    STANDBY_REMOVAL_STARTED = "0030", CONFIGURATION,
        "Applying modification to convert to a standard (Single-AZ) DB instance";
    BACKUPS_ENABLED = "0032", CONFIGURATION, "Enabled automated backups";
    /// With the identifier of the snapshot.
    RESTORED_FROM_SNAPSHOT = "0043", RESTORATION, "Restored from snapshot {}";
    REPLICATION_STARTED = "0046", READ_REPLICA, "Replication for the Read Replica resumed";
    INSTANCE_PATCHED = "0047", MAINTENANCE, "Database instance patched";
    STANDBY_FAILOVER_COMPLETED = "0049", FAILOVER, "Multi-AZ instance failover completed";
    REPLICATION_ENDED = "0057", READ_REPLICA, "Replication streaming has been terminated";
    /// With the interval in seconds.
    MONITORING_CHANGED = "0078", CONFIGURATION, "Monitoring Interval changed to {}";
    INSTANCE_STOPPED = "0087", NOTIFICATION, "DB instance stopped";
    INSTANCE_STARTED = "0088", NOTIFICATION, "DB instance started";
    INSTANCE_STARTED_AGAIN = "0154", NOTIFICATION,
        "DB instance is being started due to it exceeding the maximum allowed time being stopped.";
    SWITCHOVER_STARTED = "0233", READ_REPLICA, "The Switchover to the read replica started";
    INSTANCE_UPGRADE_STARTED = "0267", MAINTENANCE, "The engine version upgrade started.";
    INSTANCE_UPGRADED = "0268", MAINTENANCE, "The engine version upgrade finished.";
}

// Events of clusters.
events! {
    /// With the identifier of the instance.
    FAILOVER_COMPLETED = "0071", FAILOVER, "Completed failover to DB instance: {}";
    /// With the identifier of the instance.
    SAME_ZONE_FAILOVER_STARTED = "0072", FAILOVER, "Started same AZ failover to DB instance: {}";
    /// With the identifier of the instance.
    FAILOVER_STARTED = "0073", FAILOVER, "Started cross AZ failover to DB instance: {}";
    CLUSTER_STOPPED = "0150", NOTIFICATION, "DB cluster stopped";
    CLUSTER_STARTED = "0151", NOTIFICATION, "DB cluster started";
    CLUSTER_STARTED_AGAIN = "0153", NOTIFICATION,
        "DB cluster is being started due to it exceeding the maximum allowed time being stopped.";
    CLUSTER_CREATED = "0170", CREATION, "DB cluster created";
    CLUSTER_DELETED = "0171", DELETION, "DB cluster deleted";
    /// With the old and the new identifier.
    CLUSTER_RENAMED = "0172", NOTIFICATION, "Renamed cluster from {} to {}";
    CLUSTER_PATCHED = "0173", MAINTENANCE, "Database cluster engine version has been upgraded";
    CLUSTER_UPGRADED = "0176", MAINTENANCE, "Database cluster engine major version has been upgraded";
    CLUSTER_UPGRADE_STARTED = "0177", MAINTENANCE, "Database cluster upgrade is in progress";
}

// Events of snapshots of instances.
events! {
    SNAPSHOT_STARTED = "0040", CREATION, "Creating manual snapshot";
    SNAPSHOT_DELETED = "0041", DELETION, "Deleted user snapshot";
    SNAPSHOT_CREATED = "0042", CREATION, "Manual snapshot created";
    AUTOMATED_SNAPSHOT_STARTED = "0090", CREATION, "Creating automated snapshot";
    AUTOMATED_SNAPSHOT_CREATED = "0091", CREATION, "Automated snapshot created";
    /// With the identifier of the source and its Region.
    COPY_FROM_REGION_STARTED = "0059", NOTIFICATION, "Started copy of snapshot {} from region {}";
    /// With the identifier of the source, its Region, and the minutes that it took.
    COPY_FROM_REGION_FINISHED = "0060", NOTIFICATION, "Finished copy of snapshot {} from region {} in {} minutes";
    /// With the identifier of the source and the Region.
    COPY_STARTED = "0196", NOTIFICATION, "Started copy of snapshot {} in region {}";
    /// With the identifier of the source and the Region.
    COPY_FINISHED = "0197", NOTIFICATION, "Finished copy of snapshot {} in region {}";
}

// Events of snapshots of clusters.
events! {
    CLUSTER_SNAPSHOT_STARTED = "0074", BACKUP, "Creating manual cluster snapshot";
    CLUSTER_SNAPSHOT_CREATED = "0075", BACKUP, "Manual cluster snapshot created";
    AUTOMATED_CLUSTER_SNAPSHOT_STARTED = "0168", BACKUP, "Creating automated cluster snapshot";
    AUTOMATED_CLUSTER_SNAPSHOT_CREATED = "0169", BACKUP, "Automated cluster snapshot created";
}

// Events of parameter groups.
events! {
    /// With the name, the value and the method of the change.
    PARAMETER_CHANGED = "0037", CONFIGURATION, "Updated parameter {} to {} with apply method {}";
}
