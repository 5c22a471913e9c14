//! API destinations: created, read, listed, updated, deleted.

use super::World;
use nephos_core::{Result, prelude::*};
use nephos_events::{
    ApiDestination, ApiDestinationHttpMethod, ApiDestinationState, DescribeApiDestination,
    UpdateApiDestination, errors,
};
use nephos_testing::{ask, names};

impl World {
    /// Creates an API destination with a connection.
    pub(super) fn create_destination(
        &self,
        name: &str,
        connection: &str,
        url: &str,
    ) -> Result<ApiDestination> {
        let destination = ApiDestination::builder()
            .name(name)
            .connection_arn(self.existing_connection(connection)?.require_arn()?)
            .invocation_endpoint(url)
            .http_method(ApiDestinationHttpMethod::Post);
        ApiDestination::objects(&self.session()).create(&destination.build()?).wait()
    }

    fn existing_destination(&self, name: &str) -> Result<ApiDestination> {
        Ok(ApiDestination::objects(&self.session()).get(name).wait()?.unwrap())
    }
}

const URL: &str = "https://example.com/orders/*";

pub(super) fn created_destination_is_returned_by_get_and_list(world: &World) -> Result<()> {
    let session = world.session();
    let connection = world.create_connection("shop")?;
    let destination = ApiDestination::builder()
        .name("orders")
        .description("of shops")
        .connection_arn(connection.require_arn()?)
        .invocation_endpoint(URL)
        .http_method(ApiDestinationHttpMethod::Put)
        .invocation_rate_limit_per_second(7);
    let created = ApiDestination::objects(&session).create(&destination.build()?).wait()?;
    assert!(
        created.require_arn()?.starts_with("arn:aws:events:us-east-1:123456789012:api-destination/orders/")
    );
    assert_eq!(created.api_destination_state(), Some(&ApiDestinationState::Active));
    assert_eq!(created.creation_time().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(world.existing_destination("orders")?, created);
    assert_eq!(created.connection().wait()?.unwrap().require_arn()?, connection.require_arn()?);
    let listed = ApiDestination::objects(&session).list().results().all().wait()?.remove(0);
    assert_eq!((listed.description(), listed.invocation_endpoint()), (None, Some(URL)));
    assert_eq!(listed.invocation_rate_limit_per_second(), Some(7));
    let other = world.create_destination("other", "shop", URL)?;
    assert_eq!(other.invocation_rate_limit_per_second(), Some(300));
    let refused = world.refused(&errors::EXISTS, "Name", || world.create_destination("other", "shop", URL));
    assert_eq!(refused.message(), "An api-destination 'other' already exists.");
    let refused = world.refused(&errors::NOT_FOUND, None, || ask(&session, DescribeApiDestination::new("b")));
    assert_eq!(
        refused.message(),
        "Failed to describe the api-destination(s). An api-destination 'b' does not exist."
    );
    Ok(())
}

pub(super) fn connection_and_endpoint_are_checked(world: &World) -> Result<()> {
    world.create_connection("a")?;
    for url in ["ftp://example.com", "example.com", "https:///path"] {
        world.refused(&errors::VALIDATION, "InvocationEndpoint", || world.create_destination("d", "a", url));
    }
    let create = |arn: &str| {
        let destination = ApiDestination::builder()
            .name("d")
            .connection_arn(arn)
            .invocation_endpoint(URL)
            .http_method(ApiDestinationHttpMethod::Post);
        ApiDestination::objects(&world.session()).create(&destination.build()?).wait()
    };
    let missing = "arn:aws:events:us-east-1:123456789012:connection/b/0b6a1f3c";
    let refused = world.refused(&errors::NOT_FOUND, "ConnectionArn", || create(missing));
    assert_eq!(refused.message(), "Failed to describe the connection(s). Connection 'b' does not exist.");
    // The ID belongs to the ARN, and so do account and Region.
    let own = world.existing_connection("a")?;
    let arn = own.require_arn()?;
    for other in [arn.replace("us-east-1", "eu-west-1"), arn.replace("/a/", "/a/0")] {
        world.refused(&errors::NOT_FOUND, "ConnectionArn", || create(&other));
    }
    assert!(create("arn:aws:events:us-east-1:123456789012:connection/b").is_err());
    Ok(())
}

pub(super) fn state_follows_from_the_connection(world: &World) -> Result<()> {
    let connection = world.create_connection("a")?;
    world.create_destination("d", "a", URL)?;
    let state =
        || Ok::<_, nephos_core::Error>(world.existing_destination("d")?.api_destination_state().cloned());
    assert_eq!(state()?, Some(ApiDestinationState::Active));
    connection.deauthorize().wait()?;
    assert_eq!(state()?, Some(ApiDestinationState::Inactive));
    // A connection can be deleted although an API destination uses it.
    connection.delete().wait()?;
    assert_eq!(state()?, Some(ApiDestinationState::Inactive));
    assert!(world.existing_destination("d")?.connection().wait()?.is_none());
    world.create_connection("a")?;
    assert_eq!(state()?, Some(ApiDestinationState::Inactive), "a new connection has another ARN");
    let mut found = world.existing_destination("d")?;
    found.set_description("x")?;
    found.save().wait()?;
    found.set_connection_arn(world.existing_connection("a")?.require_arn()?)?;
    found.save().wait()?;
    assert_eq!(state()?, Some(ApiDestinationState::Active));
    Ok(())
}

pub(super) fn destinations_are_listed_by_prefix_and_connection(world: &World) -> Result<()> {
    let session = world.session();
    let arn = world.create_connection("one")?.require_arn()?.to_owned();
    world.create_connection("two")?;
    for (name, connection) in [("b", "one"), ("dev", "two"), ("a", "one")] {
        world.create_destination(name, connection, URL)?;
    }
    let list = || ApiDestination::objects(&session).list();
    assert_eq!(names(&list().limit(1).results().all().wait()?)?, ["a", "b", "dev"]);
    assert_eq!(names(&list().name_prefix("de").results().all().wait()?)?, ["dev"]);
    assert_eq!(names(&list().connection_arn(arn).limit(1).results().all().wait()?)?, ["a", "b"]);
    Ok(())
}

pub(super) fn update_changes_what_is_given(world: &World) -> Result<()> {
    let session = world.session();
    world.create_connection("a")?;
    let mut destination = world.create_destination("d", "a", URL)?;
    world.advance(1000)?;
    destination.set_description("new")?;
    destination.set_http_method(ApiDestinationHttpMethod::Get)?;
    destination.set_invocation_rate_limit_per_second(5)?;
    destination.save().wait()?;
    let mut found = world.existing_destination("d")?;
    assert_eq!((found.description(), found.invocation_endpoint()), (Some("new"), Some(URL)));
    assert_eq!(found.http_method(), Some(&ApiDestinationHttpMethod::Get));
    assert!(found.last_modified_time() > found.creation_time());
    found.set_description(None::<&str>)?;
    found.set_invocation_rate_limit_per_second(None)?;
    found.save().wait()?;
    let found = world.existing_destination("d")?;
    assert_eq!((found.description(), found.invocation_rate_limit_per_second()), (None, Some(300)));
    let mut update = UpdateApiDestination::new("d");
    update.invocation_endpoint = Some("x".into());
    world.refused(&errors::VALIDATION, "InvocationEndpoint", || ask(&session, update.clone()));
    world.refused(&errors::NOT_FOUND, None, || ask(&session, UpdateApiDestination::new("b")));
    found.delete().wait()?;
    assert!(ApiDestination::objects(&session).get("d").wait()?.is_none());
    world.refused(&errors::NOT_FOUND, None, || found.delete().wait());
    Ok(())
}

pub(super) fn number_of_destinations_is_limited(world: &World) -> Result<()> {
    world.create_connection("a")?;
    world.create_destination("d", "a", URL)?;
    world.cloud().run_in_transaction(|cx| cx.add_to_count("events/api-destination", 2999))?;
    world.refused(&errors::LIMIT_EXCEEDED, None, || world.create_destination("e", "a", URL));
    ApiDestination::objects(&world.session()).delete("d").wait()?;
    world.create_destination("e", "a", URL)?;
    Ok(())
}
