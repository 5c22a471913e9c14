//! Metric filters: log events that become values of a metric.

use super::{
    Empty, SERVICE, errors,
    filter::{self, Filter, FilterQuery},
    pattern::Pattern,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    FromModel, ManagerOperation, Map, Record, Resource, Result, Slot, Text, WorkflowContext, choices,
    operation, operation::OnModel,
};

macro_rules! units {
    ($($unit:ident $name:tt,)*) => {
        choices! {
            /// Unit of a metric.
            pub enum StandardUnit { $(#[doc = $name] $unit = $name,)* }
        }
    };
}

units! {
    Seconds "Seconds",
    Microseconds "Microseconds",
    Milliseconds "Milliseconds",
    Bytes "Bytes",
    Kilobytes "Kilobytes",
    Megabytes "Megabytes",
    Gigabytes "Gigabytes",
    Terabytes "Terabytes",
    Bits "Bits",
    Kilobits "Kilobits",
    Megabits "Megabits",
    Gigabits "Gigabits",
    Terabits "Terabits",
    Percent "Percent",
    Count "Count",
    BytesPerSecond "Bytes/Second",
    KilobytesPerSecond "Kilobytes/Second",
    MegabytesPerSecond "Megabytes/Second",
    GigabytesPerSecond "Gigabytes/Second",
    TerabytesPerSecond "Terabytes/Second",
    BitsPerSecond "Bits/Second",
    KilobitsPerSecond "Kilobits/Second",
    MegabitsPerSecond "Megabits/Second",
    GigabitsPerSecond "Gigabits/Second",
    TerabitsPerSecond "Terabits/Second",
    CountPerSecond "Count/Second",
    None "None",
}

/// Transformation of events into values of a metric.
#[derive(Record)]
#[record(case = "camel")]
pub struct MetricTransformation {
    /// Name of the metric.
    #[field(required, length(1..=255), pattern = "[^:*$]*")]
    metric_name: Option<Text>,
    /// Namespace of the metric.
    #[field(required, length(1..=255), pattern = "[^:*$]*")]
    metric_namespace: Option<Text>,
    /// Value for each event: a number, or `$.field` or `$column` of the filter pattern.
    #[field(required, length(1..=100))]
    metric_value: Option<Text>,
    /// Value while no event matches; not allowed with dimensions.
    default_value: Option<f64>,
    /// Dimensions of the metric: name, and the field that is its value.
    #[field(length(..=3), each(length(1..=255)))]
    dimensions: Option<Map<Text>>,
    /// Unit of the metric.
    unit: Option<StandardUnit>,
}

/// A metric filter: selects events of a log group that become values of a metric.
#[derive(Resource)]
#[resource(
    service = SERVICE, case = "camel", name = "filterName", pk("logGroupName", "filterName"), saved_when = "creationTime",
    calls(
        MetricFilterCreate, MetricFilterGet, DescribeMetricFilters, MetricFilterUpdate, DeleteMetricFilter,
        TestMetricFilter
    ),
    create = MetricFilterCreate, update = MetricFilterUpdate, delete = DeleteMetricFilter, get = MetricFilterGet
)]
pub struct MetricFilter {
    /// Name of the log group.
    #[field(required, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub(super) log_group_name: Option<Text>,
    /// Name of the filter, unique within the log group.
    #[field(required, length(1..=512), pattern = "[^:*]*")]
    pub(super) filter_name: Option<Text>,
    /// Filter pattern of the events; an empty pattern matches all events.
    #[field(default = "", length(..=1024))]
    filter_pattern: Option<Text>,
    /// Transformations of the events into values; exactly one.
    #[field(required, length(1..=1))]
    metric_transformations: Option<Vec<MetricTransformation>>,
    /// Creation time, in milliseconds since 1970.
    #[field(service_set)]
    creation_time: Option<i64>,
    /// Applies the filter to transformed events.
    apply_on_transformed_logs: Option<bool>,
    slot: Slot,
}

filter::filter_kind!(
    MetricFilter { MetricFilterCreate, MetricFilterGet, MetricFilterUpdate },
    "logs/metric-filter",
    "metric filter",
    100,
    PutMetricFilter,
    DescribeMetricFilters { metric_filters }
);

/// Creates or replaces a metric filter of a log group.
#[operation(
    service = SERVICE, of = MetricFilter, case = "camel",
    needs(log_group_name, filter_name, filter_pattern, metric_transformations), takes(apply_on_transformed_logs),
    effect = write, output = Empty, subject = "log-group:{logGroupName}"
)]
pub struct PutMetricFilter {}

impl Handler for PutMetricFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut group = filter::require_group::<MetricFilter>(cx, &self.log_group_name)?;
        Pattern::parse(&self.filter_pattern)?;
        self.metric_transformations.iter().try_for_each(check_transformation)?;
        let count = group.metric_filter_count.unwrap_or(0);
        if filter::put(cx, MetricFilter::from_given(self), usize::try_from(count).unwrap_or(0))? {
            group.metric_filter_count = Some(count + 1);
            cx.put(group)?;
        }
        Ok(Empty {})
    }
}

