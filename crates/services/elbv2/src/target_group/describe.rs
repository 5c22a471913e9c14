//! Finding target groups.

use super::{TargetGroup, missing, named, require};
use crate::{SERVICE, load_balancer, names, paging, routes};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Describes target groups, in order of their names, or in that in which they are asked for.
#[operation(service = SERVICE, effect = read, output = TargetGroups, subject = "targetgroup/*")]
pub struct DescribeTargetGroups {
    /// Only those that this balancer routes to.
    pub load_balancer_arn: Option<Text>,
    /// Only these, by resource name.
    pub target_group_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// Where the page before ended.
    #[field(page_token)]
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(page_size, range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of target groups.
#[derive(Record)]
#[record(name = "DescribeTargetGroupsOutput")]
pub struct TargetGroups {
    /// The target groups.
    pub(crate) target_groups: Option<Vec<TargetGroup>>,
    /// Where this page ends.
    pub(crate) next_marker: Option<Text>,
}

/// The target group that was made or changed.
#[derive(Record)]
#[record(name = "CreateTargetGroupOutput")]
pub struct OneTargetGroup {
    /// The target group.
    pub(crate) target_groups: Option<Vec<TargetGroup>>,
}

impl OneTargetGroup {
    pub(super) fn of(cx: &Tx<'_>, group: TargetGroup) -> Result<Self> {
        Ok(Self { target_groups: Some(vec![group.told(cx)?]) })
    }
}

impl Handler for DescribeTargetGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<TargetGroups> {
        let selectors =
            [self.load_balancer_arn.is_some(), self.target_group_arns.is_some(), self.names.is_some()];
        if selectors.into_iter().filter(|given| *given).count() > 1 {
            let why = "a balancer, resource names and names exclude each other";
            return Err(names::invalid("TargetGroupArns", why));
        }
        let (chosen, token, size) = (self.chosen(cx)?, self.marker.as_deref(), self.page_size);
        let (groups, next_marker) = paging::of_named(cx, &self, chosen, token, size, TargetGroup::own_name)?;
        let groups = groups.into_iter().map(|group| group.told(cx)).collect::<Result<_>>()?;
        Ok(TargetGroups { target_groups: Some(groups), next_marker })
    }
}

impl DescribeTargetGroups {
    /// Those that are asked for, if any are.
    fn chosen(&self, cx: &Tx<'_>) -> Result<Option<Vec<TargetGroup>>> {
        if self.target_group_arns.is_some() {
            return paging::each(self.target_group_arns.as_ref(), |arn| require(cx, arn, "TargetGroupArns"));
        }
        if self.names.is_some() {
            let find = |name: &Text| named(cx, name)?.ok_or_else(|| missing(name));
            return paging::each(self.names.as_ref(), find);
        }
        let Some(arn) = &self.load_balancer_arn else { return Ok(None) };
        let balancer = load_balancer::require(cx, arn, "LoadBalancerArn")?;
        let groups = routes::groups(cx, balancer.own_name())?.into_iter().map(|name| named(cx, &name));
        Ok(Some(groups.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()))
    }
}
