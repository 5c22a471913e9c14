//! Log groups: named containers of log events with one retention policy.

use super::{DescribeLogGroups, Empty, SERVICE, errors, settings, tagging::ListTagsForResource};
use nephos_cloud::{Handler, Key, Names, Parts, Scope, Stored, Tx};
use nephos_core::{
    Arn, Choice, Error, Listing, Lookup, Map, Page, PageRequest, Resource, Result, Slot, Steppable, Steps,
    Tag, Text, operation, tags,
};

/// What a log group is for; it cannot be changed.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum LogGroupClass {
    /// Everything.
    #[choice("STANDARD")]
    Standard,
    /// Logs that are seldom looked at.
    #[choice("INFREQUENT_ACCESS")]
    InfrequentAccess,
    /// Logs that are only passed on: events are kept for one day.
    #[choice("DELIVERY")]
    Delivery,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// Whether a data protection policy is attached, or ever was.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum DataProtectionStatus {
    /// A policy is attached.
    #[choice("ACTIVATED")]
    Activated,
    /// A policy was attached and taken away.
    #[choice("DELETED")]
    Deleted,
    /// A policy was attached and put aside.
    #[choice("ARCHIVED")]
    Archived,
    /// A policy was attached and switched off.
    #[choice("DISABLED")]
    Disabled,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A setting that a log group has from its account.
#[derive(Choice, Clone, Debug, PartialEq)]
pub enum InheritedProperty {
    /// The account has a data protection policy.
    #[choice("ACCOUNT_DATA_PROTECTION")]
    AccountDataProtection,
    /// What the specification does not know.
    #[choice(unknown)]
    Unknown(Text),
}

/// A log group: a named container of log events with one retention policy.
#[derive(Resource)]
#[resource(
    service = SERVICE, hot, case = "camel", arn = "Arn", name = "logGroupName", pk = "Arn", mark = "creationTime", tags = "Tags",
    calls(
        Create, Get, List, super::Update, Delete, super::GetFields, super::PutPolicy, super::GetPolicy, super::DeletePolicy
    ),
    create = Create, update = super::Update, delete = Delete, get = Get,
)]
pub struct LogGroup {
    /// Resource name, with a trailing `:*`.
    #[field(name = "Arn", alias = "arn", wire = "arn", service_set)]
    pub(super) arn: Option<Text>,
    /// Name, unique within account and Region.
    #[field(fixed, length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub(super) log_group_name: Option<Text>,
    /// When it was created, in milliseconds since 1970.
    #[field(service_set)]
    pub(super) creation_time: Option<i64>,
    /// Days that events are kept; for ever when absent.
    #[field(one_of(
        1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
        3653
    ))]
    pub(super) retention_in_days: Option<i64>,
    /// How many metric filters it has.
    #[field(service_set)]
    pub(super) metric_filter_count: Option<i64>,
    /// How many bytes of events it holds.
    #[field(service_set)]
    pub(super) stored_bytes: Option<i64>,
    /// Resource name of the key that its events are encrypted with.
    #[field(length(..=256))]
    pub(super) kms_key_id: Option<Text>,
    /// Whether a data protection policy is attached, or ever was.
    #[field(service_set)]
    pub(super) data_protection_status: Option<DataProtectionStatus>,
    /// Settings that it has from its account.
    #[field(service_set)]
    pub(super) inherited_properties: Option<Vec<InheritedProperty>>,
    /// What it is for; it cannot be changed.
    #[field(fixed)]
    pub(super) log_group_class: Option<LogGroupClass>,
    /// Resource name, without a trailing `:*`.
    #[field(service_set)]
    pub(super) log_group_arn: Option<Text>,
    /// Whether it is protected from deletion.
    pub(super) deletion_protection_enabled: Option<bool>,
    /// Whether calls on it may authenticate with a bearer token.
    #[field(service_set)]
    pub(super) bearer_token_authentication_enabled: Option<bool>,
    /// Tags. A listing does not fetch them; `get` does.
    #[field(name = "Tags", nowhere)]
    pub(super) tags: Option<Vec<Tag>>,
    slot: Slot,
}

/// The most log groups of an account in a Region.
const MOST: i64 = 1_000_000;

/// The names of log groups, to be searched.
pub(super) const NAMES: Names = Names::of("log-group");

