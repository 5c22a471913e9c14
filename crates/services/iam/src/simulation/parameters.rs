//! Parameters of simulations.

use crate::policy::document::Document;
use nephos_core::{Record, Text, choices};

choices! {
    /// Type of the values of a context key.
    pub enum ContextKeyType {
        /// A text.
        String = "string",
        /// Texts.
        StringList = "stringList",
        /// A number.
        Numeric = "numeric",
        /// Numbers.
        NumericList = "numericList",
        /// True or false.
        Boolean = "boolean",
        /// Truth values.
        BooleanList = "booleanList",
        /// An address.
        Ip = "ip",
        /// Addresses.
        IpList = "ipList",
        /// Bytes in Base64.
        Binary = "binary",
        /// Several byte strings in Base64.
        BinaryList = "binaryList",
        /// A time.
        Date = "date",
        /// Times.
        DateList = "dateList",
    }
}

choices! {
    /// Type of a policy that is left out of a simulation.
    pub enum ExcludedPolicyType {
        /// Inline policy.
        Inline = "inline",
        /// Managed policy of the provider.
        AwsManaged = "aws-managed",
        /// Managed policy of the account.
        UserManaged = "user-managed",
        /// Permissions boundary.
        PermissionBoundary = "permission-boundary",
        /// Service control policy. Accounts here have none.
        Scp = "scp",
        /// Resource control policy. Accounts here have none.
        Rcp = "rcp",
    }
}

choices! {
    /// Kind of entity with an inline policy.
    pub enum AttachmentType {
        /// A user.
        User = "user",
        /// A group.
        Group = "group",
        /// A role.
        Role = "role",
    }
}

/// Values of a context key of the simulated requests.
#[derive(Record)]
pub struct ContextEntry {
    /// Name of the key: `aws:SourceIp`.
    #[field(length(5..=256))]
    pub(super) context_key_name: Option<Text>,
    /// Values of the key.
    pub(super) context_key_values: Option<Vec<Text>>,
    /// Type of the values. Conditions compare them by their operators, whatever the type.
    #[field(no_effect)]
    context_key_type: Option<ContextKeyType>,
}

/// An inline policy.
#[derive(Record)]
pub struct InlinePolicyIdentifier {
    /// Name of the policy.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    pub(super) policy_name: Option<Text>,
    /// Kind of the entity.
    #[field(required)]
    pub(super) attachment_type: Option<AttachmentType>,
    /// Name of the entity.
    #[field(required, length(1..=128), pattern = r"[\w+=,.@-]+")]
    pub(super) attachment_name: Option<Text>,
}

/// A policy that is left out of a simulation.
#[derive(Record)]
pub struct PolicyExclusion {
    /// Type of the policy.
    pub(super) policy_type: Option<ExcludedPolicyType>,
    /// ARN of a managed policy.
    #[field(length(20..=2048))]
    pub(super) policy_arn: Option<Text>,
    /// An inline policy.
    pub(super) inline_policy_identifier: Option<InlinePolicyIdentifier>,
}

/// Service control policies of one level of an organization.
#[derive(Record)]
pub struct OrganizationPolicies {
    /// Policy documents in JSON, of which one must allow a request.
    #[field(each(length(1..=131_072)))]
    pub(super) service_control_policy_input_list: Option<Vec<Text>>,
}

/// Parameters of all simulations.
#[derive(Record)]
#[record(shared)]
pub struct SimulationParameters {
    /// Actions to simulate: `logs:CreateLogGroup`.
    #[field(required, each(length(3..=128)))]
    action_names: Option<Vec<Text>>,
    /// ARNs of the resources, each of which is simulated with each action; `*` by default.
    #[field(each(length(1..=2048)))]
    resource_arns: Option<Vec<Text>>,
    /// Policy of the resources in JSON.
    #[field(like = Document::policy_document)]
    pub(super) resource_policy: Option<Text>,
    /// Owner of resources whose ARN has no account: `arn:aws:iam::123456789012:root`. The account by default.
    #[field(length(1..=2048))]
    pub(super) resource_owner: Option<Text>,
    /// ARN of the user who makes the simulated requests.
    #[field(length(1..=2048))]
    pub(super) caller_arn: Option<Text>,
    /// Context keys of the simulated requests, and their values.
    pub(super) context_entries: Option<Vec<ContextEntry>>,
    /// Scenario of requests to start instances. The resources are simulated one by one.
    #[field(length(1..=64), no_effect)]
    resource_handling_option: Option<Text>,
    /// Policy document in JSON that is the permissions boundary; at most one.
    #[field(each(length(1..=131_072)))]
    pub(super) permissions_boundary_policy_input_list: Option<Vec<Text>>,
}
