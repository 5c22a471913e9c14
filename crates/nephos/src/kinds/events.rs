//! Kinds of event buses.

/// Event bus: it receives events and matches them with its rules. The bus `default` exists in every account and Region.
///
/// ```
/// # use nephos::{Cloud, EventBus, prelude::*, services::events::PutEventsRequestEntry};
/// # let session = Cloud::in_memory().session();
/// let buses = EventBus::objects(&session);
/// let shop = buses.create(&EventBus::builder().name("shop").build()?).wait()?;
/// let order = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail(r#"{"total": 7}"#).build()?;
/// let sent = shop.put_events([order]).wait()?;
/// assert_eq!(sent.failed_entry_count(), Some(0));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::events::EventBus;

/// Rule of an event bus: it selects events by a pattern, or creates them by a schedule, and sends them to its targets.
///
/// ```
/// # use nephos::{Cloud, EventRule, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let rules = EventRule::objects(&session);
/// let large = EventRule::builder().name("large").event_pattern(r#"{"detail": {"total": [{"numeric": [">", 100]}]}}"#);
/// rules.create(&large.build()?).wait()?;
/// let nightly = EventRule::builder().name("nightly").schedule_expression("cron(0 2 * * ? *)");
/// let nightly = rules.create(&nightly.build()?).wait()?;
/// nightly.disable().wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::events::EventRule;

/// Target of a rule: a log group, another event bus, a function, or any other ARN, whose events stay in an outbox.
///
/// ```
/// # use nephos::{Cloud, EventRule, EventTarget, LogGroup, prelude::*};
/// # let session = Cloud::in_memory().session();
/// LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/events").build()?).wait()?;
/// let rule = EventRule::builder().name("orders").event_pattern(r#"{"source": ["shop"]}"#).build()?;
/// EventRule::objects(&session).create(&rule).wait()?;
/// let target = EventTarget::builder().rule("orders").id("log").arn("arn:aws:logs:us-east-1:123456789012:log-group:/events").build()?;
/// EventTarget::objects(&session).create(&target).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::events::EventTarget;

/// Archive of an event bus: it keeps events that match its pattern, for a number of days or for all time.
///
/// ```
/// # use nephos::{Archive, Cloud, EventBus, prelude::*, services::events::PutEventsRequestEntry};
/// # let session = Cloud::in_memory().session();
/// let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
/// let archive = Archive::builder().archive_name("orders").event_source_arn(bus).retention_days(30).build()?;
/// Archive::objects(&session).create(&archive).wait()?;
/// let order = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail(r#"{"total": 7}"#).build()?;
/// EventBus::objects(&session).put_events("default", [order]).wait()?;
/// let archive = Archive::objects(&session).get("orders").wait()?;
/// assert_eq!(archive.and_then(|archive| archive.event_count()), Some(1));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::events::Archive;

/// Replay of an archive: it sends the events between two times to the bus again, to all rules or to some.
///
/// ```
/// # use nephos::{Archive, Cloud, Replay, SignedDuration, prelude::*, services::events::ReplayDestination};
/// # let cloud = Cloud::in_memory();
/// # let session = cloud.session();
/// # let bus = "arn:aws:events:us-east-1:123456789012:event-bus/default";
/// # let archive = Archive::builder().archive_name("orders").event_source_arn(bus).build()?;
/// # let archive = Archive::objects(&session).create(&archive).wait()?;
/// let now = cloud.clock().now();
/// let replay = Replay::builder()
///     .replay_name("yesterday")
///     .event_source_arn(archive.require_arn()?)
///     .event_start_time(now - SignedDuration::from_hours(24))
///     .event_end_time(now)
///     .destination(ReplayDestination::builder().arn(bus).build()?)
///     .build()?;
/// let replay = Replay::objects(&session).create(&replay).wait()?;
/// println!("{:?}", replay.state());
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::events::Replay;

/// Connection: authorization of requests to API destinations, whose secret values are kept in a secret.
///
/// ```
/// # use nephos::{Cloud, Connection, prelude::*};
/// # use nephos::services::events::{ConnectionAuthParameters, ConnectionAuthorizationType, ConnectionBasicAuthParameters};
/// # let session = Cloud::in_memory().session();
/// let user = ConnectionBasicAuthParameters::builder().username("ann").password("hunter2").build()?;
/// let connection = Connection::builder()
///     .name("shop")
///     .authorization_type(ConnectionAuthorizationType::Basic)
///     .auth_parameters(ConnectionAuthParameters::builder().basic_auth_parameters(user).build()?)
///     .build()?;
/// let connection = Connection::objects(&session).create(&connection).wait()?;
/// assert!(connection.secret_arn().is_some());
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::events::Connection;

/// API destination: an HTTP endpoint as a target of rules. A server calls endpoints on its own machine; in process, the client
/// that [`Kernel::register_http`](crate::Kernel::register_http) registers does.
///
/// ```
/// # use nephos::{ApiDestination, Cloud, Connection, Result, Session, prelude::*};
/// # use nephos::services::events::ApiDestinationHttpMethod;
/// fn create_destination(session: &Session, connection: &Connection) -> Result<ApiDestination> {
///     let orders = ApiDestination::builder()
///         .name("orders")
///         .connection_arn(connection.require_arn()?)
///         .invocation_endpoint("http://localhost:8080/orders/*")
///         .http_method(ApiDestinationHttpMethod::Post)
///         .invocation_rate_limit_per_second(10)
///         .build()?;
///     ApiDestination::objects(session).create(&orders).wait()
/// }
/// ```
pub use crate::services::events::ApiDestination;
