//! Destinations: streams that log groups of other accounts can deliver events to.

use super::{errors, policy::access};
use nephos_cloud::{Addressed, Permissions, Stored, StoredResource, Tx};
use nephos_core::{Arn, Resource, Result, Slot, Tag, Text};

mod operations;

pub use operations::*;

/// A destination: a stream that log groups of other accounts can deliver events to.
#[derive(Resource)]
#[resource(
    case = "camel", arn("arn", "destination:{destinationName}"), name = "destinationName", pk = "destinationName",
    exists_if = "creationTime", tags = "Tags", not_found = |name| errors::destination_not_found().with_hint(name)
)]
pub struct Destination {
    /// Name of the destination, unique within account and Region.
    #[field(required, fixed, length(1..=512), pattern = "[^:*]*")]
    pub(super) destination_name: Option<Text>,
    /// ARN of the Kinesis stream or Firehose delivery stream that receives the events.
    #[field(required, length(1..))]
    target_arn: Option<Text>,
    /// ARN of the IAM role for writing to the target.
    #[field(required, length(1..))]
    role_arn: Option<Text>,
    /// Policy document, as JSON: the accounts that can create subscription filters for the destination. Without one, only
    /// the account of the destination can. It can be replaced, and not removed.
    #[field(length(1..))]
    access_policy: Option<Text>,
    /// ARN of the destination.
    #[field(service_set)]
    arn: Option<Text>,
    /// Creation time, in milliseconds since 1970.
    #[field(service_set)]
    creation_time: Option<i64>,
    /// Tags of the destination.
    #[field(not_in_list, name = "Tags", not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(Destination in "logs/destination" by destination_name; arn arn);

impl Destination {
    /// True if the access policy allows the account to create subscription filters.
    fn allows(&self, account: &str) -> Result<bool> {
        let policy = self.access_policy.as_deref().map(access::parse).transpose()?;
        Ok(policy.is_some_and(|policy| access::allows(&policy, account, self.own_arn())))
    }
}

/// Checks that the caller's account can create subscription filters for the destination with this ARN.
pub(super) fn check_access(cx: &Tx<'_>, arn: &str) -> Result<()> {
    let unreachable = || errors::destination_not_reachable().with_field("destinationArn").with_hint(arn);
    let [_, _, region, owner, _] = Arn::parts(arn).ok_or_else(unreachable)?;
    // A destination is in the Region of the log groups.
    if region != cx.scope().region() {
        return Err(unreachable());
    }
    let scope = cx.scope().with_account(owner);
    let key = Destination::key_of_arn(Destination::table(&scope), arn).ok_or_else(unreachable)?;
    let destination: Destination = cx.get_in(&scope, &key)?.ok_or_else(unreachable)?;
    // While permissions are on, this was decided before the operation.
    let account = cx.scope().account();
    let is_decided = cx.permissions() != Permissions::Off;
    if owner != account && !is_decided && !destination.allows(account)? {
        return Err(errors::destination_access_denied(account, arn).with_field("destinationArn"));
    }
    Ok(())
}

/// Checks that `arn` is the ARN of an IAM role.
pub(super) fn check_role(arn: &str) -> Result<()> {
    let is_role = |arn: &Arn| arn.service() == "iam" && arn.resource().starts_with("role/");
    match Arn::read(arn).filter(is_role) {
        Some(_) => Ok(()),
        None => Err(errors::invalid_role_arn().with_field("roleArn").with_hint(arn)),
    }
}
