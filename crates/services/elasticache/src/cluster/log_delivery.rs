//! Delivery of the logs of clusters.

use crate::{engine::Engine, errors};
use nephos_cloud::Tx;
use nephos_core::{ErrorKind, Record, Result, Text, Value, choices};

choices! {
    /// Log of an engine.
    pub enum LogType {
        /// Slow commands.
        SlowLog = "slow-log",
        /// Messages of the engine.
        EngineLog = "engine-log",
    }
}

choices! {
    /// Type of a destination of logs.
    pub enum DestinationType {
        /// A log group.
        CloudWatchLogs = "cloudwatch-logs",
        /// A delivery stream.
        KinesisFirehose = "kinesis-firehose",
    }
}

choices! {
    /// Format of a log.
    pub enum LogFormat {
        /// Text.
        Text = "text",
        /// JSON.
        Json = "json",
    }
}

choices! {
    /// Status of a delivery.
    pub enum LogDeliveryConfigurationStatus {
        /// Logs are delivered.
        Active = "active",
        /// The delivery starts.
        Enabling = "enabling",
        /// The delivery is being changed.
        Modifying = "modifying",
        /// The delivery ends.
        Disabling = "disabling",
        /// Logs cannot be delivered.
        Error = "error",
    }
}

/// A log group as a destination.
#[derive(Record)]
pub struct CloudWatchLogsDestinationDetails {
    /// Name of the log group.
    log_group: Option<Text>,
}

/// A delivery stream as a destination.
#[derive(Record)]
pub struct KinesisFirehoseDestinationDetails {
    /// Name of the delivery stream.
    delivery_stream: Option<Text>,
}

/// A destination of logs.
#[derive(Record)]
pub struct DestinationDetails {
    /// A log group.
    #[field(name = "CloudWatchLogsDetails")]
    cloud_watch_logs_details: Option<CloudWatchLogsDestinationDetails>,
    /// A delivery stream.
    kinesis_firehose_details: Option<KinesisFirehoseDestinationDetails>,
}

/// Delivery of a log.
#[derive(Record)]
pub struct LogDeliveryConfiguration {
    /// Log.
    log_type: Option<LogType>,
    /// Type of the destination.
    destination_type: Option<DestinationType>,
    /// Destination.
    destination_details: Option<DestinationDetails>,
    /// Format of the log.
    log_format: Option<LogFormat>,
    /// False to end the delivery of the log. It is not returned.
    enabled: Option<bool>,
    /// Status of the delivery.
    #[field(response_only)]
    status: Option<LogDeliveryConfigurationStatus>,
    /// Cause of an error.
    #[field(response_only)]
    message: Option<Text>,
}

/// Delivery of a log that is not in effect yet.
#[derive(Record)]
pub struct PendingLogDeliveryConfiguration {
    /// Log.
    log_type: Option<LogType>,
    /// Type of the destination.
    destination_type: Option<DestinationType>,
    /// Destination.
    destination_details: Option<DestinationDetails>,
    /// Format of the log.
    log_format: Option<LogFormat>,
}

impl LogDeliveryConfiguration {
    /// Refuses an incomplete delivery, one that the engine does not have, and one to a log group that does not exist.
    fn check(&self, cx: &mut Tx<'_>, engine: Engine, version: &str) -> Result<()> {
        let missing = |name: &str| Err(errors::log_delivery_incomplete(name).with_field(name.to_owned()));
        let Some(log_type) = &self.log_type else { return missing("LogType") };
        if engine == Engine::Memcached {
            return Err(errors::log_delivery_unsupported("memcached").with_field("LogType"));
        }
        let since = if *log_type == LogType::SlowLog { (6, 0) } else { (6, 2) };
        if major_and_minor(version) < since {
            return Err(errors::log_delivery_unsupported(version).with_field("LogType"));
        }
        if self.enabled == Some(false) {
            return Ok(());
        }
        if self.log_format.is_none() {
            return missing("LogFormat");
        }
        let details = self.destination_details.as_ref();
        match &self.destination_type {
            Some(DestinationType::CloudWatchLogs) => {
                let group = details.and_then(|details| details.cloud_watch_logs_details.as_ref());
                match group.and_then(|group| group.log_group.as_deref()) {
                    Some(group) => check_log_group(cx, group),
                    None => missing("DestinationDetails"),
                }
            }
            Some(DestinationType::KinesisFirehose) => {
                let stream = details.and_then(|details| details.kinesis_firehose_details.as_ref());
                match stream.and_then(|stream| stream.delivery_stream.as_ref()) {
                    Some(_) => Ok(()),
                    None => missing("DestinationDetails"),
                }
            }
            _ => missing("DestinationType"),
        }
    }
}

fn major_and_minor(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or_default());
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// Refuses a log group that does not exist, if the cloud has log groups.
fn check_log_group(cx: &mut Tx<'_>, name: &str) -> Result<()> {
    let prefix = [("logGroupName", Value::from(name))];
    match cx.call_service("logs", "DescribeLogStreams", &prefix) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(errors::log_group_not_found(name).with_field("DestinationDetails"))
        }
        found => found.map(drop),
    }
}

/// Changes the deliveries of a cluster as requested: each log has one.
pub(crate) fn change(
    cx: &mut Tx<'_>,
    before: &[LogDeliveryConfiguration],
    given: &[LogDeliveryConfiguration],
    engine: Engine,
    version: &str,
) -> Result<Vec<LogDeliveryConfiguration>> {
    let mut after = before.to_vec();
    for (n, one) in given.iter().enumerate() {
        let in_item = |error: nephos_core::Error| error.in_field(&format!("LogDeliveryConfigurations[{n}]"));
        one.check(cx, engine, version).map_err(in_item)?;
        after.retain(|other| other.log_type != one.log_type);
        if one.enabled != Some(false) {
            let status = Some(LogDeliveryConfigurationStatus::Active);
            after.push(LogDeliveryConfiguration { enabled: None, status, message: None, ..one.clone() });
        }
    }
    Ok(after)
}
