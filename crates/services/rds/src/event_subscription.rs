//! Subscriptions to events: which events a topic is to receive. There are no topics here, so nothing is sent.

mod operations;

pub use operations::*;

use crate::{
    DBCluster, DBClusterSnapshot, DBInstance, DBSnapshot, SourceType, errors, event, identifier,
    parameter_group,
};
use nephos_cloud::{Addressed, Tx};
use nephos_core::{Arn, Choice as _, Resource, Result, Slot, Tag, Text};

/// A subscription to events.
#[derive(Resource)]
#[resource(
    arn("EventSubscriptionArn", "es:{CustSubscriptionId}"),
    not_found = |name| errors::subscription_not_found(name),
    name = "CustSubscriptionId", pk = "EventSubscriptionArn", exists_if = "EventSubscriptionArn", tags = "Tags"
)]
pub struct EventSubscription {
    /// Account of the subscription.
    #[field(service_set)]
    customer_aws_id: Option<Text>,
    /// Name, unique within account and Region and kept in lower case: a letter, then letters, digits and single hyphens.
    #[field(required, fixed, length(1..=255))]
    cust_subscription_id: Option<Text>,
    /// ARN of the topic that is to receive the events.
    #[field(required)]
    sns_topic_arn: Option<Text>,
    /// Status: creating, active, modifying or deleting.
    #[field(service_set)]
    status: Option<Text>,
    /// Time of creation: `2018-07-31 23:22:01.893`.
    #[field(service_set)]
    subscription_creation_time: Option<Text>,
    /// Type of the sources: `db-instance`, for example; all by default.
    source_type: Option<Text>,
    /// Identifiers of the sources; all of the type by default.
    #[field(item = "SourceId", fixed)]
    source_ids_list: Option<Vec<Text>>,
    /// Categories of events; all by default.
    #[field(item = "EventCategory")]
    event_categories_list: Option<Vec<Text>>,
    /// True if events are to be sent; true by default.
    #[field(default = true)]
    enabled: Option<bool>,
    /// ARN.
    #[field(service_set)]
    event_subscription_arn: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    EventSubscription in "rds/event-subscription" by cust_subscription_id;
    arn event_subscription_arn;
    states("Status": "creating" => "active" 5, "modifying" => "active" 5, "deleting" => removed 5)
}

/// Parameter with the name.
const NAME: &str = "SubscriptionName";

/// Finds a subscription by its name, in any case.
pub(crate) fn find(cx: &Tx<'_>, name: &str) -> Result<Option<EventSubscription>> {
    EventSubscription::find_by(cx, &[name])
}

/// Finds a subscription, or refuses.
fn require(cx: &Tx<'_>, name: &str) -> Result<EventSubscription> {
    find(cx, name)?.ok_or_else(|| errors::subscription_not_found(name).with_field(NAME))
}

/// Finds a subscription to change: not one that is being deleted.
fn require_to_change(cx: &Tx<'_>, name: &str) -> Result<EventSubscription> {
    let found = require(cx, name)?;
    match found.status.as_deref() {
        Some("deleting") => Err(errors::subscription_being_changed(name).with_field(NAME)),
        _ => Ok(found),
    }
}

/// Refuses what is not the ARN of a standard topic.
fn check_topic(arn: &str) -> Result<()> {
    let is_topic = matches!(Arn::parts(arn), Some([_, "sns", _, _, name]) if !name.is_empty() && !name.ends_with(".fifo"));
    if is_topic { Ok(()) } else { Err(errors::topic_invalid(arn).with_field("SnsTopicArn")) }
}

impl EventSubscription {
    /// Type of the sources, if there is one.
    fn source(&self) -> Result<Option<SourceType>> {
        self.source_type.as_deref().map(event::read_source_type).transpose()
    }

    /// Refuses categories that the events of the sources do not have.
    fn check_categories(&self) -> Result<()> {
        let categories = self.event_categories_list.iter().flatten();
        for category in categories {
            if !event::has_category(self.source()?.as_ref(), category) {
                let error = errors::category_not_found(category);
                return Err(error.with_field("EventCategories"));
            }
        }
        Ok(())
    }

    /// Adds a source, which must exist.
    fn take_source(&mut self, cx: &Tx<'_>, id: &str, field: &str) -> Result<()> {
        let Some(kind) = self.source()? else {
            return Err(errors::source_without_type().with_field("SourceType"));
        };
        let Some(id) = find_source(cx, &kind, id)? else {
            let hint = format!("of the type {}", kind.as_str());
            return Err(errors::source_not_found(id).with_field(field).with_hint(hint));
        };
        let sources = self.source_ids_list.get_or_insert_default();
        if !sources.contains(&id) {
            sources.push(id);
        }
        Ok(())
    }
}

/// Finds a resource that events can be about, and returns its identifier.
fn find_source(cx: &Tx<'_>, kind: &SourceType, given: &str) -> Result<Option<Text>> {
    let id = given.to_ascii_lowercase();
    let exists = match kind {
        SourceType::DbInstance => DBInstance::find_by(cx, &[&id])?.is_some(),
        SourceType::DbCluster => DBCluster::find_by(cx, &[&id])?.is_some(),
        SourceType::DbClusterSnapshot => DBClusterSnapshot::find_by(cx, &[&id])?.is_some(),
        SourceType::DbSnapshot => DBSnapshot::find_by(cx, &[&id])?.is_some(),
        SourceType::DbParameterGroup => {
            parameter_group::find(cx, &id)?.is_some() || parameter_group::cluster::find(cx, &id)?.is_some()
        }
        _ => false,
    };
    Ok(exists.then(|| id.into()))
}

/// Reads the name of a new subscription.
fn read_name(given: &str) -> Result<Text> {
    identifier::read(given, NAME, 255)
}
