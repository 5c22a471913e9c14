//! Finding target groups.

use super::{TargetGroup, missing, named, require};
use crate::{
    cloud::{Behaviour, Scope, Stored, Tx, Wanted},
    services::elbv2::{SERVICE, load_balancer, names, paging, routes},
};
use nephos_core::{Arn, Operation, Record, Result, Text};
use nephos_store::Direction;

/// Describes target groups, in order of their names, or in that in which they are asked for.
#[derive(Operation)]
#[operation(service = SERVICE, effect = read, output = TargetGroups)]
pub struct DescribeTargetGroups {
    /// Only those that this balancer routes to.
    pub load_balancer_arn: Option<Text>,
    /// Only these, by resource name.
    pub target_group_arns: Option<Vec<Text>>,
    /// Only these, by name.
    pub names: Option<Vec<Text>>,
    /// Where the page before ended.
    pub marker: Option<Text>,
    /// How many at most; 400 if not said.
    #[field(range(1..=400))]
    pub page_size: Option<i64>,
}

/// A page of target groups.
#[derive(Record)]
#[record(name = "DescribeTargetGroupsOutput")]
pub struct TargetGroups {
    /// The target groups.
    pub(in crate::services::elbv2) target_groups: Option<Vec<TargetGroup>>,
    /// Where this page ends.
    pub(in crate::services::elbv2) next_marker: Option<Text>,
}

/// The target group that was made or changed.
#[derive(Record)]
#[record(name = "CreateTargetGroupOutput")]
pub struct OneTargetGroup {
    /// The target group.
    pub(in crate::services::elbv2) target_groups: Option<Vec<TargetGroup>>,
}

impl OneTargetGroup {
    pub(super) fn of(cx: &Tx<'_>, group: TargetGroup) -> Result<Self> {
        Ok(Self { target_groups: Some(vec![group.told(cx)?]) })
    }
}

impl Behaviour for DescribeTargetGroups {
    fn subject(&self, at: &Scope) -> Arn {
        names::every(at, "targetgroup")
    }

    fn run(self, cx: &mut Tx<'_>) -> Result<TargetGroups> {
        let selectors =
            [self.load_balancer_arn.is_some(), self.target_group_arns.is_some(), self.names.is_some()];
        if selectors.into_iter().filter(|given| *given).count() > 1 {
            let why = "a balancer, resource names and names exclude each other";
            return Err(names::invalid("TargetGroupArns", why));
        }
        let (groups, next_marker) = match self.chosen(cx)? {
            Some(groups) => {
                paging::page(cx, &self, groups, self.marker.as_deref(), self.page_size, paging::numbered)?
            }
            None => self.all(cx)?,
        };
        let groups = groups.into_iter().map(|group| group.told(cx)).collect::<Result<_>>()?;
        Ok(TargetGroups { target_groups: Some(groups), next_marker })
    }
}

impl DescribeTargetGroups {
    /// Those that are asked for, if any are.
    fn chosen(&self, cx: &Tx<'_>) -> Result<Option<Vec<TargetGroup>>> {
        if let Some(arns) = &self.target_group_arns {
            let find = |arn: &Text| require(cx, arn, "TargetGroupArns");
            return paging::once(arns).iter().map(find).collect::<Result<_>>().map(Some);
        }
        if let Some(names) = &self.names {
            let find = |name: &Text| named(cx, name)?.ok_or_else(|| missing(name));
            return paging::once(names).iter().map(find).collect::<Result<_>>().map(Some);
        }
        let Some(arn) = &self.load_balancer_arn else { return Ok(None) };
        let balancer = load_balancer::require(cx, arn, "LoadBalancerArn")?;
        let groups = routes::groups(cx, balancer.own_name())?.into_iter().map(|name| named(cx, &name));
        Ok(Some(groups.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect()))
    }

    /// A page of all there are.
    fn all(&self, cx: &Tx<'_>) -> Result<(Vec<TargetGroup>, Option<Text>)> {
        let table = TargetGroup::table(cx.scope());
        let wanted = Wanted {
            within: &table,
            token: self.marker.as_deref(),
            size: paging::size(self.page_size),
            direction: Direction::Ascending,
        };
        let (key, name) =
            (|name: &str| table.clone().text(name), |group: &TargetGroup| group.own_name().into());
        cx.page(self, wanted, key, name, |group| Ok(Some(group)))
    }
}
