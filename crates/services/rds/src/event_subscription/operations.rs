//! Operations on subscriptions to events.

use super::{
    EventSubscription, EventSubscriptionManager, NAME, check_topic, read_name, require, require_to_change,
};
use crate::{
    errors,
    filters::{self, Filter},
    identifier::Page,
    tagging,
};
use nephos_cloud::{Handler, Quota, Stored, Tx, own_arn, tags::to_list};
use nephos_core::{Result, Text, field_value::FieldType, operation, with_tags};

/// Quota of subscriptions.
pub(crate) const SUBSCRIPTIONS: Quota =
    Quota { counter: "rds/event-subscriptions", max: 20, what: "event subscriptions" };

/// Creates a subscription to events.
#[operation(
    of = EventSubscription, call = "create", model, overrides(tags),
    needs(cust_subscription_id as subscription_name, sns_topic_arn),
    takes(
        source_type, event_categories_list as event_categories,
        source_ids_list as source_ids, enabled, tags
    ),
    wraps(event_subscription), effect = write, also_requires("AddTagsToResource" = "Tags?"), subject = "es:{SubscriptionName}"
)]
pub struct CreateEventSubscription {}

impl Handler for CreateEventSubscription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let name = read_name(&self.subscription_name)?;
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        if super::find(cx, &name)?.is_some() {
            return Err(errors::subscription_exists(&name).with_field(NAME));
        }
        check_topic(&self.sns_topic_arn)?;
        let mut subscription = EventSubscription::blank();
        subscription.customer_aws_id = Some(cx.scope().account().into());
        subscription.cust_subscription_id = Some(name);
        subscription.sns_topic_arn = Some(self.sns_topic_arn);
        subscription.status = Some("creating".into());
        subscription.subscription_creation_time =
            Some(cx.now().strftime("%Y-%m-%d %H:%M:%S%.3f").to_string().into());
        subscription.source_type = self.source_type;
        subscription.event_categories_list = self.event_categories;
        subscription.enabled = Some(self.enabled.unwrap_or(true));
        subscription.source()?;
        subscription.check_categories()?;
        for id in self.source_ids.iter().flatten() {
            subscription.take_source(cx, id, "SourceIds")?;
        }
        subscription.tags = to_list(tags);
        subscription.event_subscription_arn = own_arn(&subscription, cx.scope());
        SUBSCRIPTIONS.add_one(cx, errors::too_many_subscriptions)?;
        cx.put_and_schedule_transition(subscription.clone())?;
        Ok(subscription.into())
    }
}

/// Describes subscriptions to events, in order of their names.
#[operation(
    of = EventSubscription, call = "list", page(event_subscriptions_list(item = "EventSubscription"), marker), include(Page),
    find(cust_subscription_id in subscription_name), with = with_tags, effect = read, access = list, subject = "es:{SubscriptionName}"
)]
pub struct DescribeEventSubscriptions {
    /// Name of one subscription.
    pub subscription_name: Option<Text>,
    /// Filters. The operation knows none.
    #[field(item = "Filter")]
    pub filters: Option<Vec<Filter>>,
}

impl Handler for DescribeEventSubscriptions {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        filters::read(self.filters.as_deref(), &[])?;
        let page = match &self.subscription_name {
            Some(name) => cx.page_list(&self, [require(cx, name)?])?,
            None => {
                cx.page_rows(&self, &EventSubscription::table(cx.scope()), |one: EventSubscription| {
                    Ok(Some(one))
                })?
            }
        };
        Ok(page.into())
    }
}

/// Changes a subscription to events. Its sources are changed by `add_source` and `remove_source`.
#[operation(
    of = EventSubscription, call = "update", changes,
    needs(cust_subscription_id as subscription_name),
    takes(
        sns_topic_arn, source_type, event_categories_list as event_categories, enabled
    ),
    wraps(event_subscription), effect = write, subject = "es:{SubscriptionName}"
)]
pub struct ModifyEventSubscription {}

impl Handler for ModifyEventSubscription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut subscription = require_to_change(cx, &self.subscription_name)?;
        if let Some(topic) = self.sns_topic_arn {
            check_topic(&topic)?;
            subscription.sns_topic_arn = Some(topic);
        }
        if self.source_type.is_some() && self.source_type != subscription.source_type {
            if subscription.source_ids_list.iter().flatten().next().is_some() {
                return Err(errors::source_type_of_sources().with_field("SourceType"));
            }
            subscription.source_type = self.source_type;
            subscription.source()?;
        }
        subscription.event_categories_list =
            self.event_categories.or(subscription.event_categories_list.take());
        subscription.check_categories()?;
        subscription.enabled = self.enabled.or(subscription.enabled);
        subscription.store_changed(cx)
    }
}

/// Adds a source to a subscription.
#[operation(
    of = EventSubscription, call = "add_source", on_model(source_identifier),
    needs(cust_subscription_id as subscription_name), wraps(event_subscription), effect = write,
    subject = "es:{SubscriptionName}"
)]
pub struct AddSourceIdentifierToSubscription {
    /// Identifier of the source.
    pub source_identifier: Text,
}

impl Handler for AddSourceIdentifierToSubscription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut subscription = require_to_change(cx, &self.subscription_name)?;
        subscription.take_source(cx, &self.source_identifier, "SourceIdentifier")?;
        subscription.store_changed(cx)
    }
}

/// Removes a source from a subscription.
#[operation(
    of = EventSubscription, call = "remove_source", on_model(source_identifier),
    needs(cust_subscription_id as subscription_name), wraps(event_subscription), effect = write,
    subject = "es:{SubscriptionName}"
)]
pub struct RemoveSourceIdentifierFromSubscription {
    /// Identifier of the source.
    pub source_identifier: Text,
}

impl Handler for RemoveSourceIdentifierFromSubscription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut subscription = require_to_change(cx, &self.subscription_name)?;
        let sources = subscription.source_ids_list.get_or_insert_default();
        let found = sources.iter().position(|id| id.eq_ignore_ascii_case(&self.source_identifier));
        let Some(found) = found else {
            let error = errors::source_not_found(&self.source_identifier);
            return Err(error.with_field("SourceIdentifier"));
        };
        sources.remove(found);
        subscription.store_changed(cx)
    }
}

/// Deletes a subscription to events.
#[operation(
    of = EventSubscription, call = "delete", on_model,
    needs(cust_subscription_id as subscription_name), wraps(event_subscription), effect = write,
    subject = "es:{SubscriptionName}"
)]
pub struct DeleteEventSubscription {}

impl Handler for DeleteEventSubscription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut subscription = require_to_change(cx, &self.subscription_name)?;
        SUBSCRIPTIONS.remove_one(cx)?;
        subscription.status = Some("deleting".into());
        cx.put_and_schedule_transition(subscription.clone())?;
        Ok(subscription.into())
    }
}

impl EventSubscription {
    /// Stores a changed subscription, and answers with it.
    fn store_changed<A: From<Self>>(mut self, cx: &mut Tx<'_>) -> Result<A> {
        self.status = Some("modifying".into());
        cx.put_and_schedule_transition(self.clone())?;
        Ok(self.into())
    }
}
