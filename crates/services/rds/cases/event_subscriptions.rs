//! Subscriptions to events.

use super::{World, instances::create as create_instance};
use nephos_core::{Result, Session, prelude::*};
use nephos_rds::{
    AddSourceIdentifierToSubscription, CreateEventSubscription, DeleteEventSubscription, EventSubscription,
    EventSubscriptionManager, ListTagsForResource, ModifyEventSubscription,
    RemoveSourceIdentifierFromSubscription, errors,
};
use nephos_testing::{ask, names};

const TOPIC: &str = "arn:aws:sns:us-east-1:123456789012:events";

fn subscriptions(session: &Session) -> EventSubscriptionManager {
    EventSubscription::objects(session)
}

pub(super) fn subscription_is_created_changed_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    create_instance(&session, "web", "mysql", "8.0.35")?;
    let model = EventSubscription::builder().cust_subscription_id("Team").sns_topic_arn(TOPIC);
    let model = model.source_type("db-instance").source_ids_list(["web"]);
    let model = model.event_categories_list(["backup", "Creation"]).build()?;
    let created = subscriptions(&session).create(&model).tags([("team", "web")]).wait()?;
    assert_eq!((created.require_name()?, created.status()), ("team", Some("creating")));
    let found = subscriptions(&session).get("TEAM").wait()?.unwrap();
    assert_eq!(found.require_arn()?, "arn:aws:rds:us-east-1:123456789012:es:team");
    assert_eq!((found.status(), found.enabled()), (Some("active"), Some(true)));
    assert_eq!(found.customer_aws_id(), Some("123456789012"));
    assert_eq!(found.source_ids_list().unwrap(), ["web"]);
    assert_eq!(found.event_categories_list().unwrap(), ["backup", "Creation"]);
    let time = found.subscription_creation_time().unwrap();
    assert_eq!(time.len(), "2018-07-31 23:22:01.893".len(), "{time}");
    let tags = ask(&session, ListTagsForResource::new(found.require_arn()?))?;
    assert_eq!(tags.tag_list().unwrap().len(), 1);

    let mut changed = found.clone();
    changed.set_enabled(false)?;
    changed.set_event_categories_list(["deletion"])?;
    changed.save().wait()?;
    let found = subscriptions(&session).get("team").wait()?.unwrap();
    assert_eq!(found.enabled(), Some(false));
    assert_eq!(found.event_categories_list().unwrap(), ["deletion"]);
    create_instance(&session, "api", "mysql", "8.0.35")?;
    found.add_source("API").wait()?;
    found.add_source("api").wait()?;
    found.remove_source("web").wait()?;
    let found = subscriptions(&session).get("team").wait()?.unwrap();
    assert_eq!(found.source_ids_list().unwrap(), ["api"]);
    ask(&session, CreateEventSubscription::new("all", TOPIC).enabled(false))?;
    assert_eq!(names(&subscriptions(&session).list().results().all().wait()?)?, ["all", "team"]);
    let deleted = found.delete().wait()?;
    assert_eq!(deleted.status(), Some("deleting"));
    assert_eq!(subscriptions(&session).get("team").wait()?, None);
    Ok(())
}

pub(super) fn subscriptions_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    let request = |name: &str| CreateEventSubscription::new(name, TOPIC);
    ask(&session, request("team").source_type("db-instance"))?;
    let error =
        world.refused(&errors::SUBSCRIPTION_EXISTS, "SubscriptionName", || ask(&session, request("TEAM")));
    assert_eq!(error.message(), "Subscription team already exists.");
    for (request, code, field) in [
        (request("two words"), &errors::INVALID, "SubscriptionName"),
        (CreateEventSubscription::new("a", "arn:aws:s3:::events"), &errors::TOPIC_INVALID, "SnsTopicArn"),
        (CreateEventSubscription::new("a", format!("{TOPIC}.fifo")), &errors::TOPIC_INVALID, "SnsTopicArn"),
        (request("a").source_type("db-table"), &errors::INVALID, "SourceType"),
        (request("a").source_ids(["web"]), &errors::INVALID_COMBINATION, "SourceType"),
        (request("a").source_type("db-instance").source_ids(["web"]), &errors::SOURCE_NOT_FOUND, "SourceIds"),
        (request("a").event_categories(["colour"]), &errors::CATEGORY_NOT_FOUND, "EventCategories"),
        (
            request("a").source_type("db-snapshot").event_categories(["availability"]),
            &errors::CATEGORY_NOT_FOUND,
            "EventCategories",
        ),
    ] {
        world.refused(code, field, || ask(&session, request.clone()));
    }
    let modify = || ModifyEventSubscription::new("team");
    world.refused(&errors::CATEGORY_NOT_FOUND, "EventCategories", || {
        ask(&session, modify().event_categories(["colour"]))
    });
    world.refused(&errors::TOPIC_INVALID, "SnsTopicArn", || ask(&session, modify().sns_topic_arn("events")));
    create_instance(&session, "web", "mysql", "8.0.35")?;
    ask(&session, AddSourceIdentifierToSubscription::new("team", "web"))?;
    world.refused(&errors::INVALID_COMBINATION, "SourceType", || {
        ask(&session, modify().source_type("db-cluster"))
    });
    world.refused(&errors::SOURCE_NOT_FOUND, "SourceIdentifier", || {
        ask(&session, AddSourceIdentifierToSubscription::new("team", "api"))
    });
    world.refused(&errors::SOURCE_NOT_FOUND, "SourceIdentifier", || {
        ask(&session, RemoveSourceIdentifierFromSubscription::new("team", "api"))
    });
    let error = world.refused(&errors::SUBSCRIPTION_NOT_FOUND, "SubscriptionName", || {
        ask(&session, DeleteEventSubscription::new("none"))
    });
    assert_eq!(error.message(), "Subscription none not found.");
    Ok(())
}