impl Stored for LogGroup {
    const TABLE: &'static str = "logs/log-group";

    fn identify(&self, key: Key) -> Key {
        key.text(self.log_group_name.as_deref().unwrap_or_default())
    }

    fn shed(&mut self) {
        (self.log_group_name, self.arn, self.log_group_arn) = (None, None, None);
        // Most groups are as groups are at first, and a short row is soon read.
        self.metric_filter_count.take_if(|count| *count == 0);
        self.stored_bytes.take_if(|bytes| *bytes == 0);
        self.log_group_class.take_if(|class| *class == LogGroupClass::Standard);
        self.deletion_protection_enabled.take_if(|enabled| !*enabled);
        self.bearer_token_authentication_enabled.take_if(|enabled| !*enabled);
    }

    fn restore(&mut self, scope: &Scope, identity: Parts<'_>) {
        Self::restorer(scope)(self, identity);
    }

    fn restorer(scope: &Scope) -> impl Fn(&mut Self, Parts<'_>) {
        let beginning = arn_of(scope, "");
        move |group, mut identity| {
            let (name, beginning) = (identity.text().unwrap_or_default(), beginning.as_str());
            let mut arn = String::with_capacity(beginning.len() + name.len() + ":*".len());
            arn.push_str(beginning);
            arn.push_str(&name);
            group.log_group_arn = Some(Text::new(&arn));
            arn.push_str(":*");
            group.arn = Some(arn.into());
            group.log_group_name = Some(name);
            group.metric_filter_count.get_or_insert(0);
            group.stored_bytes.get_or_insert(0);
            group.log_group_class.get_or_insert(LogGroupClass::Standard);
            group.deletion_protection_enabled.get_or_insert(false);
            group.bearer_token_authentication_enabled.get_or_insert(false);
        }
    }
}

/// The resource name of the group called `name`, without a trailing `:*`.
pub(super) fn arn_of(scope: &Scope, name: &str) -> Arn {
    scope.arn("logs", &["log-group:", name])
}

/// The key of the group called `name`.
pub(super) fn key_of(scope: &Scope, name: &str) -> Key {
    LogGroup::table(scope).text(name)
}

/// The group called `name`, which must exist.
pub(super) fn require(cx: &Tx<'_>, name: &str) -> Result<LogGroup> {
    cx.get(&key_of(cx.scope(), name))?.ok_or_else(|| not_found(name))
}

pub(super) fn not_found(name: &str) -> Error {
    errors::NOT_FOUND.because(format!("there is no log group {name}"))
}

/// The name in a group's resource name, with or without `:*`, or in an identifier that is a name already.
///
/// A resource name of another account or Region names no group here.
pub(super) fn name_in<'i>(scope: &Scope, identifier: &'i str, field: &'static str) -> Result<&'i str> {
    let Some([_, service, region, account, resource]) = Arn::parts(identifier) else { return Ok(identifier) };
    let resource = resource.strip_suffix(":*").unwrap_or(resource);
    let Some(name) = resource.strip_prefix("log-group:").filter(|_| service == "logs") else {
        let why = format!("{identifier:?} is not the resource name of a log group");
        return Err(errors::INVALID.because(why).with_field(field));
    };
    // A session on an endpoint may not know whose account it acts in: then the endpoint decides.
    let elsewhere = !scope.account().is_empty() && account != scope.account();
    if elsewhere || region != scope.region() {
        return Err(not_found(identifier));
    }
    Ok(name)
}

/// Creates a log group.
#[operation(service = SERVICE, hot, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct CreateLogGroup {
    /// Its name.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
    /// The key that its events are encrypted with.
    #[field(length(..=256))]
    pub kms_key_id: Option<Text>,
    /// Its tags.
    pub tags: Option<Map<Text>>,
    /// What it is for.
    pub log_group_class: Option<LogGroupClass>,
    /// Whether it is protected from deletion.
    pub deletion_protection_enabled: Option<bool>,
}

