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

mod access;
mod batch;
mod create;
mod cross_account;
mod delete;
mod describe;
pub mod errors;
mod filters;
mod labels;
mod list;
mod managed;
mod password;
mod policy;
mod rekey;
mod replicate;
mod replication;
mod rotate;
mod rotation;
mod secret;
mod secret_row;
mod stage;
mod tagging;
/// Behaviour cases of the service, and a cloud to run them in.
#[cfg(feature = "testing")]
#[path = "../cases/mod.rs"]
pub mod testing;
mod update;
mod value;
mod versions;
mod window;

pub use batch::*;
pub use create::*;
pub use delete::*;
pub use describe::*;
pub use filters::{FilterKey, SecretsFilter};
pub use labels::{CURRENT, PENDING, PREVIOUS};
pub use list::*;
pub use managed::*;
pub use password::*;
pub use policy::*;
pub use replicate::*;
use replication::{Replica, ReplicaUpdate};
pub use replication::{ReplicaRegion, ReplicaStatus, ReplicationStatus};
pub use rotate::*;
pub use rotation::{MetadataItem, RotationFunctions, RotationRules, RotationStep, Step};
use rotation::{OngoingRotation, RotationCallback, ScheduledRotation};
use secret::SecretRow;
pub use secret::{DescribeSecretResponse, Secret, SecretManager, SecretName, SecretVersionName};
pub use stage::*;
pub use tagging::*;
pub use update::*;
pub use value::*;
pub use versions::*;

use access::AccessUpdate;
use delete::Purge;
use nephos_core::shape::Protocol;

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
        SecretRow, versions::VersionRow, value::ValueRow, policy::PolicyRow, access::AccessRow,
        list::CreationRow,
    }
    access {
        find_resource: Some(cross_account::find_resource),
    }
}
