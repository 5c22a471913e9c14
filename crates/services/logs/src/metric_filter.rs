//! Metric filters: events of a log group that are counted or measured.

use super::{Empty, LogGroupClass, SERVICE, errors, log_group, pattern::Pattern};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{
    Choice, ErrorKind, Listing, Map, Page, PageRequest, Record, Resource, Result, Slot, Steppable, Steps,
    Text, datum::DatumType, operation,
};

/// The most metric filters of a log group.
const MOST: i64 = 100;

/// What a metric is measured in.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum StandardUnit {
    /// Seconds.
    Seconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Bytes.
    Bytes,
    /// Kilobytes.
    Kilobytes,
    /// Megabytes.
    Megabytes,
    /// Gigabytes.
    Gigabytes,
    /// Terabytes.
    Terabytes,
    /// Bits.
    Bits,
    /// Kilobits.
    Kilobits,
    /// Megabits.
    Megabits,
    /// Gigabits.
    Gigabits,
    /// Terabits.
    Terabits,
    /// Percent.
    Percent,
    /// A number of something.
    Count,
    /// Bytes a second.
    #[choice("Bytes/Second")]
    BytesPerSecond,
    /// Kilobytes a second.
    #[choice("Kilobytes/Second")]
    KilobytesPerSecond,
    /// Megabytes a second.
    #[choice("Megabytes/Second")]
    MegabytesPerSecond,
    /// Gigabytes a second.
    #[choice("Gigabytes/Second")]
    GigabytesPerSecond,
    /// Terabytes a second.
    #[choice("Terabytes/Second")]
    TerabytesPerSecond,
    /// Bits a second.
    #[choice("Bits/Second")]
    BitsPerSecond,
    /// Kilobits a second.
    #[choice("Kilobits/Second")]
    KilobitsPerSecond,
    /// Megabits a second.
    #[choice("Megabits/Second")]
    MegabitsPerSecond,
    /// Gigabits a second.
    #[choice("Gigabits/Second")]
    GigabitsPerSecond,
    /// Terabits a second.
    #[choice("Terabits/Second")]
    TerabitsPerSecond,
    /// A number of something a second.
    #[choice("Count/Second")]
    CountPerSecond,
    /// Nothing.
    None,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// How events become values of a metric.
#[derive(Record)]
#[record(case = "camel")]
pub struct MetricTransformation {
    /// The metric's name.
    #[field(required, length(1..=255), pattern = "[^:*$]*")]
    metric_name: Option<Text>,
    /// The metric's namespace.
    #[field(required, length(1..=255), pattern = "[^:*$]*")]
    metric_namespace: Option<Text>,
    /// The value for each event: a number, or `$.field` and `$column` of the filter pattern.
    #[field(required, length(1..=100))]
    metric_value: Option<Text>,
    /// The value while no event matches; not with dimensions.
    default_value: Option<f64>,
    /// Dimensions of the metric, with the field that gives each its value.
    #[field(length(..=3), each(length(1..=255)))]
    dimensions: Option<Map<Text>>,
    /// What it is measured in.
    unit: Option<StandardUnit>,
}

/// A metric filter: which events of a log group become values of a metric.
#[derive(Resource)]
#[resource(
    service = SERVICE, case = "camel", name = "filterName", pk("logGroupName", "filterName"), mark = "creationTime",
    calls(Create, Get, List, Update, Delete, TestPattern), create = Create, update = Update, delete = Delete, get = Get
)]
pub struct MetricFilter {
    /// The log group.
    #[field(required, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub(super) log_group_name: Option<Text>,
    /// Name, unique within the log group.
    #[field(required, length(1..=512), pattern = "[^:*]*")]
    pub(super) filter_name: Option<Text>,
    /// Which events count; all of them if it is empty.
    #[field(default = "", length(..=1024))]
    filter_pattern: Option<Text>,
    /// How they become values: exactly one.
    #[field(required, length(1..=1))]
    metric_transformations: Option<Vec<MetricTransformation>>,
    /// When it was first put, in milliseconds since 1970.
    #[field(service_set)]
    creation_time: Option<i64>,
    /// Whether it looks at events as a transformer left them.
    apply_on_transformed_logs: Option<bool>,
    slot: Slot,
}

impl Stored for MetricFilter {
    const TABLE: &'static str = "logs/metric-filter";

    fn identify(&self, key: Key) -> Key {
        let (group, filter) = (self.log_group_name.as_deref(), self.filter_name.as_deref());
        key.text(group.unwrap_or_default()).text(filter.unwrap_or_default())
    }

