//! Metric filters: log events that become values of a metric.

use crate::{
    Empty, errors,
    filter::{self, Filter, FilterQuery, pattern::Pattern},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Error, FromModel, ManagerOperation, Map, OnModel, Record, Resource, Result, Slot, Text, WorkflowContext,
    choices, operation,
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

/// Maximum number of dimensions of a metric.
const MAX_DIMENSIONS: usize = 3;

/// Transformation of events into values of a metric.
#[derive(Record)]
#[record(case = "camel")]
pub struct MetricTransformation {
    /// Name of the metric.
    #[field(required, length(1..=255), pattern = "[^:*$]*")]
    metric_name: Option<Text>,
    /// Namespace of the metric.
    #[field(required, length(1..=255), pattern = "[^*$]*")]
    metric_namespace: Option<Text>,
    /// Value for each event: a number, or `$.field` or `$column` of the filter pattern.
    #[field(required, length(1..=100))]
    metric_value: Option<Text>,
    /// Value while no event matches; not allowed with dimensions.
    default_value: Option<f64>,
    /// Unit of the metric.
    unit: Option<StandardUnit>,
    /// Dimensions of the metric: name, and the field that is its value.
    #[field(length(..=3), each(length(1..=255)))]
    dimensions: Option<Map<Text>>,
}

/// A metric filter: selects events of a log group that become values of a metric.
#[derive(Resource)]
#[resource(
    case = "camel", name = "filterName", pk("logGroupName", "filterName"), exists_if = "creationTime", derive_fields = add_pattern,
    not_found = |name| errors::metric_filter_not_found().with_hint(name)
)]
pub struct MetricFilter {
    /// Name of the log group.
    #[field(required, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub(crate) log_group_name: Option<Text>,
    /// Name of the filter, unique within the log group.
    #[field(required, length(1..=512), pattern = "[^:*]*")]
    pub(crate) filter_name: Option<Text>,
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
    /// Condition on the account and Region that events come from.
    #[field(no_effect, length(..=2000))]
    field_selection_criteria: Option<Text>,
    /// System fields that become dimensions of the metric: `@aws.account`, `@aws.region`.
    #[field(no_effect)]
    emit_system_field_dimensions: Option<Vec<Text>>,
    slot: Slot,
}

nephos_cloud::stored!(MetricFilter in "logs/metric-filter" by log_group_name, filter_name);

impl Filter for MetricFilter {
    const MAX_PER_GROUP: usize = 100;

    fn creation_time_mut(&mut self) -> &mut Option<i64> {
        &mut self.creation_time
    }

    fn group_name(&self) -> &str {
        self.log_group_name.as_deref().unwrap_or_default()
    }
}

/// Sets the pattern of a filter without one, which matches all events.
fn add_pattern(filter: &mut MetricFilter) {
    filter.filter_pattern.get_or_insert_default();
}

/// Creates or replaces a metric filter of a log group.
#[operation(
    of = MetricFilter, replaces, case = "camel",
    needs(log_group_name, filter_name, filter_pattern, metric_transformations), takes(settable),
    effect = write, subject = "log-group:{logGroupName}:log-stream:"
)]
pub struct PutMetricFilter {}

impl Handler for PutMetricFilter {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut group = filter::require_group::<Self>(cx, &self.log_group_name)?;
        Pattern::parse_for(&self.filter_pattern, errors::invalid_metric_filter_pattern)?;
        let emitted = &mut self.emit_system_field_dimensions;
        let supported = ["@aws.region", "@aws.account"];
        filter::check_system_fields(emitted, &supported, "emitSystemFieldDimensions")?;
        let emitted = emitted.as_ref().map_or(0, Vec::len);
        self.metric_transformations.iter().try_for_each(|given| check_transformation(given, emitted))?;
        let count = group.metric_filter_count.unwrap_or(0);
        let mut filter = MetricFilter::from_given(self);
        filter.apply_on_transformed_logs.get_or_insert(false);
        if filter::put(cx, filter, usize::try_from(count).unwrap_or(0))? {
            group.metric_filter_count = Some(count + 1);
            cx.put(group)?;
        }
        Ok(Empty {})
    }
}

