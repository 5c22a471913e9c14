//! Records that instances and clusters of databases share.

use nephos_core::{Record, Secret, Tag, Text, Timestamp, choices};

choices! {
    /// Use of the performance data of a database.
    pub enum DatabaseInsightsMode {
        /// A week of performance data.
        Standard = "standard",
        /// Fifteen months of performance data.
        Advanced = "advanced",
    }
}

choices! {
    /// How the master user signs in.
    pub enum MasterUserAuthenticationType {
        /// With a password.
        Password = "password",
        /// With credentials of the account.
        IamDbAuth = "iam-db-auth",
    }
}

choices! {
    /// Encryption of the storage.
    pub enum StorageEncryptionType {
        /// Not encrypted.
        None = "none",
        /// Encrypted under a crypto key of the account.
        SseKms = "sse-kms",
        /// Encrypted under a key of the service.
        SseRds = "sse-rds",
    }
}

choices! {
    /// Order in which automatic upgrades reach a database.
    pub enum UpgradeRolloutOrder {
        /// First.
        First = "first",
        /// Second.
        Second = "second",
        /// Last.
        Last = "last",
    }
}

choices! {
    /// Status of the activity stream of a database.
    pub enum ActivityStreamStatus {
        /// It has none.
        Stopped = "stopped",
        /// It is being started.
        Starting = "starting",
        /// It runs.
        Started = "started",
        /// It is being stopped.
        Stopping = "stopping",
    }
}

choices! {
    /// Mode of an activity stream.
    pub enum ActivityStreamMode {
        /// A change waits until its event is stored.
        Sync = "sync",
        /// A change does not wait.
        Async = "async",
    }
}

/// Address and port of a database.
#[derive(Record)]
pub struct Endpoint {
    /// Host name.
    pub(crate) address: Option<Text>,
    /// Port.
    pub(crate) port: Option<i64>,
    /// Hosted zone of the host name.
    pub(crate) hosted_zone_id: Option<Text>,
}

/// A security group of a database.
#[derive(Record)]
pub struct VpcSecurityGroupMembership {
    /// ID of the security group.
    pub(crate) vpc_security_group_id: Option<Text>,
    /// Status of the membership.
    pub(crate) status: Option<Text>,
}

/// The secret with the password of the master user, which the service manages.
#[derive(Record)]
pub struct MasterUserSecret {
    /// ARN of the secret.
    pub(crate) secret_arn: Option<Text>,
    /// Status: creating, active, rotating or impaired.
    pub(crate) secret_status: Option<Text>,
    /// ARN of the crypto key of the secret.
    #[field(wire = "KmsKeyId")]
    pub(crate) crypto_key_id: Option<Text>,
}

/// Name and password of the master user.
#[derive(Record)]
#[record(answer)]
pub struct Credentials {
    /// Name of the user.
    pub(crate) username: Option<Text>,
    /// Password of the user.
    #[field(sensitive)]
    pub(crate) password: Option<Secret>,
}

/// The certificate of a database server.
#[derive(Record)]
pub struct CertificateDetails {
    /// Identifier of the certificate authority.
    #[field(name = "CAIdentifier")]
    pub(crate) ca_identifier: Option<Text>,
    /// Time when the certificate expires.
    pub(crate) valid_till: Option<Timestamp>,
}

/// A feature of the processor of an instance.
#[derive(Record)]
pub struct ProcessorFeature {
    /// Name: coreCount or threadsPerCore.
    pub(crate) name: Option<Text>,
    /// Value.
    pub(crate) value: Option<Text>,
}

/// A membership in a directory of users.
#[derive(Record)]
pub struct DomainMembership {
    /// ID of the directory.
    pub(crate) domain: Option<Text>,
    /// Status of the membership.
    pub(crate) status: Option<Text>,
    /// Domain name.
    #[field(name = "FQDN")]
    pub(crate) fqdn: Option<Text>,
    /// Role with which the directory is called.
    #[field(name = "IAMRoleName")]
    pub(crate) iam_role_name: Option<Text>,
    /// Organizational unit.
    #[field(name = "OU")]
    pub(crate) ou: Option<Text>,
    /// ARN of the secret of the directory.
    pub(crate) auth_secret_arn: Option<Text>,
    /// Addresses of the domain controllers.
    pub(crate) dns_ips: Option<Vec<Text>>,
}

/// Types of logs whose export is about to change.
#[derive(Record)]
pub struct PendingLogExports {
    /// Types of logs that are about to be exported.
    pub(crate) log_types_to_enable: Option<Vec<Text>>,
    /// Types of logs that are about to be exported no longer.
    pub(crate) log_types_to_disable: Option<Vec<Text>>,
}

/// Types of logs to export, or to export no longer.
#[derive(Record)]
pub struct LogsExportConfiguration {
    /// Types of logs to export.
    pub(crate) enable_log_types: Option<Vec<Text>>,
    /// Types of logs to export no longer.
    pub(crate) disable_log_types: Option<Vec<Text>>,
}

/// Tags of what the service makes for a database.
#[derive(Record)]
pub struct TagSpecification {
    /// Type of the tagged resource: `auto-backup`, the automated backups of an instance, or `cluster-auto-backup`, those of a cluster.
    pub(crate) resource_type: Option<Text>,
    /// Tags.
    #[field(item = "Tag")]
    pub(crate) tags: Option<Vec<Tag>>,
}