impl Handler for CreateLogGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = self.log_group_name;
        if name.starts_with("aws/") {
            return Err(errors::INVALID.because("must not start with aws/").with_field("logGroupName"));
        }
        if let Some(key) = &self.kms_key_id {
            settings::check_key(cx.scope(), key)?;
        }
        let tags = self.tags.unwrap_or_default();
        super::tagging::check(&tags)?;
        if cx.exists(&key_of(cx.scope(), &name))? {
            return Err(errors::EXISTS.because(format!("there is a log group {name} already")));
        }
        if cx.count("log-group")? >= MOST {
            let why = format!("an account has at most {MOST} log groups in a Region");
            return Err(errors::LIMIT_EXCEEDED.because(why));
        }
        cx.add_to_count("log-group", 1)?;
        NAMES.add(cx, &name)?;
        let mut group = <LogGroup as nephos_core::datum::DatumType>::blank();
        group.log_group_name = Some(name);
        group.creation_time = Some(cx.now().as_millisecond());
        group.kms_key_id = self.kms_key_id;
        // What is only passed on is kept for a day, whatever is asked for.
        group.retention_in_days = (self.log_group_class == Some(LogGroupClass::Delivery)).then_some(1);
        group.log_group_class = self.log_group_class;
        group.deletion_protection_enabled = self.deletion_protection_enabled;
        group.tags = (!tags.is_empty()).then(|| tags.into_iter().map(Tag::from).collect());
        cx.put(group)?;
        Ok(Empty {})
    }
}

/// Deletes a log group and every event in it.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:{logGroupName}")]
pub struct DeleteLogGroup {
    /// Its name.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name: Text,
}

impl Handler for DeleteLogGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group = require(cx, &self.log_group_name)?;
        if group.deletion_protection_enabled == Some(true) {
            let why = format!(
                "log group {} is protected from deletion; switch that off first",
                self.log_group_name
            );
            return Err(errors::PROTECTED.because(why));
        }
        cx.remove(&group)?;
        cx.add_to_count("log-group", -1)?;
        NAMES.remove(cx, &self.log_group_name)?;
        super::remove_within(cx, &self.log_group_name)?;
        Ok(Empty {})
    }
}

/// Creates a log group, with its tags and retention.
#[operation(kind = LogGroup, call = "create", case = "snake", effect = write, output = ())]
pub struct Create {
    /// The log group.
    #[field(model)]
    pub model: LogGroup,
    /// More tags; of two with the same key, the one given here counts.
    pub tags: Option<Map<Text>>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<()> {
        let group = &self.model;
        let Some(name) = &group.log_group_name else {
            return Err(errors::INVALID.because("is required").with_field("logGroupName"));
        };
        let mut tags = tags::known(group);
        tags.extend(self.tags.clone().unwrap_or_default());
        let create = CreateLogGroup::new(name.clone())
            .kms_key_id(group.kms_key_id.clone())
            .tags((!tags.is_empty()).then_some(tags))
            .log_group_class(group.log_group_class.clone())
            .deletion_protection_enabled(group.deletion_protection_enabled);
        steps.call(create).await?;
        if let Some(days) = group.retention_in_days {
            steps.call(super::PutRetentionPolicy::new(name.clone(), days)).await?;
        }
        Ok(())
    }
}

/// Deletes a log group and every event in it.
#[operation(kind = LogGroup, call = "delete", case = "camel", effect = write, output = (), instance)]
pub struct Delete {
    /// Its name.
    pub log_group_name: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteLogGroup::new(self.log_group_name.clone())).await?;
        Ok(())
    }
}