fn check_transformation(transformation: &MetricTransformation) -> Result<()> {
    let invalid = |field: &str, message: &str| {
        Err(errors::invalid(format!("metricTransformations[0].{field}"), message))
    };
    let value = transformation.metric_value.as_deref().unwrap_or_default();
    if !value.starts_with('$') && value.parse::<f64>().is_err() {
        return invalid("metricValue", "must be a number or a field of the pattern ($.field or $column)");
    }
    let dimensions = transformation.dimensions.iter().flatten();
    if transformation.default_value.is_some() && dimensions.clone().next().is_some() {
        let message =
            "Invalid metric transformation: dimensions and default value are mutually exclusive properties";
        return invalid("defaultValue", message);
    }
    for (name, value) in dimensions {
        if name.is_empty() || name.chars().count() > 255 {
            return invalid("dimensions", "the name of a dimension must have 1 to 255 characters");
        }
        if !value.starts_with('$') {
            let message = "the value of a dimension must be a field of the pattern ($.field or $column)";
            return invalid("dimensions", message);
        }
    }
    Ok(())
}

/// Describes metric filters, ordered by log group and name.
#[operation(
    service = SERVICE, of = MetricFilter, call = "list", pages, gives(metric_filters, next_token), case = "camel",
    takes(log_group_name), also(FilterQuery),
    effect = read, output = MetricFilters, subject = "log-group:{logGroupName}"
)]
pub struct DescribeMetricFilters {
    /// Name of the metric; only with `metricNamespace`.
    #[field(like = MetricTransformation::metric_name)]
    pub metric_name: Option<Text>,
    /// Namespace of the metric; only with `metricName`.
    #[field(like = MetricTransformation::metric_namespace)]
    pub metric_namespace: Option<Text>,
}

nephos_core::page! {
    /// A page of metric filters.
    #[record(case = "camel", name = "DescribeMetricFiltersResponse")]
    pub struct MetricFilters { metric_filters: MetricFilter, next_token }
}

impl Handler for DescribeMetricFilters {
    fn run(self, cx: &mut Tx<'_>) -> Result<MetricFilters> {
        if self.metric_name.is_some() != self.metric_namespace.is_some() {
            let message = "metricName and metricNamespace must be used together";
            return Err(errors::invalid("metricName", message));
        }
        let has_metric = |transformation: &MetricTransformation| {
            transformation.metric_name == self.metric_name
                && transformation.metric_namespace == self.metric_namespace
        };
        let is_wanted = |filter: &MetricFilter| {
            self.metric_name.is_none() || filter.metric_transformations.iter().flatten().any(has_metric)
        };
        let (group, prefix) = (self.log_group_name.as_ref(), self.filter_name_prefix.as_ref());
        Ok(filter::page(cx, &self, group, prefix, is_wanted)?.into())
    }
}

/// Deletes a metric filter of a log group.
#[operation(
    service = SERVICE, of = MetricFilter, call = "delete", instance, case = "camel", needs(log_group_name, filter_name),
    effect = write, output = Empty, subject = "log-group:{logGroupName}"
)]
pub struct DeleteMetricFilter {}

impl Handler for DeleteMetricFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut group = filter::remove::<MetricFilter>(cx, &self.log_group_name, &self.filter_name)?;
        group.metric_filter_count = Some(group.metric_filter_count.unwrap_or(0) - 1);
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// Tests a filter pattern: returns the messages that match, and the values extracted from them.
#[operation(
    service = SERVICE, of = MetricFilter, call = "test", gives(matches: Vec<MetricFilterMatchRecord>), case = "camel",
    needs(filter_pattern), effect = read, output = TestMetricFilterResult, subject = "log-group:*"
)]
pub struct TestMetricFilter {
    /// Messages to test.
    #[field(length(1..=50), each(length(1..)))]
    pub log_event_messages: Vec<Text>,
}

/// A message that matches a filter pattern.
#[derive(Record)]
#[record(case = "camel")]
pub struct MetricFilterMatchRecord {
    /// Number of the message, from 1.
    event_number: Option<i64>,
    /// Message that matches.
    event_message: Option<Text>,
    /// Values that the pattern extracts from the message.
    extracted_values: Option<Map<Text>>,
}

/// Messages that match a filter pattern.
#[derive(Record)]
#[record(answer, case = "camel", name = "TestMetricFilterResponse")]
pub struct TestMetricFilterResult {
    /// Messages that match.
    matches: Option<Vec<MetricFilterMatchRecord>>,
}

impl Handler for TestMetricFilter {
    fn run(self, _cx: &mut Tx<'_>) -> Result<TestMetricFilterResult> {
        let pattern = Pattern::parse(&self.filter_pattern)?;
        let matches = self.log_event_messages.into_iter().zip(1..).filter_map(|(message, number)| {
            let values = pattern.extract(&message)?.into_iter();
            let values = values.map(|(name, value)| (name.into(), value.into())).collect();
            Some(MetricFilterMatchRecord {
                event_number: Some(number),
                event_message: Some(message),
                extracted_values: Some(values),
            })
        });
        Ok(TestMetricFilterResult { matches: Some(matches.collect()) })
    }
}
