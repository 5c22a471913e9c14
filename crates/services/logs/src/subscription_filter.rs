//! Subscription filters: events of a log group that are passed on to a destination.

use super::{Empty, LogGroupClass, SERVICE, errors, log_group, pattern::Pattern};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{
    Arn, Choice, ErrorKind, Listing, Page, PageRequest, Record, Resource, Result, Slot, Steppable, Steps,
    Text, datum::DatumType, operation,
};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// The most subscription filters of a log group.
const MOST: usize = 2;

/// How events are spread over the shards of a stream.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum Distribution {
    /// At random.
    Random,
    /// Those of a log stream together.
    ByLogStream,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A subscription filter: which events of a log group are passed on, and where.
#[derive(Resource)]
#[resource(
    service = SERVICE, case = "camel", name = "filterName", pk("logGroupName", "filterName"), mark = "creationTime",
    calls(Create, Get, List, Update, Delete), create = Create, update = Update, delete = Delete, get = Get
)]
pub struct SubscriptionFilter {
    /// The log group.
    #[field(required, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    log_group_name: Option<Text>,
    /// Name, unique within the log group.
    #[field(required, length(1..=512), pattern = "[^:*]*")]
    filter_name: Option<Text>,
    /// Which events are passed on; all of them if it is empty.
    #[field(default = "", length(..=1024))]
    filter_pattern: Option<Text>,
    /// Resource name of what they are passed on to.
    #[field(required, length(1..))]
    destination_arn: Option<Text>,
    /// Resource name of the role that may do so; functions and destinations of another account need none.
    #[field(length(1..))]
    role_arn: Option<Text>,
    /// How they are spread over the shards of a stream; by log stream if not said.
    distribution: Option<Distribution>,
    /// Whether it looks at events as a transformer left them.
    apply_on_transformed_logs: Option<bool>,
    /// When it was first put, in milliseconds since 1970.
    #[field(service_set)]
    creation_time: Option<i64>,
    slot: Slot,
}

impl Stored for SubscriptionFilter {
    const TABLE: &'static str = "logs/subscription-filter";

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

/// The subscription filters of a log group.
pub(super) fn within(scope: &Scope, group: &str) -> Key {
    SubscriptionFilter::table(scope).text(group)
}

fn missing(group: &str, filter: &str) -> nephos_core::Error {
    errors::NOT_FOUND.because(format!("log group {group} has no subscription filter {filter}"))
}

/// Puts a subscription filter on a log group, in place of one of the same name.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct PutSubscriptionFilter {
    /// The log group.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
    /// Its name.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name: Text,
    /// Which events are passed on.
    #[field(length(..=1024))]
    pub filter_pattern: Text,
    /// What they are passed on to.
    #[field(length(1..))]
    pub destination_arn: Text,
    /// The role that may do so.
    #[field(length(1..))]
    pub role_arn: Option<Text>,
    /// How they are spread over the shards of a stream.
    pub distribution: Option<Distribution>,
    /// Whether it looks at events as a transformer left them.
    pub apply_on_transformed_logs: Option<bool>,
}

impl PutSubscriptionFilter {
    fn check(&self) -> Result<()> {
        let wrong = |field: &str, why: &str| Err(errors::INVALID.because(why).with_field(field));
        let Ok(destination) = self.destination_arn.parse::<Arn>() else {
            return wrong("destinationArn", "is not a resource name");
        };
        if !["kinesis", "firehose", "lambda", "logs"].contains(&destination.service()) {
            return wrong(
                "destinationArn",
                "is neither a stream, a delivery stream, a function nor a destination",
            );
        }
        let stream = matches!(destination.service(), "kinesis" | "firehose");
        if stream && self.role_arn.is_none() {
            return wrong("roleArn", "is required for streams and delivery streams");
        }
        if let Some(role) = &self.role_arn
            && !Arn::read(role)
                .is_some_and(|arn| arn.service() == "iam" && arn.resource().starts_with("role/"))
        {
            return wrong("roleArn", "is not the resource name of a role");
        }
        // Every filter is told to be distributed by log stream, so what was read can be put again.
        let by_stream = self.distribution.is_none() || self.distribution == Some(Distribution::ByLogStream);
        if !by_stream && destination.service() != "kinesis" {
            return wrong("distribution", "Random is only for streams");
        }
        Pattern::parse(&self.filter_pattern).map_err(|error| error.with_code(&errors::INVALID))?;
        Ok(())
    }
}

