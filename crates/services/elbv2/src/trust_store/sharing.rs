//! Trust stores of other accounts. Accounts cannot share resources here: a trust store has no resource policy, and its
//! listeners are all of its own account.

use super::{TrustStore, TrustStoreManager, listener_arns};
use crate::{errors, tagging};
use nephos_cloud::{Addressed, Handler, Tx};
use nephos_core::{Empty, Record, Result, Text, operation};

/// Returns the policy of a resource that is shared with other accounts. A resource that is not shared has none.
#[operation(
    of = TrustStore, call = "resource_policy",
    effect = read, output = ResourcePolicy, subject = "{ResourceArn}"
)]
pub struct GetResourcePolicy {
    /// ARN of the resource.
    pub resource_arn: Text,
}

/// Policy of a resource.
#[derive(Record)]
#[record(answer, name = "GetResourcePolicyOutput")]
pub struct ResourcePolicy {
    /// Policy document; absent if the resource is not shared.
    policy: Option<Text>,
}

impl Handler for GetResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<ResourcePolicy> {
        match tagging::check_exists(cx, &self.resource_arn) {
            Ok(()) => Ok(ResourcePolicy { policy: None }),
            Err(_) => {
                Err(errors::resource_not_found().with_field("ResourceArn").with_hint(self.resource_arn))
            }
        }
    }
}

/// Ends the association of a shared trust store with a listener of another account. Associations within the account end with
/// the listener, or by a change of the listener.
#[operation(of = TrustStore, call = "delete_shared_association", needs(trust_store_arn), effect = write)]
pub struct DeleteSharedTrustStoreAssociation {
    /// ARN of the listener.
    pub resource_arn: Text,
}

impl Handler for DeleteSharedTrustStoreAssociation {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let store = TrustStore::require(cx, &self.trust_store_arn, "TrustStoreArn")?;
        let error = if listener_arns(cx, &store)?.contains(&self.resource_arn) {
            errors::association_in_same_account()
        } else {
            errors::association_not_found()
        };
        Err(error.with_field("ResourceArn"))
    }
}
