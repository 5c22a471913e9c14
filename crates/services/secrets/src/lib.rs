//! Secrets: named values in versions, sealed at rest, rotated on a schedule, replicated to other Regions.
//!
//! ```
//! use nephos::{Cloud, Secret, prelude::*};
//!
//! let session = Cloud::in_memory().session();
//! let secret = Secret::builder().name("web/database").tags([("team", "web")]).build()?;
//! let secret = Secret::objects(&session).create(&secret).secret_string("hunter2").wait()?;
//!
//! let value = secret.get_value().wait()?;
//! assert_eq!(value.secret_string().map(|value| value.expose()), Some("hunter2"));
//! assert!(!format!("{value:?}").contains("hunter2"));
//!
//! secret.delete().recovery_window_in_days(7).wait()?;
//! assert!(secret.get_value().wait().is_err());
//! secret.restore().wait()?;
//! # Ok::<(), nephos::Error>(())
//! ```

mod cross_account;
pub mod errors;
mod password;
mod secret;
mod version;

pub use password::*;
pub use secret::{
    DescribeSecretResponse, Secret, SecretManager, SecretName, SecretVersionName,
    create::*,
    delete::*,
    describe::*,
    filters::{FilterKey, SecretsFilter},
    list::*,
    managed::*,
    policy::*,
    replicate::*,
    replication::{ReplicaRegion, ReplicaStatus, ReplicationStatus},
    rotate::*,
    rotation::{MetadataItem, RotationFunctions, RotationRules, RotationStep, Step},
    tagging::*,
    update::*,
};
pub use version::{
    batch::*,
    labels::{CURRENT, PENDING, PREVIOUS},
    stage::*,
    value::*,
    *,
};

use nephos_core::shape::Protocol;
use secret::{
    SecretRow,
    access::AccessUpdate,
    delete::Purge,
    replication::{Replica, ReplicaUpdate},
    rotation::{OngoingRotation, RotationCallback, ScheduledRotation},
};

nephos_cloud::parts! {
    secret: secret,
    filters: secret::filters,
    rotation: secret::rotation,
    window: secret::window,
}

nephos_cloud::service! {
    SECRETS = "secretsmanager", "Secrets: named values in versions, sealed at rest, rotated on a schedule, replicated to other Regions.";
    shape {
        api_version: "2017-10-17",
        protocol: Protocol::AwsJson { target: "secretsmanager.", version: "1.1", message: "Message" },
        invalid: &errors::VALIDATION,
        invalid_token: errors::invalid_next_token,
        resource_keys: &[
            ("", &["aws:ResourceTag/${TagKey}", "secretsmanager:ResourceTag/tag-key"]),
            (
                "secret:{SecretId}",
                &[cross_account::ROTATION_FUNCTION, cross_account::TYPE, cross_account::PRIMARY_REGION],
            ),
        ],
    }
    kinds {
        Secret, SecretVersion,
    }
    operations {
        CreateSecret, DescribeSecret, ListSecrets, UpdateSecret, DeleteSecret, RestoreSecret,
        GetSecretValue, PutSecretValue, BatchGetSecretValue, ListSecretVersionIds, UpdateSecretVersionStage,
        RotateSecret, CancelRotateSecret, GetRandomPassword,
        PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy, ValidateResourcePolicy,
        ReplicateSecretToRegions, RemoveRegionsFromReplication, StopReplicationToReplica,
        TagResource, UntagResource,
    }
    calls {
        SecretGet, SecretUpdate, SecretBatchGetValue, SecretListVersions,
    }
    internal { SetSecretOwner }
    works {
        AccessUpdate, Purge, ReplicaUpdate, ScheduledRotation,
    }
    callbacks {
        RotationCallback,
    }
    tables {
        SecretRow, version::VersionRow, version::value::ValueRow, secret::policy::PolicyRow, secret::access::AccessRow,
        secret::list::CreationRow,
    }
    access {
        find_resource: Some(cross_account::find_resource),
    }
    tagged { secret::tagging::TAGGED }
}