    fn shed(&mut self) {
        (self.log_group_name, self.filter_name) = (None, None);
    }

    fn restore(&mut self, _scope: &Scope, mut identity: Parts<'_>) {
        (self.log_group_name, self.filter_name) = (identity.text(), identity.text());
    }
}

/// The metric filters of a log group.
pub(super) fn within(scope: &Scope, group: &str) -> Key {
    MetricFilter::table(scope).text(group)
}

/// Puts a metric filter on a log group, in place of one of the same name.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct PutMetricFilter {
    /// The log group.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
    /// Its name.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name: Text,
    /// Which events count.
    #[field(length(..=1024))]
    pub filter_pattern: Text,
    /// How they become values: exactly one.
    #[field(length(1..=1))]
    pub metric_transformations: Vec<MetricTransformation>,
    /// Whether it looks at events as a transformer left them.
    pub apply_on_transformed_logs: Option<bool>,
}

impl Handler for PutMetricFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut group = log_group::require(cx, &self.log_group_name)?;
        if group.log_group_class != Some(LogGroupClass::Standard) {
            let why = "only log groups of class STANDARD have metric filters";
            return Err(errors::INVALID_OPERATION.because(why));
        }
        Pattern::parse(&self.filter_pattern).map_err(|error| error.with_code(&errors::INVALID))?;
        self.metric_transformations.iter().try_for_each(check)?;
        let mut filter = MetricFilter::blank();
        (filter.log_group_name, filter.filter_name) = (Some(self.log_group_name), Some(self.filter_name));
        let before = cx.get::<MetricFilter>(&filter.key(cx.scope()))?;
        if before.is_none() {
            let count = group.metric_filter_count.unwrap_or(0);
            if count >= MOST {
                return Err(
                    errors::LIMIT_EXCEEDED.because(format!("a log group has at most {MOST} metric filters"))
                );
            }
            group.metric_filter_count = Some(count + 1);
            cx.put(group)?;
        }
        filter.filter_pattern = Some(self.filter_pattern);
        filter.metric_transformations = Some(self.metric_transformations);
        filter.apply_on_transformed_logs = self.apply_on_transformed_logs;
        let now = cx.now().as_millisecond();
        filter.creation_time = before.and_then(|before| before.creation_time).or(Some(now));
        cx.put(filter)?;
        Ok(Empty {})
    }
}

fn check(transformation: &MetricTransformation) -> Result<()> {
    let wrong = |field: &str, why: &str| {
        Err(errors::INVALID.because(why).with_field(format!("metricTransformations[0].{field}")))
    };
    let value = transformation.metric_value.as_deref().unwrap_or_default();
    if !value.starts_with('$') && value.parse::<f64>().is_err() {
        return wrong("metricValue", "is neither a number nor a field of the pattern ($.field or $column)");
    }
    let dimensions = transformation.dimensions.iter().flatten();
    if transformation.default_value.is_some() && dimensions.clone().next().is_some() {
        return wrong("defaultValue", "excludes dimensions: say one of them");
    }
    for (name, value) in dimensions {
        if name.is_empty() || name.chars().count() > 255 {
            return wrong("dimensions", "has a name that is not of 1 to 255 characters");
        }
        if !value.starts_with('$') {
            return wrong(
                "dimensions",
                "has a value that is not a field of the pattern ($.field or $column)",
            );
        }
    }
    Ok(())
}

/// Describes metric filters, in order of their log groups and names.
#[operation(service = SERVICE, case = "camel", effect = read, output = MetricFilters, subject = "log-group:{logGroupName}")]
pub struct DescribeMetricFilters {
    /// The log group; all if not said.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Option<Text>,
    /// Only those whose names begin so.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name_prefix: Option<Text>,
    /// Where the page before ended.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
    /// How many at most; 50 if not said.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
    /// Only those of this metric; together with its namespace.
    #[field(length(1..=255), pattern = "[^:*$]*")]
    pub metric_name: Option<Text>,
    /// Only those of metrics in this namespace; together with a name.
    #[field(length(1..=255), pattern = "[^:*$]*")]
    pub metric_namespace: Option<Text>,
}

/// A page of metric filters.
#[derive(Record)]
#[record(case = "camel", name = "DescribeMetricFiltersResponse")]
pub struct MetricFilters {
    /// The metric filters.
    metric_filters: Option<Vec<MetricFilter>>,
    /// Where this page ends.
    next_token: Option<Text>,
}

