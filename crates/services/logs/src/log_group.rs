//! Log groups: named containers of log events with one retention policy.

use super::{Empty, errors};
use nephos_cloud::{Addressed, Key, Names, Parts, Quota, Scope, Stored, StoredResource, Tx};
use nephos_core::{Arn, Record, Resource, Result, Slot, Tag, Text, choices};
#[cfg(feature = "kms")]
use nephos_kms::CryptoKey;

pub(crate) mod describe;
pub(crate) mod encryption;
pub(crate) mod expiry;
pub(crate) mod fields;
pub(crate) mod find;
pub(crate) mod linked;
pub(crate) mod list_groups;
mod operations;
pub(crate) mod settings;

pub use operations::*;

choices! {
    /// Class of a log group; it cannot be changed.
    pub enum LogGroupClass {
        /// Standard log group, which supports all features.
        Standard = "STANDARD",
        /// Log group for events that are rarely read.
        InfrequentAccess = "INFREQUENT_ACCESS",
        /// Log group for delivery to other services: events are kept for one day.
        Delivery = "DELIVERY",
    }
}

choices! {
    /// Status of the data protection policy; absent if the log group never had one.
    pub enum DataProtectionStatus {
        /// A policy is attached.
        Activated = "ACTIVATED",
        /// The policy was deleted.
        Deleted = "DELETED",
        /// The policy was archived.
        Archived = "ARCHIVED",
        /// The policy was disabled.
        Disabled = "DISABLED",
    }
}

choices! {
    /// Setting that a log group inherits from its account.
    pub enum InheritedProperty {
        /// The account has a data protection policy.
        AccountDataProtection = "ACCOUNT_DATA_PROTECTION",
    }
}

/// A log group: a named container of log events with one retention policy.
#[derive(Resource)]
#[resource(
    hot, case = "camel", arn("Arn", "log-group:{logGroupName}:*"), name = "logGroupName", pk = "Arn",
    exists_if = "creationTime", tags = "Tags", not_found = |name| errors::log_group_not_found().with_hint(name)
)]
#[cfg_attr(feature = "kms", resource(relation(crypto_key, one = CryptoKey, with = crypto_key_of)))]
pub struct LogGroup {
    /// ARN of the log group, with a trailing `:*`.
    #[field(name = "Arn", alias = "arn", wire = "arn", service_set)]
    pub(super) arn: Option<Text>,
    /// Name of the log group, unique within account and Region.
    #[field(fixed, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub(super) log_group_name: Option<Text>,
    /// Creation time, in milliseconds since 1970.
    #[field(service_set)]
    pub(super) creation_time: Option<i64>,
    /// Retention of events in days; events never expire if absent.
    #[field(one_of(
        1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
        3653
    ))]
    pub(super) retention_in_days: Option<i64>,
    /// Number of metric filters.
    #[field(service_set)]
    pub(super) metric_filter_count: Option<i64>,
    /// Number of bytes stored, for all events.
    #[field(service_set)]
    pub(super) stored_bytes: Option<i64>,
    /// ARN of the KMS key that encrypts the events.
    #[field(length(..=256))]
    pub(super) kms_key_id: Option<Text>,
    /// Status of the data protection policy; absent if the log group never had one.
    #[field(service_set)]
    pub(super) data_protection_status: Option<DataProtectionStatus>,
    /// Settings inherited from the account.
    #[field(service_set)]
    pub(super) inherited_properties: Option<Vec<InheritedProperty>>,
    /// Class of the log group; it cannot be changed.
    #[field(fixed)]
    pub(super) log_group_class: Option<LogGroupClass>,
    /// ARN of the log group, without a trailing `:*`.
    #[field(service_set)]
    pub(super) log_group_arn: Option<Text>,
    /// Deletion protection.
    pub(super) deletion_protection_enabled: Option<bool>,
    /// Authentication with bearer tokens.
    #[field(service_set)]
    pub(super) bearer_token_authentication_enabled: Option<bool>,
    /// Name of the account-level retention policy that sets the retention; absent here, where accounts have none.
    #[field(service_set)]
    pub(super) retention_policy_name: Option<Text>,
    /// Tags of the log group.
    #[field(not_in_list, name = "Tags", not_on_wire)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// Returns the crypto key of a log group, if it has one.
#[cfg(feature = "kms")]
async fn crypto_key_of(group: &LogGroup) -> Result<Option<CryptoKey>> {
    nephos_kms::load_related(group, group.kms_key_id.as_ref()).await
}

/// Maximum number of characters of the name of a log group.
const MAX_NAME_LENGTH: usize = 512;

/// Quota of log groups per account and Region.
const GROUP_QUOTA: Quota = Quota { counter: "log-group", max: 1_000_000, what: "log groups" };

/// Search index over the names of log groups.
pub(super) const GROUP_NAMES: Names = Names::new("log-group");

impl Stored for LogGroup {
    const TABLE: &'static str = "logs/log-group";

    fn identify(&self, key: Key) -> Key {
        key.text(self.log_group_name.as_deref().unwrap_or_default())
    }

