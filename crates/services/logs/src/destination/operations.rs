//! Operations on destinations.

use super::{Destination, DestinationManager, check_role};
use crate::{
    Empty, errors,
    filter::first_named,
    policy::access,
    tagging::{self, TagCalls},
};
use nephos_cloud::{Addressed, Handler, Stored, StoredResource, Tx, own_arn, tags::to_list};
use nephos_core::{
    Arn, FromModel, ManagerOperation, Map, OnModel, Record, Result, TagOperations, Text, WorkflowContext,
    field_value::FieldType, operation, tags,
};

/// Creates or replaces a destination; the access policy of an existing one stays.
#[operation(
    of = Destination, case = "camel", needs(destination_name, target_arn, role_arn),
    wraps(destination), effect = write,
    also_requires("iam:PassRole" = "roleArn? {roleArn}")
)]
pub struct PutDestination {
    /// Tags to add to the destination.
    #[field(length(1..))]
    pub tags: Option<Map<Text>>,
}

impl Handler for PutDestination {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let vendor = Arn::read(&self.target_arn).map(|arn| Text::new(arn.service())).unwrap_or_default();
        if !["kinesis", "firehose"].contains(&vendor.as_str()) {
            let hint = "the target must be a Kinesis stream or Firehose delivery stream";
            return Err(errors::destination_not_reachable().with_field("targetArn").with_hint(hint));
        }
        check_role(&self.role_arn)?;
        let given = self.tags.take().unwrap_or_default();
        tagging::check_tags(&given)?;
        let before = Destination::find_by(cx, &[&self.destination_name])?;
        let mut destination = before.unwrap_or_else(|| {
            let mut new = Destination::blank();
            new.creation_time = Some(cx.now().as_millisecond());
            new
        });
        destination.take_given(&mut self);
        destination.tags = to_list(tagging::add_tags(tags::known(&destination), given)?);
        destination.arn = own_arn(&destination, cx.scope());
        cx.put(destination.clone())?;
        Ok(destination.into())
    }
}

/// Sets the access policy of a destination.
#[operation(
    of = Destination, case = "camel", needs(destination_name, access_policy),
    effect = write
)]
pub struct PutDestinationPolicy {
    /// True to replace a policy that names accounts with a policy that names an organization.
    pub force_update: Option<bool>,
}

impl Handler for PutDestinationPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let policy = access::parse(&self.access_policy)?;
        let Some(mut destination) = Destination::find_by(cx, &[&self.destination_name])? else {
            let error = errors::destination_of_policy_not_found().with_field("destinationName");
            return Err(error.with_hint(self.destination_name.as_str()));
        };
        let before = destination.access_policy.as_deref().map(access::parse).transpose()?;
        if before.is_some_and(|before| !access::names_organization(&before))
            && access::names_organization(&policy)
            && self.force_update != Some(true)
        {
            return Err(errors::organization_without_force_update().with_field("forceUpdate"));
        }
        destination.access_policy = Some(self.access_policy);
        cx.put(destination)?;
        Ok(Empty {})
    }
}

/// Describes destinations, in ASCII order of their names.
#[operation(
    of = Destination, call = "list", page(destinations, next_token), case = "camel",
    pushdown(destination_name_prefix = "destinationName"), effect = read, access = list
)]
pub struct DescribeDestinations {
    /// Prefix of the names.
    #[field(wire = "DestinationNamePrefix", like = Destination::destination_name)]
    pub destination_name_prefix: Option<Text>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
}

impl Handler for DescribeDestinations {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let prefix = self.destination_name_prefix.as_deref().unwrap_or_default();
        let rows = Destination::table(cx.scope()).text_prefix(prefix);
        Ok(cx.page_rows(&self, &rows, |destination| Ok(Some(destination)))?.into())
    }
}

/// Deletes a destination. Subscription filters for it stay, and deliver nothing.
#[operation(
    of = Destination, call = "delete", on_model, case = "camel", needs(destination_name),
    effect = write
)]
pub struct DeleteDestination {}

impl Handler for DeleteDestination {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let destination = Destination::require(cx, &self.destination_name, "destinationName")?;
        cx.remove(&destination)?;
        Ok(Empty {})
    }
}

/// Gets a destination with its tags; `None` if it does not exist.
#[operation(
    kind = Destination, of = Destination, call = "get", case = "camel", needs(destination_name), effect = read,
    output = Option<Destination>
)]
pub struct DestinationGet {}

impl ManagerOperation for DestinationGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Destination>> {
        let describe = DescribeDestinations::new().destination_name_prefix(self.destination_name.clone());
        let found = context.call(describe.limit(1)).await?.destinations;
        let Some(mut found) = first_named(found, &self.destination_name) else { return Ok(None) };
        found.tags = Some(TagCalls::list(context, found.own_arn()).await?);
        Ok(Some(found))
    }
}

/// Creates a destination, with its access policy and tags; the name must not be in use.
#[operation(kind = Destination, call = "create", case = "snake", effect = write, output = Destination)]
pub struct DestinationCreate {
    /// The destination.
    #[field(model)]
    pub model: Destination,
}

impl ManagerOperation for DestinationCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Destination> {
        let get = DestinationGet::for_model(&self.model)?;
        if get.run(context).await?.is_some() {
            return Err(errors::destination_exists().with_hint(self.model.own_name()));
        }
        let tags = tags::known(&self.model);
        let mut untagged = self.model.clone();
        // The operation takes a mapping of tags.
        untagged.tags = None;
        let put = PutDestination::from_model(&untagged)?.tags((!tags.is_empty()).then_some(tags));
        context.call(put).await?;
        if self.model.access_policy.is_some() {
            let put = async { context.call(PutDestinationPolicy::from_model(&self.model)?).await };
            context.or_undo(put, DeleteDestination::from_model(&self.model)?).await?;
        }
        get.run(context).await?.ok_or_else(errors::destination_not_found)
    }
}

/// Updates the target, role, access policy and tags of a destination where the model was changed.
#[operation(kind = Destination, call = "update", changes(PutDestination, PutDestinationPolicy), effect = write)]
pub struct DestinationUpdate {}
