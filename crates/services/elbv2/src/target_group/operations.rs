//! Operations on target groups.

use super::{TargetGroup, TargetGroupManager, targets};
use crate::{
    LoadBalancer, Protocol, attributes, errors, limits,
    paging::{self, Page},
    routing::routes,
    tagging,
    validation::{self, has_items},
};
use nephos_cloud::{Addressed, Handler, StoredResource, Tx};
use nephos_core::{Empty, ManagerOperation, Record, Result, Tag, Text, WorkflowContext, operation};

/// Creates a target group. If one with the same settings exists, it is returned.
#[operation(
    of = TargetGroup, takes(settable, tags(length(1..))), except(target_group_name),
    wraps(target_groups: Vec<TargetGroup>), effect = write, subject = "targetgroup/{Name}/*", also_requires("AddTags" = "Tags?")
)]
pub struct CreateTargetGroup {
    /// Name, unique within account and Region.
    #[field(like = TargetGroup::target_group_name, from_field = "TargetGroupName")]
    pub name: Text,
}

impl Handler for CreateTargetGroup {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        validation::check_group_name(&self.name).map_err(|error| error.with_field("Name"))?;
        let tags = tagging::RULES.read_list(&self.tags.take().unwrap_or_default())?;
        let mut group = TargetGroup::from_given(self).normalized(cx)?;
        if let Some(found) = TargetGroup::find_by(cx, &[group.own_name()])? {
            group.target_group_arn = found.target_group_arn.clone();
            if group != found || tagging::TagsRow::get(cx, found.own_arn())? != tags {
                return Err(errors::group_exists(found.own_name()));
            }
            return Ok(vec![found.with_balancers(cx)?].into());
        }
        limits::target_group_quota(group.protocol.as_ref()).add_one(cx, errors::too_many_target_groups)?;
        group.target_group_arn = Some(TargetGroup::new_arn(cx, &[group.own_name()]));
        cx.put(group.clone())?;
        tagging::TagsRow::put(cx, group.own_arn(), tags)?;
        Ok(vec![group.with_balancers(cx)?].into())
    }
}

/// Changes the health checks of a target group.
#[operation(
    of = TargetGroup, needs(target_group_arn), takes(changeable), except(tags),
    wraps(target_groups: Vec<TargetGroup>), effect = write
)]
pub struct ModifyTargetGroup {}

impl Handler for ModifyTargetGroup {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let before = TargetGroup::require(cx, &self.target_group_arn, "TargetGroupArn")?;
        let mut group = before.clone();
        if !self.health_check_protocol.as_ref().is_none_or(Protocol::is_http) {
            // TCP health checks have neither path nor matcher. If the parameters contain them, they are refused below.
            (group.health_check_path, group.matcher) = (None, None);
        }
        group.take_given(&mut self);
        let group = group.normalized(cx)?;
        if group != before {
            targets::record_states(cx, &before)?;
            cx.put(group.clone())?;
        }
        Ok(vec![group.with_balancers(cx)?].into())
    }
}

/// Deletes a target group that no action forwards to, with its targets.
#[operation(of = TargetGroup, call = "delete", on_model, needs(target_group_arn), effect = write)]
pub struct DeleteTargetGroup {}

impl Handler for DeleteTargetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group = TargetGroup::require(cx, &self.target_group_arn, "TargetGroupArn")?;
        if routes::is_used(cx, group.own_name())? {
            return Err(errors::group_in_use(group.own_arn()));
        }
        targets::remove_all(cx, group.own_name())?;
        attributes::AttributesRow::remove(cx, group.own_arn())?;
        tagging::TagsRow::remove(cx, group.own_arn())?;
        limits::target_group_quota(group.protocol.as_ref()).remove_one(cx)?;
        cx.remove(&group)?;
        Ok(Empty {})
    }
}

/// Describes target groups, in order of their names, or in the order of the given ARNs or names.
#[operation(
    of = TargetGroup, call = "list", page(target_groups, next_marker),
    find(target_group_arn in target_group_arns, name in names), with = nephos_core::with_tags,
    include(Page), effect = read
)]
pub struct DescribeTargetGroups {
    /// ARN of a load balancer that routes to the target groups.
    pub load_balancer_arn: Option<Text>,
    /// ARNs of the target groups.
    pub target_group_arns: Option<Vec<Text>>,
    /// Names of the target groups.
    pub names: Option<Vec<Text>>,
}

impl Handler for DescribeTargetGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let selectors =
            [self.load_balancer_arn.is_some(), has_items(&self.target_group_arns), has_items(&self.names)];
        if selectors.into_iter().filter(|given| *given).count() > 1 {
            return Err(errors::group_selectors_given().with_field("TargetGroupArns"));
        }
        let selectors = [("TargetGroupArns", &self.target_group_arns), ("Names", &self.names)];
        paging::check_count(selectors, |max, _| errors::too_many_selected(max, "target group"))?;
        let (groups, next_marker) = paging::page_selected_or_all(cx, &self, self.selected_groups(cx)?)?;
        let groups: Vec<_> =
            groups.into_iter().map(|group| group.with_balancers(cx)).collect::<Result<_>>()?;
        Ok((groups, next_marker).into())
    }
}

impl DescribeTargetGroups {
    /// Returns the target groups that the parameters select; `None` if they select by nothing.
    fn selected_groups(&self, cx: &Tx<'_>) -> Result<Option<Vec<TargetGroup>>> {
        let Some(arn) = &self.load_balancer_arn else {
            return paging::select(cx, &self.target_group_arns, &self.names);
        };
        let balancer = LoadBalancer::require(cx, arn, "LoadBalancerArn")?;
        let names = routes::group_names(cx, balancer.own_name())?;
        names
            .iter()
            .filter_map(|name| TargetGroup::find_by(cx, &[name]).transpose())
            .collect::<Result<_>>()
            .map(Some)
    }
}

/// Creates a target group, with its tags.
#[operation(kind = TargetGroup, call = "create", effect = write, output = Vec<TargetGroup>)]
pub struct TargetGroupCreate {
    /// The target group.
    #[field(model, name = "model")]
    pub model: TargetGroup,
    /// Name; a name in the model must be the same.
    #[field(like = TargetGroup::target_group_name, from_field = "TargetGroupName")]
    pub name: Text,
    /// Tags; they override tags of the model with the same key.
    pub tags: Option<Vec<Tag>>,
}

impl ManagerOperation for TargetGroupCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<TargetGroup>> {
        let group = &self.model;
        if let Some(other) = group.target_group_name.as_ref().filter(|other| **other != self.name) {
            return Err(errors::group_name_differs(other, &self.name).with_field("TargetGroupName"));
        }
        let mut create: CreateTargetGroup = operation::beside_model(group, self)?;
        if group.is_function() {
            // The specification requires a port in every target group, but functions do not use it.
            create.port = None;
        }
        let mut groups = context.call(create.clone()).await?.target_groups.unwrap_or_default();
        operation::echo_tags(&mut groups, &create);
        Ok(groups)
    }
}

/// Updates the health checks and tags of a target group: those that changed since the model was read.
#[operation(kind = TargetGroup, call = "update", effect = write, output = Vec<TargetGroup>)]
pub struct TargetGroupUpdate {
    /// The target group.
    #[field(model, name = "model")]
    pub model: TargetGroup,
}

impl ManagerOperation for TargetGroupUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Vec<TargetGroup>> {
        let arn = crate::send_changes::<ModifyTargetGroup>(context, &self.model).await?;
        Ok(context.run(TargetGroupGet::new().target_group_arn(arn)).await?.into_iter().collect())
    }
}
