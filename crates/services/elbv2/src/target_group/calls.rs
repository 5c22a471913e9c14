//! The manager of target groups.

use super::{
    CreateTargetGroup, DeleteTargetGroup, DescribeTargetGroups, ModifyTargetGroup, TargetGroup,
    TargetGroupManager,
};
use crate as elbv2;
use crate::{names::invalid, none_if_missing, tagging};
use nephos_core::{Listing, Page, PageRequest, Resource, Result, Steppable, Steps, Tag, Text, operation};

/// Creates a target group, with its tags.
#[operation(kind = TargetGroup, call = "create", effect = write, output = Vec<TargetGroup>)]
pub struct Create {
    /// The target group.
    #[field(model, name = "model")]
    pub model: TargetGroup,
    /// Its name; one in the model must be the same.
    #[field(like = TargetGroup::target_group_name, from = "TargetGroupName")]
    pub name: Text,
    /// Its tags; they win over those of the model, key by key.
    pub tags: Option<Vec<Tag>>,
}

impl Steppable for Create {
    async fn run(&self, steps: &Steps) -> Result<Vec<TargetGroup>> {
        let group = &self.model;
        if let Some(other) = group.target_group_name.as_ref().filter(|other| **other != self.name) {
            let why =
                format!("{other:?} is not the name {:?} that the group is to be created with", self.name);
            return Err(invalid("TargetGroupName", why));
        }
        let tags = tagging::merged(group.tags.as_deref(), self.tags.as_deref());
        let create = CreateTargetGroup::new(self.name.clone())
            .target_type(group.target_type.clone())
            .health_check_enabled(group.health_check_enabled)
            .health_check_path(group.health_check_path.clone())
            .health_check_interval_seconds(group.health_check_interval_seconds)
            .health_check_timeout_seconds(group.health_check_timeout_seconds)
            .healthy_threshold_count(group.healthy_threshold_count)
            .unhealthy_threshold_count(group.unhealthy_threshold_count)
            .matcher(group.matcher.clone())
            .ip_address_type(group.ip_address_type.clone())
            .protocol_version(group.protocol_version.clone())
            .health_check_protocol(group.health_check_protocol.clone())
            .health_check_port(group.health_check_port.clone())
            .target_control_port(group.target_control_port)
            .vpc_id(group.vpc_id.clone())
            .protocol(group.protocol.clone())
            // The specification has every target group say a port, and functions not use it.
            .port(group.port.filter(|_| !group.is_function()))
            .tags(tags.clone());
        let made = steps.call(create).await?.target_groups.unwrap_or_default();
        Ok(made.into_iter().map(|made| TargetGroup { tags: tags.clone(), ..made }).collect())
    }
}

/// A target group by its resource name or its name, if there is one.
#[operation(kind = TargetGroup, call = "get", effect = read, output = Option<TargetGroup>)]
pub struct Get {
    /// Its resource name.
    #[field(from = "TargetGroupArn")]
    pub target_group_arn: Option<Text>,
    /// Its name.
    pub name: Option<Text>,
}

impl Steppable for Get {
    async fn run(&self, steps: &Steps) -> Result<Option<TargetGroup>> {
        elbv2::exactly_one("TargetGroupArn", self.target_group_arn.is_some(), "Name", self.name.is_some())?;
        let one = |text: &Option<Text>| text.clone().map(|text| vec![text]);
        let describe =
            DescribeTargetGroups::new().target_group_arns(one(&self.target_group_arn)).names(one(&self.name));
        let Some(found) = none_if_missing(steps.call(describe).await)? else { return Ok(None) };
        let Some(mut group) = found.target_groups.unwrap_or_default().into_iter().next() else {
            return Ok(None);
        };
        group.tags = tagging::of(steps, group.own_arn()).await?;
        Ok(Some(group))
    }
}

/// The target groups, in order of their names.
#[operation(kind = TargetGroup, call = "list", effect = read, output = Page<TargetGroup>, pages)]
pub struct List {
    /// Only those that this balancer routes to.
    pub load_balancer_arn: Option<Text>,
    /// Only these, by resource name.
    pub target_group_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// How many to fetch at a time; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub limit: Option<i64>,
}

impl Listing for List {
    type Model = TargetGroup;

    async fn page(&self, steps: &Steps, request: &PageRequest) -> Result<Page<TargetGroup>> {
        if elbv2::any_empty([&self.target_group_arns, &self.names]) {
            return Ok(Page::default());
        }
        let describe = DescribeTargetGroups::new()
            .load_balancer_arn(self.load_balancer_arn.clone())
            .target_group_arns(self.target_group_arns.clone())
            .names(self.names.clone())
            .page_size(self.limit)
            .marker(request.token.clone());
        let found = steps.call(describe).await?;
        Ok(Page { items: found.target_groups.unwrap_or_default(), next_token: found.next_marker })
    }
}

/// Changes the health checks and tags of a target group: those that differ from what the model was read with.
#[operation(kind = TargetGroup, call = "update", effect = write, output = Vec<TargetGroup>)]
pub struct Update {
    /// The target group.
    #[field(model, name = "model")]
    pub model: TargetGroup,
}

impl Steppable for Update {
    async fn run(&self, steps: &Steps) -> Result<Vec<TargetGroup>> {
        let (group, changed) = (&self.model, self.model.changed());
        group.check_changes()?;
        let arn = elbv2::marked(&group.target_group_arn, "TargetGroupArn")?;
        let has = |field: &str| changed.contains(&field);
        let modify = ModifyTargetGroup::new(arn.clone())
            .health_check_protocol(group.health_check_protocol.clone().filter(|_| has("HealthCheckProtocol")))
            .health_check_port(group.health_check_port.clone().filter(|_| has("HealthCheckPort")))
            .health_check_path(group.health_check_path.clone().filter(|_| has("HealthCheckPath")))
            .health_check_enabled(group.health_check_enabled.filter(|_| has("HealthCheckEnabled")))
            .health_check_interval_seconds(
                group.health_check_interval_seconds.filter(|_| has("HealthCheckIntervalSeconds")),
            )
            .health_check_timeout_seconds(
                group.health_check_timeout_seconds.filter(|_| has("HealthCheckTimeoutSeconds")),
            )
            .healthy_threshold_count(group.healthy_threshold_count.filter(|_| has("HealthyThresholdCount")))
            .unhealthy_threshold_count(
                group.unhealthy_threshold_count.filter(|_| has("UnhealthyThresholdCount")),
            )
            .matcher(group.matcher.clone().filter(|_| has("Matcher")));
        let made = steps.call(modify).await?.target_groups.unwrap_or_default();
        tagging::retag(steps, &arn, group).await?;
        let tags = tagging::of(steps, &arn).await?;
        Ok(made.into_iter().map(|made| TargetGroup { tags: tags.clone(), ..made }).collect())
    }
}

/// Deletes a target group that no action names, with its targets.
#[operation(kind = TargetGroup, call = "delete", effect = write, output = (), instance)]
pub struct Delete {
    /// Its resource name.
    pub target_group_arn: Text,
}

impl Steppable for Delete {
    async fn run(&self, steps: &Steps) -> Result<()> {
        steps.call(DeleteTargetGroup::new(self.target_group_arn.clone())).await?;
        Ok(())
    }
}