/// A log group with its tags, if there is one.
#[operation(kind = LogGroup, call = "get", case = "camel", effect = read, output = Option<LogGroup>)]
pub struct Get {
    /// Its name or resource name.
    #[field(from = "logGroupName")]
    pub log_group_identifier: Text,
    /// The accounts it may be in; only with `includeLinkedAccounts`.
    #[field(length(..=20), each(length(12..=12), pattern = "[0-9]+"))]
    pub account_identifiers: Option<Vec<Text>>,
    /// Only if its name contains this.
    #[field(length(..=512))]
    pub log_group_name_pattern: Option<Text>,
    /// At most so many, which one always is.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
    /// Whether it may be in an account that is linked to this one.
    pub include_linked_accounts: Option<bool>,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<LogGroup>> {
        let linked = self.include_linked_accounts == Some(true);
        if self.account_identifiers.is_some() && !linked {
            let why = "is only for includeLinkedAccounts";
            return Err(errors::INVALID.because(why).with_field("accountIdentifiers"));
        }
        let scope = Scope::new(steps.session().account(), steps.session().region());
        let identifier = match (linked, name_in(&scope, &self.log_group_identifier, "logGroupIdentifier")) {
            (true, _) => self.log_group_identifier.as_str(),
            (false, Ok(name)) => name,
            (false, Err(error)) if error.kind() == nephos_core::ErrorKind::NotFound => return Ok(None),
            (false, Err(error)) => return Err(error),
        };
        let found = identified(steps, identifier, linked).await?;
        let in_account = |group: &LogGroup| {
            let Some(accounts) = &self.account_identifiers else { return true };
            let arn = group.arn.as_deref().and_then(Arn::parts);
            arn.is_some_and(|[_, _, _, account, _]| accounts.iter().any(|wanted| wanted == account))
        };
        let named = |group: &LogGroup| {
            let name = group.log_group_name.as_deref().unwrap_or_default();
            self.log_group_name_pattern.as_deref().is_none_or(|pattern| name.contains(pattern))
        };
        let Some(mut group) = found.filter(|group| in_account(group) && named(group)) else {
            return Ok(None);
        };
        let arn = group.log_group_arn.clone().unwrap_or_default();
        // The tags of a group in a linked account are that account's to tell.
        let own =
            |account: &str| if scope.account().is_empty() { !linked } else { account == scope.account() };
        if Arn::parts(&arn).is_some_and(|[_, _, _, account, _]| own(account)) {
            let tags = steps.call(ListTagsForResource::new(arn)).await?.tags.unwrap_or_default();
            group.tags = Some(tags.into_iter().map(Tag::from).collect());
        }
        Ok(Some(group))
    }
}

/// The group that is identified by its name or, among linked accounts, by its resource name.
async fn identified(steps: &Steps, identifier: &str, linked: bool) -> Result<Option<LogGroup>> {
    let same = |arn: &str| {
        arn.strip_suffix(":*").unwrap_or(arn) == identifier.strip_suffix(":*").unwrap_or(identifier)
    };
    let meant = |group: &LogGroup| {
        group.log_group_name.as_deref() == Some(identifier) || group.arn.as_deref().is_some_and(same)
    };
    let describe = DescribeLogGroups::new().log_group_identifiers(vec![Text::new(identifier)]);
    let found = steps.call(describe.include_linked_accounts(linked.then_some(true))).await?;
    let told = found.log_groups.unwrap_or_default();
    if linked || told.is_empty() || told.iter().any(meant) {
        return Ok(told.into_iter().find(meant));
    }
    // Some servers pass over identifiers and tell of any groups. Of the names that begin so, the name itself comes first.
    let describe = DescribeLogGroups::new().log_group_name_prefix(Text::new(identifier)).limit(1);
    Ok(steps.call(describe).await?.log_groups.and_then(|groups| groups.into_iter().find(meant)))
}

/// The log groups, in ASCII order of their names.
#[operation(kind = LogGroup, call = "list", case = "camel", effect = read, output = Page<LogGroup>, pages)]
pub struct List {
    /// The accounts to look in; only with `includeLinkedAccounts`.
    #[field(length(..=20), each(length(12..=12), pattern = "[0-9]+"))]
    pub account_identifiers: Option<Vec<Text>>,
    /// Only those whose names begin so.
    #[field(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+")]
    pub log_group_name_prefix: Option<Text>,
    /// Only those whose names contain this.
    #[field(length(..=512), pattern = r"[.\-_/#A-Za-z0-9]*")]
    pub log_group_name_pattern: Option<Text>,
    /// How many to fetch at a time; 50 if not said.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
    /// Whether to look in the accounts that are linked to this one, too.
    pub include_linked_accounts: Option<bool>,
    /// Only those of this class.
    pub log_group_class: Option<LogGroupClass>,
    /// Only these, by name or resource name.
    #[field(length(1..=50), each(length(1..=2048)))]
    pub log_group_identifiers: Option<Vec<Text>>,
}