    fn strip_derived(&mut self) {
        (self.log_group_name, self.arn, self.log_group_arn) = (None, None, None);
        // Most groups have default values, and a shorter row is faster to read.
        self.metric_filter_count.take_if(|count| *count == 0);
        self.stored_bytes.take_if(|bytes| *bytes == 0);
        self.log_group_class.take_if(|class| *class == LogGroupClass::Standard);
        self.deletion_protection_enabled.take_if(|enabled| !*enabled);
        self.bearer_token_authentication_enabled.take_if(|enabled| !*enabled);
    }

    fn restore(&mut self, scope: &Scope, identity: Parts<'_>) {
        Self::restorer(scope)(self, identity);
    }

    fn restorer(scope: &Scope) -> impl Fn(&mut Self, Parts<'_>) {
        let arn_prefix = arn_of(scope, "");
        move |group, mut identity| {
            let (name, arn_prefix) = (identity.text().unwrap_or_default(), arn_prefix.as_str());
            let mut arn = String::with_capacity(arn_prefix.len() + name.len() + ":*".len());
            arn.push_str(arn_prefix);
            arn.push_str(&name);
            group.log_group_arn = Some(Text::new(&arn));
            arn.push_str(":*");
            group.arn = Some(arn.into());
            group.log_group_name = Some(name);
            group.metric_filter_count.get_or_insert(0);
            group.stored_bytes.get_or_insert(0);
            group.log_group_class.get_or_insert(LogGroupClass::Standard);
            group.deletion_protection_enabled.get_or_insert(false);
            group.bearer_token_authentication_enabled.get_or_insert(false);
        }
    }
}

impl LogGroup {
    /// Returns the account ID in the ARN.
    pub(super) fn account(&self) -> &str {
        self.arn.as_deref().and_then(Arn::parts).map_or("", |[_, _, _, account, _]| account)
    }

    /// Returns an error if deletion protection is enabled.
    pub(super) fn check_unprotected(&self) -> Result<()> {
        if self.deletion_protection_enabled != Some(true) {
            return Ok(());
        }
        Err(errors::deletion_protected().with_hint(self.own_name()))
    }
}

/// Returns the ARN of the group called `name`, without a trailing `:*`.
pub(super) fn arn_of(scope: &Scope, name: &str) -> Arn {
    scope.arn("logs", &["log-group:", name])
}

/// Changes the group called `name`, or returns a not-found error.
pub(super) fn change(cx: &mut Tx<'_>, name: &str, change: impl FnOnce(&mut LogGroup)) -> Result<Empty> {
    let mut group = LogGroup::require(cx, name, "logGroupName")?;
    change(&mut group);
    cx.put(group)?;
    Ok(Empty {})
}

/// Returns the group name in an identifier: a name or an ARN, with or without a trailing `:*`.
///
/// An ARN of another account or Region is a not-found error.
pub(super) fn parse_identifier<'i>(
    scope: &Scope,
    identifier: &'i str,
    field: &'static str,
) -> Result<&'i str> {
    let plain = identifier.strip_suffix(":*").unwrap_or(identifier);
    let name = match Arn::parts(plain) {
        Some([_, service, region, account, resource]) => {
            let Some(name) = resource.strip_prefix("log-group:").filter(|_| service == "logs") else {
                return Err(errors::not_a_log_group_arn().with_field(field).with_hint(identifier));
            };
            // A session on an endpoint may not know its account; then the endpoint decides.
            let is_other_account = !scope.account().is_empty() && account != scope.account();
            if is_other_account || region != scope.region() {
                return Err(LogGroup::not_found(identifier));
            }
            name
        }
        None => plain,
    };
    if name.chars().count() > MAX_NAME_LENGTH {
        return Err(errors::name_too_long().with_field(field));
    }
    Ok(name)
}

/// Refuses an identifier with `:*` at its end, which some operations do not take.
pub(super) fn check_plain_identifier(identifier: &Option<Text>) -> Result<()> {
    match identifier.as_deref().filter(|identifier| identifier.ends_with(":*")) {
        Some(identifier) => Err(errors::identifier_invalid(identifier).with_field("logGroupIdentifier")),
        None => Ok(()),
    }
}

/// Returns the group name from `logGroupName` or an identifier; both or neither is an error.
pub(super) fn resolve_name<'a>(
    scope: &Scope,
    name: &'a Option<Text>,
    identifier: &'a Option<Text>,
) -> Result<&'a str> {
    match (name, identifier) {
        (Some(name), None) => Ok(name),
        (None, Some(identifier)) => parse_identifier(scope, identifier, "logGroupIdentifier"),
        (None, None) => Err(errors::log_group_name_or_arn_missing().with_field("logGroupName")),
        (Some(_), Some(_)) => Err(errors::log_group_name_and_arn_given().with_field("logGroupName")),
    }
}

/// Parameter that identifies a log group by name or ARN.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct LogGroupIdentifier {
    /// Name or ARN of the log group.
    #[field(required, length(1..=2048))]
    log_group_identifier: Option<Text>,
}

/// Parameters that identify a log group: `logGroupName` or `logGroupIdentifier`.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct LogGroupNameOrIdentifier {
    /// Name of the log group.
    #[field(like = LogGroup::log_group_name)]
    log_group_name: Option<Text>,
    /// Name or ARN of the log group, instead of `logGroupName`.
    #[field(length(1..=2048))]
    log_group_identifier: Option<Text>,
}