/// Checks a transformation of a filter that emits this number of system fields as dimensions.
fn check_transformation(transformation: &MetricTransformation, emitted: usize) -> Result<()> {
    const FIELDS: &str = "fields are $.field or $column";
    let refuse =
        |error: Error, field: &str| Err(error.with_field(format!("metricTransformations[0].{field}")));
    let value = transformation.metric_value.as_deref().unwrap_or_default();
    if !value.starts_with('$') && value.parse::<f64>().is_err() {
        return refuse(errors::invalid_metric_value(value).with_hint(FIELDS), "metricValue");
    }
    let dimensions = transformation.dimensions.iter().flatten();
    let count = dimensions.clone().count();
    if transformation.default_value.is_some() && count > 0 {
        return refuse(errors::dimensions_and_default_value_given(), "defaultValue");
    }
    if count + emitted > MAX_DIMENSIONS {
        return refuse(errors::too_many_dimensions(), "dimensions");
    }
    for (name, value) in dimensions {
        if name.is_empty() || name.chars().count() > 255 {
            return refuse(errors::invalid_dimension_name(), "dimensions");
        }
        if !value.starts_with('$') {
            return refuse(errors::invalid_dimension_value(value).with_hint(FIELDS), "dimensions");
        }
    }
    Ok(())
}

/// Describes metric filters, ordered by log group and name.
#[operation(
    of = MetricFilter, call = "list", page(metric_filters, next_token), case = "camel",
    takes(log_group_name), include(FilterQuery), effect = read, subject = "log-group:{logGroupName}:log-stream:", access = list
)]
pub struct DescribeMetricFilters {
    /// Name of the metric; only with `metricNamespace`.
    #[field(like = MetricTransformation::metric_name)]
    pub metric_name: Option<Text>,
    /// Namespace of the metric; only with `metricName`.
    #[field(like = MetricTransformation::metric_namespace)]
    pub metric_namespace: Option<Text>,
}

impl Handler for DescribeMetricFilters {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        if self.metric_name.is_some() != self.metric_namespace.is_some() {
            return Err(errors::metric_name_without_namespace().with_field("metricName"));
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

/// Gets a metric filter of a log group; `None` if it does not exist.
#[operation(
    kind = MetricFilter, of = MetricFilter, call = "get", case = "camel", needs(log_group_name, filter_name),
    effect = read, output = Option<MetricFilter>
)]
pub struct MetricFilterGet {}

impl ManagerOperation for MetricFilterGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<MetricFilter>> {
        let describe =
            DescribeMetricFilters::from_given(self.clone()).filter_name_prefix(self.filter_name.clone());
        let found = context.find(describe.limit(1)).await?.and_then(|found| found.metric_filters);
        Ok(filter::first_named(found, &self.filter_name))
    }
}

/// Creates a metric filter of a log group; the name must not be in use.
#[operation(kind = MetricFilter, call = "create", case = "snake", effect = write, output = ())]
pub struct MetricFilterCreate {
    /// The filter.
    #[field(model)]
    pub model: MetricFilter,
}

impl ManagerOperation for MetricFilterCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        if MetricFilterGet::for_model(&self.model)?.run(context).await?.is_some() {
            return Err(errors::metric_filter_exists());
        }
        context.call(PutMetricFilter::from_model(&self.model)?).await.map(drop)
    }
}

/// Replaces the settings of a metric filter if the model was changed.
#[operation(kind = MetricFilter, call = "update", changes(PutMetricFilter), effect = write)]
pub struct MetricFilterUpdate {}

/// Deletes a metric filter of a log group.
#[operation(
    of = MetricFilter, call = "delete", on_model, case = "camel", needs(log_group_name, filter_name),
    effect = write, subject = "log-group:{logGroupName}:log-stream:"
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
    of = MetricFilter, call = "test", wraps(matches: Vec<MetricFilterMatchRecord>), case = "camel",
    needs(filter_pattern), effect = read, subject = "*"
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

impl Handler for TestMetricFilter {
    fn run(self, _cx: &mut Tx<'_>) -> Result<Self::Output> {
        let pattern = Pattern::parse_for(&self.filter_pattern, errors::invalid_metric_filter_pattern)?;
        let matches = self.log_event_messages.into_iter().zip(1..).filter_map(|(message, number)| {
            let values = pattern.extract(&message)?.into_iter();
            let values = values.map(|(name, value)| (name.into(), value.into())).collect();
            Some(MetricFilterMatchRecord {
                event_number: Some(number),
                event_message: Some(message),
                extracted_values: Some(values),
            })
        });
        Ok(matches.collect::<Vec<_>>().into())
    }
}