impl Listing for List {
    type Model = LogGroup;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<LogGroup>> {
        let mut describe = DescribeLogGroups::new()
            .account_identifiers(self.account_identifiers.clone())
            .log_group_name_prefix(self.log_group_name_prefix.clone())
            .log_group_name_pattern(self.log_group_name_pattern.clone())
            .limit(self.limit)
            .include_linked_accounts(self.include_linked_accounts)
            .log_group_class(self.log_group_class.clone())
            .log_group_identifiers(self.log_group_identifiers.clone())
            .next_token(request.token.clone());
        self.narrow(&mut describe, request);
        let found = steps.call(describe.clone()).await?;
        let (mut items, next_token) = (found.log_groups.unwrap_or_default(), found.next_token);
        // A search by pattern tells names only.
        if describe.log_group_name_pattern.is_some() && !items.is_empty() {
            let linked = self.include_linked_accounts;
            let names = items.iter().map(|group| match linked {
                Some(true) => {
                    group.arn.as_deref().map(|arn| Text::new(arn.strip_suffix(":*").unwrap_or(arn)))
                }
                _ => group.log_group_name.clone(),
            });
            let again = DescribeLogGroups::new()
                .log_group_identifiers(names.map(Option::unwrap_or_default).collect::<Vec<_>>());
            items = steps.call(again.include_linked_accounts(linked)).await?.log_groups.unwrap_or_default();
        }
        Ok(Page { items, next_token })
    }
}

impl List {
    /// Asks for no more than the results will be filtered to, where the service can do that.
    fn narrow(&self, describe: &mut DescribeLogGroups, request: &PageRequest) {
        let plain = |text: &str| {
            let named = |byte: u8| byte.is_ascii_alphanumeric() || b".-_/#".contains(&byte);
            (1..=512).contains(&text.len()) && text.bytes().all(named)
        };
        for test in request.filter.required_tests() {
            let free = describe.log_group_name_prefix.is_none()
                && describe.log_group_name_pattern.is_none()
                && describe.log_group_identifiers.is_none();
            let (true, ["logGroupName"], Some(text)) = (
                free,
                test.path().iter().map(Text::as_str).collect::<Vec<_>>().as_slice(),
                test.value().as_text(),
            ) else {
                continue;
            };
            match test.lookup() {
                Lookup::StartsWith | Lookup::Exact if plain(text) => {
                    describe.log_group_name_prefix = Some(text.into())
                }
                Lookup::Contains if plain(text) => describe.log_group_name_pattern = Some(text.into()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LogGroups, TagsOfResource};
    use nephos_core::{
        BoxFuture, Outcome, Play, Script, Session, Transport, Turn, datum::DatumType, record::Fields,
    };
    use std::{sync::Arc, time::Duration};

    /// An endpoint with a few groups that finds them by prefix, and passes over identifiers.
    struct Careless;

    impl Careless {
        fn answer(params: &dyn Fields) -> Box<dyn Fields> {
            if params.shape().name != "DescribeLogGroups" {
                return Box::new(TagsOfResource::blank());
            }
            let (prefix, _) = params.shape().field("logGroupNamePrefix").unwrap();
            let prefix = params.field(prefix).view().to_value();
            let wanted = |name: &&str| name.starts_with(prefix.as_text().unwrap_or_default());
            let groups = ["/a", "/web", "/web/api"].into_iter().filter(wanted).map(|name| {
                let mut group = LogGroup::blank();
                group.log_group_name = Some(name.into());
                group.arn = Some(format!("arn:aws:logs:us-east-1:123456789012:log-group:{name}:*").into());
                group
            });
            let mut page = LogGroups::blank();
            page.log_groups = Some(groups.collect());
            Box::new(page)
        }
    }

    impl Transport for Careless {
        fn run(&self, session: &Session, script: Arc<dyn Script>) -> BoxFuture<'static, Result<Outcome>> {
            let mut play = Play::start(script, session);
            let outcome = loop {
                match play.turn() {
                    Turn::Ask(request) => play.answer(Ok(Self::answer(&*request.params))),
                    Turn::Done(outcome) => break outcome,
                }
            };
            Box::pin(async { outcome })
        }

        fn pause(&self, _duration: Duration) -> BoxFuture<'static, ()> {
            Box::pin(async {})
        }
    }

    #[test]
    fn an_endpoint_that_passes_over_identifiers_is_not_believed() {
        let objects = LogGroup::objects(&Session::new(Arc::new(Careless)));
        let get = |name: &str| {
            objects.get(name).wait().unwrap().map(|group| group.require_name().unwrap().to_string())
        };
        assert_eq!(get("/web").as_deref(), Some("/web"));
        assert_eq!(get("/web/api").as_deref(), Some("/web/api"));
        assert_eq!(get("/we"), None);
        assert_eq!(get("/nothing"), None);
    }
}