impl Handler for DescribeMetricFilters {
    fn run(self, cx: &mut Tx<'_>) -> Result<MetricFilters> {
        if self.metric_name.is_some() != self.metric_namespace.is_some() {
            let why = "goes together with metricNamespace: say both or neither";
            return Err(errors::INVALID.because(why).with_field("metricName"));
        }
        if let Some(group) = &self.log_group_name {
            log_group::require(cx, group)?;
        }
        let of_metric = |transformation: &MetricTransformation| {
            transformation.metric_name == self.metric_name
                && transformation.metric_namespace == self.metric_namespace
        };
        let wanted = |filter: &MetricFilter| {
            let name = filter.filter_name.as_deref().unwrap_or_default();
            self.filter_name_prefix.as_deref().is_none_or(|prefix| name.starts_with(prefix))
                && (self.metric_name.is_none()
                    || filter.metric_transformations.iter().flatten().any(of_metric))
        };
        let table = MetricFilter::table(cx.scope());
        let all = match &self.log_group_name {
            Some(group) => within(cx.scope(), group),
            None => table.clone(),
        };
        let page = super::wanted(&all, self.next_token.as_deref(), self.limit);
        let at = |position: &str| {
            let (group, filter) = position.split_once(' ').unwrap_or_default();
            table.clone().text(group).text(filter)
        };
        let place = |filter: &MetricFilter| {
            let (group, filter) = (filter.log_group_name.as_deref(), filter.filter_name.as_deref());
            format!("{} {}", group.unwrap_or_default(), filter.unwrap_or_default()).into()
        };
        let (found, next_token) =
            cx.page(&self, page, at, place, |filter| Ok(Some(filter).filter(wanted)))?;
        Ok(MetricFilters { metric_filters: Some(found), next_token })
    }
}

/// Takes a metric filter off a log group.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct DeleteMetricFilter {
    /// The log group.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
    /// Its name.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name: Text,
}

impl Handler for DeleteMetricFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut group = log_group::require(cx, &self.log_group_name)?;
        let key = within(cx.scope(), &self.log_group_name).text(&self.filter_name);
        if !cx.exists(&key)? {
            let (group, filter) = (&self.log_group_name, &self.filter_name);
            return Err(errors::NOT_FOUND.because(format!("log group {group} has no metric filter {filter}")));
        }
        group.metric_filter_count = Some(group.metric_filter_count.unwrap_or(0) - 1);
        cx.put(group)?;
        cx.remove_row(&key)?;
        Ok(Empty {})
    }
}

/// Tells which messages a filter pattern matches, and what it takes from them.
#[operation(service = SERVICE, case = "camel", effect = read, output = TestMetricFilterResult, subject = "log-group:*")]
pub struct TestMetricFilter {
    /// The pattern.
    #[field(length(..=1024))]
    pub filter_pattern: Text,
    /// The messages.
    #[field(length(1..=50), each(length(1..)))]
    pub log_event_messages: Vec<Text>,
}

/// A message that a filter pattern matched.
#[derive(Record)]
#[record(case = "camel")]
pub struct MetricFilterMatchRecord {
    /// Its number, from 1.
    event_number: Option<i64>,
    /// The message.
    event_message: Option<Text>,
    /// What the pattern takes from it.
    extracted_values: Option<Map<Text>>,
}

/// The messages that a filter pattern matched.
#[derive(Record)]
#[record(case = "camel", name = "TestMetricFilterResponse")]
pub struct TestMetricFilterResult {
    /// The messages.
    matches: Option<Vec<MetricFilterMatchRecord>>,
}

impl Handler for TestMetricFilter {
    fn run(self, _cx: &mut Tx<'_>) -> Result<TestMetricFilterResult> {
        let pattern =
            Pattern::parse(&self.filter_pattern).map_err(|error| error.with_code(&errors::INVALID))?;
        let matches = self.log_event_messages.into_iter().zip(1..).filter_map(|(message, number)| {
            let values =
                pattern.extract(&message)?.into_iter().map(|(name, value)| (name.into(), value.into()));
            Some(MetricFilterMatchRecord {
                event_number: Some(number),
                extracted_values: Some(values.collect()),
                event_message: Some(message),
            })
        });
        Ok(TestMetricFilterResult { matches: Some(matches.collect()) })
    }
}

/// The call that puts `model` in its place.
fn put(model: &MetricFilter) -> PutMetricFilter {
    let name = |text: &Option<Text>| text.clone().unwrap_or_default();
    PutMetricFilter::new(
        name(&model.log_group_name),
        name(&model.filter_name),
        name(&model.filter_pattern),
        model.metric_transformations.clone().unwrap_or_default(),
    )
    .apply_on_transformed_logs(model.apply_on_transformed_logs)
}