impl Handler for PutSubscriptionFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        self.check()?;
        let group = log_group::require(cx, &self.log_group_name)?;
        if group.log_group_class != Some(LogGroupClass::Standard) {
            let why = "only log groups of class STANDARD have subscription filters";
            return Err(errors::INVALID_OPERATION.because(why));
        }
        let mut filter = SubscriptionFilter::blank();
        (filter.log_group_name, filter.filter_name) =
            (Some(self.log_group_name.clone()), Some(self.filter_name));
        let before = cx.get::<SubscriptionFilter>(&filter.key(cx.scope()))?;
        if before.is_none() {
            let mut others = 0;
            let range = within(cx.scope(), &self.log_group_name).within();
            cx.scan_keys(&range, Direction::Ascending, |_, _| {
                others += 1;
                Ok(ControlFlow::Continue(()))
            })?;
            if others >= MOST {
                let why = format!("a log group has at most {MOST} subscription filters");
                return Err(errors::LIMIT_EXCEEDED.because(why));
            }
        }
        filter.filter_pattern = Some(self.filter_pattern);
        filter.distribution = self.distribution.or(Some(Distribution::ByLogStream));
        filter.destination_arn = Some(self.destination_arn);
        filter.role_arn = self.role_arn;
        filter.apply_on_transformed_logs = self.apply_on_transformed_logs;
        let now = cx.now().as_millisecond();
        filter.creation_time = before.and_then(|before| before.creation_time).or(Some(now));
        cx.put(filter)?;
        Ok(Empty {})
    }
}

/// Describes the subscription filters of a log group, in order of their names.
#[operation(service = SERVICE, case = "camel", effect = read, output = SubscriptionFilters, subject = "log-group:{logGroupName}")]
pub struct DescribeSubscriptionFilters {
    /// The log group.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
    /// Only those whose names begin so.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name_prefix: Option<Text>,
    /// Where the page before ended.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
    /// How many at most; 50 if not said.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
}

/// A page of subscription filters.
#[derive(Record)]
#[record(case = "camel", name = "DescribeSubscriptionFiltersResponse")]
pub struct SubscriptionFilters {
    /// The subscription filters.
    subscription_filters: Option<Vec<SubscriptionFilter>>,
    /// Where this page ends.
    next_token: Option<Text>,
}

impl Handler for DescribeSubscriptionFilters {
    fn run(self, cx: &mut Tx<'_>) -> Result<SubscriptionFilters> {
        log_group::require(cx, &self.log_group_name)?;
        let filters = within(cx.scope(), &self.log_group_name);
        let named = filters.clone().text_prefix(self.filter_name_prefix.as_deref().unwrap_or_default());
        let wanted = super::wanted(&named, self.next_token.as_deref(), self.limit);
        let name = |filter: &SubscriptionFilter| filter.filter_name.clone().unwrap_or_default();
        let at = |name: &str| filters.clone().text(name);
        let (found, next_token) = cx.page(&self, wanted, at, name, |filter| Ok(Some(filter)))?;
        Ok(SubscriptionFilters { subscription_filters: Some(found), next_token })
    }
}

/// Takes a subscription filter off a log group.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct DeleteSubscriptionFilter {
    /// The log group.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
    /// Its name.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name: Text,
}

impl Handler for DeleteSubscriptionFilter {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        log_group::require(cx, &self.log_group_name)?;
        let key = within(cx.scope(), &self.log_group_name).text(&self.filter_name);
        if !cx.exists(&key)? {
            return Err(missing(&self.log_group_name, &self.filter_name));
        }
        cx.remove_row(&key)?;
        Ok(Empty {})
    }
}

