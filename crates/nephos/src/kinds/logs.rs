//! Kinds of logs.

/// Group of log streams with one retention.
///
/// ```
/// # use nephos::{Cloud, LogGroup};
/// # let session = Cloud::in_memory().session();
/// let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build()?;
/// LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait()?;
///
/// let long = LogGroup::objects(&session).list().results().filter(LogGroup::FIELDS.retention_in_days.ge(30));
/// assert_eq!(long.count().wait()?, 1);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::logs::LogGroup;

/// Sequence of events from one source, in a log group.
///
/// ```
/// # use nephos::{Cloud, LogGroup, LogStream};
/// # let session = Cloud::in_memory().session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// let stream = LogStream::builder().log_group_name("/web").log_stream_name("host-1").build()?;
/// LogStream::objects(&session).create(&stream).wait()?;
/// assert!(LogStream::objects(&session).list("/web").results().exists().wait()?);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::logs::LogStream;

/// Message with a time, in a log stream. Read-only once it is written.
///
/// ```
/// # use nephos::{Cloud, LogEvent, LogGroup, LogStream, services::logs::InputLogEvent};
/// # let cloud = Cloud::in_memory();
/// # let session = cloud.session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// # let stream = LogStream::builder().log_group_name("/web").log_stream_name("host-1").build()?;
/// # LogStream::objects(&session).create(&stream).wait()?;
/// let now = cloud.clock().now().as_millisecond();
/// let event = InputLogEvent::builder().timestamp(now).message("GET /orders 500").build()?;
/// LogEvent::objects(&session).put("/web", "host-1", [event]).wait()?;
/// let failed = LogEvent::objects(&session).list("/web").filter_pattern("500").results();
/// assert_eq!(failed.count().wait()?, 1);
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::logs::LogEvent;

/// Filter pattern that counts or measures events of a log group as a metric.
///
/// ```
/// # use nephos::{Cloud, LogGroup, MetricFilter, services::logs::MetricTransformation};
/// # let session = Cloud::in_memory().session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// let count = MetricTransformation::builder().metric_name("errors").metric_namespace("web").metric_value("1").build()?;
/// let filter = MetricFilter::builder().log_group_name("/web").filter_name("errors").filter_pattern("ERROR");
/// MetricFilter::objects(&session).create(&filter.metric_transformations([count]).build()?).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::logs::MetricFilter;

/// Filter pattern whose events are delivered to a destination.
///
/// ```
/// # use nephos::{Cloud, LogGroup, SubscriptionFilter};
/// # let session = Cloud::in_memory().session();
/// # LogGroup::objects(&session).create(&LogGroup::builder().log_group_name("/web").build()?).wait()?;
/// let filter = SubscriptionFilter::builder().log_group_name("/web").filter_name("alarm").filter_pattern("ERROR");
/// let filter = filter.destination_arn("arn:aws:lambda:us-east-1:123456789012:function:alarm").build()?;
/// SubscriptionFilter::objects(&session).create(&filter).wait()?;
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::logs::SubscriptionFilter;

/// Stream that log groups of other accounts can deliver events to.
///
/// ```
/// # use nephos::{Cloud, Destination, prelude::*};
/// # let session = Cloud::in_memory().session();
/// let destination = Destination::builder().destination_name("central");
/// let destination = destination.target_arn("arn:aws:kinesis:us-east-1:123456789012:stream/central");
/// let destination = destination.role_arn("arn:aws:iam::123456789012:role/central").build()?;
/// let destination = Destination::objects(&session).create(&destination).wait()?;
/// assert!(destination.require_arn()?.ends_with(":destination:central"));
/// # Ok::<(), nephos::Error>(())
/// ```
pub use crate::services::logs::Destination;