/// Puts a metric filter on a log group; one of the same name must not be there.
#[operation(kind = MetricFilter, call = "create", case = "snake", effect = write, output = ())]
pub struct Create {
    /// The metric filter.
    #[field(model)]
    pub model: MetricFilter,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<()> {
        let (group, name) = (self.model.log_group_name.clone(), self.model.filter_name.clone());
        let get = Get::new(group.unwrap_or_default(), name.unwrap_or_default());
        if get.run(steps).await?.is_some() {
            let (group, name) = (&get.log_group_name, &get.filter_name);
            return Err(
                errors::EXISTS.because(format!("log group {group} has a metric filter {name} already"))
            );
        }
        steps.call(put(&self.model)).await?;
        Ok(())
    }
}

/// Changes a metric filter.
#[operation(kind = MetricFilter, call = "update", case = "snake", effect = write, output = MetricFilter)]
pub struct Update {
    /// The metric filter.
    #[field(model)]
    pub model: MetricFilter,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<MetricFilter> {
        let (group, name) = (self.model.log_group_name.clone(), self.model.filter_name.clone());
        let get = Get::new(group.unwrap_or_default(), name.unwrap_or_default());
        let missing = || {
            let (group, name) = (&get.log_group_name, &get.filter_name);
            errors::NOT_FOUND.because(format!("log group {group} has no metric filter {name}"))
        };
        if get.run(steps).await?.is_none() {
            return Err(missing());
        }
        steps.call(put(&self.model)).await?;
        get.run(steps).await?.ok_or_else(missing)
    }
}

/// A metric filter, if there is one.
#[operation(kind = MetricFilter, call = "get", case = "camel", effect = read, output = Option<MetricFilter>)]
pub struct Get {
    /// The log group.
    pub log_group_name: Text,
    /// Its name.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name: Text,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<MetricFilter>> {
        let describe = DescribeMetricFilters::new().log_group_name(self.log_group_name.clone());
        // Of the names that begin so, the name itself comes first.
        let describe = describe.filter_name_prefix(self.filter_name.clone()).limit(1);
        let found = match steps.call(describe).await {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let named = |filter: &MetricFilter| filter.filter_name.as_ref() == Some(&self.filter_name);
        Ok(found.metric_filters.into_iter().flatten().next().filter(named))
    }
}

/// The metric filters, in order of their log groups and names.
#[operation(kind = MetricFilter, call = "list", case = "camel", effect = read, output = Page<MetricFilter>, pages)]
pub struct List {
    /// Only those of this log group.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Option<Text>,
    /// Only those whose names begin so.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name_prefix: Option<Text>,
    /// Only those of this metric; together with its namespace.
    pub metric_name: Option<Text>,
    /// Only those of metrics in this namespace; together with a name.
    pub metric_namespace: Option<Text>,
    /// How many to fetch at a time; 50 if not said.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
}

impl Listing for List {
    type Model = MetricFilter;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<MetricFilter>> {
        let describe = DescribeMetricFilters::new()
            .log_group_name(self.log_group_name.clone())
            .filter_name_prefix(self.filter_name_prefix.clone())
            .metric_name(self.metric_name.clone())
            .metric_namespace(self.metric_namespace.clone())
            .limit(self.limit)
            .next_token(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.metric_filters.unwrap_or_default(), next_token: found.next_token })
    }
}

/// Takes a metric filter off a log group.
#[operation(kind = MetricFilter, call = "delete", case = "camel", effect = write, output = (), instance)]
pub struct Delete {
    /// The log group.
    pub log_group_name: Text,
    /// Its name.
    pub filter_name: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteMetricFilter::new(self.log_group_name.clone(), self.filter_name.clone())).await?;
        Ok(())
    }
}

/// Tells which messages a filter pattern matches, and what it takes from them.
#[operation(
    kind = MetricFilter, call = "test", case = "camel", effect = read, output = Vec<MetricFilterMatchRecord>
)]
pub struct TestPattern {
    /// The pattern.
    #[field(length(..=1024))]
    pub filter_pattern: Text,
    /// The messages.
    #[field(length(1..=50), each(length(1..)))]
    pub log_event_messages: Vec<Text>,
}

impl Steppable for TestPattern {
    async fn run(&self, steps: &Steps) -> Result<Vec<MetricFilterMatchRecord>> {
        let test = TestMetricFilter::new(self.filter_pattern.clone(), self.log_event_messages.clone());
        Ok(steps.call(test).await?.matches.unwrap_or_default())
    }
}