/// The call that puts `model` in its place.
fn put(model: &SubscriptionFilter) -> PutSubscriptionFilter {
    let name = |text: &Option<Text>| text.clone().unwrap_or_default();
    PutSubscriptionFilter::new(
        name(&model.log_group_name),
        name(&model.filter_name),
        name(&model.filter_pattern),
        name(&model.destination_arn),
    )
    .role_arn(model.role_arn.clone())
    .distribution(model.distribution.clone())
    .apply_on_transformed_logs(model.apply_on_transformed_logs)
}

/// Puts a subscription filter on a log group; one of the same name must not be there.
#[operation(kind = SubscriptionFilter, call = "create", case = "snake", effect = write, output = ())]
pub struct Create {
    /// The subscription filter.
    #[field(model)]
    pub model: SubscriptionFilter,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<()> {
        let (group, name) = (self.model.log_group_name.clone(), self.model.filter_name.clone());
        let get = Get::new(group.unwrap_or_default(), name.unwrap_or_default());
        if get.run(steps).await?.is_some() {
            let (group, name) = (&get.log_group_name, &get.filter_name);
            return Err(
                errors::EXISTS.because(format!("log group {group} has a subscription filter {name} already"))
            );
        }
        steps.call(put(&self.model)).await?;
        Ok(())
    }
}

/// Changes a subscription filter.
#[operation(kind = SubscriptionFilter, call = "update", case = "snake", effect = write, output = SubscriptionFilter)]
pub struct Update {
    /// The subscription filter.
    #[field(model)]
    pub model: SubscriptionFilter,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<SubscriptionFilter> {
        let (group, name) = (self.model.log_group_name.clone(), self.model.filter_name.clone());
        let get = Get::new(group.unwrap_or_default(), name.unwrap_or_default());
        if get.run(steps).await?.is_none() {
            return Err(missing(&get.log_group_name, &get.filter_name));
        }
        steps.call(put(&self.model)).await?;
        get.run(steps).await?.ok_or_else(|| missing(&get.log_group_name, &get.filter_name))
    }
}

/// A subscription filter, if there is one.
#[operation(kind = SubscriptionFilter, call = "get", case = "camel", effect = read, output = Option<SubscriptionFilter>)]
pub struct Get {
    /// The log group.
    pub log_group_name: Text,
    /// Its name.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name: Text,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<SubscriptionFilter>> {
        let describe = DescribeSubscriptionFilters::new(self.log_group_name.clone());
        // Of the names that begin so, the name itself comes first.
        let describe = describe.filter_name_prefix(self.filter_name.clone()).limit(1);
        let found = match steps.call(describe).await {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let named = |filter: &SubscriptionFilter| filter.filter_name.as_ref() == Some(&self.filter_name);
        Ok(found.subscription_filters.into_iter().flatten().next().filter(named))
    }
}

/// The subscription filters of a log group, in order of their names.
#[operation(
    kind = SubscriptionFilter, call = "list", case = "camel", effect = read, output = Page<SubscriptionFilter>, pages
)]
pub struct List {
    /// The log group.
    pub log_group_name: Text,
    /// Only those whose names begin so.
    #[field(length(1..=512), pattern = "[^:*]*")]
    pub filter_name_prefix: Option<Text>,
    /// How many to fetch at a time; 50 if not said.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
}

impl Listing for List {
    type Model = SubscriptionFilter;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<SubscriptionFilter>> {
        let describe = DescribeSubscriptionFilters::new(self.log_group_name.clone())
            .filter_name_prefix(self.filter_name_prefix.clone())
            .limit(self.limit)
            .next_token(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.subscription_filters.unwrap_or_default(), next_token: found.next_token })
    }
}

/// Takes a subscription filter off a log group.
#[operation(kind = SubscriptionFilter, call = "delete", case = "camel", effect = write, output = (), instance)]
pub struct Delete {
    /// The log group.
    pub log_group_name: Text,
    /// Its name.
    pub filter_name: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps
            .call(DeleteSubscriptionFilter::new(self.log_group_name.clone(), self.filter_name.clone()))
            .await?;
        Ok(())
    }
}
